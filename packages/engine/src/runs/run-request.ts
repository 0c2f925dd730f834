import { effectiveModel, effectiveThinking, type RunRequest, type SessionRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { runTools } from "../tools/run-tools.ts";
import type { LiveRun } from "./live-run.ts";
import { buildPrompt } from "./prompt.ts";
import { readTranscript } from "./read-transcript.ts";
import { readRequestRows } from "./request-rows.ts";
import type { StartedRun } from "./start-run.ts";
import { buildSystemPrompt } from "./system-prompt.ts";

/** Everything that a runner gets for one run, `emit` and `takeInput` apart. */
export async function buildRunRequest(
  engine: Engine,
  started: StartedRun,
  live: LiveRun,
): Promise<Omit<RunRequest, "emit" | "takeInput">> {
  const { run, session } = started;
  const rows = (await started.ahead) ?? (await readRequestRows(engine, run, session));
  const { flow, spawn, resumed, parent, inputs, newest } = rows;
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
    prompt: buildPrompt({ ...started, flow, spawn, note: resumed?.note ?? undefined, inputs }),
    messages: await readTranscript(engine, started, newest),
    systemPrompt: buildSystemPrompt(engine, session, spawn, parent?.sessionKey),
    ...(model === undefined ? {} : { model }),
    ...(thinking === undefined ? {} : { thinking }),
    tools: runTools(engine, run, session),
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
