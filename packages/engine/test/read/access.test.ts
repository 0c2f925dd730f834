import { expect, test } from "vitest";
import { callTool, openHarness } from "../harness.ts";

const randomId = "11111111-1111-4111-8111-111111111111";

/** Two agents, everything of agent b hidden from agent a. */
async function closed() {
  const harness = await openHarness({ config: { tools: { sessions: { visibility: "tree" } } } });
  for (const key of ["agent:a:main", "agent:a:telegram:group:1", "agent:b:main"]) await harness.human(key, "hello");
  await harness.settle();
  return harness;
}

test("B52, B53, B60: no tool reaches another session by key, sessionId or alias, and no row changes", async () => {
  const harness = await closed();
  const stranger = await harness.session("agent:a:telegram:group:1");
  const before = JSON.stringify(stranger);
  for (const typed of [stranger.sessionKey, stranger.sessionId, stranger.sessionId.toUpperCase()]) {
    const results = [
      await harness.call("agent:a:main", "sessions_history", { sessionKey: typed }),
      await harness.call("agent:a:main", "session_status", { sessionKey: typed }),
      await harness.call("agent:a:main", "session_status", { sessionKey: typed, model: "default" }),
      await harness.call("agent:a:main", "sessions_send", { sessionKey: typed, message: "x", timeoutSeconds: 0 }),
      await harness.call("agent:a:main", "sessions", { action: "patch", sessionKey: typed, label: "mine" }),
      await harness.call("agent:a:main", "sessions", { action: "reset", sessionKey: typed }),
      await harness.call("agent:a:main", "sessions", { action: "delete", sessionKey: typed }),
      await harness.call("agent:a:main", "sessions_search", { query: "hello", sessionKey: typed }),
    ];
    for (const result of results) expect(result).toMatchObject({ status: "error", code: "not_found" });
  }
  expect(JSON.stringify(await harness.session(stranger.sessionKey))).toBe(before);
});

test("B64: a hidden session and a missing one get the same answer, but for what was typed", async () => {
  const harness = await closed();
  const hidden = await harness.session("agent:a:telegram:group:1");
  const answer = async (typed: string) =>
    JSON.stringify(await harness.call("agent:a:main", "sessions_history", { sessionKey: typed })).replaceAll(
      typed,
      "…",
    );
  expect(await answer(hidden.sessionId)).toBe(await answer(randomId));
  expect(await answer(hidden.sessionKey)).toBe(await answer("agent:a:telegram:group:404"));
  expect(await answer("agent:b:main")).toBe(await answer("agent:b:telegram:group:404"));
});

test("B56: visibility all reaches another agent only as far as agent-to-agent allows both ends", async () => {
  const allow = ["a", "b*"];
  const harness = await openHarness({
    config: {
      agents: { list: [{ id: "a", default: true }, { id: "b2" }, { id: "c" }] },
      tools: { sessions: { visibility: "all" }, agentToAgent: { enabled: true, allow } },
    },
  });
  for (const key of ["agent:a:main", "agent:b2:main", "agent:c:main"]) await harness.human(key, "hello");
  await harness.settle();
  const send = (from: string, to: string) => harness.send(from, to, "x", { timeoutSeconds: 0 });
  expect(await send("agent:a:main", "agent:b2:main")).toMatchObject({ status: "accepted" });
  expect(await send("agent:a:main", "agent:c:main")).toMatchObject({ status: "forbidden", code: "agent_to_agent" });
  expect(await send("agent:c:main", "agent:a:main")).toMatchObject({ status: "forbidden", code: "agent_to_agent" });
});

test("B59: a sandboxed caller is clamped to tree, says so, and only the explicit setting lifts it", async () => {
  const config = (lifted: boolean) => ({
    agents: {
      defaults: { sandbox: { mode: "all" as const, ...(lifted ? { sessionToolsVisibility: "all" as const } : {}) } },
      list: [{ id: "a", default: true }],
    },
    tools: { sessions: { visibility: "all" as const }, agentToAgent: { enabled: true } },
  });
  const clamped = await openHarness({ config: config(false) });
  expect(await clamped.call("agent:a:main", "sessions_list", {})).toMatchObject({ visibility: { mode: "tree" } });
  const open = await openHarness({ config: config(true) });
  expect(await open.call("agent:a:main", "sessions_list", {})).not.toHaveProperty("visibility");
});

