import { describe, expect, test } from "vitest";
import { parseConfig } from "../../src/config/parse-config.ts";
import type { TrunklineConfigInput } from "../../src/config/trunkline-config.ts";
import { type AccessAction, type AccessTarget, authorize, operationDecision } from "../../src/policy/authorize.ts";
import { notFoundResult, refusalResult } from "../../src/policy/decision.ts";
import { effectiveVisibility, type VisibilityMode, visibilityReport } from "../../src/policy/visibility.ts";

const agents = { list: [{ id: "a" }, { id: "b" }, { id: "b2" }, { id: "c" }] };
const stranger = { isSelf: false, isDescendant: false };
const targets = {
  self: { sessionKey: "agent:a:main", agentId: "a", isSelf: true, isDescendant: false },
  child: { sessionKey: "agent:a:subagent:1", agentId: "a", isSelf: false, isDescendant: true },
  foreignChild: { sessionKey: "agent:b:subagent:1", agentId: "b", isSelf: false, isDescendant: true },
  sibling: { sessionKey: "agent:a:other", agentId: "a", ...stranger },
  foreign: { sessionKey: "agent:b:main", agentId: "b", ...stranger },
} as const satisfies Record<string, AccessTarget>;

type TargetName = keyof typeof targets;

function configOf(visibility: VisibilityMode, tools: TrunklineConfigInput["tools"] = {}, clamp?: "all" | "spawned") {
  const defaults = clamp === undefined ? {} : { defaults: { sandbox: { sessionToolsVisibility: clamp } } };
  return parseConfig({ tools: { ...tools, sessions: { visibility } }, agents: { ...agents, ...defaults } });
}

function reached(
  config: ReturnType<typeof configOf>,
  action: AccessAction,
  options: { readonly sandboxed?: boolean; readonly agentTyped?: boolean } = {},
): readonly string[] {
  const { sandboxed = false, agentTyped = true } = options;
  const caller = { sessionKey: "agent:a:main", agentId: "a", sandboxed };
  return Object.entries(targets).map(([name, target]) => {
    const decision = authorize({ config, caller, action, target: { ...target, agentTyped } });
    return decision.allowed ? name : `${decision.refusal}:${decision.code}`;
  });
}

const gone = "not_found:not_found";

describe("reading and sending follow the mode", () => {
  test.each<readonly [VisibilityMode, boolean, readonly string[]]>([
    ["self", true, ["self", gone, gone, gone, gone]],
    ["tree", true, ["self", "child", "foreignChild", gone, gone]],
    ["agent", true, ["self", "child", "forbidden:agent_scope", "sibling", "forbidden:agent_scope"]],
    ["all", true, ["self", "child", "foreignChild", "sibling", "foreign"]],
    ["all", false, ["self", "child", "foreignChild", "sibling", "forbidden:agent_to_agent"]],
  ])("%s, agent-to-agent %s", (mode, enabled, expected) => {
    const config = configOf(mode, { agentToAgent: { enabled } });
    expect(reached(config, "read")).toEqual(expected);
    expect(reached(config, "send")).toEqual(expected);
  });
});

test("change reaches the caller's own session and descendants only, in every mode", () => {
  const open = { agentToAgent: { enabled: true } };
  expect(reached(configOf("self", open), "change")).toEqual(["self", gone, gone, gone, gone]);
  expect(reached(configOf("tree", open), "change")).toEqual(["self", "child", "foreignChild", gone, gone]);
  expect(reached(configOf("all", open), "change")).toEqual(["self", "child", "foreignChild", gone, gone]);
  const scoped = "forbidden:agent_scope";
  expect(reached(configOf("agent", open), "change")).toEqual(["self", "child", scoped, gone, scoped]);
});

test("a session found by sessionId or label is hidden without a word about its agent", () => {
  const options = { agentTyped: false };
  expect(reached(configOf("agent"), "read", options)).toEqual(["self", "child", gone, "sibling", gone]);
  expect(reached(configOf("all"), "read", options)).toEqual(["self", "child", "foreignChild", "sibling", gone]);
});

describe("a sandboxed caller", () => {
  const open = { agentToAgent: { enabled: true } };
  test.each<readonly [VisibilityMode, VisibilityMode]>([
    ["self", "self"],
    ["tree", "tree"],
    ["agent", "tree"],
    ["all", "tree"],
  ])("under %s has %s", (configured, effective) => {
    expect(effectiveVisibility(configOf(configured), { sandboxed: true }).mode).toBe(effective);
    expect(effectiveVisibility(configOf(configured), { sandboxed: false }).mode).toBe(configured);
    expect(effectiveVisibility(configOf(configured, {}, "all"), { sandboxed: true }).mode).toBe(configured);
  });

  test("gets the same answer for every session it did not spawn", () => {
    const options = { sandboxed: true };
    expect(reached(configOf("all", open), "send", options)).toEqual(["self", "child", "foreignChild", gone, gone]);
  });

  test("is freed by the explicit setting, which does not open agent-to-agent", () => {
    const options = { sandboxed: true };
    const expected = ["self", "child", "foreignChild", "sibling", "forbidden:agent_to_agent"];
    expect(reached(configOf("all", {}, "all"), "send", options)).toEqual(expected);
  });
});

