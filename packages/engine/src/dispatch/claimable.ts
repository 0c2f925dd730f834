import type { ReadResults, RunLane, RunRecord } from "@trunkline/core";

const lanes: readonly RunLane[] = ["main", "nested", "subagent"];

/** The first runs that can be claimed, of each lane and priority, and how full the lane is that all processes share. */
export interface Claimable {
  readonly runs: readonly RunRecord[];
  /** Slots of the lane `subagent` that are taken. */
  readonly subagents: number;
  /** There may be more of them than were read. */
  readonly hasMore: boolean;
}

/** The reads of what can be claimed, at most so many runs of each lane and priority; they may follow other reads. */
export function claimableReads(limit: number) {
  const queues = lanes.flatMap((lane) =>
    [0, 1].map((priority) => ({ find: "run", index: "claimable", equals: [lane, priority], from: 0, limit }) as const),
  );
  return [{ get: "counter", key: "lane:subagent" }, ...queues] as const;
}

/** What the answers to `claimableReads` say. */
export function claimableOf(
  [counter, ...queues]: ReadResults<ReturnType<typeof claimableReads>>,
  limit: number,
): Claimable {
  return {
    runs: queues.flat(),
    subagents: counter?.used ?? 0,
    hasMore: queues.some((queue) => queue.length === limit),
  };
}
