import type { TrunklineConfigInput } from "@trunkline/core";
import { ToolInputError } from "@trunkline/core";
import { expect, test } from "vitest";
import { type Harness, hang, openHarness } from "../harness.ts";
import { databaseDigest, main, type SpawnArguments, spawn, spawnIn } from "./family.ts";

type Agents = NonNullable<TrunklineConfigInput["agents"]>;

async function open(agents: Agents = {}, more: TrunklineConfigInput = {}): Promise<Harness> {
  const list = agents.list ?? [{ id: "a", default: true }, { id: "b" }, { id: "c" }];
  const h = await openHarness({ script: { default: hang }, config: { agents: { ...agents, list }, ...more } });
  await h.call(main, "sessions_list", {});
  return h;
}

/** The refusal of a spawn that must have changed nothing. */
async function refused(h: Harness, args: Record<string, unknown>, from = main) {
  const before = await databaseDigest(h);
  const result = await h.call(from, "sessions_spawn", { task: "work", ...args } as SpawnArguments);
  expect(result.status).not.toBe("accepted");
  expect(await databaseDigest(h)).toBe(before);
  return result;
}

async function inputError(h: Harness, args: Record<string, unknown>): Promise<ToolInputError> {
  const before = await databaseDigest(h);
  const error: unknown = await h
    .call(main, "sessions_spawn", { task: "work", ...args } as SpawnArguments)
    .catch((reason: unknown) => reason);
  if (!ToolInputError.isInstance(error)) throw new Error(`not refused as wrong input: ${JSON.stringify(error)}`);
  expect(await databaseDigest(h)).toBe(before);
  return error;
}

test("scenario 29: without an allow-list a session spawns its own agent and no other, and a refusal leaves no row", async () => {
  const h = await open();
  expect(await refused(h, { agentId: "b" })).toMatchObject({ status: "forbidden", code: "agent_not_allowed" });
  expect((await spawn(h, main, { task: "work" })).childSessionKey).toMatch(/^agent:a:subagent:/);
  expect((await spawn(h, main, { task: "work", agentId: "a" })).childSessionKey).toMatch(/^agent:a:subagent:/);
});

test("scenario 29: an allow-list admits its configured agents beside the own one; a star admits every configured agent", async () => {
  const listed = await open({ defaults: { subagents: { allowAgents: ["b"] } } });
  expect((await spawn(listed, main, { task: "work", agentId: "b" })).childSessionKey).toMatch(/^agent:b:subagent:/);
  expect(await refused(listed, { agentId: "c" })).toMatchObject({ code: "agent_not_allowed" });
  const any = await open({ defaults: { subagents: { allowAgents: ["*"] } } });
  expect((await spawn(any, main, { task: "work", agentId: "c" })).childSessionKey).toMatch(/^agent:c:subagent:/);
  expect(await refused(any, { agentId: "ghost" })).toMatchObject({ status: "forbidden", code: "agent_not_allowed" });
});

test("B73: the allow-list is checked at the spawn, and the own agent needs no place on it", async () => {
  const h = await open({ list: [{ id: "a", subagents: { allowAgents: ["b"] } }, { id: "b" }, { id: "c" }] });
  expect(await refused(h, { agentId: "c" })).toMatchObject({ status: "forbidden", code: "agent_not_allowed" });
  await spawn(h, main, { task: "work", agentId: "a" });
  await spawn(h, main, { task: "work", agentId: "b" });
});

test("B74: a star does not accept an agent that nobody configured, and makes no state for it", async () => {
  const h = await open({ defaults: { subagents: { allowAgents: ["*"] } } });
  const result = await refused(h, { agentId: "ghost" });
  expect(result).toMatchObject({ status: "forbidden", code: "agent_not_allowed" });
  expect(h.runner.requests).toHaveLength(0);
});

test("B75: agents_list names exactly the agents that a spawn accepts, whatever is configured", async () => {
  const ids = ["a", "b", "c", "d"];
  const settings: readonly { readonly own?: readonly string[]; readonly shared?: readonly string[] }[] = [
    {},
    { shared: ["b"] },
    { shared: ["*"] },
    { own: [], shared: ["*"] },
    { own: ["d", "c"], shared: ["b"] },
    { own: ["*"] },
    { own: ["ghost", "c"] },
    { own: ["a", "b"] },
  ];
  for (const { own, shared } of settings) {
    const h = await open({
      defaults: { subagents: { ...(shared ? { allowAgents: [...shared] } : {}), maxChildrenPerAgent: 10 } },
      list: ids.map((id) => ({ id, ...(id === "a" && own ? { subagents: { allowAgents: [...own] } } : {}) })),
    });
    const listed = await h.call(main, "agents_list", {});
    const accepted: string[] = [];
    for (const agentId of [...ids, "ghost"]) {
      const result = await h.call(main, "sessions_spawn", { task: "work", agentId });
      if (result.status === "accepted") accepted.push(agentId);
    }
    expect("agents" in listed && listed.agents.map(({ id }) => id).sort()).toEqual(accepted);
    await h.trunkline.stop({ drainMs: 0 });
  }
});

