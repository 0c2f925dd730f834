import { configuredAgentIds, type SpawnRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { archiveAfterMs, archiveChild } from "./archive-child.ts";
import { expireBindings } from "./expire-bindings.ts";

/** Archives ended children when their time has come. */
export interface ChildArchiver {
  /** Looks for children whose time comes soon, now and then, and archives those whose time has come. */
  sweep(): Promise<void>;
  /** When the next known child is due, in milliseconds since the epoch. */
  nextAt(): number | undefined;
}

const lookEveryMs = 30_000;
const lookAheadMs = 60_000;
// Clocks of several machines differ, and a commit takes its time: a child may turn up with an earlier end.
const lookBackMs = 5 * 60_000;
const pageSize = 200;

/**
 * Keeps no deadline in the store, so that today's configuration counts: walks the ended children by their end, each about
 * once, and remembers those that have to wait.
 */
export function createChildArchiver(engine: Engine): ChildArchiver {
  const waiting = new Map<string, number>();
  let scannedThrough = 0;
  let lookAt = 0;

  async function look(now: number): Promise<void> {
    const soonest = soonestArchiveMs(engine);
    if (soonest === undefined) return;
    const below = now - soonest + lookAheadMs;
    let from = Math.max(0, scannedThrough - lookBackMs);
    for (let limit = pageSize; ; ) {
      const page = await settledBetween(engine, from, below, limit);
      for (const { id, cleanedAt } of page) if (cleanedAt === null && !waiting.has(id)) waiting.set(id, 0);
      const last = page.at(-1)?.settledAt ?? null;
      if (page.length < limit || last === null) break;
      // More children ended in one millisecond than a page holds: only a larger page gets past them.
      if (last === from) limit *= 2;
      else from = last;
    }
    scannedThrough = Math.max(scannedThrough, below);
  }

  return {
    async sweep() {
      const now = engine.clock.now();
      if (now >= lookAt) {
        lookAt = now + lookEveryMs;
        await look(now);
        await expireBindings(engine);
      }
      for (const [id, dueAt] of [...waiting]) {
        if (dueAt > now) continue;
        const looked = await archiveChild(engine, id);
        if (looked === "done") waiting.delete(id);
        else waiting.set(id, looked.againAt);
      }
    },
    nextAt: () => (waiting.size === 0 ? undefined : Math.min(...waiting.values())),
  };
}

function soonestArchiveMs(engine: Engine): number | undefined {
  const delays = configuredAgentIds(engine.config)
    .map((id) => archiveAfterMs(engine, id))
    .filter((delay) => delay > 0);
  return delays.length === 0 ? undefined : Math.min(...delays);
}

async function settledBetween(
  engine: Engine,
  from: number,
  below: number,
  limit: number,
): Promise<readonly SpawnRecord[]> {
  const [found] = await engine.store.read([
    { find: "spawn", index: "settled", equals: ["settled"], from, below, limit },
  ]);
  return found;
}
