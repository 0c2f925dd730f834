import type { TrunklineEvent } from "./events/trunkline-event.ts";

/** The boundaries at which a crash is tested; each stands between two commits, or between a commit and an effect. */
export const faultPoints = [
  "admit.before-commit",
  "admit.after-commit",
  "claim.after-commit",
  "start.after-commit",
  "runner.after-return",
  "progress.after-commit",
  "complete.after-commit",
  "send.wait-expired",
  "send.reply-returned",
  "flow.turn-queued",
  "flow.announce-queued",
  "spawn.thread-created",
  "spawn.after-commit",
  "child.ended",
  "settle.after-commit",
  "yield.after-mark",
  "yield.after-commit",
  "delivery.before-attempt",
  "delivery.after-intent",
  "delivery.after-send",
  "delivery.between-parts",
  "delivery.after-record",
  "cancel.partial-cascade",
  "cleanup.partial",
  "purge.partial",
  "notice.taken",
  "steer.accepted",
] as const;

export type FaultPoint = (typeof faultPoints)[number];

/** The boundaries that a run's end has reached, told by the events of its commit. */
export function reachedBy(events: readonly TrunklineEvent[]): readonly FaultPoint[] {
  return ["complete.after-commit", ...events.flatMap(pointOf)];
}

function pointOf({ type, kind, state }: TrunklineEvent): FaultPoint | [] {
  switch (type) {
    case "run_ended":
      if (state === "yielded") return "yield.after-commit";
      return state === "ok" && (kind === "child" || kind === "continuation") ? "child.ended" : [];
    case "run_queued":
      if (kind === "turn") return "flow.turn-queued";
      return kind === "flow_announce" ? "flow.announce-queued" : [];
    case "child_settled":
      return "settle.after-commit";
    default:
      return [];
  }
}
