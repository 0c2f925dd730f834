import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../../src/config/parse-config.ts";
import type { TrunklineConfigInput } from "../../src/config/trunkline-config.ts";
import { matchesGlob } from "../../src/policy/matches-glob.ts";
import type { ToolPolicyCaller } from "../../src/policy/tool-layers.ts";
import { effectiveTools, toolDecision } from "../../src/policy/tool-policy.ts";
import { type ToolName, toolNames } from "../../src/tools/tool-table.ts";

const group = { sessionKey: "agent:a:telegram:group:-5", agentId: "a", sandboxed: false };

function toolsOf(input: TrunklineConfigInput, caller: Partial<ToolPolicyCaller> = {}): readonly ToolName[] {
  const config = parseConfig({ agents: { list: [{ id: "a" }] }, ...input });
  return [...effectiveTools(config, { ...group, ...caller }).tools].sort();
}

const sorted = (names: readonly string[]) => [...names].sort();
const messaging = ["session_status", "sessions_list", "sessions_history", "sessions_send"];
const coding = [...messaging, "sessions_spawn", "sessions_yield", "subagents", "agents_list", "sessions_search"];

describe("profiles", () => {
  test.each([
    [undefined, toolNames],
    ["full", toolNames],
    ["minimal", ["session_status"]],
    ["messaging", messaging],
    ["coding", coding],
  ] as const)("%s", (profile, expected) => {
    expect(toolsOf({ tools: profile === undefined ? {} : { profile } })).toEqual(sorted(expected));
  });

  test("alsoAllow adds to a profile", () => {
    expect(toolsOf({ tools: { profile: "minimal", alsoAllow: ["sessions_l*"] } })).toEqual([
      "session_status",
      "sessions_list",
    ]);
    expect(toolsOf({ tools: { profile: "minimal", alsoAllow: ["group:sessions"] } })).toEqual(sorted(toolNames));
  });
});

describe("each layer narrows", () => {
  const allow = ["session_status", "sessions_list"];
  test.each<readonly [string, TrunklineConfigInput, Partial<ToolPolicyCaller>, readonly string[]]>([
    ["global allow", { tools: { allow } }, {}, allow],
    ["an empty allow allows nothing", { tools: { allow: [] } }, {}, []],
    ["deny wins over allow", { tools: { allow, deny: ["sessions_*"] } }, {}, ["session_status"]],
    ["names in any case", { tools: { allow: ["Session_Status"] } }, {}, ["session_status"]],
    ["group:sessions denies all", { tools: { deny: ["group:sessions"] } }, {}, []],
    ["other names match nothing", { tools: { allow: ["exec", "group:web"] } }, {}, []],
    ["provider", { tools: { byProvider: { OpenAI: { allow } } } }, { model: "openai/gpt" }, allow],
    ["whole model name", { tools: { byProvider: { "openai/gpt": { allow } } } }, { model: "openai/gpt" }, allow],
    ["another provider", { tools: { byProvider: { x: { allow } } } }, { model: "openai/gpt" }, toolNames],
    ["agent", { agents: { list: [{ id: "a", tools: { allow } }] } }, {}, allow],
    ["agent profile", { agents: { list: [{ id: "a", tools: { profile: "minimal" } }] } }, {}, ["session_status"]],
    ["another agent's", { agents: { list: [{ id: "a" }, { id: "b", tools: { allow } }] } }, {}, toolNames],
    ["group", { channels: { telegram: { groups: { "-5": { tools: { allow } } } } } }, {}, allow],
    [
      "a topic has its group's",
      { channels: { telegram: { groups: { "-5": { tools: { allow } } } } } },
      { sessionKey: "agent:a:telegram:group:-5:topic:7" },
      allow,
    ],
    ["another group's", { channels: { telegram: { groups: { "-6": { tools: { allow } } } } } }, {}, toolNames],
    ["sandbox, when sandboxed", { tools: { sandbox: { tools: { allow } } } }, { sandboxed: true }, allow],
    ["sandbox, when not", { tools: { sandbox: { tools: { allow } } } }, {}, toolNames],
  ])("%s", (_, input, caller, expected) => {
    expect(toolsOf(input, caller)).toEqual(sorted(expected));
  });

  test("an agent's profile does not widen the one for all", () => {
    const agents = { list: [{ id: "a", tools: { profile: "coding" } }] } as const;
    expect(toolsOf({ tools: { profile: "messaging" }, agents })).toEqual(sorted(messaging));
  });
});