test("B76: the refusal of an agent lists the ids that are allowed", async () => {
  const h = await open({ defaults: { subagents: { allowAgents: ["b"] } } });
  expect(await refused(h, { agentId: "c" })).toHaveProperty("error", expect.stringContaining("allowed: a, b"));
});

test("scenario 33: an unknown model or thinking level is an error before any row, and the levels are listed", async () => {
  const h = await open({ defaults: { model: "acme/one" } });
  expect(await refused(h, { model: "nope/none" })).toMatchObject({ status: "error", code: "invalid_model" });
  const thinking = await refused(h, { thinking: "deep" });
  expect(thinking).toMatchObject({ status: "error", code: "invalid_thinking" });
  for (const level of ["off", "minimal", "low", "medium", "high", "xhigh"])
    expect(thinking).toHaveProperty("error", expect.stringContaining(level));
  for (const args of [{ model: "default" }, { model: "" }, { thinking: "default" }, { thinking: "" }])
    await spawn(h, main, { task: "work", ...args });
});

test("scenario 33: a wrong time limit, a delivery parameter or a blank task is an input error that names it", async () => {
  const h = await open();
  for (const runTimeoutSeconds of [-1, 1.5, Number.NaN]) {
    expect(await inputError(h, { runTimeoutSeconds })).toHaveProperty("path", "runTimeoutSeconds");
  }
  expect((await inputError(h, { channel: "slack" })).message).toContain("channel");
  expect((await inputError(h, { to: "C1" })).message).toContain("to");
  expect(await inputError(h, { task: " " })).toHaveProperty("path", "task");
  expect(await inputError(h, { mode: "session" })).toHaveProperty("path", "mode");
  expect(await inputError(h, { thread: true, cleanup: "delete" })).toHaveProperty("path", "cleanup");
  expect(await inputError(h, { streamTo: "parent" })).toHaveProperty("path", "streamTo");
});

test("B77: an invalid model is refused before any row and any runner call; a valid one reaches the runner as it is", async () => {
  const h = await open({ defaults: { model: "acme/one" } }, { models: { allow: ["acme/*"] } });
  expect(await refused(h, { model: "nope/none" })).toMatchObject({ code: "invalid_model" });
  const child = await spawn(h, main, { task: "work", model: " acme/two ", thinking: "high" });
  expect(child.model).toBe("acme/two");
  await h.advance(0);
  expect(h.runner.requests).toHaveLength(1);
  expect(h.requests(child.childSessionKey)[0]).toMatchObject({ model: "acme/two", thinking: "high" });
  expect(await h.session(child.childSessionKey)).toMatchObject({ model: "acme/two", thinking: "high" });
});

test("scenario 35: a sandboxed session has sandboxed children only; what is required and not there is refused", async () => {
  const plain = await open();
  expect(await refused(plain, { sandbox: "require" })).toMatchObject({ status: "forbidden", code: "sandbox" });
  const boxed = await open({
    defaults: { subagents: { allowAgents: ["*"] } },
    list: [{ id: "a", sandbox: { mode: "all" } }, { id: "b" }, { id: "c", sandbox: { mode: "all" } }],
  });
  expect(await refused(boxed, { agentId: "b" })).toMatchObject({ status: "forbidden", code: "sandbox" });
  const child = await spawn(boxed, main, { task: "work", agentId: "c", sandbox: "require" });
  expect((await boxed.session(child.childSessionKey)).sandboxed).toBe(1);
});

test("scenario 35: a session that its host sandboxes hands the sandbox down to children of its own agent", async () => {
  const h = await open({ defaults: { subagents: { maxSpawnDepth: 2, allowAgents: ["*"] } } });
  const caller = { sessionKey: main, sandboxed: true };
  const result = await h.trunkline.callTool(caller, "sessions_spawn", { task: "work" });
  if (result.status !== "accepted") throw new Error(result.error);
  expect((await h.session(result.childSessionKey)).sandboxed).toBe(1);
  expect(await refused(h, { agentId: "b" }, result.childSessionKey)).toMatchObject({ code: "sandbox" });
  const grandchild = await spawn(h, result.childSessionKey, { task: "work" });
  expect((await h.session(grandchild.childSessionKey)).sandboxed).toBe(1);
});

