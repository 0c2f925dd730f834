import { describe, expect, test } from "vitest";
import { ToolInputError } from "../../src/errors/tool-input-error.ts";
import { parseToolInput } from "../../src/tools/parse-tool-input.ts";

function refusal(name: string, args: unknown): ToolInputError {
  try {
    parseToolInput(name, args);
  } catch (error) {
    if (ToolInputError.isInstance(error)) return error;
    throw error;
  }
  throw new Error(`${name} accepted ${JSON.stringify(args)}`);
}

test("what is left out has its default", () => {
  expect(parseToolInput("sessions_list", undefined)).toEqual({
    limit: 50,
    messageLimit: 0,
    archived: false,
    includeDerivedTitles: false,
    includeLastMessage: false,
  });
  expect(parseToolInput("sessions_history", { sessionKey: "main" })).toEqual({
    sessionKey: "main",
    limit: 50,
    includeTools: false,
  });
  expect(parseToolInput("sessions_send", { agentId: "b", message: "hi" })).toEqual({
    agentId: "b",
    message: "hi",
    timeoutSeconds: 30,
  });
  expect(parseToolInput("sessions_spawn", { task: "count" })).toEqual({
    task: "count",
    runtime: "subagent",
    thread: false,
    cleanup: "keep",
    sandbox: "inherit",
  });
  expect(parseToolInput("subagents", {})).toEqual({ action: "list", mode: "all", timeoutSeconds: 30 });
  expect(parseToolInput("session_status", {})).toEqual({ sessionKey: "current" });
  expect(parseToolInput("sessions_search", { query: "x" })).toEqual({ query: "x", limit: 20 });
  expect(parseToolInput("agents_list", null)).toEqual({});
  expect(parseToolInput("sessions_yield", {})).toEqual({});
});

describe("numbers", () => {
  test.each([
    [{ limit: "25" }, { limit: 25 }],
    [{ limit: " 25 " }, { limit: 25 }],
    [{ limit: "5.0" }, { limit: 5 }],
    [{ limit: 201 }, { limit: 200 }],
    [{ limit: "1000000" }, { limit: 200 }],
    [{ limit: 1 }, { limit: 1 }],
    [{ messageLimit: 21 }, { messageLimit: 20 }],
    [{ messageLimit: 0 }, { messageLimit: 0 }],
    [{ offset: "0" }, { offset: 0 }],
    [{ activeMinutes: 1 }, { activeMinutes: 1 }],
  ])("%j is read as %j", (args, read) => {
    expect(parseToolInput("sessions_list", args)).toMatchObject(read);
  });

  test.each([
    ["limit", 0],
    ["limit", -1],
    ["limit", 1.5],
    ["limit", 250.5],
    ["limit", "1.5"],
    ["limit", Number.NaN],
    ["limit", "NaN"],
    ["limit", Number.POSITIVE_INFINITY],
    ["limit", "ten"],
    ["limit", ""],
    ["limit", "0x10"],
    ["limit", "1e2"],
    ["limit", true],
    ["limit", null],
    ["limit", [5]],
    ["offset", -1],
    ["messageLimit", -1],
    ["messageLimit", "-1"],
    ["activeMinutes", 0],
  ])("%s %j is an input error", (name, value) => {
    expect(refusal("sessions_list", { [name]: value })).toMatchObject({ code: "invalid_input", path: name });
  });

  test("the wait of a send is not lowered: over an hour is an input error", () => {
    const send = { sessionKey: "main", message: "x" };
    expect(parseToolInput("sessions_send", { ...send, timeoutSeconds: 3600 })).toMatchObject({ timeoutSeconds: 3600 });
    expect(parseToolInput("sessions_send", { ...send, timeoutSeconds: 0 })).toMatchObject({ timeoutSeconds: 0 });
    expect(refusal("sessions_send", { ...send, timeoutSeconds: 3601 }).path).toBe("timeoutSeconds");
    expect(refusal("sessions_send", { ...send, timeoutSeconds: -1 }).path).toBe("timeoutSeconds");
    expect(refusal("sessions_spawn", { task: "x", runTimeoutSeconds: 1.5 }).path).toBe("runTimeoutSeconds");
    expect(refusal("sessions_spawn", { task: "x", runTimeoutSeconds: -1 }).path).toBe("runTimeoutSeconds");
  });
});