describe("agent-to-agent", () => {
  test.each([
    [["a", "b*"], "a", "b2", true],
    [["a", "b*"], "a", "c", false],
    [["a", "b*"], "c", "a", false],
    [["A", "B*"], "a", "b", true],
    [["*"], "a", "c", true],
    [["", " "], "a", "b", false],
    [[], "a", "b", false],
    [[], "a", "a", true],
    [undefined, "a", "c", true],
  ])("allow %j: %s to %s is %s", (allow, from, to, allowed) => {
    const config = configOf("all", { agentToAgent: { enabled: true, ...(allow === undefined ? {} : { allow }) } });
    const decision = authorize({
      config,
      caller: { sessionKey: `agent:${from}:main`, agentId: from, sandboxed: false },
      action: "send",
      target: { sessionKey: `agent:${to}:x`, agentId: to, ...stranger, agentTyped: true },
    });
    expect(decision.allowed).toBe(allowed);
    if (!allowed) expect(decision).toMatchObject({ refusal: "forbidden", code: "agent_to_agent" });
  });

  test("an agent that is not configured is not found", () => {
    const config = configOf("all", { agentToAgent: { enabled: true } });
    const decision = authorize({
      config,
      caller: { sessionKey: "agent:a:main", agentId: "a", sandboxed: false },
      action: "send",
      target: { sessionKey: "agent:ghost:main", agentId: "ghost", ...stranger, agentTyped: true },
    });
    expect(decision).toMatchObject({ allowed: false, refusal: "not_found", code: "not_found" });
  });
});

describe("a refusal as a result", () => {
  const caller = { sessionKey: "agent:a:main", agentId: "a", sandboxed: false };
  const answer = (visibility: VisibilityMode, name: TargetName) => {
    const decision = authorize({ config: configOf(visibility), caller, action: "read", target: targets[name] });
    return refusalResult(decision, "typed");
  };

  test("of a hidden session is that of a missing one, and names only what was typed", () => {
    expect(answer("tree", "sibling")).toEqual(notFoundResult("typed"));
    expect(answer("agent", "foreign")).toEqual(notFoundResult("typed"));
    expect(answer("all", "foreign")).toEqual(notFoundResult("typed"));
    expect(notFoundResult("typed")).toMatchObject({ status: "error", code: "not_found" });
    expect(notFoundResult("typed").error).toContain('no session that this session may reach matches "typed"');
  });

  test("that speaks of configuration carries its reason", () => {
    const target = { ...targets.foreign, agentTyped: true };
    const decision = authorize({ config: configOf("agent"), caller, action: "read", target });
    expect(refusalResult(decision, "agent:b:main")).toMatchObject({ status: "forbidden", code: "agent_scope" });
  });

  test("does not repeat a long text", () => {
    expect(notFoundResult("x".repeat(10_000)).error.length).toBeLessThan(400);
  });
});

test("the trail names each setting that decided", () => {
  const config = configOf("all");
  const caller = { sessionKey: "agent:a:main", agentId: "a", sandboxed: true };
  const { trail } = authorize({ config, caller, action: "read", target: targets.foreign });
  expect(trail).toEqual([
    { step: "visibility", allowed: true, setting: "tools.sessions.visibility", value: "all" },
    {
      step: "sandbox clamp",
      allowed: false,
      setting: "agents.defaults.sandbox.sessionToolsVisibility",
      value: "spawned",
    },
    { step: "own session", allowed: false },
    { step: "descendant", allowed: false },
  ]);
});

describe("a listing says what it withholds", () => {
  const caller = { agentId: "a", sandboxed: false };
  test.each<VisibilityMode>(["self", "tree", "agent"])("under %s", (mode) => {
    expect(visibilityReport(configOf(mode), caller)).toMatchObject({ mode, restricted: true });
  });

  test("under all only when agent-to-agent withholds an agent", () => {
    expect(visibilityReport(configOf("all"), caller)).toMatchObject({ mode: "all", restricted: true });
    expect(visibilityReport(configOf("all", { agentToAgent: { enabled: true } }), caller)).toBeUndefined();
    const partly = configOf("all", { agentToAgent: { enabled: true, allow: ["a", "b"] } });
    expect(visibilityReport(partly, caller)).toMatchObject({ mode: "all" });
    expect(
      visibilityReport(parseConfig({ tools: { sessions: { visibility: "all" } } }), { ...caller, agentId: "main" }),
    ).toBe(undefined);
  });

  test("with the effective mode of a sandboxed caller", () => {
    expect(visibilityReport(configOf("all"), { ...caller, sandboxed: true })).toMatchObject({ mode: "tree" });
  });
});

test.each([
  ["delete", "main", false, "forbidden:tool_not_allowed"],
  ["archive", "main", false, "forbidden:tool_not_allowed"],
  ["reset", "main", false, "allowed"],
  ["reset", "main", true, "error:busy"],
  ["delete", "other", true, "error:busy"],
  ["delete", "other", false, "allowed"],
  ["archive", "group", true, "allowed"],
] as const)("%s of a %s session, calling run %s: %s", (operation, kind, isCallingRun, expected) => {
  const { allowed, refusal, code } = operationDecision(operation, { kind, isCallingRun });
  expect(allowed ? "allowed" : `${refusal}:${code}`).toBe(expected);
});
