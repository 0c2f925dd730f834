import { firstParkedSeq, type MessageRecord, type RunMessage } from "@trunkline/core";

/** A stored row as runners and views take it. */
export function toRunMessage(row: MessageRecord): RunMessage & { readonly pending?: true; readonly unreadable?: true } {
  const { body } = row;
  return {
    seq: row.seq,
    id: row.id,
    role: row.role,
    content: body.content,
    timestamp: row.createdAt,
    ...(row.provenance === null ? {} : { provenance: row.provenance }),
    ...(row.runId === null ? {} : { runId: row.runId }),
    ...(body.toolCallId === undefined ? {} : { toolCallId: body.toolCallId }),
    ...(body.isError === undefined ? {} : { isError: body.isError }),
    ...(body.unreadable ? { unreadable: true as const } : {}),
    ...(row.seq >= firstParkedSeq ? { pending: true as const } : {}),
  };
}
