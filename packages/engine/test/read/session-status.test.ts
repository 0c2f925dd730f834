import type { ToolArguments, ToolResult } from "@trunkline/core";
import { expect, test } from "vitest";
import { callTool, type Harness, openHarness } from "../harness.ts";

type Status = Extract<ToolResult<"session_status">, { details: unknown }>;

async function status(
  harness: Harness,
  args: ToolArguments<"session_status"> = {},
  from = "agent:a:main",
): Promise<Status> {
  const result = await harness.trunkline.callTool({ sessionKey: from }, "session_status", args);
  if (!("details" in result)) throw new Error("refused");
  return result;
}

test("B102: the card shows the model that runs, the override, and after default the agent's own again", async () => {
  const harness = await openHarness({
    config: { agents: { list: [{ id: "a", default: true, model: "x/base" }] }, models: { allow: ["x/*"] } },
  });
  expect(await status(harness)).toMatchObject({ details: { model: { effective: "x/base", agentDefault: "x/base" } } });
  const changed = await status(harness, { model: "x/other" });
  expect(changed).toMatchObject({
    details: { model: { effective: "x/other", override: "x/other", agentDefault: "x/base" } },
  });
  expect(changed.text).toContain("x/other (set for this session, default x/base)");
  expect(await harness.call("agent:a:main", "session_status", { model: "nope/none" })).toMatchObject({
    status: "error",
    code: "invalid_model",
  });
  expect((await status(harness)).details.model.override).toBe("x/other");
  expect((await status(harness, { model: "default" })).details.model).toEqual({
    effective: "x/base",
    agentDefault: "x/base",
  });
});

test("B51: no part of a credential is in a status", async () => {
  const secret = ["sk", "-proj-", "Zz9".repeat(14)].join("");
  const harness = await openHarness({
    config: {
      models: { providers: { openai: { apiKey: secret } } },
      channels: { telegram: { settings: { botToken: secret } } },
    },
  });
  const text = JSON.stringify(await status(harness));
  for (let at = 0; at + 4 <= secret.length; at++) expect(text).not.toContain(secret.slice(at, at + 4));
});

test("usage is counted for the session and its children, and stays when a child is deleted: B93", async () => {
  const harness = await openHarness({
    script: {
      child: () => ({ text: "done", usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15, costUsd: 0.5 } }),
      default: "ok",
    },
  });
  await harness.call("agent:a:main", "sessions_spawn", { task: "count", cleanup: "delete" });
  await harness.settle();
  await harness.advance(60_000);
  await harness.settle();
  const { details } = await status(harness);
  expect(details.usage).toMatchObject({ inputTokens: 10, outputTokens: 5, totalTokens: 15, costUsd: 0.5 });
  expect(await harness.call("agent:a:main", "sessions_list", { kinds: ["other"] })).toMatchObject({ count: 0 });
});

test("the route context tells origin and delivery, and active only from inside the session's own run", async () => {
  const seen: Status[] = [];
  const harness = await openHarness({
    channels: [{ channel: "telegram" }],
    script: {
      default: async (request) => {
        seen.push((await callTool(request, "session_status", {})) as Status);
        return "done";
      },
    },
  });
  await harness.trunkline.receive({
    channel: "telegram",
    peer: { kind: "group", id: "-5" },
    accountId: "bot",
    text: "hello",
  });
  await harness.settle();
  const route = { channel: "telegram", to: "-5", accountId: "bot" };
  expect(seen[0]?.details.route).toEqual({ origin: route, active: route, deliveryContext: route });
  expect(seen[0]?.text).toContain("Route context");
  expect((await status(harness, { sessionKey: "agent:a:telegram:group:-5" })).details.route).not.toHaveProperty(
    "active",
  );
});

test("changesSince gives what happened after a version, and says where the log no longer reaches", async () => {
  const harness = await openHarness({ script: { default: "ok" } });
  await harness.human("agent:a:main", "one");
  await harness.settle();
  await harness.trunkline.patchSession("agent:a:main", { goal: "calm" });
  const { details } = await status(harness, { changesSince: 0 });
  expect(details.stateChanges).toMatchObject({ truncated: false, historyGap: false });
  expect(details.stateChanges?.events.map(({ version, kind }) => [version, kind])).toEqual([
    [1, "created"],
    [2, "human_direct_message"],
    [3, "run_completed"],
    [4, "goal_changed"],
  ]);
  expect(details.stateVersion).toBe(4);
  expect((await status(harness, { changesSince: 3 })).details.stateChanges?.events).toHaveLength(1);
});

test("a child's key is shown in the log only to those who see the child", async () => {
  const harness = await openHarness({
    config: {
      agents: { defaults: { subagents: { allowAgents: ["*"] } }, list: [{ id: "a", default: true }, { id: "b" }] },
      tools: { sessions: { visibility: "agent" } },
    },
  });
  await harness.call("agent:a:telegram:group:1", "sessions_spawn", { task: "x", agentId: "b" });
  await harness.settle();
  const read = await status(harness, { sessionKey: "agent:a:telegram:group:1", changesSince: 0 });
  expect(read.details.stateChanges?.events.some(({ kind }) => kind === "child_spawned")).toBe(true);
  expect(JSON.stringify(read.details.stateChanges)).not.toContain("agent:b:subagent");
});

test("B75: agents_list names exactly what spawn accepts, own agent first", async () => {
  for (const allowAgents of [undefined, [], ["b"], ["*"], ["b", "a"]]) {
    const harness = await openHarness({
      config: {
        agents: {
          list: [
            { id: "a", default: true, ...(allowAgents ? { subagents: { allowAgents } } : {}) },
            { id: "b" },
            { id: "c" },
          ],
        },
      },
      start: false,
    });
    const listed = await harness.call("agent:a:main", "agents_list", {});
    if (!("agents" in listed)) throw new Error("refused");
    const accepted: string[] = [];
    for (const agentId of ["a", "b", "c", "ghost"]) {
      const spawned = await harness.call("agent:a:main", "sessions_spawn", { task: "x", agentId });
      if (spawned.status === "accepted") accepted.push(agentId);
      else expect(spawned).toMatchObject({ status: "forbidden", code: "agent_not_allowed" });
    }
    expect(listed.agents.map(({ id }) => id).sort()).toEqual(accepted);
    expect(listed.agents[0]?.id).toBe("a");
  }
});
