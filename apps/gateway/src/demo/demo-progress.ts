import type { TrunklineEvent } from "@trunkline/engine";
import { formatDuration } from "../terminal/durations.ts";
import { oneLine } from "../terminal/printable.ts";

/** Keeps count of the readers while they work. */
export interface DemoProgress {
  observe(event: TrunklineEvent): void;
  /** One line on what goes on: counts, never an estimate. */
  describe(): string | undefined;
}

/** Counts from the engine's events. */
export function createDemoProgress(): DemoProgress {
  const running = new Map<string, { readonly label: string; readonly since: number }>();
  let queued = 0;
  let done = 0;
  return {
    observe({ type, kind, runId = "", label, at }) {
      if (kind !== "child") return;
      if (type === "run_queued") queued += 1;
      if (type === "run_started") running.set(runId, { label: oneLine(label ?? "a reader"), since: at });
      if (type === "run_ended") {
        running.delete(runId);
        done += 1;
      }
    },
    describe() {
      const hint = "Ctrl-C stops, work is kept";
      const total = Math.max(queued, done + running.size);
      const [slowest] = [...running.values()].toSorted((left, right) => left.since - right.since);
      if (slowest === undefined)
        return total === 0 ? `working   ${hint}` : `${done} of ${total} readers done   ${hint}`;
      const duration = formatDuration(Date.now() - slowest.since);
      return `${done} of ${total} readers done, slowest ${slowest.label} ${duration}   ${hint}`;
    },
  };
}
