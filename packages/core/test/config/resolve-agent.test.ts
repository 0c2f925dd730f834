import { expect, test } from "vitest";
import { isChannelOwner, queueModeOf, resetRuleOf } from "../../src/config/chat-settings.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import {
  childModel,
  childThinking,
  configuredAgentIds,
  defaultAgentId,
  effectiveModel,
  effectiveThinking,
  isSandboxedByConfig,
  resolveAgent,
  sandboxModeOf,
} from "../../src/config/resolve-agent.ts";

const config = parseConfig({
  agents: {
    defaults: {
      model: "base",
      thinking: "low",
      sandbox: { mode: "non-main" },
      subagents: { maxSpawnDepth: 2, model: "small" },
    },
    list: [
      { id: "a", name: "First" },
      {
        id: "b",
        default: true,
        model: "own",
        sandbox: { mode: "off" },
        subagents: { maxSpawnDepth: 3, thinking: "high" },
      },
    ],
  },
});

test("an agent's own settings win over the defaults, one by one", () => {
  expect(resolveAgent(config, "a")).toMatchObject({
    configured: true,
    name: "First",
    model: "base",
    sandboxMode: "non-main",
  });
  expect(resolveAgent(config, "b")).toMatchObject({ model: "own", thinking: "low", sandboxMode: "off" });
  expect(resolveAgent(config, "b").subagents).toMatchObject({
    maxSpawnDepth: 3,
    model: "small",
    maxChildrenPerAgent: 5,
  });
  expect(resolveAgent(config, "gone")).toMatchObject({ configured: false, model: "base" });
  expect("name" in resolveAgent(config, "b")).toBe(false);
});

test("without a list there is one agent, main", () => {
  const empty = parseConfig({});
  expect(configuredAgentIds(empty)).toEqual(["main"]);
  expect(defaultAgentId(empty)).toBe("main");
  expect(resolveAgent(empty, "main").configured).toBe(true);
});

test("the default agent is the marked one, else the first", () => {
  expect(defaultAgentId(config)).toBe("b");
  expect(defaultAgentId(parseConfig({ agents: { list: [{ id: "x" }, { id: "y" }] } }))).toBe("x");
});

test("the sandbox mode decides by the kind of session", () => {
  expect(sandboxModeOf(config, "a")).toBe("non-main");
  expect(isSandboxedByConfig(config, "a", true)).toBe(false);
  expect(isSandboxedByConfig(config, "a", false)).toBe(true);
  expect(isSandboxedByConfig(config, "b", false)).toBe(false);
});

test("an empty or default override means the agent's own", () => {
  for (const override of [undefined, "", " ", "default", "Default"]) {
    expect(effectiveModel(config, "b", override)).toBe("own");
    expect(childModel(config, "b", override)).toBe("small");
    expect(effectiveThinking(config, "b", override)).toBe("low");
    expect(childThinking(config, "b", override)).toBe("high");
  }
  expect(effectiveModel(config, "b", "other")).toBe("other");
  expect(childModel(config, "b", "other")).toBe("other");
});

test("reset rules are merged setting by setting: channel, then type, then base", () => {
  const { session } = {
    session: {
      reset: { mode: "idle", idleMinutes: 30 },
      resetByType: { thread: { mode: "daily", atHour: 6 } },
      resetByChannel: { slack: { atHour: 8 } },
    },
  };
  const rules = parseConfig({ session });
  expect(resetRuleOf(rules, { type: "direct" })).toEqual({ mode: "idle", atHour: 4, idleMinutes: 30 });
  expect(resetRuleOf(rules, { type: "thread" })).toEqual({ mode: "daily", atHour: 6, idleMinutes: 30 });
  expect(resetRuleOf(rules, { type: "thread", channel: "Slack" })).toEqual({
    mode: "daily",
    atHour: 8,
    idleMinutes: 30,
  });
});

test("a channel that is named like an inherited property has no settings", () => {
  expect(isChannelOwner(config, "constructor", "1")).toBe(false);
  expect(queueModeOf(config, "constructor")).toBe("followup");
});

test("owners and queue modes are those of the channel", () => {
  const chat = parseConfig({
    channels: { slack: { owners: ["U1"] } },
    messages: { queue: { byChannel: { slack: "steer" } } },
  });
  expect(isChannelOwner(chat, "Slack", "U1")).toBe(true);
  expect(isChannelOwner(chat, "slack", "u1")).toBe(false);
  expect(isChannelOwner(chat, "slack", undefined)).toBe(false);
  expect(queueModeOf(chat, "slack")).toBe("steer");
  expect(queueModeOf(chat, undefined)).toBe("followup");
});
