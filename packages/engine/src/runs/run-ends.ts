import { EventEmitter } from "node:events";
import type { RunRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";

const emitters = new WeakMap<Engine, EventEmitter>();

/** Tells those of this process who wait for a run how it ended, as its row is now: they need not look. */
export function tellEnd(engine: Engine, run: RunRecord): void {
  emitters.get(engine)?.emit(run.id, run);
}

/** Calls back when a run ends by this process; returns the function that stops it. */
export function onEnd(engine: Engine, runId: string, listener: (run: RunRecord) => void): () => void {
  const emitter = emitters.get(engine) ?? new EventEmitter().setMaxListeners(0);
  emitters.set(engine, emitter);
  emitter.on(runId, listener);
  return () => void emitter.off(runId, listener);
}
