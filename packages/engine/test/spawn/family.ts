import { createHash } from "node:crypto";
import type { RunRequest, SpawnRecord, ToolArguments, ToolResult } from "@trunkline/core";
import { type Answer, callTool, type Harness } from "../harness.ts";
import { takeSnapshot } from "../invariants/snapshot.ts";

/** The main session that spawns in these tests. */
export const main = "agent:a:main";

export type SpawnArguments = ToolArguments<"sessions_spawn">;
export type Accepted = Extract<ToolResult<"sessions_spawn">, { status: "accepted" }>;

/** A spawn that must be accepted, made by a session without a run. */
export async function spawn(h: Harness, from: string, args: SpawnArguments): Promise<Accepted> {
  return accepted(await h.call(from, "sessions_spawn", args));
}

/** A spawn that must be accepted, made inside a run. */
export async function spawnIn(request: RunRequest, args: SpawnArguments): Promise<Accepted> {
  return accepted((await callTool(request, "sessions_spawn", args)) as ToolResult<"sessions_spawn">);
}

function accepted(result: ToolResult<"sessions_spawn">): Accepted {
  if (result.status !== "accepted") throw new Error(`the spawn was refused: ${JSON.stringify(result)}`);
  return result;
}

/** A turn that spawns a child for each task, one after the other, and then answers. */
export function spawning(tasks: readonly (string | SpawnArguments)[], answer = ""): Answer {
  return async (request) => {
    for (const task of tasks) await spawnIn(request, typeof task === "string" ? { task } : task);
    return answer;
  };
}

/** A turn that spawns a child for each task and then yields. */
export function spawningAndYielding(tasks: readonly (string | SpawnArguments)[], message?: string): Answer {
  return async (request) => {
    for (const task of tasks) await spawnIn(request, typeof task === "string" ? { task } : task);
    await callTool(request, "sessions_yield", message === undefined ? {} : { message });
    return "";
  };
}

/** Answers by what the prompt holds; the first matching word wins. */
export function byPrompt(answers: Readonly<Record<string, Answer>>): Answer {
  return (request) => {
    const found = Object.entries(answers).find(([word]) => request.prompt.includes(word))?.[1] ?? "";
    return typeof found === "string" ? found : found(request);
  };
}

/** Every spawn that a session asked for, in creation order. */
export async function spawnsOf(h: Harness, key: string): Promise<readonly SpawnRecord[]> {
  const { id } = await h.session(key);
  const [found] = await h.store.read([{ find: "spawn", index: "requester", equals: [id], limit: 1000 }]);
  return [...found].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The spawn behind a child's first run. */
export async function spawnOf(h: Harness, runId: string): Promise<SpawnRecord> {
  const [[found]] = await h.store.read([{ find: "spawn", index: "runId", equals: [runId], limit: 1 }]);
  if (!found) throw new Error(`no spawn of run ${runId}`);
  return found;
}

/** The key of the session of a spawn. */
export async function childKey(h: Harness, { childRow }: SpawnRecord): Promise<string> {
  const [child] = await h.store.read([{ get: "session", key: childRow }]);
  return child?.sessionKey ?? "";
}

/** The completion entries in a session's transcript, as text. */
export async function completions(h: Harness, key: string): Promise<readonly string[]> {
  const rows = await h.rows(key);
  return rows.flatMap(({ provenance, body }) =>
    provenance?.kind === "subagent_completion" ? [String(body.content)] : [],
  );
}

/** How many of a session's child slots are taken. */
export async function usedSlots(h: Harness, key: string): Promise<number> {
  const { id } = await h.session(key);
  const [children] = await h.store.read([{ get: "counter", key: `children:${id}` }]);
  return children?.used ?? 0;
}

/** A hash of every row of the store, once it has come to rest: the same before and after whatever changed nothing. */
export async function databaseDigest(h: Harness): Promise<string> {
  await h.advance(0);
  return createHash("sha256")
    .update(JSON.stringify(await takeSnapshot(h.store)))
    .digest("hex");
}
