import type { RunRecord } from "@trunkline/core";
import { isActive, isEnded } from "../../src/runs/run-states.ts";
import type { Invariant } from "./invariant.ts";
import { counterOf, groupBy, type Snapshot } from "./snapshot.ts";

const show = (run: RunRecord) => `${run.kind} run ${run.id} #${run.runNo} ${run.state}`;

/** Lanes, queues and the life of a run. */
export const runInvariants: readonly Invariant[] = [
  {
    number: 1,
    name: "a session has at most one active run",
    check: ({ run }) =>
      [...groupBy(run.filter(isActive), ({ sessionRow }) => sessionRow).values()]
        .filter((runs) => runs.length > 1)
        .map((runs) => runs.map(show).join(" beside ")),
  },
  {
    number: 2,
    name: "a session's lane names its active run",
    check: ({ session, run }) => {
      const byId = new Map(run.map((row) => [row.id, row]));
      const wrong = session.flatMap(({ id, activeRunId, activeFence }) => {
        if (activeRunId === null) return [];
        const active = byId.get(activeRunId);
        if (active && isActive(active) && active.fence === activeFence) return [];
        return [`session ${id} holds ${active ? show(active) : activeRunId} at fence ${activeFence}`];
      });
      const holders = new Set(session.map(({ activeRunId }) => activeRunId));
      const absent = run.filter((row) => isActive(row) && !holders.has(row.id));
      return [...wrong, ...absent.map((row) => `${show(row)} holds no lane`)];
    },
  },
  {
    number: 3,
    name: "queuedRuns counts the queued runs",
    check: ({ session, run }) => {
      const queued = groupBy(
        run.filter(({ state }) => state === "queued"),
        ({ sessionRow }) => sessionRow,
      );
      return session
        .filter(({ id, queuedRuns }) => queuedRuns !== (queued.get(id)?.length ?? 0))
        .map(({ id, queuedRuns }) => `session ${id} says ${queuedRuns}, has ${queued.get(id)?.length ?? 0}`);
    },
  },
  {
    number: 4,
    name: "exactly the head of an idle session's queue is claimable",
    check: ({ session, run }) => {
      const idle = new Set(session.filter(({ activeRunId }) => activeRunId === null).map(({ id }) => id));
      const queued = run.filter(({ state }) => state === "queued");
      const heads = [...groupBy(queued, ({ sessionRow }) => sessionRow)].flatMap(([row, runs]) => {
        const [head] = [...runs].sort((a, b) => a.runNo - b.runNo);
        return head && idle.has(row) ? [head] : [];
      });
      const allowed = new Set(heads.map(({ id }) => id));
      return [
        ...heads.filter(({ claimableAt }) => claimableAt === null).map((row) => `${show(row)} sleeps`),
        ...run
          .filter(({ id, claimableAt }) => claimableAt !== null && !allowed.has(id))
          .map((row) => `${show(row)} is claimable`),
      ];
    },
  },
  {
    number: 6,
    name: "the runs of a session start in the order of their numbers",
    check: ({ run }) =>
      [...groupBy(run, ({ sessionRow }) => sessionRow).values()].flatMap((runs) => {
        const ordered = [...runs].sort((a, b) => a.runNo - b.runNo);
        return ordered.flatMap((earlier, index) =>
          ordered
            .slice(index + 1)
            .filter((later) => overtook(earlier, later))
            .map((later) => `${show(later)} before ${show(earlier)}`),
        );
      }),
  },
  {
    number: 7,
    name: "an ended run has its end and its outcome, and no timer; a yielded one its yield",
    check: (snapshot) => {
      const yields = new Set(snapshot.yield.map(({ runId }) => runId));
      return snapshot.run.flatMap((run) => {
        if (!isEnded(run)) return run.endedAt === null ? [] : [`${show(run)} has an end`];
        return [
          ...(run.endedAt === null || run.outcome === null ? [`${show(run)} lacks its end`] : []),
          ...(run.claimableAt !== null || run.deadlineAt !== null ? [`${show(run)} has a timer`] : []),
          ...(run.state === "yielded" && !yields.has(run.id) ? [`${show(run)} has no yield`] : []),
        ];
      });
    },
  },
  {
    number: 8,
    name: "the sub-agent lane counts its active runs",
    check: (snapshot, { maxConcurrent }) => {
      const counted = counterOf(snapshot, "lane:subagent");
      const active = snapshot.run.filter((run) => run.lane === "subagent" && isActive(run) && run.slotLent === 0);
      return [
        ...(counted === active.length ? [] : [`counter ${counted}, active ${active.length}`]),
        ...(maxConcurrent !== undefined && counted > maxConcurrent ? [`${counted} of ${maxConcurrent}`] : []),
      ];
    },
  },
  {
    number: 26,
    name: "nothing of a run lies beyond its end, and no other run's text inside it",
    check: (snapshot) => [...lateRows(snapshot), ...foreignRows(snapshot)],
  },
  {
    number: 28,
    name: "no chain is longer than its hops",
    check: (snapshot, { maxHops }) => [
      ...snapshot.run.filter(({ hop }) => hop > maxHops).map((run) => `${show(run)} at hop ${run.hop}`),
      ...snapshot.counter
        .filter(({ scope, used }) => scope.startsWith("chain:") && used > maxHops)
        .map(({ scope, used }) => `${scope} is ${used}`),
    ],
  },
  {
    number: 33,
    name: "an active run belongs to a process that is known",
    check: ({ run, process }) => {
      const known = new Set(process.map(({ id }) => id));
      return run
        .filter((row) => isActive(row) && (row.owner === null || !known.has(row.owner)))
        .map((row) => `${show(row)} of ${row.owner}`);
    },
  },
];

// Told by the place in the transcript, not by the time: clocks may step back.
function overtook(earlier: RunRecord, later: RunRecord): boolean {
  if (later.startSeq === null) return false;
  if (earlier.startSeq === null) return !isEnded(earlier);
  return earlier.startSeq > later.startSeq;
}

function lateRows({ run, message }: Snapshot): readonly string[] {
  const ends = new Map(run.flatMap(({ id, endSeq }) => (endSeq === null ? [] : [[id, endSeq] as const])));
  return message.flatMap(({ runId, seq, role }) => {
    const end = role === "user" ? undefined : ends.get(runId ?? "");
    return end !== undefined && seq > end ? [`row ${seq} of run ${runId}, which ended at ${end}`] : [];
  });
}

function foreignRows({ run, message }: Snapshot): readonly string[] {
  const rows = groupBy(
    message.filter(({ role }) => role === "assistant" || role === "toolResult"),
    ({ sessionRow }) => sessionRow,
  );
  return run.flatMap(({ id, sessionRow, startSeq, endSeq }) => {
    if (startSeq === null || endSeq === null) return [];
    return (rows.get(sessionRow) ?? [])
      .filter(({ seq, runId }) => seq > startSeq && seq <= endSeq && runId !== id)
      .map(({ seq, runId }) => `row ${seq} of run ${runId} inside run ${id}`);
  });
}
