import {
  effectiveModel,
  effectiveThinking,
  firstParkedSeq,
  type MessageRecord,
  type RunMessage,
  type RunRequest,
  type SessionRecord,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { runTools } from "../tools/run-tools.ts";
import type { LiveRun } from "./live-run.ts";
import { buildPrompt } from "./prompt.ts";
import type { StartedRun } from "./start-run.ts";
import { buildSystemPrompt } from "./system-prompt.ts";

const pageSize = 1000;

/** Everything that a runner gets for one run, `emit` and `takeInput` apart. */
export async function buildRunRequest(
  engine: Engine,
  started: StartedRun,
  live: LiveRun,
): Promise<Omit<RunRequest, "emit" | "takeInput">> {
  const { run, session } = started;
  const [flow, spawns, waiting, parent] = await engine.store.read([
    { get: "flow", key: run.flowId ?? "" },
    { find: "spawn", index: "child", equals: [session.id], limit: 1 },
    { get: "yield", key: run.yieldId ?? "" },
    { get: "session", key: session.parentId ?? "" },
  ]);
  const spawn = spawns[0];
  const model = run.model ?? effectiveModel(engine.config, session.agentId, session.model ?? undefined);
  const thinking = effectiveThinking(engine.config, session.agentId, session.thinking ?? undefined);
  return {
    run: {
      id: run.id,
      kind: run.kind,
      attempt: run.attempts,
      ...(run.causeSessionKey === null ? {} : { causeSessionKey: run.causeSessionKey }),
    },
    session: describeSession(session, parent?.sessionKey),
    prompt: buildPrompt({ ...started, flow, spawn, note: waiting?.note ?? undefined }),
    messages: await readTranscript(engine, started),
    systemPrompt: buildSystemPrompt(engine, session, spawn, parent?.sessionKey),
    ...(model === undefined ? {} : { model }),
    ...(thinking === undefined ? {} : { thinking }),
    tools: await runTools(engine, run, session),
    signal: live.controller.signal,
  };
}

function describeSession(session: SessionRecord, spawnedBy: string | undefined): RunRequest["session"] {
  return {
    key: session.sessionKey,
    sessionId: session.sessionId,
    agentId: session.agentId,
    kind: session.kind,
    channel: session.channel,
    ...(session.label === null ? {} : { label: session.label }),
    ...(spawnedBy === undefined ? {} : { spawnedBy }),
    spawnDepth: session.spawnDepth,
  };
}

/** The transcript before the input: without the input itself, and without the notices that stand in the prompt. */
async function readTranscript(engine: Engine, started: StartedRun): Promise<readonly RunMessage[]> {
  const { run, session, inputs } = started;
  const own = new Set(inputs.map(({ id }) => id));
  const notices = new Set<string | null>(started.notices.map(({ dedupeKey }) => dedupeKey));
  const messages: RunMessage[] = [];
  let beyondSeq: number | undefined;
  for (let more = true; more; ) {
    const page = await engine.store.readMessages({
      sessionRow: session.id,
      firstSeq: session.firstSeq,
      classes: [0, 1, 2],
      from: "oldest",
      limit: pageSize,
      withoutPending: true,
      ...(beyondSeq === undefined ? {} : { beyondSeq }),
    });
    for (const row of page.messages) {
      if (!own.has(row.id) && row.runId !== run.id && !notices.has(row.dedupeKey)) messages.push(toRunMessage(row));
    }
    more = page.more;
    beyondSeq = page.messages.at(-1)?.seq;
  }
  return messages;
}

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
