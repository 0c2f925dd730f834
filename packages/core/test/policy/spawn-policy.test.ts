import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../../src/config/parse-config.ts";
import type { TrunklineConfigInput } from "../../src/config/trunkline-config.ts";
import { modelDecision, thinkingDecision } from "../../src/policy/model-policy.ts";
import { agentsListResult, spawnableAgents } from "../../src/policy/spawn-agents.ts";
import { type SpawnRequest, spawnDecision } from "../../src/policy/spawn-policy.ts";

type Agents = NonNullable<TrunklineConfigInput["agents"]>;

const list = [{ id: "a" }, { id: "b" }, { id: "c" }];

function decide(
  agents: Agents,
  request: Partial<SpawnRequest["request"]> = {},
  caller: Partial<SpawnRequest["caller"]> = {},
  input: TrunklineConfigInput = {},
) {
  return spawnDecision({
    config: parseConfig({ ...input, agents: { list, ...agents } }),
    caller: { agentId: "a", sandboxed: false, spawnDepth: 0, ...caller },
    request: { runtime: "subagent", sandbox: "inherit", ...request },
  });
}

const told = (decision: ReturnType<typeof decide>) =>
  decision.allowed ? "allowed" : `${decision.refusal}:${decision.code}`;

const allowing = (allowAgents: readonly string[]): Agents => ({
  defaults: { subagents: { allowAgents: [...allowAgents] } },
});

describe("the allow-list", () => {
  test.each([
    [undefined, "a", "allowed"],
    [undefined, undefined, "allowed"],
    [undefined, "b", "forbidden:agent_not_allowed"],
    [["b"], "b", "allowed"],
    [["b"], "a", "allowed"],
    [["b"], "c", "forbidden:agent_not_allowed"],
    [["b", "ghost"], "ghost", "forbidden:agent_not_allowed"],
    [["*"], "c", "allowed"],
    [["*"], "ghost", "forbidden:agent_not_allowed"],
    [[], "a", "allowed"],
    [[], "b", "forbidden:agent_not_allowed"],
  ])("%j: %s is %s", (allowAgents, agentId, expected) => {
    expect(told(decide(allowAgents === undefined ? {} : allowing(allowAgents), { agentId }))).toBe(expected);
  });

  test("of the agent wins over that of the defaults", () => {
    const agents: Agents = {
      ...allowing(["*"]),
      list: [{ id: "a", subagents: { allowAgents: ["b"] } }, { id: "b" }, { id: "c" }],
    };
    expect(told(decide(agents, { agentId: "b" }))).toBe("allowed");
    expect(told(decide(agents, { agentId: "c" }))).toBe("forbidden:agent_not_allowed");
  });

  test("is listed by a refusal", () => {
    expect(decide(allowing(["b"]), { agentId: "c" }).reason).toContain("allowed: a, b");
  });

  test("is what agents_list shows, its own agent first", () => {
    const config = parseConfig({
      agents: { ...allowing(["*"]), list: [{ id: "b", name: "B", model: "m" }, { id: "a" }] },
    });
    expect(agentsListResult(config, "a")).toEqual({
      requester: "a",
      allowAny: true,
      agents: [
        { id: "a", configured: true },
        { id: "b", name: "B", configured: true, model: "m" },
      ],
    });
  });

  test("shows exactly the ids that a spawn accepts, for any configuration", () => {
    const ids = ["a", "b", "c", "d"];
    const agentList = fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 4 });
    const allowed = fc.option(fc.array(fc.constantFrom(...ids, "*", "ghost"), { maxLength: 4 }), { nil: undefined });
    fc.assert(
      fc.property(agentList, allowed, fc.constantFrom(...ids), (agentIds, allowAgents, own) => {
        const agents: Agents = {
          ...(allowAgents === undefined ? {} : allowing(allowAgents)),
          list: agentIds.map((id) => ({ id })),
        };
        const shown = spawnableAgents(parseConfig({ agents }), own).agentIds;
        const accepted = [...ids, "main", "ghost"].filter(
          (agentId) => decide(agents, { agentId }, { agentId: own }).allowed,
        );
        expect([...shown].sort()).toEqual([...accepted].sort());
        expect(shown[0]).toBe(own);
      }),
    );
  });
});

test("a session at depth d may spawn if and only if d is under the limit", () => {
  for (const maxSpawnDepth of [1, 2, 3]) {
    const agents: Agents = { defaults: { subagents: { maxSpawnDepth } } };
    for (const spawnDepth of [0, 1, 2, 3, 4]) {
      const expected = spawnDepth < maxSpawnDepth ? "allowed" : "forbidden:depth_limit";
      expect(told(decide(agents, {}, { spawnDepth }))).toBe(expected);
    }
  }
});

