import type { CounterRecord, IndexName, ReadableKind, ReadableRecords, SessionStore } from "@trunkline/core";

/** Every row of a store, by kind. */
export type Snapshot = { readonly [K in ReadableKind]: readonly ReadableRecords[K][] };

/** An index of each kind that holds all its rows. */
const wholeIndex = {
  session: "sessionKey",
  message: "seq",
  stateEvent: "version",
  watch: "pair",
  lineage: "ancestor",
  epoch: "session",
  run: "runNo",
  process: "alive",
  flow: "primaryRun",
  spawn: "runId",
  yield: "runId",
  delivery: "cause",
  binding: "expiry",
  idempotency: "expiry",
  usage: "run",
  job: "ref",
} as const satisfies { readonly [K in Exclude<ReadableKind, "counter">]: IndexName<K> };

const rowsAtMost = 1_000_000;

/** Reads every row through the store's own reads, in one snapshot but for the counters; works on any store. */
export async function takeSnapshot(store: SessionStore): Promise<Snapshot> {
  const whole = { equals: [], limit: rowsAtMost } as const;
  const [session, message, stateEvent, watch, lineage, epoch, run, process, ...rest] = await store.read([
    { find: "session", index: wholeIndex.session, ...whole },
    { find: "message", index: wholeIndex.message, ...whole },
    { find: "stateEvent", index: wholeIndex.stateEvent, ...whole },
    { find: "watch", index: wholeIndex.watch, ...whole },
    { find: "lineage", index: wholeIndex.lineage, ...whole },
    { find: "epoch", index: wholeIndex.epoch, ...whole },
    { find: "run", index: wholeIndex.run, ...whole },
    { find: "process", index: wholeIndex.process, ...whole },
    { find: "flow", index: wholeIndex.flow, ...whole },
    { find: "spawn", index: wholeIndex.spawn, ...whole },
    { find: "yield", index: wholeIndex.yield, ...whole },
    { find: "delivery", index: wholeIndex.delivery, ...whole },
    { find: "binding", index: wholeIndex.binding, ...whole },
    { find: "idempotency", index: wholeIndex.idempotency, ...whole },
    { find: "usage", index: wholeIndex.usage, ...whole },
    { find: "job", index: wholeIndex.job, ...whole },
  ]);
  const [flow, spawn, yields, delivery, binding, idempotency, usage, job] = rest;
  const scopes = [
    "lane:subagent",
    ...session.map(({ id }) => `children:${id}`),
    ...new Set(run.map(({ chainId }) => `chain:${chainId}`)),
  ];
  const counters = await store.read(scopes.map((key) => ({ get: "counter", key }) as const));
  const counter: readonly CounterRecord[] = counters.filter((row) => row !== undefined);
  return {
    session,
    message,
    stateEvent,
    watch,
    lineage,
    epoch,
    run,
    process,
    flow,
    spawn,
    yield: yields,
    delivery,
    binding,
    idempotency,
    usage,
    job,
    counter,
  };
}

/** The used part of a counter; 0 when it was never written. */
export function counterOf(snapshot: Snapshot, scope: string): number {
  return snapshot.counter.find((counter) => counter.scope === scope)?.used ?? 0;
}

/** Rows grouped by a value of theirs. */
export function groupBy<T>(rows: readonly T[], keyOf: (row: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}
