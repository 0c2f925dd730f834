import { describe, expect, test } from "vitest";
import { z } from "zod";
import { nearestName } from "../../src/config/nearest-name.ts";
import { checkConfig, parseConfig, parseConfigWith } from "../../src/config/parse-config.ts";
import { trunklineConfigSchema } from "../../src/config/trunkline-config.ts";
import { TrunklineError } from "../../src/errors/trunkline-error.ts";

function refusal(input: unknown): TrunklineError {
  try {
    parseConfig(input);
  } catch (error) {
    if (TrunklineError.isInstance(error)) return error;
    throw error;
  }
  throw new Error("the configuration was accepted");
}

test("an empty configuration has every default", () => {
  const defaults = {
    session: {
      scope: "per-sender",
      mainKey: "main",
      dmScope: "main",
      identityLinks: {},
      groupScope: "per-group",
      agentToAgent: { maxPingPongTurns: 5, maxHops: 8 },
      sendPolicy: { rules: [], default: "allow" },
      reset: { mode: "none", atHour: 4, idleMinutes: 60 },
      resetByType: {},
      resetByChannel: {},
      maintenance: { mode: "off", pruneAfter: 30, maxEntries: 5000 },
    },
    tools: {
      byProvider: {},
      sessions: { visibility: "tree" },
      agentToAgent: { enabled: false },
      sandbox: { tools: {} },
      subagents: { tools: {} },
    },
    agents: {
      defaults: {
        sandbox: { mode: "off", sessionToolsVisibility: "spawned" },
        subagents: {
          maxSpawnDepth: 1,
          maxChildrenPerAgent: 5,
          maxConcurrent: 8,
          runTimeoutSeconds: 0,
          archiveAfterMinutes: 60,
          forkMaxTokens: 100_000,
        },
      },
      list: [],
    },
    bindings: [],
    threadBindings: { enabled: true, defaultSpawnContext: "fork" },
    messages: { queue: { mode: "followup", debounceMs: 500, cap: 20, byChannel: {} } },
    acp: { enabled: false, agents: {} },
    models: { providers: {}, prices: {} },
    channels: {},
  };
  expect(parseConfig({})).toEqual(defaults);
  expect(parseConfig(undefined)).toEqual(defaults);
  expect(parseConfig({ $schema: "./trunkline.schema.json" })).toEqual(defaults);
});

test("every documented setting is accepted", () => {
  const policy = { profile: "coding", alsoAllow: ["sessions_search"], deny: ["sessions"] };
  const config = parseConfig({
    session: {
      scope: "global",
      mainKey: " Home ",
      dmScope: "per-account-channel-peer",
      identityLinks: { ada: ["telegram:1", "ada@example.org"] },
      groupScope: "main",
      agentToAgent: { maxPingPongTurns: 0, maxHops: 3 },
      sendPolicy: { rules: [{ match: { channel: "Discord", chatType: "group", keyPrefix: "cron:" }, action: "deny" }] },
      reset: { mode: "daily", atHour: 0, idleMinutes: 10 },
      resetByType: { direct: { mode: "idle" }, group: {}, thread: { atHour: 23 } },
      resetByChannel: { Telegram: { mode: "none" } },
      maintenance: { mode: "on", pruneAfter: 7, maxEntries: 10 },
    },
    tools: {
      ...policy,
      byProvider: { openai: { allow: ["sessions_*"] } },
      sessions: { visibility: "all" },
      agentToAgent: { enabled: true, allow: ["a", "b*"] },
      sandbox: { tools: { allow: ["sessions_list"], deny: [] } },
      subagents: { tools: { allow: ["session_status"] } },
    },
    agents: {
      defaults: {
        model: "m",
        thinking: "low",
        sandbox: { mode: "non-main", sessionToolsVisibility: "all" },
        subagents: { allowAgents: ["*"], model: "s", thinking: "off", maxSpawnDepth: 5, maxConcurrent: 1 },
      },
      list: [
        {
          id: "A",
          name: "First",
          default: true,
          model: "x",
          thinking: "xhigh",
          systemPrompt: "Be brief.",
          tools: policy,
          sandbox: { mode: "all" },
          runtime: "ai",
          subagents: { allowAgents: ["B"], maxSpawnDepth: 2, runTimeoutSeconds: 5, forkMaxTokens: 0 },
        },
        { id: "b" },
      ],
    },
    bindings: [{ agentId: "B", match: { channel: "telegram", accountId: "w", peer: { kind: "group", id: "-5" } } }],
    threadBindings: { enabled: false, defaultSpawnContext: "isolated" },
    messages: { queue: { mode: "collect", debounceMs: 0, cap: 1, byChannel: { slack: "steer" } } },
    acp: { enabled: true, allowedAgents: ["codex"], defaultAgent: "codex", agents: { codex: { command: "x" } } },
    models: {
      allow: ["x"],
      providers: { p: { any: [1] } },
      prices: { x: { inputPerMillion: 1.5, outputPerMillion: 0 } },
    },
    channels: { Telegram: { owners: ["1"], groups: { "-5": { tools: policy } }, settings: { any: { thing: 1 } } } },
  });
  expect(config.session.mainKey).toBe("home");
  expect(config.session.resetByChannel).toEqual({ telegram: { mode: "none" } });
  expect(config.agents.list.map(({ id }) => id)).toEqual(["a", "b"]);
  expect(config.agents.list[0]?.subagents?.allowAgents).toEqual(["b"]);
  expect(config.bindings[0]?.agentId).toBe("b");
  expect(Object.keys(config.channels)).toEqual(["telegram"]);
});