describe("the sandbox", () => {
  const off: Agents = allowing(["*"]);
  const sandboxedB: Agents = { ...off, list: [{ id: "a" }, { id: "b", sandbox: { mode: "all" } }] };
  const nonMainB: Agents = { ...off, list: [{ id: "a" }, { id: "b", sandbox: { mode: "non-main" } }] };
  const sandboxed = { sandboxed: true };
  const acp = { acp: { enabled: true, agents: { codex: {} } } };

  test.each([
    ["a sandboxed caller, an unsandboxed agent", off, { agentId: "b" }, sandboxed, "forbidden:sandbox"],
    ["a sandboxed caller, a sandboxed agent", sandboxedB, { agentId: "b" }, sandboxed, "allowed"],
    ["a sandboxed caller, an agent sandboxed but for main", nonMainB, { agentId: "b" }, sandboxed, "allowed"],
    ["a sandboxed caller, its own agent", off, {}, sandboxed, "allowed"],
    ["require, an unsandboxed agent", off, { sandbox: "require" }, {}, "forbidden:sandbox"],
    ["require, a sandboxed agent", sandboxedB, { agentId: "b", sandbox: "require" }, {}, "allowed"],
    ["a sandboxed caller, acp", off, { runtime: "acp", agentId: "codex" }, sandboxed, "forbidden:sandbox"],
    ["require, acp", off, { runtime: "acp", agentId: "codex", sandbox: "require" }, {}, "forbidden:sandbox"],
  ] as const)("%s: %s", (_, agents, request, caller, expected) => {
    expect(told(decide(agents, request, caller, acp))).toBe(expected);
  });

  test("is inherited by a child of the own agent, and stored with it", () => {
    expect(decide(off, {}, sandboxed).sandboxed).toBe(true);
    expect(decide(off, {}).sandboxed).toBe(false);
    expect(decide(sandboxedB, { agentId: "b" }).sandboxed).toBe(true);
  });
});

describe("acp", () => {
  const acp = (settings: TrunklineConfigInput["acp"]) => ({ acp: { enabled: true, ...settings } });
  test.each([
    [{}, "codex", "error:acp_unavailable"],
    [acp({}), undefined, "error:acp_unavailable"],
    [acp({}), "codex", "forbidden:agent_not_allowed"],
    [acp({ agents: { codex: {} } }), "codex", "allowed"],
    [acp({ agents: { codex: {} } }), "a", "forbidden:agent_not_allowed"],
    [acp({ agents: { codex: {} }, defaultAgent: "codex" }), undefined, "allowed"],
    [acp({ agents: { codex: {}, other: {} }, allowedAgents: ["other"] }), "codex", "forbidden:agent_not_allowed"],
    [acp({ agents: { codex: {} }, allowedAgents: ["*"] }), "codex", "allowed"],
  ])("%j with %s: %s", (input, agentId, expected) => {
    expect(told(decide({}, { runtime: "acp", agentId }, {}, input))).toBe(expected);
  });
});

test("a fork stays with its agent and the subagent runtime", () => {
  const acp = { acp: { enabled: true, agents: { codex: {} } } };
  expect(told(decide({}, { context: "fork" }))).toBe("allowed");
  expect(told(decide(allowing(["b"]), { context: "fork", agentId: "b" }))).toBe("error:fork_unsupported");
  expect(told(decide({}, { context: "fork", runtime: "acp", agentId: "codex" }, {}, acp))).toBe(
    "error:fork_unsupported",
  );
});

describe("models", () => {
  test.each([
    ["nothing listed", {}, "any/thing", undefined, true],
    ["nothing listed", {}, " ", undefined, false],
    ["nothing listed", {}, "any/thing", false, false],
    ["nothing listed", {}, "any/thing", true, true],
    ["a list", { models: { allow: ["p/*"] } }, "p/x", undefined, true],
    ["a list", { models: { allow: ["p/*"] } }, "q/x", undefined, false],
    ["a list", { models: { allow: ["p/*"] } }, "q/x", true, false],
    ["a list", { models: { allow: ["p/*"] } }, "p/x", false, false],
    ["an empty list", { models: { allow: [] } }, "p/x", undefined, false],
    ["an agent's model", { agents: { defaults: { model: "m" } } }, "m", undefined, true],
    ["an agent's model", { agents: { defaults: { model: "m" } } }, "n", undefined, false],
    ["an agent's model", { agents: { defaults: { model: "m" } } }, "n", true, true],
    [
      "a list beside it",
      { models: { allow: ["p"] }, agents: { list: [{ id: "a", model: "m" }] } },
      "m",
      undefined,
      true,
    ],
  ] as const)("%s %j: %j, known %s, is %s", (_, input, model, known, allowed) => {
    const decision = modelDecision(parseConfig(input), model, known);
    expect(decision.allowed).toBe(allowed);
    if (!allowed) expect(decision).toMatchObject({ refusal: "error", code: "invalid_model" });
  });

  test("an unknown thinking level is refused with the levels", () => {
    expect(thinkingDecision("xhigh").allowed).toBe(true);
    expect(thinkingDecision("huge")).toMatchObject({ refusal: "error", code: "invalid_thinking" });
    expect(thinkingDecision("huge").reason).toContain("off, minimal, low, medium, high, xhigh");
  });
});
