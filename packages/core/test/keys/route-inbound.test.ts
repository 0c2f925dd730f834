import { expect, test } from "vitest";
import { parseConfig } from "../../src/config/parse-config.ts";
import type { TrunklineConfigInput } from "../../src/config/trunkline-config.ts";
import { type InboundSource, routeInbound } from "../../src/keys/route-inbound.ts";

const direct: InboundSource = {
  channel: "Telegram",
  peer: { kind: "direct", id: "Ada_1" },
  accountId: "Work",
  senderId: "Ada_1",
};
const group: InboundSource = { channel: "telegram", peer: { kind: "group", id: "-5" } };
const agents = { list: [{ id: "main" }, { id: "a" }, { id: "b" }, { id: "c" }] };

function keyOf(session: TrunklineConfigInput["session"], source: InboundSource): string {
  return routeInbound(parseConfig({ session }), source).sessionKey;
}

test("a direct message goes where dmScope says", () => {
  expect(keyOf({}, direct)).toBe("agent:main:main");
  expect(keyOf({ mainKey: "home" }, direct)).toBe("agent:main:home");
  expect(keyOf({ dmScope: "per-peer" }, direct)).toBe("agent:main:direct:Ada_1");
  expect(keyOf({ dmScope: "per-channel-peer" }, direct)).toBe("agent:main:telegram:direct:Ada_1");
  expect(keyOf({ dmScope: "per-account-channel-peer" }, direct)).toBe("agent:main:telegram:Work:direct:Ada_1");
  expect(keyOf({ dmScope: "per-account-channel-peer" }, { ...direct, accountId: "" })).toBe(
    "agent:main:telegram:default:direct:Ada_1",
  );
});

test("a linked identity is one person on every channel, and the route stays the real one", () => {
  const session = { dmScope: "per-peer", identityLinks: { ada: ["telegram:Ada_1", "U7"] } } as const;
  const config = parseConfig({ session });
  expect(routeInbound(config, direct)).toEqual({
    agentId: "main",
    sessionKey: "agent:main:direct:ada",
    route: { channel: "telegram", to: "Ada_1", accountId: "Work" },
  });
  expect(keyOf(session, { channel: "slack", peer: { kind: "direct", id: "U7" } })).toBe("agent:main:direct:ada");
  expect(keyOf(session, { channel: "slack", peer: { kind: "direct", id: "Ada_1" } })).toBe("agent:main:direct:Ada_1");
  expect(keyOf(session, { ...direct, peer: { kind: "direct", id: "ada_1" } })).toBe("agent:main:direct:ada_1");
  expect(keyOf({ identityLinks: session.identityLinks }, direct)).toBe("agent:main:main");
});

test("groups and rooms have sessions of their own unless groupScope is main", () => {
  expect(keyOf({}, group)).toBe("agent:main:telegram:group:-5");
  expect(keyOf({}, { channel: "slack", peer: { kind: "channel", id: "C1" } })).toBe("agent:main:slack:channel:C1");
  expect(keyOf({ groupScope: "main" }, group)).toBe("agent:main:main");
});

test("a thread has a session of its own; telegram groups call it a topic", () => {
  expect(keyOf({}, { ...group, threadId: "7" })).toBe("agent:main:telegram:group:-5:topic:7");
  expect(keyOf({}, { channel: "slack", peer: { kind: "channel", id: "C1" }, threadId: "9.1" })).toBe(
    "agent:main:slack:channel:C1:thread:9.1",
  );
  expect(keyOf({ dmScope: "per-peer" }, { ...direct, threadId: "3" })).toBe("agent:main:direct:Ada_1:thread:3");
  expect(routeInbound(parseConfig({}), { ...direct, threadId: "3" })).toMatchObject({
    sessionKey: "agent:main:main",
    route: { to: "Ada_1", threadId: "3" },
  });
});

test("scope global sends everything of an agent to its main session", () => {
  const config = parseConfig({
    session: { scope: "global", dmScope: "per-peer" },
    agents,
    bindings: [{ agentId: "b", match: { channel: "telegram", peer: { kind: "group", id: "-5" } } }],
  });
  expect(routeInbound(config, { ...group, threadId: "7" })).toEqual({
    agentId: "b",
    sessionKey: "agent:b:main",
    route: { channel: "telegram", to: "-5", threadId: "7" },
  });
  expect(routeInbound(config, direct).sessionKey).toBe("agent:main:main");
});

test("the most specific binding wins, whatever the order; a tie goes to the first", () => {
  const config = parseConfig({
    agents,
    bindings: [
      { agentId: "a", match: { channel: "telegram" } },
      { agentId: "b", match: { channel: "telegram", accountId: "Work" } },
      { agentId: "c", match: { channel: "telegram", peer: { kind: "group", id: "-5" } } },
      { agentId: "a", match: { channel: "telegram", peer: { kind: "group", id: "-5" } } },
    ],
  });
  expect(routeInbound(config, { ...group, peer: { kind: "group", id: "-6" } }).agentId).toBe("a");
  expect(routeInbound(config, direct).agentId).toBe("b");
  expect(routeInbound(config, { ...group, accountId: "Work" }).agentId).toBe("c");
  expect(routeInbound(config, { ...group, peer: { kind: "channel", id: "-5" } }).agentId).toBe("a");
  expect(routeInbound(config, { channel: "slack", peer: { kind: "direct", id: "U1" } }).agentId).toBe("main");
});

test("an id that no key can hold is refused", () => {
  expect(() => routeInbound(parseConfig({}), { ...group, peer: { kind: "group", id: "5:thread:6" } })).toThrow(
    "read back",
  );
});
