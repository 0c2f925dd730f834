import { effectiveModel, effectiveThinking, type RunRequest, type SessionRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { runTools } from "../tools/run-tools.ts";
import type { LiveRun } from "./live-run.ts";
import { buildPrompt } from "./prompt.ts";
import { readTranscript } from "./read-transcript.ts";
import type { StartedRun } from "./start-run.ts";
import { buildSystemPrompt } from "./system-prompt.ts";

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
