import { crossingText, isSkipWord, type RunRecord, type ToolResult } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { withSlotLent } from "../runs/lend-slot.ts";
import { waitForRun } from "../runs/wait-for-run.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { createDraft } from "../transaction-draft.ts";
import type { AdmittedSend } from "./admit-send.ts";

type SendResult = ToolResult<"sessions_send">;

/** Waits for a send's primary run; when the wait runs out the run goes on and its answer becomes an entry. */
export async function awaitReply(
  engine: Engine,
  caller: ResolvedCaller,
  sent: AdmittedSend,
  timeoutMs: number,
): Promise<SendResult> {
  const signal = caller.run ? engine.live.get(caller.run.id)?.controller.signal : undefined;
  const waited = await withSlotLent(engine, caller.run, () => waitForRun(engine, sent.runId, timeoutMs, signal));
  if ("ended" in waited) return resultOf(engine, sent, waited.ended);
  if (!("phase" in waited)) {
    return { status: "error", code: "run_cancelled", error: "the wait was given up", runId: sent.runId };
  }
  engine.faultPoint("send.wait-expired");
  // A run that ended just before is answered in line; its answer is no entry.
  const late = (await answerByEntry(engine, sent.flowId)) ? waited : await waitForRun(engine, sent.runId, 0);
  if ("ended" in late) return resultOf(engine, sent, late.ended);
  return {
    status: "timeout",
    runId: sent.runId,
    sessionKey: sent.sessionKey,
    error: "The wait ran out; the message was delivered and its run goes on. The reply comes later; do not send again.",
    phase: "phase" in late ? late.phase : waited.phase,
    delivery: await deliveryOf(engine, sent, false),
  };
}

async function resultOf(engine: Engine, sent: AdmittedSend, run: RunRecord): Promise<SendResult> {
  engine.faultPoint("send.reply-returned");
  if (run.state !== "ok") {
    return {
      status: "error",
      code: codeOf(run),
      error: run.error ?? `The run ended as ${run.state}`,
      runId: sent.runId,
    };
  }
  const reply = run.replyText === null ? "" : crossingText(run.replyText);
  const said = reply.trim() !== "" && !isSkipWord(reply);
  return {
    status: "ok",
    runId: sent.runId,
    sessionKey: sent.sessionKey,
    ...(said ? { reply } : {}),
    delivery: await deliveryOf(engine, sent, run.replyText === null),
  };
}

/** The result code of a run that did not end well. */
export function codeOf(run: RunRecord) {
  switch (run.errorCode) {
    case "run_timeout":
    case "run_cancelled":
    case "run_interrupted":
    case "recovery_exhausted":
      return run.errorCode;
    default:
      return "run_failed";
  }
}

/** Whether an announce step will still follow. */
export async function deliveryOf(engine: Engine, { flowId, announces }: AdmittedSend, silent: boolean) {
  const follows = announces && !silent && !(await isOverWithoutAnnounce(engine, flowId));
  return { status: follows ? ("pending" as const) : ("skipped" as const), mode: "announce" as const };
}

async function isOverWithoutAnnounce(engine: Engine, flowId: string): Promise<boolean> {
  const [flow] = await engine.store.read([{ get: "flow", key: flowId }]);
  if (!flow) return true;
  return flow.phase === "done" && (flow.stoppedBy === "silent" || flow.stoppedBy === "failed") && flow.turn === 0;
}

/** Turns an inline answer into an entry; `false` when the primary run had ended before, so that the answer is inline. */
async function answerByEntry(engine: Engine, flowId: string): Promise<boolean> {
  return decide(engine, async () => {
    const [flow] = await engine.store.read([{ get: "flow", key: flowId }]);
    if (flow?.phase !== "primary") return { answer: false };
    if (flow.answerTo !== "inline") return { answer: true };
    const draft = createDraft();
    draft.record({
      kind: "flow",
      key: flow.id,
      when: { phase: "primary", version: flow.version },
      set: { answerTo: "entry", waiterOwner: null },
      add: { version: 1 },
    });
    return { commit: draft, answer: true };
  });
}
