import type { RunRecord, SpawnRecord } from "@trunkline/core";
import { isEnded } from "../../src/runs/run-states.ts";
import type { Invariant } from "./invariant.ts";
import { counterOf, groupBy, type Snapshot } from "./snapshot.ts";

const isUnsettled = ({ state }: SpawnRecord) => state !== "settled";

/** Children, their completions, and the yields that wait for them. */
export const familyInvariants: readonly Invariant[] = [
  {
    number: 9,
    name: "a session's children are counted while they have not settled",
    check: (snapshot, { maxChildren }) =>
      snapshot.session.flatMap(({ id, deletedAt }) => {
        const active = snapshot.spawn.filter((row) => row.requesterRow === id && isUnsettled(row)).length;
        const counted = counterOf(snapshot, `children:${id}`);
        if (deletedAt !== null && active === 0) return [];
        return [
          ...(counted === active ? [] : [`session ${id} counts ${counted}, has ${active}`]),
          ...(counted > maxChildren ? [`session ${id} has ${counted} of ${maxChildren}`] : []),
        ];
      }),
  },
  {
    number: 10,
    name: "a settled child has exactly one entry with its living requester",
    check: ({ spawn, session, message }) => {
      const living = new Set(session.filter(({ deletedAt }) => deletedAt === null).map(({ id }) => id));
      const entries = groupBy(
        message.filter(({ dedupeKey }) => dedupeKey?.startsWith("completion:")),
        ({ dedupeKey }) => dedupeKey ?? "",
      );
      return spawn.flatMap((row) => {
        const own = entries.get(`completion:${row.runId}`) ?? [];
        if (isUnsettled(row)) return own.length === 0 ? [] : [`unsettled spawn ${row.id} has an entry`];
        if (own.length > 1) return [`spawn ${row.id} has ${own.length} entries`];
        const there = own.some(({ sessionRow }) => sessionRow === row.requesterRow);
        return living.has(row.requesterRow) && !there ? [`spawn ${row.id} has no entry`] : [];
      });
    },
  },
  {
    number: 11,
    name: "a child that has not settled has something that will settle it",
    check: (snapshot) => {
      const runs = new Map(snapshot.run.map((row) => [row.id, row]));
      return snapshot.spawn
        .filter((row) => isUnsettled(row) && !isGoing(snapshot, runs, row))
        .map((row) => `spawn ${row.id} ${row.state}, run ${runs.get(row.currentRunId)?.state ?? "missing"}`);
    },
  },
  {
    number: 12,
    name: "a waiting yield waits for exactly its children",
    check: (snapshot) =>
      snapshot.yield
        .filter(({ state }) => state === "waiting")
        .flatMap(({ id, pending }) => {
          const awaited = snapshot.spawn.filter((row) => row.yieldId === id && isUnsettled(row)).length;
          return pending > 0 && pending === awaited ? [] : [`yield ${id} waits for ${pending} of ${awaited}`];
        }),
  },
  {
    number: 13,
    name: "a resumed yield has exactly one run, another none",
    check: (snapshot) => {
      const causes = groupBy(snapshot.run, ({ cause }) => cause);
      return snapshot.yield.flatMap(({ id, state }) => {
        const resumes = causes.get(`resume:${id}`)?.length ?? 0;
        return resumes === (state === "resumed" ? 1 : 0) ? [] : [`${state} yield ${id} has ${resumes} runs`];
      });
    },
  },
  {
    number: 14,
    name: "openYields counts the waiting yields",
    check: (snapshot) =>
      snapshot.session.flatMap(({ id, openYields }) => {
        const open = snapshot.yield.filter(({ sessionRow, state }) => sessionRow === id && state === "waiting").length;
        return open === openYields ? [] : [`session ${id} counts ${openYields}, has ${open}`];
      }),
  },
  {
    number: 15,
    name: "a completion is held only while the run that spawned the child goes on",
    check: ({ spawn, run }) => {
      const going = new Set(run.filter((row) => !isEnded(row)).map(({ id }) => id));
      return spawn
        .filter(({ held, requesterRunId }) => held === 1 && !going.has(requesterRunId ?? ""))
        .map(({ id, requesterRunId }) => `spawn ${id} of run ${requesterRunId}`);
    },
  },
  {
    number: 34,
    name: "the children of a cancelled child are cancelled too, or about to be",
    check: ({ spawn, job }) => {
      const cascades = new Set(job.filter(({ kind }) => kind === "cascade").map(({ ref }) => ref));
      const ended = spawn.filter(({ outcome }) => outcome === "cancelled" || outcome === "timeout");
      return ended.flatMap(({ childRow, currentRunId }) =>
        spawn
          .filter((row) => row.requesterRow === childRow && isUnsettled(row))
          .filter(() => !cascades.has(`session:${childRow}`) && !cascades.has(`run:${currentRunId}`))
          .map(({ id }) => `spawn ${id} below session ${childRow}`),
      );
    },
  },
  {
    number: 35,
    name: "a settled child that is to be removed is removed, or about to be",
    check: ({ spawn, job, session }) => {
      const jobs = new Set(job.filter(({ kind }) => kind === "cleanup_child").map(({ ref }) => ref));
      const living = new Set(session.filter(({ deletedAt }) => deletedAt === null).map(({ id }) => id));
      return spawn
        .filter((row) => row.cleanup === "delete" && !isUnsettled(row) && living.has(row.childRow) && !jobs.has(row.id))
        .map(({ id }) => `spawn ${id}`);
    },
  },
];

function isGoing(snapshot: Snapshot, runs: ReadonlyMap<string, RunRecord>, spawn: SpawnRecord): boolean {
  const run = runs.get(spawn.currentRunId);
  if (spawn.state === "waiting_children") {
    return snapshot.spawn.some((row) => row.requesterRow === spawn.childRow && isUnsettled(row));
  }
  if (run?.state === "yielded") {
    return snapshot.yield.some(({ runId, state }) => runId === run.id && state === "waiting");
  }
  return run !== undefined && !isEnded(run);
}
