import { type NewMessage, type Runner, type RunRecord, type RunResult, resolveAgent } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { Ending } from "./closing.ts";
import { commitEnding } from "./commit-ending.ts";
import { abortReason, type LiveRun, newLiveRun } from "./live-run.ts";
import { readResult, toRow } from "./message-rows.ts";
import { patiently } from "./patiently.ts";
import { takeProgress } from "./progress.ts";
import { buildRunRequest } from "./run-request.ts";
import { type StartedRun, startRun } from "./start-run.ts";
import { takeSteered } from "./steer.ts";

/** Starts a claimed run, calls its runner and completes it; never rejects for what the runner does. */
export async function executeRun(engine: Engine, claimed: RunRecord): Promise<void> {
  const started = await startRun(engine, claimed);
  if (!started) return;
  const { run, session, notices } = started;
  const live = newLiveRun(run, session, notices);
  engine.live.set(run.id, live);
  if (notices.length > 0) engine.faultPoint("notice.taken");
  try {
    const ending = await callRunner(engine, started, live);
    if (ending) await commitEnding(engine, live, ending);
  } finally {
    if (engine.live.get(run.id) === live) engine.live.delete(run.id);
  }
}

async function callRunner(engine: Engine, started: StartedRun, live: LiveRun): Promise<Ending | undefined> {
  const emitted: NewMessage[] = [];
  try {
    const runner = runnerOf(engine, started);
    const isWanted = () => !live.isOver && engine.isStarted();
    const request = await patiently(engine, { what: "the input of a run", isWanted }, () =>
      buildRunRequest(engine, started, live),
    );
    const steering = runner.steers ? { takeInput: () => takeSteered(engine, live) } : {};
    const running = runner.run({
      ...request,
      ...steering,
      emit: (event) => takeProgress(engine, live, emitted, event),
    });
    // A runner that ignores its signal must not hold a slot for a run that is over.
    const result: RunResult | undefined = await Promise.race([running, live.over.promise.then(() => undefined)]);
    if (live.isOver) return undefined;
    engine.faultPoint("runner.after-return");
    await live.progress;
    if (live.isOver) return undefined;
    const { text, messages } = readResult(result ?? {}, emitted);
    return {
      state: "ok",
      text,
      rows: messages.map((message) => toRow(message, started.run.id)),
      ...(result?.usage ? { usage: result.usage } : {}),
      ...(result?.model === undefined ? {} : { model: result.model }),
    };
  } catch (error) {
    await live.progress.catch(() => undefined);
    return failure(live, error);
  }
}

function failure(live: LiveRun, error: unknown): Ending | undefined {
  const reason = abortReason(live.controller.signal);
  const aborted = error instanceof Error && error.name === "AbortError";
  const rows: Ending["rows"] = [];
  if (live.isOver) return undefined;
  if (aborted && reason === "yielded") return { state: "ok", text: null, rows };
  if (reason === "stopping") {
    return {
      state: "interrupted",
      text: live.lastText,
      rows,
      code: "run_interrupted",
      error: "The process stopped while the run was going",
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    state: "error",
    text: live.lastText,
    rows,
    code: "run_failed",
    error: message === "" ? "The runner failed" : message,
  };
}

function runnerOf(engine: Engine, { session, run }: StartedRun): Runner {
  const { runtime } = resolveAgent(engine.config, session.agentId);
  const named = runtime === undefined ? undefined : engine.runners[runtime];
  const runner = named ?? engine.runners[session.agentId] ?? engine.runners.default;
  if (runtime !== undefined && named === undefined && engine.runners[session.agentId] === undefined) {
    engine.logger.warn(
      { runtime, agentId: session.agentId, runId: run.id },
      "no runner for this runtime; the default runs it",
    );
  }
  return runner;
}
