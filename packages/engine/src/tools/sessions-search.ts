import {
  type MessageHit,
  notFoundResult,
  redactSecrets,
  type SessionScope,
  sanitizeAssistantText,
  type ToolInput,
  type ToolResult,
  textOf,
  viewText,
  visibilityReport,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { findTarget } from "../sessions/find-target.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { scopeOf } from "../sessions/scope.ts";
import { readCursor, writeCursor } from "./cursor.ts";

type Input = ToolInput<"sessions_search">;
type Result = ToolResult<"sessions_search">;

const excerptUnits = 300;
const before = 100;

/** `sessions_search`: words in the transcripts that the caller may read, each hit a bounded excerpt through the view. */
export async function sessionsSearch(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  const scope = await searchScope(engine, caller, input);
  if ("refusal" in scope) return scope.refusal;
  const offset = input.cursor === undefined ? 0 : Number(readCursor("sessions_search", "search", input.cursor)[0]);
  const words = input.query.split(/\s+/).filter((word) => word !== "");
  const found = await engine.store.searchMessages({
    scope: scope.scope,
    words,
    includeTools: false,
    limit: input.limit + 1,
    offset,
    ...(input.agentId === undefined ? {} : { agentId: input.agentId }),
  });
  const hits = found.slice(0, input.limit);
  const hasMore = found.length > input.limit;
  const report = visibilityReport(engine.config, caller);
  return {
    count: hits.length,
    hits: hits.map((hit) => describeHit(hit, words)),
    hasMore,
    ...(hasMore ? { nextCursor: writeCursor("search", [offset + hits.length]) } : {}),
    ...(report ? { visibility: report } : {}),
  };
}

async function searchScope(engine: Engine, caller: ResolvedCaller, input: Input) {
  if (input.sessionKey === undefined) return { scope: scopeOf(engine, caller) };
  const target = await findTarget(engine, caller, input.sessionKey, "read");
  if ("session" in target) {
    const scope: SessionScope = { ids: [target.session.id] };
    return { scope };
  }
  return { refusal: "refusal" in target ? target.refusal : notFoundResult(input.sessionKey) };
}

function describeHit({ session, message }: MessageHit, words: readonly string[]) {
  const raw = textOf(message.body.content);
  // Cleaned whole before the cut: a cut could part a secret or a tag from what makes it one.
  const cleaned = redactSecrets(message.role === "assistant" ? sanitizeAssistantText(raw) : raw);
  return {
    sessionKey: session.sessionKey,
    sessionId: session.sessionId,
    agentId: session.agentId,
    kind: session.kind,
    ...(session.label === null ? {} : { label: session.label }),
    seq: message.seq,
    messageId: message.id,
    role: message.role,
    timestamp: message.createdAt,
    excerpt: excerptOf(cleaned.text, words),
    contentRedacted: cleaned.redacted,
  };
}

function excerptOf(text: string, words: readonly string[]): string {
  const folded = text.toLowerCase();
  const at = words.map((word) => folded.indexOf(word.toLowerCase())).filter((index) => index >= 0);
  const start = Math.max(0, Math.min(...at, text.length) - before);
  const from = start === 0 || at.length === 0 ? 0 : start;
  const cut = text.slice(from).toWellFormed();
  return `${from > 0 ? "…" : ""}${viewText(cut, excerptUnits, { sanitize: false })}`;
}