describe("an unknown setting is refused with its path and the nearest name", () => {
  test.each([
    [{ sesion: {} }, "sesion", 'Did you mean "session"?'],
    [
      { session: { agentToAgent: { maxPingPongTurn: 3 } } },
      "session.agentToAgent.maxPingPongTurn",
      '"maxPingPongTurns"',
    ],
    [{ agents: { list: [{ id: "a", modle: "x" }] } }, "agents.list[0].modle", '"model"'],
    [{ channels: { slack: { owner: [] } } }, "channels.slack.owner", '"owners"'],
    [{ tools: { byProvider: { x: { alow: [] } } } }, "tools.byProvider.x.alow", '"allow"'],
    [{ session: { resetByChannel: { slack: { hour: 3 } } } }, "session.resetByChannel.slack.hour", '"atHour"'],
    [{ messages: { zzz: 1 } }, "messages.zzz", "Known settings: queue."],
  ])("%j", (input, path, fix) => {
    const error = refusal(input);
    expect(error).toMatchObject({ code: "invalid_config", path });
    expect(error.fix).toContain(fix);
    expect(error.message).toContain("has no setting");
  });
});

test.each([
  [{ session: { agentToAgent: { maxPingPongTurns: 21 } } }, "session.agentToAgent.maxPingPongTurns"],
  [{ session: { agentToAgent: { maxPingPongTurns: -1 } } }, "session.agentToAgent.maxPingPongTurns"],
  [{ session: { agentToAgent: { maxPingPongTurns: 7.9 } } }, "session.agentToAgent.maxPingPongTurns"],
  [{ session: { agentToAgent: { maxPingPongTurns: "5" } } }, "session.agentToAgent.maxPingPongTurns"],
  [{ session: { agentToAgent: { maxPingPongTurns: Number.NaN } } }, "session.agentToAgent.maxPingPongTurns"],
  [{ session: { mainKey: "a:b" } }, "session.mainKey"],
  [{ session: { mainKey: "node-1" } }, "session.mainKey"],
  [{ session: { dmScope: "per-person" } }, "session.dmScope"],
  [{ session: { sendPolicy: { rules: [{ match: {}, action: "maybe" }] } } }, "session.sendPolicy.rules[0].action"],
  [{ session: { reset: { atHour: 24 } } }, "session.reset.atHour"],
  [{ agents: { defaults: { subagents: { maxSpawnDepth: 0 } } } }, "agents.defaults.subagents.maxSpawnDepth"],
  [{ agents: { defaults: { subagents: { maxSpawnDepth: 6 } } } }, "agents.defaults.subagents.maxSpawnDepth"],
  [{ agents: { defaults: { thinking: "huge" } } }, "agents.defaults.thinking"],
  [{ agents: { list: [{ id: "a b" }] } }, "agents.list[0].id"],
  [{ agents: { list: [{ id: "a" }, { id: "A" }] } }, "agents.list[1].id"],
  [{ bindings: [{ agentId: "ghost", match: { channel: "slack" } }] }, "bindings[0].agentId"],
  [{ tools: { allow: ["x"], alsoAllow: ["y"] } }, "tools.alsoAllow"],
  [{ agents: { list: [{ id: "a", tools: { allow: [], alsoAllow: [] } }] } }, "agents.list[0].tools.alsoAllow"],
  [{ acp: { allowedAgents: ["a"], defaultAgent: "b" } }, "acp.defaultAgent"],
  [{ store: { url: "x" } }, "store"],
  [{ gateway: {} }, "gateway"],
  [[], ""],
  ["x", ""],
])("%j is refused at its path", (input, path) => {
  const error = refusal(input);
  expect(error).toMatchObject({ code: "invalid_config", path });
  expect(error.message).toContain(path.split(".").at(-1)?.split("[")[0] ?? "");
});

test("store and gateway are refused with where they belong", () => {
  expect(refusal({ store: {} }).message).toContain("gateway");
  expect(refusal({ store: {} }).fix).toContain("createTrunkline");
});

test("every fault is listed, and the thrown error says how many there are", () => {
  const input = { sesion: 1, models: { allow: "x" }, acp: { enabled: "yes" } };
  const check = checkConfig(trunklineConfigSchema, input);
  expect(check.ok ? [] : check.problems.map(({ path }) => path).sort()).toEqual([
    "acp.enabled",
    "models.allow",
    "sesion",
  ]);
  expect(refusal(input).message).toContain("(and 2 more)");
});

test("a schema that extends the configuration keeps its checks and its suggestions", () => {
  const extended = trunklineConfigSchema.extend({ store: z.strictObject({ kind: z.string() }) });
  expect(parseConfigWith(extended, { store: { kind: "sqlite" } }).store.kind).toBe("sqlite");
  expect(() => parseConfigWith(extended, { store: { kid: "sqlite" } })).toThrow("has no setting");
  expect(() =>
    parseConfigWith(extended, { store: { kind: "x" }, agents: { list: [{ id: "a" }, { id: "a" }] } }),
  ).toThrow("already used");
});

test("no value of the configuration shows in a refusal", () => {
  const hidden = ["not", "to", "be", "shown"].join("-");
  const inputs = [{ models: { allow: hidden } }, { session: { scope: hidden } }, { session: { reset: hidden } }];
  for (const input of inputs) expect(`${refusal(input).message}${refusal(input).fix ?? ""}`).not.toContain(hidden);
});

test("a suggestion needs a name that is close", () => {
  expect(nearestName("vizibility", ["visibility", "mode"])).toBe("visibility");
  expect(nearestName("completely", ["visibility", "mode"])).toBeUndefined();
  expect(nearestName("x", ["id", "ok"])).toBeUndefined();
  expect(nearestName("m".repeat(100_000), ["mode"])).toBeUndefined();
});
