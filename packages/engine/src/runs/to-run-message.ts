import { firstParkedSeq, type MessageRecord, type RunMessage } from "@trunkline/core";

type Message = RunMessage & { readonly pending?: true; readonly unreadable?: true };

/** A stored row as runners and views take it. */
export function toRunMessage(row: MessageRecord): Message {
  const { body } = row;
  const message: { -readonly [K in keyof Message]: Message[K] } = {
    seq: row.seq,
    id: row.id,
    role: row.role,
    content: body.content,
    timestamp: row.createdAt,
  };
  if (row.provenance !== null) message.provenance = row.provenance;
  if (row.runId !== null) message.runId = row.runId;
  if (body.toolCallId !== undefined) message.toolCallId = body.toolCallId;
  if (body.isError !== undefined) message.isError = body.isError;
  if (body.unreadable) message.unreadable = true;
  if (row.seq >= firstParkedSeq) message.pending = true;
  return message;
}
