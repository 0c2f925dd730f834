import {
  asksForDefault,
  canonicalSessionKey,
  crossingText,
  operationDecision,
  type SessionRecord,
  TrunklineError,
  thinkingDecision,
} from "@trunkline/core";
import { checkHostInput, receivedMessageSchema, sessionPatchSchema, submissionSchema } from "./check-host-input.ts";
import type { Worker } from "./dispatch/worker.ts";
import type { Engine } from "./engine.ts";
import { codeOf } from "./flows/await-reply.ts";
import { receive } from "./inbound/receive.ts";
import { submit } from "./inbound/submit.ts";
import { abortSession } from "./runs/abort-session.ts";
import { cancelRun } from "./runs/cancel-run.ts";
import { waitForRun } from "./runs/wait-for-run.ts";
import { checkModelName } from "./sessions/check-model.ts";
import { deleteSession } from "./sessions/delete-session.ts";
import { findByKey } from "./sessions/ensure-session.ts";
import { explainAccess } from "./sessions/explain-access.ts";
import { patchSession, type SessionSettingsPatch } from "./sessions/patch-session.ts";
import { resetSession } from "./sessions/reset-session.ts";
import { resolveCaller } from "./sessions/resolved-caller.ts";
import { callTool, listTools } from "./tools/call-tool.ts";
import { sessionTools } from "./tools/effective-tools.ts";
import type { Trunkline, WaitResult } from "./trunkline.ts";
import { waitForIdle } from "./wait-for-idle.ts";

const drainMs = 3_000;

/** The public face of an engine. */
export function trunklineOf(engine: Engine, worker: Worker): Trunkline {
  return {
    store: engine.store,
    events: engine.events,
    start: () => worker.start(),
    stop: (options) => worker.stop(options?.drainMs ?? drainMs),
    callTool: (caller: Parameters<typeof callTool>[1], name: string, args: unknown): Promise<never> =>
      callTool(engine, caller, name, args) as Promise<never>,
    listTools: (caller) => listTools(engine, caller),
    explainTools: async (caller) => sessionTools(engine, (await resolveCaller(engine, caller)).session),
    async receive(message) {
      checkHostInput(receivedMessageSchema, message, "receive");
      return receive(engine, message);
    },
    async submit(submission) {
      checkHostInput(submissionSchema, submission, "submit");
      return submit(engine, submission);
    },
    waitForRun: (runId, { timeoutMs }) => wait(engine, runId, timeoutMs),
    waitForIdle: ({ timeoutMs }) => waitForIdle(engine, worker, timeoutMs),
    abort: (target) => abort(engine, target),
    async patchSession(key, patch) {
      checkHostInput(sessionPatchSchema, patch, "patchSession");
      const session = await existing(engine, key);
      if (patch.archived === true) guardMain(session, "archive");
      await checkValues(engine, session, patch);
      const outcome = await patchSession(engine, session, patch);
      if (outcome === "busy") throw busy(key);
      return existing(engine, key);
    },
    async resetSession(key) {
      const sessionId = await resetSession(engine, await existing(engine, key), "human");
      if (sessionId === undefined) throw missing(key);
      return { sessionId };
    },
    async deleteSession(key) {
      const session = await existing(engine, key);
      guardMain(session, "delete");
      await deleteSession(engine, session);
    },
    explain: (caller, action, target) => explainAccess(engine, caller, action, target),
    [Symbol.asyncDispose]: () => worker.stop(drainMs),
  };
}

function guardMain(session: SessionRecord, operation: "archive" | "delete"): void {
  const decision = operationDecision(operation, { kind: session.kind, isCallingRun: false });
  if (decision.allowed) return;
  throw new TrunklineError("invalid_input", decision.reason, { path: "sessionKey", fix: "Reset it instead." });
}

async function checkValues(engine: Engine, session: SessionRecord, patch: SessionSettingsPatch): Promise<void> {
  const thinking = patch.thinking ?? "";
  const model = patch.model ?? "";
  const wrong = [
    { path: "thinking", decision: asksForDefault(thinking) ? undefined : thinkingDecision(thinking) },
    {
      path: "model",
      decision: asksForDefault(model) ? undefined : await checkModelName(engine, session.agentId, model),
    },
  ].find(({ decision }) => decision?.allowed === false);
  if (wrong?.decision) throw new TrunklineError("invalid_input", wrong.decision.reason, { path: wrong.path });
}

async function wait(engine: Engine, runId: string, timeoutMs: number): Promise<WaitResult> {
  const waited = await waitForRun(engine, runId, timeoutMs);
  if ("ended" in waited) {
    const run = waited.ended;
    if (run.state === "ok")
      return { status: "ok", ...(run.replyText === null ? {} : { reply: crossingText(run.replyText) }) };
    return { status: "error", error: run.error ?? `the run ended as ${run.state}`, code: codeOf(run) };
  }
  if ("phase" in waited) {
    return { status: "timeout", phase: waited.phase, error: "the wait ran out; the run goes on" };
  }
  return { status: "error", code: "not_found", error: "there is no such run" };
}

async function abort(
  engine: Engine,
  target: { readonly runId: string } | { readonly sessionKey: string },
): Promise<{ readonly aborted: readonly string[] }> {
  if ("sessionKey" in target) return { aborted: await abortSession(engine, await existing(engine, target.sessionKey)) };
  const waited = await waitForRun(engine, target.runId, 0);
  if ("missing" in waited) {
    throw new TrunklineError("invalid_input", "there is no such run", {
      path: "runId",
      fix: "Give the runId of a result.",
    });
  }
  const aborted = (await liveRuns(engine, target.runId)).map((run) =>
    cancelRun(engine, run).then((done) => (done ? [run.id] : [])),
  );
  return { aborted: (await Promise.all(aborted)).flat() };
}

/** The run that now stands for a run id: itself, or what it was resumed by or merged into. */
async function liveRuns(engine: Engine, runId: string) {
  let [run] = await engine.store.read([{ get: "run", key: runId }]);
  while (run?.successorId) [run] = await engine.store.read([{ get: "run", key: run.successorId }]);
  return run ? [run] : [];
}

async function existing(engine: Engine, key: string): Promise<SessionRecord> {
  const sessionKey = canonicalSessionKey(key, { mainKey: engine.config.session.mainKey });
  const session = await findByKey(engine, sessionKey);
  if (!session) throw missing(sessionKey);
  return session;
}

function missing(key: string): TrunklineError {
  return new TrunklineError("invalid_input", `there is no session "${key}"`, {
    path: "sessionKey",
    fix: "Ids are compared byte for byte; see them with sessions_list.",
  });
}

function busy(key: string): TrunklineError {
  return new TrunklineError("invalid_input", `session "${key}" is running or waits for sub-agents`, {
    path: "archived",
    fix: "Archive it when it is idle, or abort it first.",
  });
}