test("a host may raise the sandbox of a caller, and cannot lower it", async () => {
  const harness = await openHarness({
    config: {
      agents: { list: [{ id: "a", default: true, sandbox: { mode: "all" } }, { id: "b" }] },
      tools: { sessions: { visibility: "all" }, agentToAgent: { enabled: true } },
    },
  });
  const mode = async (caller: { sessionKey: string; sandboxed?: boolean }) =>
    (await harness.trunkline.callTool(caller, "sessions_list", {})) as { visibility?: { mode: string } };
  expect((await mode({ sessionKey: "agent:b:main", sandboxed: true })).visibility?.mode).toBe("tree");
  expect((await mode({ sessionKey: "agent:a:main", sandboxed: false })).visibility?.mode).toBe("tree");
});

test("B54: a leaf has no session tools, and an orchestrator sees its own descendants only", async () => {
  const lists: unknown[] = [];
  const tools: string[][] = [];
  const harness = await openHarness({
    config: { agents: { defaults: { subagents: { maxSpawnDepth: 2 } }, list: [{ id: "a", default: true }] } },
    script: {
      child: async (request) => {
        tools.push(request.tools.map(({ name }) => name));
        if (request.session.spawnDepth === 1) {
          await callTool(request, "sessions_spawn", { task: `below ${request.session.label}` });
          lists.push(await callTool(request, "subagents", {}));
        }
        return "done";
      },
    },
  });
  for (const label of ["one", "two"]) await harness.call("agent:a:main", "sessions_spawn", { task: label, label });
  await harness.settle();
  const leaf = tools.filter((names) => names.length === 0);
  expect(leaf).toHaveLength(2);
  for (const list of lists as { active: { task: string }[] }[]) expect(list.active).toHaveLength(1);
});

test("nobody resets or deletes the session whose run is calling, or archives or deletes a main session", async () => {
  const results: Record<string, unknown[]> = { "agent:a:main": [], "agent:a:telegram:group:1": [] };
  const harness = await openHarness({
    script: {
      default: async (request) => {
        for (const args of [{ action: "reset" }, { action: "delete" }, { action: "patch", archived: true }]) {
          const result = await callTool(request, "sessions", { sessionKey: "current", ...args });
          results[request.session.key]?.push(result);
        }
        return "done";
      },
    },
  });
  // Both runs may be going at the same time.
  for (const key of Object.keys(results)) await harness.human(key, "go");
  await harness.settle();
  const busy = { status: "error", code: "busy" };
  const notAllowed = { status: "forbidden", code: "tool_not_allowed" };
  expect(results).toMatchObject({
    "agent:a:main": [busy, notAllowed, notAllowed],
    "agent:a:telegram:group:1": [busy, busy, busy],
  });
  await expect(harness.trunkline.deleteSession("agent:a:main")).rejects.toMatchObject({ code: "invalid_input" });
  await expect(harness.trunkline.patchSession("agent:a:main", { archived: true })).rejects.toMatchObject({
    code: "invalid_input",
  });
});

test("a forged call to a tool outside the effective list is forbidden, whatever its arguments", async () => {
  const harness = await openHarness({ config: { tools: { profile: "minimal" } } });
  expect(await harness.call("agent:a:main", "sessions_spawn", { task: "x" })).toMatchObject({
    status: "forbidden",
    code: "tool_not_allowed",
  });
  const result = await harness.trunkline.callTool({ sessionKey: "agent:a:main" }, "sessions_list", { nonsense: 1 });
  expect(result).toMatchObject({ status: "forbidden", code: "tool_not_allowed" });
  await expect(harness.trunkline.callTool({ sessionKey: "agent:a:main" }, "sessions_lst", {})).rejects.toMatchObject({
    code: "invalid_input",
    fix: 'Did you mean "sessions_list"?',
  });
});

test("explain shows the trail of a decision, from the tool policy to agent-to-agent", async () => {
  const harness = await closed();
  const { trunkline } = harness;
  const refused = await trunkline.explain({ sessionKey: "agent:a:main" }, "read", "agent:b:main");
  expect(refused).toMatchObject({ allowed: false, code: "not_found" });
  expect(refused.trail.map(({ step }) => step)).toEqual(["tool policy", "visibility", "own session", "descendant"]);
  const allowed = await trunkline.explain({ sessionKey: "agent:a:main" }, "send", "current");
  expect(allowed.allowed).toBe(true);
});
