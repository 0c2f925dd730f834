import {
  type DeliveryState,
  type MessageRecord,
  type RunRecord,
  type SessionRecord,
  type SpawnRecord,
  type ToolResult,
  viewText,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";

type PendingChild = Extract<ToolResult<"sessions_yield">, { status: "yielded" }>["pending"][number];
type ChildList = Extract<ToolResult<"subagents">, { active: unknown }>;

/** A child as `subagents` shows it; times are milliseconds since the epoch. */
export type ChildRow = ChildList["active"][number];

const shownTaskLength = 200;

/** Children as a yield names them. */
export async function describePending(
  engine: Engine,
  spawns: readonly SpawnRecord[],
): Promise<readonly PendingChild[]> {
  return (await readChildren(engine, spawns)).map(({ spawn, key, run }) => ({
    runId: spawn.runId,
    childSessionKey: key,
    ...(spawn.label === null ? {} : { label: spawn.label }),
    state: stateOf(spawn, run),
  }));
}

/** Children with all that is known of them, in the given order. */
export async function describeChildren(engine: Engine, spawns: readonly SpawnRecord[]): Promise<readonly ChildRow[]> {
  const children = await readChildren(engine, spawns);
  return Promise.all(
    children.map(async ({ spawn, key, run, delivery }) => {
      const usage = await engine.store.sumUsage({ sessionRow: spawn.childRow });
      return {
        runId: spawn.runId,
        childSessionKey: key,
        ...(spawn.label === null ? {} : { label: spawn.label }),
        task: viewText(spawn.task.trim().replace(/\s+/g, " "), shownTaskLength, { sanitize: false }),
        status: stateOf(spawn, run),
        ...(spawn.outcome === null ? {} : { outcome: spawn.outcome }),
        runtime: spawn.runtime,
        ...(spawn.model === null ? {} : { model: spawn.model }),
        ...(spawn.startedAt === null ? {} : { startedAt: spawn.startedAt }),
        ...(spawn.settledAt === null ? {} : { endedAt: spawn.settledAt }),
        tokens: { input: usage.inputTokens, output: usage.outputTokens, total: usage.totalTokens },
        ...(delivery === undefined ? {} : { delivery }),
      };
    }),
  );
}

interface ChildFacts {
  readonly spawn: SpawnRecord;
  readonly key: string;
  readonly run: RunRecord | undefined;
  /** Where the posting stands; a completion that nothing was decided about yet is pending. */
  readonly delivery: DeliveryState | undefined;
}

async function readChildren(engine: Engine, spawns: readonly SpawnRecord[]): Promise<readonly ChildFacts[]> {
  const { store } = engine;
  const sessions = await store.read(spawns.map(({ childRow }) => ({ get: "session", key: childRow }) as const));
  const runs = await store.read(spawns.map(({ currentRunId }) => ({ get: "run", key: currentRunId }) as const));
  const posts = await store.read(spawns.map(({ deliveryId }) => ({ get: "delivery", key: deliveryId ?? "" }) as const));
  const entries = await store.read(spawns.map(({ entryId }) => ({ get: "message", key: entryId }) as const));
  return spawns.map((spawn, index) => ({
    spawn,
    key: keyOf(sessions[index], entries[index]),
    run: runs[index],
    delivery: posts[index]?.state ?? (spawn.held === 1 ? "pending" : undefined),
  }));
}

// A deleted child has given its key away; the entry that it left still names it.
function keyOf(child: SessionRecord | undefined, entry: MessageRecord | undefined): string {
  if (child && child.deletedAt === null) return child.sessionKey;
  return entry?.provenance?.sourceSessionKey ?? "";
}

function stateOf(spawn: SpawnRecord, run: RunRecord | undefined): PendingChild["state"] {
  if (spawn.state === "settled") return "ended";
  if (spawn.state === "waiting_children" || run?.state === "yielded") return "yielded";
  if (run?.state !== "queued") return "running";
  return run.kind === "child" ? "queued" : run.kind === "resume" ? "yielded" : "running";
}
