import type { ToolArguments, ToolResult } from "@trunkline/core";
import { describe, expect, test } from "vitest";
import { callTool, type Harness, openHarness } from "../harness.ts";

type List = Extract<ToolResult<"sessions_list">, { sessions: unknown }>;

async function list(harness: Harness, from: string, args: ToolArguments<"sessions_list"> = {}): Promise<List> {
  const result = await harness.call(from, "sessions_list", args);
  if (!("sessions" in result)) throw new Error(`refused: ${result.code}`);
  return result;
}

const keys = (result: List) => result.sessions.map(({ key }) => key);

async function groups(harness: Harness, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await harness.trunkline.submit({ sessionKey: `agent:a:telegram:group:${index}`, text: `message ${index}` });
  }
}

describe("which rows a listing holds", () => {
  test("B15: the caller's own row is always in scope, and under self it is the only one", async () => {
    const harness = await openHarness({ config: { tools: { sessions: { visibility: "self" } } } });
    await groups(harness, 3);
    expect(keys(await list(harness, "agent:a:main"))).toEqual(["agent:a:main"]);
  });

  test("B97: a listing that is restricted says so, and counts no hidden row", async () => {
    const harness = await openHarness({ config: { tools: { sessions: { visibility: "tree" } } } });
    await groups(harness, 5);
    const result = await list(harness, "agent:a:main");
    expect(result).toMatchObject({ count: 1, hasMore: false, visibility: { mode: "tree", restricted: true } });
    expect(JSON.stringify(result)).not.toContain("group");
  });

  test("nothing is restricted under all with every agent open", async () => {
    const harness = await openHarness();
    expect(await list(harness, "agent:a:main")).not.toHaveProperty("visibility");
  });

  test("B58: a child under another agent is listed under tree, a stranger of that agent is not", async () => {
    const harness = await openHarness({
      config: {
        agents: { defaults: { subagents: { allowAgents: ["*"] } }, list: [{ id: "a", default: true }, { id: "b" }] },
        tools: { sessions: { visibility: "tree" } },
      },
    });
    await harness.human("agent:b:main", "hello");
    const spawned = await harness.call("agent:a:main", "sessions_spawn", { task: "look", agentId: "b" });
    if (spawned.status !== "accepted") throw new Error("refused");
    expect(keys(await list(harness, "agent:a:main")).sort()).toEqual(["agent:a:main", spawned.childSessionKey].sort());
  });

  test("a row names its parent only to those who see the parent", async () => {
    const harness = await openHarness({
      config: {
        tools: { sessions: { visibility: "agent" } },
        agents: { defaults: { subagents: { allowAgents: ["*"] } }, list: [{ id: "a", default: true }, { id: "b" }] },
      },
    });
    await harness.call("agent:a:main", "sessions_spawn", { task: "look", agentId: "b" });
    await harness.settle();
    const [child] = (await list(harness, "agent:b:main", { kinds: ["other"] })).sessions;
    expect(child?.agentId).toBe("b");
    expect(child).not.toHaveProperty("spawnedBy");
  });

  test("kinds, agent, label, pinned and archived narrow it; archived lists only archived ones", async () => {
    const harness = await openHarness();
    await groups(harness, 3);
    await harness.human("agent:b:main", "hello");
    await harness.settle();
    await harness.trunkline.patchSession("agent:a:telegram:group:0", { label: "desk", pinned: true });
    await harness.trunkline.patchSession("agent:a:telegram:group:1", { archived: true });
    const from = "agent:a:main";
    expect(keys(await list(harness, from, { kinds: ["group"] }))).toEqual([
      "agent:a:telegram:group:0",
      "agent:a:telegram:group:2",
    ]);
    expect(keys(await list(harness, from, { agentId: "b" }))).toEqual(["agent:b:main"]);
    expect(keys(await list(harness, from, { label: "desk" }))).toEqual(["agent:a:telegram:group:0"]);
    expect(keys(await list(harness, from, { label: "des" }))).toEqual([]);
    expect(keys(await list(harness, from, { pinned: true }))).toEqual(["agent:a:telegram:group:0"]);
    expect(keys(await list(harness, from, { archived: true }))).toEqual(["agent:a:telegram:group:1"]);
  });

  test("B119: a search is a literal part of key, label, id or model, whatever its case", async () => {
    const harness = await openHarness();
    for (const id of ["100%", "1000", "a_b", "axb", "back\\slash", "ÄRGER"]) {
      await harness.human(`agent:a:telegram:group:${id}`, "hello");
    }
    await harness.settle();
    const found = async (search: string) =>
      keys(await list(harness, "agent:a:main", { search })).map((key) => key.slice("agent:a:telegram:group:".length));
    expect(await found("100%")).toEqual(["100%"]);
    expect(await found("a_b")).toEqual(["a_b"]);
    expect(await found("back\\")).toEqual(["back\\slash"]);
    expect(await found("ärger")).toEqual(["ÄRGER"]);
    expect(await found("TELEGRAM:GROUP:10")).toEqual(["100%", "1000"]);
  });

  test("global and unknown are never shown; under scope global the caller's own row is main", async () => {
    const harness = await openHarness({ config: { session: { scope: "global" } } });
    await harness.trunkline.receive({ channel: "telegram", peer: { kind: "group", id: "-1" }, text: "hello" });
    await harness.settle();
    const result = await list(harness, "agent:a:main");
    expect(keys(result)).toEqual(["main"]);
    expect(JSON.stringify(result)).not.toMatch(/"(global|unknown)"/);
  });
});