describe("sub-agents", () => {
  const orchestrator = ["sessions_spawn", "sessions_yield", "subagents", "sessions_list", "sessions_history"];
  const depth2 = { agents: { defaults: { subagents: { maxSpawnDepth: 2 } }, list: [{ id: "a" }] } };
  const child = { sessionKey: "agent:a:subagent:0b0c6c1e-6b1d-4f0e-9a51-6f0f8f0c1d2e", spawnDepth: 1 };

  test("a leaf has no session tool", () => {
    expect(toolsOf({}, child)).toEqual([]);
    expect(toolsOf(depth2, { ...child, spawnDepth: 2 })).toEqual([]);
  });

  test("above the leaf level the role brings its tools, whatever the profile", () => {
    expect(toolsOf(depth2, child)).toEqual(sorted(orchestrator));
    expect(toolsOf({ ...depth2, tools: { profile: "minimal" } }, child)).toEqual(sorted(orchestrator));
  });

  test("a deny of any layer takes a tool of the role away", () => {
    expect(toolsOf({ ...depth2, tools: { deny: ["sessions_spawn"] } }, child)).not.toContain("sessions_spawn");
    const denied = { subagents: { tools: { deny: ["sessions_history"] } } };
    expect(toolsOf({ ...depth2, tools: denied }, child)).not.toContain("sessions_history");
  });

  test("only three tools can be given back, and only where the other layers keep them", () => {
    const restored = { subagents: { tools: { allow: ["group:sessions"] } } };
    expect(toolsOf({ tools: restored }, child)).toEqual(["session_status", "sessions_history", "sessions_list"]);
    expect(toolsOf({ tools: { ...restored, profile: "minimal" } }, child)).toEqual(["session_status"]);
    expect(toolsOf({ tools: { ...restored, deny: ["sessions_list"] } }, child)).not.toContain("sessions_list");
  });
});

test("each removed tool names the first layer that removed it", () => {
  const config = parseConfig({
    tools: { profile: "coding", deny: ["sessions_send"], sandbox: { tools: { deny: ["sessions_s*"] } } },
    agents: { list: [{ id: "a", tools: { deny: ["agents_list"] } }] },
  });
  expect(effectiveTools(config, { ...group, sandboxed: true }).removed).toEqual([
    { name: "sessions_send", layer: "global", setting: "tools" },
    { name: "sessions_spawn", layer: "sandbox", setting: "tools.sandbox.tools" },
    { name: "agents_list", layer: "agent", setting: "agents.list[0].tools" },
    { name: "sessions_search", layer: "sandbox", setting: "tools.sandbox.tools" },
    { name: "sessions", layer: "profile", setting: "tools.profile" },
  ]);
  expect(toolDecision(config, group, "sessions")).toMatchObject({
    allowed: false,
    refusal: "forbidden",
    code: "tool_not_allowed",
  });
  expect(toolDecision(config, group, "sessions_list").allowed).toBe(true);
});

test("a deny added anywhere never adds a tool", () => {
  const name = fc.constantFrom(...toolNames, "sessions_*", "group:sessions", "*");
  const list = fc.array(name, { maxLength: 3 });
  fc.assert(
    fc.property(list, list, list, fc.boolean(), fc.nat(2), (allow, deny, more, sandboxed, spawnDepth) => {
      const tools = (extra: readonly string[]) =>
        toolsOf(
          { tools: { allow, deny: [...deny, ...extra], subagents: { tools: { allow } } } },
          { sandboxed, spawnDepth },
        );
      const before = tools([]);
      for (const tool of tools(more)) expect(before).toContain(tool);
    }),
  );
});

test("a glob matches as the regular expression of its parts would", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (pattern, subject) => {
      const parts = pattern.split("*").map((part) => part.replace(/[^ab]/g, ""));
      const expected = pattern !== "" && new RegExp(`^${parts.join(".*")}$`).test(subject);
      expect(matchesGlob(pattern, subject)).toBe(expected);
    }),
    { numRuns: 1000 },
  );
  expect(matchesGlob("*".repeat(2000), "a".repeat(2000))).toBe(true);
});
