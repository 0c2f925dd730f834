import {
  firstParkedSeq,
  type MessagePage,
  type SessionRecord,
  type ToolInput,
  type ToolResult,
  viewMessages,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { toRunMessage } from "../runs/to-run-message.ts";
import { findTarget } from "../sessions/find-target.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { readCursor, writeCursor } from "./cursor.ts";

type Input = ToolInput<"sessions_history">;
type Result = ToolResult<"sessions_history">;

/** `sessions_history`: the tail of a transcript, or one page of it, through the view. */
export async function sessionsHistory(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  const target = await findTarget(engine, caller, input.sessionKey, "read");
  if (!("session" in target)) return "refusal" in target ? target.refusal : missing(input.sessionKey);
  return readHistory(engine, target.session, input);
}

/** A transcript as another session may read it; also what an operator's command shows. */
export async function readHistory(
  engine: Engine,
  session: SessionRecord,
  input: Omit<Input, "sessionKey">,
): Promise<Exclude<Result, { status: string }>> {
  const paging = input.offset !== undefined || input.cursor !== undefined;
  const page = await engine.store.readMessages({
    sessionRow: session.id,
    firstSeq: session.firstSeq,
    classes: input.includeTools ? [0, 1] : [0],
    from: "newest",
    limit: input.limit,
    ...positionOf(session, input),
    ...(paging ? { count: true as const } : {}),
  });
  const view = viewMessages(
    page.messages.map((row) => shown(session, row)),
    { includeTools: input.includeTools },
  );
  return {
    sessionKey: session.sessionKey,
    sessionId: session.sessionId,
    messages: view.messages,
    truncated: view.droppedMessages || view.contentTruncated || (!paging && page.more),
    droppedMessages: view.droppedMessages,
    contentTruncated: view.contentTruncated,
    contentRedacted: view.contentRedacted,
    bytes: view.bytes,
    ...(paging ? pagingOf(session, input, page) : {}),
  };
}

function positionOf(session: SessionRecord, input: Omit<Input, "sessionKey">) {
  if (input.cursor !== undefined) {
    const [sessionId, beyondSeq] = readCursor("sessions_history", "history", input.cursor);
    // A cursor of an earlier incarnation is before the first message of this one.
    return { beyondSeq: sessionId === session.sessionId ? Number(beyondSeq) : session.firstSeq };
  }
  return input.offset === undefined ? {} : { offset: input.offset };
}

function pagingOf(session: SessionRecord, input: Omit<Input, "sessionKey">, page: MessagePage) {
  const first = page.messages[0];
  const hasMore = page.more && first !== undefined;
  const byOffset = input.offset !== undefined;
  return {
    ...(byOffset ? { offset: input.offset } : {}),
    totalMessages: page.total ?? page.messages.length,
    hasMore,
    ...(hasMore && byOffset ? { nextOffset: (input.offset ?? 0) + page.messages.length } : {}),
    ...(hasMore ? { nextCursor: writeCursor("history", [session.sessionId, first.seq]) } : {}),
  };
}

/** A parked message is shown at the number that it would take now. */
function shown(session: SessionRecord, row: MessagePage["messages"][number]) {
  const message = toRunMessage(row);
  if (row.seq < firstParkedSeq) return message;
  const place = row.seq - firstParkedSeq - (session.pendingNo - session.pendingRows);
  return { ...message, seq: session.lastSeq + Math.max(place, 1) };
}

function missing(typed: string): Result {
  return { status: "error", code: "not_found", error: `no session that this session may reach matches "${typed}"` };
}
