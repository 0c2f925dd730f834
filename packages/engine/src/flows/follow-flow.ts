import { crossingText, type FlowRecord, type NewMessageRow, type RunKind, type SessionRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import { addDelivery } from "../outbox/new-delivery.ts";
import { announceRoute } from "../outbox/session-route.ts";
import type { Closing } from "../runs/closing.ts";
import { chainOf, newRun } from "../runs/new-run.ts";
import { openWatchesOf, placeNotices } from "../watch/open-notices.ts";

const turnLimitMs = 10 * 60_000;
/** An announce step that says nothing for two minutes is given up. */
export const announceLimitMs = 120_000;

/** The next step of a `sessions_send` exchange when one of its runs has ended: a turn, the announce, or the end. */
export async function followFlow(closing: Closing): Promise<void> {
  const { engine, session, flow } = closing;
  if (!flow || flow.phase === "done") return;
  const [target, requester] = await sidesOf(engine, flow, session);
  if (!target) {
    write({ closing, flow }, { phase: "done", stoppedBy: "policy", currentRunId: null });
    return;
  }
  const step: Step = { closing, flow, target, requester };
  if (flow.phase === "primary") await afterPrimary(step);
  else if (flow.phase === "turn") await afterTurn(step);
  else afterAnnounce(step);
}

/** Of a step that can only end the exchange the requester has nothing to say, and need not be read. */
async function sidesOf(engine: Engine, flow: FlowRecord, session: SessionRecord) {
  if (flow.phase === "primary" && flow.targetRow === session.id && isSilentCall(flow))
    return [session, undefined] as const;
  return engine.store.read([
    { get: "session", key: flow.targetRow },
    { get: "session", key: flow.requesterRow ?? "" },
  ]);
}

/** A call whose reply is its only outcome: no turns, no announce step, no entry. */
function isSilentCall({ maxTurns, silentEnd, answerTo }: FlowRecord): boolean {
  return maxTurns === 0 && silentEnd === 1 && answerTo !== "entry";
}

interface Step {
  readonly closing: Closing;
  readonly flow: FlowRecord;
  readonly target: SessionRecord;
  readonly requester: SessionRecord | undefined;
}

async function afterPrimary(step: Step): Promise<void> {
  const { flow, closing } = step;
  const { spoken, ending } = closing;
  if (spoken === null) {
    const failed = ending.state !== "ok";
    if (failed) await addAnswerEntry(step, `The run failed: ${ending.error ?? ending.state}`, "error");
    write(step, { phase: "done", stoppedBy: failed ? "failed" : "silent", currentRunId: null });
    return;
  }
  const first = { firstReply: spoken, latestReply: spoken };
  if (flow.maxTurns > 0 && isReachable(step.requester)) {
    await queueTurn(step, 1, spoken, first, `flow-reply:${flow.id}`);
    return;
  }
  await addAnswerEntry(step, spoken);
  queueAnnounce(step, spoken, { ...first, ...(flow.maxTurns > 0 ? { stoppedBy: "policy" } : {}) });
}

async function afterTurn(step: Step): Promise<void> {
  const { flow, closing } = step;
  const latest = closing.spoken ?? flow.latestReply ?? "";
  const next = flow.turn + 1;
  const speaker = next % 2 === 1 ? step.requester : step.target;
  if (closing.spoken !== null && next <= flow.maxTurns && isReachable(speaker)) {
    await queueTurn(step, next, latest, { latestReply: latest });
    return;
  }
  queueAnnounce(step, latest, { latestReply: latest, stoppedBy: stopReason(step) });
}

function stopReason({ flow, closing }: Step): FlowRecord["stoppedBy"] {
  if (closing.spoken !== null) return "cap";
  if (closing.ending.state !== "ok") return "failed";
  return flow.turn % 2 === 1 ? "requester_skip" : "target_skip";
}

function afterAnnounce(step: Step): void {
  const { closing, flow, target } = step;
  const route = announceRoute(target);
  if (closing.spoken !== null && route) {
    addDelivery(
      closing.draft,
      {
        cause: `flow:${flow.id}`,
        session: target,
        runId: closing.run.id,
        kind: "announce",
        route,
        body: closing.spoken,
      },
      closing.now,
    );
  }
  write(step, { phase: "done", currentRunId: null });
}

async function queueTurn(
  step: Step,
  turn: number,
  text: string,
  fields: Partial<FlowRecord>,
  dedupeKey?: string,
): Promise<void> {
  const { closing, flow, target, requester } = step;
  const toRequester = turn % 2 === 1;
  const speaker = toRequester ? requester : target;
  const other = toRequester ? target : requester;
  if (!speaker) return;
  const message = interSessionRow(step, text, other, dedupeKey);
  const run = newRun(
    {
      ...flowRun(step, "turn", `flow:${flow.id}:turn:${turn}`),
      inputIds: [message.id],
      limitMs: turnLimitMs,
      causeSessionKey: other?.sessionKey ?? null,
    },
    closing.now,
  );
  const [watches] = await closing.engine.store.read([openWatchesOf(speaker.id)]);
  await placeNotices(closing.engine, closing.draft, speaker, watches, "outside");
  closing.draft
    .session(speaker.id)
    .when({ deleted: false })
    .append({ from: "outside", messages: [{ ...message, runId: run.id }] })
    .enqueue(run);
  write(step, { ...fields, phase: "turn", turn, currentRunId: run.id });
  closing.draft.event(queued(step, speaker, run.id, "turn", turn));
}

function queueAnnounce(step: Step, latest: string, fields: Partial<FlowRecord>): void {
  const { closing, flow, target } = step;
  if (flow.silentEnd === 1 || !isReachable(target)) {
    write(step, { ...fields, phase: "done", currentRunId: null });
    return;
  }
  const run = newRun(
    { ...flowRun(step, "flow_announce", `flow:${flow.id}:announce`), limitMs: announceLimitMs },
    closing.now,
  );
  closing.draft.session(target.id).when({ deleted: false }).enqueue(run);
  write(step, { ...fields, latestReply: latest, phase: "announce", currentRunId: run.id });
  closing.draft.event(queued(step, target, run.id, "flow_announce", flow.turn));
}

function flowRun({ closing, flow, requester }: Step, kind: RunKind, cause: string) {
  return {
    id: newId(),
    cause,
    kind,
    lane: "nested" as const,
    ...chainOf(closing.run),
    guarded: flow.guarded,
    flowId: flow.id,
    parentRunId: closing.run.id,
    causeSessionKey: requester?.sessionKey ?? null,
  };
}

function queued({ closing, flow }: Step, session: SessionRecord, runId: string, kind: RunKind, turn: number) {
  return {
    type: "run_queued" as const,
    at: closing.now,
    sessionKey: session.sessionKey,
    runId,
    agentId: session.agentId,
    kind,
    flow: { id: flow.id, phase: kind === "turn" ? "turn" : "announce", turn, of: flow.maxTurns },
  };
}

/** After `accepted` or `timeout` the answer becomes exactly one entry of the requester's transcript; it starts no run. */
async function addAnswerEntry(step: Step, text: string, detail?: string): Promise<void> {
  const { flow, requester, target } = step;
  if (flow.answerTo !== "entry" || !requester || requester.deletedAt !== null) return;
  const row = interSessionRow(step, text, target, `flow-reply:${flow.id}`, detail);
  step.closing.draft.session(requester.id).append({ from: "outside", messages: [row] });
}

function interSessionRow(
  { closing, flow, target }: Step,
  text: string,
  source: SessionRecord | undefined,
  dedupeKey?: string,
  detail?: string,
): NewMessageRow {
  return {
    id: newId(),
    role: "user",
    class: 0,
    body: { content: crossingText(text) },
    provenance: {
      kind: "inter_session",
      sourceSessionKey: (source ?? target).sessionKey,
      sourceTool: "sessions_send",
      ...(source && source.channel !== "unknown" ? { sourceChannel: source.channel } : {}),
      chainId: flow.chainId,
      hop: closing.run.hop,
      ...(detail === undefined ? {} : { detail }),
    },
    ...(dedupeKey === undefined ? {} : { dedupeKey }),
  };
}

function isReachable(session: SessionRecord | undefined): boolean {
  return session !== undefined && session.deletedAt === null && session.archived === 0;
}

function write({ closing, flow }: Pick<Step, "closing" | "flow">, set: Partial<FlowRecord>): void {
  closing.draft.record({ kind: "flow", key: flow.id, when: { version: flow.version }, set, add: { version: 1 } });
}