describe("an unknown parameter is named, with the nearest one", () => {
  test.each([
    ["sessions_list", { limt: 5 }, "limt", '"limit"'],
    ["sessions_send", { sessionKey: "main", message: "x", timeoutSecond: 5 }, "timeoutSecond", '"timeoutSeconds"'],
    ["sessions_spawn", { task: "x", channel: "slack" }, "channel", "Parameters: task"],
    ["sessions_spawn", { task: "x", to: "U1" }, "to", "Parameters: task"],
    ["agents_list", { x: 1 }, "x", "Parameters: none"],
  ])("%s %j", (name, args, path, fix) => {
    const error = refusal(name, args);
    expect(error).toMatchObject({ code: "invalid_input", path, tool: name });
    expect(error.message).toContain(`"${path}"`);
    expect(error.fix).toContain(fix);
  });
});

test("an unknown tool is an input error with the nearest name", () => {
  expect(refusal("session_list", {})).toMatchObject({ code: "invalid_input", path: "name" });
  expect(refusal("session_list", {}).fix).toContain('"sessions_list"');
  expect(refusal("constructor", {}).fix).toContain("sessions_send");
});

test.each([[], "x", 5])("arguments that are no object are an input error: %j", (args) => {
  expect(refusal("sessions_list", args).code).toBe("invalid_input");
});

describe("blank texts", () => {
  test("count as absent where a parameter is optional", () => {
    const send = { sessionKey: "", label: " ", agentId: "B", message: "x", idempotencyKey: "" };
    expect(parseToolInput("sessions_send", send)).toMatchObject({ agentId: "b" });
    expect(parseToolInput("sessions_send", send).sessionKey).toBeUndefined();
    expect(parseToolInput("sessions_send", send).label).toBeUndefined();
    expect(parseToolInput("sessions_spawn", { task: "x", model: "", thinking: "", agentId: "" }).model).toBeUndefined();
    expect(parseToolInput("session_status", { sessionKey: "" }).sessionKey).toBe("current");
    expect(parseToolInput("sessions_list", { kinds: [], offset: 0, cursor: "" }).kinds).toBeUndefined();
  });

  test("are input errors where one is needed", () => {
    expect(refusal("sessions_history", { sessionKey: " " }).path).toBe("sessionKey");
    expect(refusal("sessions_history", {}).path).toBe("sessionKey");
    expect(refusal("sessions_send", { sessionKey: "main", message: " \n" }).path).toBe("message");
    expect(refusal("sessions_send", { sessionKey: "", message: "x" }).path).toBe("sessionKey");
    expect(refusal("sessions_spawn", { task: "" }).path).toBe("task");
  });
});

test("a key beside a label is no fault: junk in the label does not matter", () => {
  const input = { sessionKey: "agent:a:main", label: "junk", message: "x" };
  expect(parseToolInput("sessions_send", input)).toMatchObject({ sessionKey: "agent:a:main", label: "junk" });
});

test.each([
  ["sessions_list", { offset: 1, cursor: "c" }, "cursor"],
  ["sessions_history", { sessionKey: "main", offset: 0, cursor: "c" }, "cursor"],
  ["sessions_list", { kinds: ["main", "room"] }, "kinds[1]"],
  ["sessions_spawn", { task: "x", mode: "session" }, "mode"],
  ["sessions_spawn", { task: "x", thread: true, cleanup: "delete" }, "cleanup"],
  ["sessions_spawn", { task: "x", resumeSessionId: "1" }, "resumeSessionId"],
  ["sessions_spawn", { task: "x", streamTo: "parent" }, "streamTo"],
  ["sessions_spawn", { task: "x", runtime: "docker" }, "runtime"],
  ["subagents", { action: "cancel" }, "runId"],
  ["sessions_yield", { message: "x".repeat(4001) }, "message"],
  ["sessions", { action: "patch", sessionKey: "current" }, "action"],
  ["sessions", { action: "reset", sessionKey: "current", label: "x" }, "label"],
  ["sessions", { action: "patch", sessionKey: "current", sendPolicy: "allow" }, "sendPolicy"],
])("%s %j is refused at %s", (name, args, path) => {
  expect(refusal(name, args).path).toBe(path);
});

test("a thread may hold a run, and acp may resume", () => {
  const thread = { task: "x", thread: true, mode: "run", cleanup: "delete" };
  expect(parseToolInput("sessions_spawn", thread)).toMatchObject({ mode: "run", cleanup: "delete" });
  const acp = { task: "x", runtime: "acp", resumeSessionId: "s", streamTo: "parent" };
  expect(parseToolInput("sessions_spawn", acp)).toMatchObject({ resumeSessionId: "s", streamTo: "parent" });
});

test("null clears a field of a patch", () => {
  const patch = { action: "patch", sessionKey: "current", label: null, goal: null, model: null, thinking: null };
  expect(parseToolInput("sessions", patch)).toMatchObject({ label: null, goal: null, model: null, thinking: null });
});
