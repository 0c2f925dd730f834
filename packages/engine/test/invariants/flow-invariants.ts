import type { FlowRecord, RunRecord } from "@trunkline/core";
import { isTerminal } from "../../src/outbox/delivery-states.ts";
import { isEnded } from "../../src/runs/run-states.ts";
import type { Invariant } from "./invariant.ts";
import { groupBy, type Snapshot } from "./snapshot.ts";

const show = ({ id, phase, turn, answerTo }: FlowRecord) => `flow ${id} ${phase} ${turn} ${answerTo}`;

/** Exchanges between sessions, and the outbox. */
export const flowInvariants: readonly Invariant[] = [
  {
    number: 16,
    name: "an exchange that goes on has a run that will move it, one that is over has none",
    check: (snapshot) => {
      const runs = new Map(snapshot.run.map((row) => [row.id, row]));
      return snapshot.flow.flatMap((flow) => {
        const live = snapshot.run.filter((run) => run.flowId === flow.id && !isEnded(run));
        if (flow.phase === "done") return live.length === 0 ? [] : [`${show(flow)} has run ${live[0]?.id}`];
        return isMoving(snapshot, runs.get(flow.currentRunId ?? "")) ? [] : [`${show(flow)} stands still`];
      });
    },
  },
  {
    number: 17,
    name: "an exchange has no turn too many, and at most one announce step",
    check: ({ flow, run }) => {
      const byFlow = groupBy(run, ({ flowId }) => flowId ?? "");
      return flow.flatMap((row) => {
        const own = byFlow.get(row.id) ?? [];
        const turns = own.filter(({ kind }) => kind === "turn").length;
        const announces = own.filter(({ kind }) => kind === "flow_announce").length;
        const right = row.turn <= row.maxTurns && turns <= row.maxTurns && announces <= 1;
        return right ? [] : [`${show(row)}: ${turns} turns, ${announces} announces`];
      });
    },
  },
  {
    number: 18,
    name: "an answer that was not given in line is exactly one entry, one that was is none",
    check: ({ flow, message, session, run }) => {
      const living = new Set(session.filter(({ deletedAt }) => deletedAt === null).map(({ id }) => id));
      const entries = groupBy(message, ({ dedupeKey }) => dedupeKey ?? "");
      const looped = new Set(run.filter(({ kind }) => kind === "turn").map(({ flowId }) => flowId));
      return flow.flatMap((row) => {
        if (row.requesterRow === null || !living.has(row.requesterRow)) return [];
        const found = entries.get(`flow-reply:${row.id}`)?.length ?? 0;
        const answered = row.phase !== "primary" && (row.firstReply !== null || row.stoppedBy === "failed");
        const wanted = answered && (looped.has(row.id) || row.answerTo === "entry") ? 1 : 0;
        return found === wanted ? [] : [`${show(row)} has ${found} entries, should have ${wanted}`];
      });
    },
  },
  {
    number: 19,
    name: "a delivery that has ended holds no destination and no timer; one that has not is on its way",
    check: ({ delivery, process }, { quietAt }) => {
      const alive = new Set(process.filter(({ dead }) => dead === 0).map(({ id }) => id));
      return delivery.flatMap((row) => {
        const { id, state, activeRoute, nextAttemptAt, owner, endedAt, expiresAt } = row;
        if (isTerminal(state)) {
          const right = activeRoute === null && nextAttemptAt === null && owner === null && endedAt !== null;
          return right ? [] : [`${state} delivery ${id} holds ${activeRoute ?? nextAttemptAt ?? owner}`];
        }
        if (state === "sending") {
          const right = activeRoute !== null && owner !== null && (quietAt === undefined || alive.has(owner));
          return right ? [] : [`delivery ${id} is being sent by ${owner}`];
        }
        const late = quietAt !== undefined && (expiresAt ?? quietAt) < quietAt;
        return nextAttemptAt !== null && activeRoute === null && !late ? [] : [`delivery ${id} waits for nothing`];
      });
    },
  },
  {
    number: 20,
    name: "a delivered text has all its parts and their receipts",
    check: ({ delivery }) =>
      delivery
        .filter(({ state }) => state === "delivered")
        .filter(
          ({ partsDone, partsTotal, receipts }) => partsTotal === 0 || partsDone !== partsTotal || receipts.length < 1,
        )
        .map(({ id, partsDone, partsTotal }) => `delivery ${id}: ${partsDone} of ${partsTotal}`),
  },
];

function isMoving(snapshot: Snapshot, run: RunRecord | undefined): boolean {
  if (run?.state !== "yielded") return run !== undefined && !isEnded(run);
  return snapshot.yield.some(({ runId, state }) => runId === run.id && state === "waiting");
}
