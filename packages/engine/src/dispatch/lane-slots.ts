import type { RunLane } from "@trunkline/core";

/** This process's slots in the lanes whose cap protects a process; `subagent` is counted in the store instead. */
export interface LaneSlots {
  hasRoom(lane: RunLane): boolean;
  take(lane: RunLane): void;
  give(lane: RunLane): void;
}

export interface LaneCaps {
  /** Inbound, cron and hook runs at once; default 8. */
  readonly main?: number;
  /** Sends, loop turns and announce steps at once; default 16. */
  readonly nested?: number;
}

/** Slots may be taken beyond the cap by runs that come back from a wait, which must not block. */
export function createLaneSlots(caps: LaneCaps = {}): LaneSlots {
  const limits: Record<RunLane, number> = {
    main: caps.main ?? 8,
    nested: caps.nested ?? 16,
    subagent: Number.POSITIVE_INFINITY,
  };
  const used: Record<RunLane, number> = { main: 0, nested: 0, subagent: 0 };
  return {
    hasRoom: (lane) => used[lane] < limits[lane],
    take: (lane) => void used[lane]++,
    give: (lane) => void used[lane]--,
  };
}
