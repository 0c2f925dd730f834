import type { Caller } from "@trunkline/core";
import { createTrunkline, type Trunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createScriptedRunner } from "@trunkline/testkit";

export const modes = ["self", "tree", "agent", "all"] as const;
export const sharing = {
  off: { enabled: false },
  on: { enabled: true },
  "on, allow a": { enabled: true, allow: ["a"] },
} as const;
export const callerKinds = ["main", "group", "cron", "orchestrator", "leaf"] as const;
export const targetKinds = [
  "itself",
  "own child",
  "own child, agent b",
  "parent",
  "sibling",
  "same agent",
  "agent b",
  "missing, own agent",
  "missing, agent b",
  "unknown id",
] as const;

export type CallerKind = (typeof callerKinds)[number];
export type TargetKind = (typeof targetKinds)[number];

export interface Setting {
  readonly mode: (typeof modes)[number];
  readonly share: keyof typeof sharing;
  readonly sandboxed: boolean;
}

/** One installation with two agents and every kind of session, nothing of it running. */
export interface World {
  readonly trunkline: Trunkline;
  caller(kind: CallerKind): Caller;
  /** The key or id of a target as this caller would type it; `undefined` where it has none. */
  target(caller: CallerKind, kind: TargetKind): string | undefined;
  close(): Promise<void>;
}

const missingId = "00000000-0000-4000-8000-000000000000";

export async function openWorld({ mode, share, sandboxed }: Setting): Promise<World> {
  const store = await createSqliteStore({ path: ":memory:" });
  const trunkline = await createTrunkline({
    store,
    runners: createScriptedRunner(() => "done"),
    deliverers: [],
    config: {
      agents: {
        defaults: { subagents: { maxSpawnDepth: 2, allowAgents: ["*"], maxChildrenPerAgent: 20 } },
        list: [{ id: "a", default: true }, { id: "b" }],
      },
      tools: {
        sessions: { visibility: mode },
        agentToAgent: sharing[share],
        subagents: { tools: { allow: ["session_status"] } },
      },
    },
  });
  const keys = await makeSessions(trunkline);
  return {
    trunkline,
    caller: (kind) => ({ sessionKey: keys.callers[kind], ...(sandboxed ? { sandboxed: true } : {}) }),
    target: (caller, kind) => keys.targets[caller][kind],
    close: () => store.close(),
  };
}

async function makeSessions(trunkline: Trunkline) {
  const roots = { main: "agent:a:main", group: "agent:a:telegram:group:-1", cron: "cron:nightly" };
  for (const sessionKey of Object.values(roots)) await trunkline.submit({ sessionKey, text: "hello", actor: "system" });
  await trunkline.submit({ sessionKey: "agent:b:main", text: "hello", actor: "system" });
  const orchestrator = await spawn(trunkline, roots.main);
  const sibling = await spawn(trunkline, roots.main);
  const leaf = await spawn(trunkline, orchestrator);
  const leafSibling = await spawn(trunkline, orchestrator);
  const fixed = {
    "same agent": "agent:a:telegram:group:-1",
    "agent b": "agent:b:main",
    "missing, own agent": "agent:a:telegram:group:-404",
    "missing, agent b": "agent:b:telegram:group:-404",
    "unknown id": missingId,
  };
  const callers: Record<CallerKind, string> = { ...roots, orchestrator, leaf };
  const targets: Record<CallerKind, Partial<Record<TargetKind, string>>> = {
    main: { ...fixed, itself: roots.main, "own child": orchestrator },
    group: {
      ...fixed,
      itself: roots.group,
      "own child": await spawn(trunkline, roots.group),
      "same agent": roots.main,
    },
    cron: { ...fixed, itself: roots.cron, "own child": await spawn(trunkline, roots.cron) },
    orchestrator: { ...fixed, itself: orchestrator, "own child": leaf, parent: roots.main, sibling },
    leaf: { ...fixed, itself: leaf, parent: orchestrator, sibling: leafSibling },
  };
  for (const kind of ["main", "group", "cron", "orchestrator"] as const) {
    targets[kind]["own child, agent b"] = await spawn(trunkline, callers[kind], "b");
  }
  return { callers, targets };
}

async function spawn(trunkline: Trunkline, sessionKey: string, agentId?: string): Promise<string> {
  const result = await trunkline.callTool({ sessionKey }, "sessions_spawn", {
    task: "wait",
    ...(agentId === undefined ? {} : { agentId }),
  });
  if (result.status !== "accepted") throw new Error(`spawn refused: ${result.code}`);
  return result.childSessionKey;
}
