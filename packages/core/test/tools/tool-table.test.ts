import { describe, expect, expectTypeOf, test } from "vitest";
import type { Provenance } from "../../src/session/message.ts";
import { spawnMode } from "../../src/tools/sessions-spawn.ts";
import { toolJsonSchema, toolResultJsonSchema } from "../../src/tools/tool-json-schema.ts";
import {
  isToolName,
  type ToolArguments,
  type ToolResult,
  toolDefinitions,
  toolNames,
  toolTable,
} from "../../src/tools/tool-table.ts";

test("the table holds the ten tools, each under its own name", () => {
  expect(toolNames).toEqual([
    "sessions_list",
    "sessions_history",
    "sessions_send",
    "sessions_spawn",
    "subagents",
    "sessions_yield",
    "session_status",
    "agents_list",
    "sessions_search",
    "sessions",
  ]);
  expect(Object.keys(toolTable)).toEqual(toolNames);
  expect(isToolName("toString")).toBe(false);
});

describe("every tool has a JSON Schema", () => {
  test.each(toolDefinitions.map((tool) => [tool.name, tool] as const))("%s", (name, tool) => {
    const schema = toolJsonSchema(name);
    expect(schema).toMatchObject({ type: "object", additionalProperties: false });
    expect(JSON.stringify(toolResultJsonSchema(name)).length).toBeGreaterThan(100);
    expect(tool.description.length).toBeGreaterThan(40);
    expect(tool.description.length).toBeLessThan(700);
  });
});

test("numbers show as integers with their bounds and defaults", () => {
  const { properties } = toolJsonSchema("sessions_list") as { properties: Record<string, unknown> };
  expect(properties["limit"]).toMatchObject({ type: "integer", minimum: 1, maximum: 200, default: 50 });
  expect(properties["messageLimit"]).toMatchObject({ type: "integer", minimum: 0, maximum: 20, default: 0 });
  expect(properties["offset"]).toMatchObject({ type: "integer", minimum: 0 });
  expect(properties["kinds"]).toMatchObject({
    type: "array",
    items: { enum: expect.arrayContaining(["main", "cron"]) },
  });
  expect(toolJsonSchema("sessions_list")["required"]).toBeUndefined();
  expect(toolJsonSchema("sessions_send")["required"]).toEqual(["message"]);
  expect(toolJsonSchema("sessions_send")).toMatchObject({
    properties: { timeoutSeconds: { type: "integer", minimum: 0, maximum: 3600, default: 30 } },
  });
});

describe("results have exactly the documented shapes", () => {
  const delivery = { status: "pending", mode: "announce" };
  test.each([
    ["sessions_send", { status: "accepted", runId: "r", sessionKey: "k", delivery }],
    ["sessions_send", { status: "ok", runId: "r", sessionKey: "k", reply: "42", delivery, watched: true }],
    ["sessions_send", { status: "timeout", runId: "r", sessionKey: "k", error: "e", phase: "queued", delivery }],
    ["sessions_send", { status: "error", code: "run_failed", error: "e", runId: "r" }],
    ["sessions_send", { status: "forbidden", code: "agent_to_agent", error: "e" }],
    ["sessions_spawn", { status: "accepted", runId: "r", childSessionKey: "k", context: "isolated" }],
    ["sessions_yield", { status: "yielded", pending: [{ runId: "r", childSessionKey: "k", state: "running" }] }],
    ["sessions_yield", { status: "error", code: "nothing_pending", error: "e" }],
    ["sessions_yield", { status: "already_pending", pending: [] }],
    ["subagents", { active: [], recent: [] }],
    ["subagents", { status: "ok", cancelled: ["r"] }],
    ["subagents", { status: "timeout", done: [], pending: [] }],
    ["agents_list", { requester: "a", allowAny: false, agents: [{ id: "a", configured: true }] }],
    ["sessions_list", { count: 0, sessions: [], hasMore: false }],
    ["sessions_list", { status: "error", code: "invalid_input", error: "e", path: "limit" }],
    ["sessions", { status: "ok", sessionKey: "k", sessionId: "s", changed: ["label"] }],
  ] as const)("%s %j", (name, result) => {
    expect(toolTable[name].outputSchema.parse(result)).toEqual(result);
  });

  test.each([
    ["sessions_send", { status: "accepted", runId: "r", sessionKey: "k", delivery, reply: "x" }],
    ["sessions_send", { status: "ok", runId: "r", sessionKey: "k", delivery, reply: undefined }],
    ["sessions_send", { status: "forbidden", code: "no_such_code", error: "e" }],
    ["sessions_list", { count: 0, sessions: [], hasMore: false, total: 3 }],
  ] as const)("%s refuses %j", (name, result) => {
    expect(toolTable[name].outputSchema.safeParse(result).success).toBe(false);
  });
});

test("a spawned child is a session only in a thread", () => {
  expect(spawnMode({ thread: false })).toBe("run");
  expect(spawnMode({ thread: true })).toBe("session");
  expect(spawnMode({ thread: true, mode: "run" })).toBe("run");
});

test("types follow the tool's name", () => {
  expectTypeOf<ToolArguments<"sessions_list">>().toHaveProperty("limit").toEqualTypeOf<number | string | undefined>();
  expectTypeOf<Extract<ToolResult<"sessions_send">, { status: "ok" }>>()
    .toHaveProperty("runId")
    .toEqualTypeOf<string>();
  type History = Exclude<ToolResult<"sessions_history">, { status: string }>;
  expectTypeOf<Provenance>().toExtend<NonNullable<History["messages"][number]["provenance"]>>();
  expectTypeOf<ToolArguments<"agents_list">>().toExtend<object>();
});
