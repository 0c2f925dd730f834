import type { RunRecord, SessionRecord, WakeHint } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { isActive, outcomeOf } from "../runs/run-states.ts";
import type { TrunklineEvent } from "./trunkline-event.ts";

const toldAtMost = 10_000;

/**
 * Tells this process's listeners of the runs that other processes queue, start and end, as their rows show it when the
 * hint of the change arrives; a state that passes between two looks is not told. Returns the function that ends it.
 */
export function relayEvents(engine: Engine): () => void {
  const told = new Set<string>();

  function remember(event: TrunklineEvent): void {
    told.add(nameOf(event));
    for (const oldest of told) {
      if (told.size <= toldAtMost) break;
      told.delete(oldest);
    }
  }

  async function tell(hints: readonly WakeHint[]): Promise<void> {
    // What this process commits it tells by itself, in the turn in which the hint comes.
    await new Promise(setImmediate);
    const ids = [...new Set(hints.map(({ id }) => id))];
    const found = await engine.store.read(ids.map((key) => ({ get: "run", key }) as const));
    const runs = found.filter((run) => run !== undefined);
    const sessions = await engine.store.read(
      runs.map(({ sessionRow }) => ({ get: "session", key: sessionRow }) as const),
    );
    for (const [index, run] of runs.entries()) {
      const session = sessions[index];
      const event = session && eventOf(run, session);
      if (event && !told.has(nameOf(event))) engine.events.emit(event);
    }
  }

  const unsubscribeEvents = engine.events.subscribe({ types: ["run_queued", "run_started", "run_ended"] }, remember);
  const unsubscribeHints = engine.store.subscribe((hints) => {
    const runs = hints.filter(({ about }) => about === "run");
    // Nobody but this listener itself: nothing has to be read.
    if (runs.length === 0 || engine.events.listeners === 1) return;
    tell(runs).catch((error: unknown) =>
      engine.logger.warn({ err: error }, "what other processes did could not be read and is not told here"),
    );
  });
  return () => {
    unsubscribeHints();
    unsubscribeEvents();
  };
}

function nameOf({ type, runId }: TrunklineEvent): string {
  return `${type} ${runId}`;
}

function eventOf(run: RunRecord, session: SessionRecord): TrunklineEvent | undefined {
  const common = {
    sessionKey: session.sessionKey,
    runId: run.id,
    agentId: session.agentId,
    kind: run.kind,
    ...(session.label === null ? {} : { label: session.label }),
  };
  if (run.state === "queued") return { ...common, type: "run_queued", at: run.createdAt };
  if (isActive(run)) {
    return run.startedAt === null ? undefined : { ...common, type: "run_started", at: run.startedAt };
  }
  if (run.endedAt === null) return undefined;
  return {
    ...common,
    type: "run_ended",
    at: run.endedAt,
    state: run.state,
    outcome: run.outcome ?? outcomeOf(run.state),
    ...(run.startedAt === null ? {} : { durationMs: run.endedAt - run.startedAt }),
    ...(run.replyText === null ? {} : { text: run.replyText }),
    ...(run.error === null ? {} : { error: run.error }),
  };
}