test("scenario 35: acp is refused from a sandbox, for an agent that is not one, for a foreign session, and without a runner", async () => {
  const off = await open();
  expect(await refused(off, { runtime: "acp", agentId: "x" })).toMatchObject({ code: "acp_unavailable" });
  const acp = { enabled: true, allowedAgents: ["coder"], agents: { coder: { command: "coder" } } };
  const on = await open({}, { acp } as TrunklineConfigInput);
  expect(await refused(on, { runtime: "acp", agentId: "b" })).toMatchObject({ code: "agent_not_allowed" });
  expect(await refused(on, { runtime: "acp", agentId: "coder" })).toMatchObject({
    status: "error",
    code: "acp_unavailable",
  });
  const { sessionId } = await on.session(main);
  expect(await refused(on, { runtime: "acp", agentId: "coder", resumeSessionId: sessionId })).toMatchObject({
    status: "error",
    code: "not_found",
  });
  const boxed = await open({ defaults: { sandbox: { mode: "all" } } }, { acp } as TrunklineConfigInput);
  expect(await refused(boxed, { runtime: "acp", agentId: "coder" })).toMatchObject({ code: "sandbox" });
});

test("a fork of another agent's or an external agent's child is refused and leaves nothing", async () => {
  const h = await open({ defaults: { subagents: { allowAgents: ["*"] } } });
  expect(await refused(h, { agentId: "b", context: "fork" })).toMatchObject({
    status: "error",
    code: "fork_unsupported",
  });
});

test("an archived session spawns nothing", async () => {
  const h = await open();
  const child = await spawn(h, main, { task: "work" });
  const room = "agent:a:slack:group:c1";
  await h.call(room, "sessions_list", {});
  await h.trunkline.patchSession(room, { archived: true });
  expect(await refused(h, {}, room)).toMatchObject({ status: "error", code: "archived" });
  expect(child.status).toBe("accepted");
});

test("scenario 30: with depth 1 a child may not spawn; with depth 2 it may and its own child may not, nor has it the tools", async () => {
  const family = ["sessions_spawn", "sessions_yield", "subagents", "sessions_list", "sessions_history"];
  const shallow = await open();
  const only = await spawn(shallow, main, { task: "work" });
  await shallow.advance(0);
  expect(shallow.requests(only.childSessionKey)[0]?.tools.map(({ name }) => name)).toEqual([]);
  expect(await refused(shallow, {}, only.childSessionKey)).toMatchObject({ status: "forbidden" });

  const deep = await open({ defaults: { subagents: { maxSpawnDepth: 2 } } });
  let grandchild = "";
  deep.script({
    child: async (request) => {
      if (request.session.spawnDepth === 1) grandchild = (await spawnIn(request, { task: "part" })).childSessionKey;
      return hang(request);
    },
  });
  const child = await spawn(deep, main, { task: "work" });
  await deep.advance(0);
  const names = deep.requests(child.childSessionKey)[0]?.tools.map(({ name }) => name) ?? [];
  expect(names.sort()).toEqual([...family].sort());
  expect(deep.requests(grandchild)[0]?.tools).toEqual([]);
  expect(await refused(deep, {}, grandchild)).toMatchObject({ status: "forbidden" });
  expect((await deep.session(grandchild)).spawnDepth).toBe(2);
});

test("B79: depth is what was stored at the spawn; a main session is at 0 whatever its transcript came from", async () => {
  const h = await open();
  const child = await spawn(h, main, { task: "work", context: "fork" });
  expect(await h.session(main)).toMatchObject({ spawnDepth: 0, parentId: null });
  expect(await h.session(child.childSessionKey)).toMatchObject({ spawnDepth: 1 });
  await h.trunkline.resetSession(main);
  expect(await h.session(main)).toMatchObject({ spawnDepth: 0, parentId: null });
});

test("B80: under limit L a session at depth d may spawn exactly where d < L, down to depth 5", async () => {
  for (const limit of [1, 2, 3, 4, 5]) {
    const h = await open({ defaults: { subagents: { maxSpawnDepth: limit } } });
    let from = main;
    for (let depth = 0; depth < limit; depth++) {
      const { childSessionKey } = await spawn(h, from, { task: "work" });
      expect((await h.session(childSessionKey)).spawnDepth).toBe(depth + 1);
      expect(childSessionKey).toMatch(/^agent:a:subagent:[0-9a-f-]{36}$/);
      from = childSessionKey;
    }
    expect(await refused(h, {}, from)).toMatchObject({ status: "forbidden" });
    expect((await h.trunkline.listTools({ sessionKey: from })).map(({ name }) => name)).toEqual([]);
  }
});