describe("order and pages", () => {
  test("pinned first, then the newest, then by key: B123", async () => {
    const harness = await openHarness();
    for (const id of ["1", "2", "3"]) {
      await harness.human(`agent:a:telegram:group:${id}`, "hello");
      await harness.advance(1000);
    }
    await harness.trunkline.patchSession("agent:a:telegram:group:2", { pinned: true });
    const result = await list(harness, "agent:a:main", { kinds: ["group"] });
    expect(keys(result).map((key) => key.at(-1))).toEqual(["2", "3", "1"]);
    expect(keys(await list(harness, "agent:a:main", { kinds: ["group"], limit: 2 }))).toHaveLength(2);
  });

  test("B122: pages by cursor give every unchanged row once, whatever moves meanwhile", async () => {
    const harness = await openHarness({ start: false });
    await groups(harness, 105);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; ; page++) {
      const result = await list(harness, "agent:a:main", {
        kinds: ["group"],
        limit: 10,
        ...(cursor ? { cursor } : {}),
      });
      seen.push(...keys(result));
      await harness.advance(1000);
      await harness.human(`agent:a:telegram:group:${104 - page * 10}`, "moves to the front");
      cursor = result.nextCursor;
      if (!result.hasMore) break;
    }
    const touched = new Set(Array.from({ length: 12 }, (_, page) => `agent:a:telegram:group:${104 - page * 10}`));
    const unchanged = Array.from({ length: 105 }, (_, index) => `agent:a:telegram:group:${index}`).filter(
      (key) => !touched.has(key),
    );
    for (const key of unchanged) expect(seen.filter((other) => other === key)).toEqual([key]);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test("pages by offset are exact while nothing changes", async () => {
    const harness = await openHarness({ start: false });
    await groups(harness, 23);
    const first = await list(harness, "agent:a:main", { kinds: ["group"], limit: 10 });
    const second = await list(harness, "agent:a:main", {
      kinds: ["group"],
      limit: "10",
      offset: first.nextOffset ?? -1,
    });
    const third = await list(harness, "agent:a:main", { kinds: ["group"], limit: 10, offset: second.nextOffset ?? -1 });
    expect([first.hasMore, second.hasMore, third.hasMore]).toEqual([true, true, false]);
    expect(third).not.toHaveProperty("nextOffset");
    expect(new Set([...keys(first), ...keys(second), ...keys(third)]).size).toBe(23);
  });

  test("a cursor of another listing, a fraction, a zero limit and an unknown key are input errors", async () => {
    const harness = await openHarness();
    const wrong = [
      { cursor: "bm90IGl0" },
      { limit: 1.5 },
      { limit: 0 },
      { limit: "NaN" },
      { activeMinutes: 0 },
      { offset: -1 },
      { colour: "red" },
    ];
    for (const args of wrong) {
      await expect(
        harness.trunkline.callTool({ sessionKey: "agent:a:main" }, "sessions_list", args as object),
      ).rejects.toMatchObject({
        code: "invalid_input",
        path: Object.keys(args)[0],
      });
    }
    expect((await list(harness, "agent:a:main", { limit: 9999, messageLimit: 9999 })).count).toBe(1);
  });

  test("reads, refusals, patches and pins leave updatedAt alone; a message and a run move it", async () => {
    const harness = await openHarness();
    await harness.human("agent:a:telegram:group:1", "hello");
    await harness.settle();
    const before = await harness.session("agent:a:telegram:group:1");
    await harness.advance(60_000);
    const read = { sessionKey: "agent:a:telegram:group:1" };
    await harness.call("agent:a:main", "sessions_history", read);
    await harness.call("agent:a:main", "session_status", read);
    await harness.call("agent:a:main", "sessions", { action: "reset", ...read });
    await harness.trunkline.patchSession("agent:a:telegram:group:1", { pinned: true, label: "desk", goal: "calm" });
    expect((await harness.session("agent:a:telegram:group:1")).updatedAt).toBe(before.updatedAt);
    await harness.human("agent:a:telegram:group:1", "again");
    await harness.settle();
    expect((await harness.session("agent:a:telegram:group:1")).updatedAt).toBeGreaterThan(before.updatedAt);
  });

  test("activeMinutes keeps the recently active ones", async () => {
    const harness = await openHarness();
    await harness.human("agent:a:telegram:group:1", "hello");
    await harness.advance(10 * 60_000);
    await harness.human("agent:a:telegram:group:2", "hello");
    await harness.settle();
    expect(keys(await list(harness, "agent:a:main", { kinds: ["group"], activeMinutes: 5 }))).toEqual([
      "agent:a:telegram:group:2",
    ]);
  });
});

describe("titles, previews and messages", () => {
  const token = ["gh", "p_", "a1B2".repeat(9)].join("");

  test("titles come from label, else the first human message; previews from the last one; both redacted and whole code points: B49", async () => {
    const harness = await openHarness({
      script: { default: `<think>hm</think>Your token ${token} is set. ${"🚀".repeat(200)}` },
    });
    await harness.human("agent:a:telegram:group:1", `First ${token} ${"é🚀".repeat(60)}`);
    await harness.settle();
    const [row] = (
      await list(harness, "agent:a:main", { kinds: ["group"], includeDerivedTitles: true, includeLastMessage: true })
    ).sessions;
    expect(row?.derivedTitle).toMatch(/^First ghp_a1…/);
    expect(row?.lastMessagePreview).toMatch(/^Your token ghp_a1…/);
    expect(JSON.stringify(row)).not.toContain(token);
    for (const text of [row?.derivedTitle ?? "", row?.lastMessagePreview ?? ""]) expect(text.isWellFormed()).toBe(true);
    expect([...(row?.derivedTitle ?? "")].length).toBeLessThanOrEqual(60);
    await harness.trunkline.patchSession("agent:a:telegram:group:1", { label: "desk" });
    const [labelled] = (await list(harness, "agent:a:main", { kinds: ["group"], includeDerivedTitles: true })).sessions;
    expect(labelled?.derivedTitle).toBe("desk");
  });

  test("inline messages are the last ones without tool results, oldest first", async () => {
    const harness = await openHarness({
      script: {
        default: () => ({
          messages: [
            { role: "assistant", content: [{ type: "toolCall", id: "1", name: "look", arguments: { at: "it" } }] },
            { role: "toolResult", toolCallId: "1", content: "a long result" },
            { role: "assistant", content: "seen" },
          ],
        }),
      },
    });
    await harness.human("agent:a:telegram:group:1", "look");
    await harness.settle();
    const [row] = (await list(harness, "agent:a:main", { kinds: ["group"], messageLimit: 2 })).sessions;
    expect(row?.messages?.map(({ role }) => role)).toEqual(["assistant", "assistant"]);
    expect(row?.messages?.at(-1)?.content).toBe("seen");
  });

  test("a result over 256 KiB leaves messages out from the last row upwards", async () => {
    const harness = await openHarness({ script: { default: "x".repeat(3900) } });
    for (let index = 0; index < 40; index++) {
      for (let turn = 0; turn < 3; turn++) await harness.human(`agent:a:telegram:group:${index}`, "y".repeat(3900));
    }
    await harness.settle();
    const { sessions } = await list(harness, "agent:a:main", { kinds: ["group"], messageLimit: 20 });
    const omitted = sessions.map((row) => row.messagesOmitted === true);
    expect(omitted[0]).toBe(false);
    expect(omitted.at(-1)).toBe(true);
    expect(omitted.indexOf(true)).toBe(omitted.lastIndexOf(false) + 1);
    expect(Buffer.byteLength(JSON.stringify(sessions))).toBeLessThanOrEqual(256 * 1024 + 40 * 600);
    for (const row of sessions) {
      if (row.messages) expect(Buffer.byteLength(JSON.stringify(row.messages))).toBeLessThanOrEqual(16 * 1024);
    }
  });

  test("a run sees itself as running in its own list", async () => {
    const statuses: string[] = [];
    const harness = await openHarness({
      script: {
        default: async (request) => {
          const result = (await callTool(request, "sessions_list", {})) as List;
          statuses.push(...result.sessions.map(({ status }) => status));
          return "done";
        },
      },
    });
    await harness.human("agent:a:main", "go");
    await harness.settle();
    expect(statuses).toEqual(["running"]);
  });
});
