import fc from "fast-check";
import { expect, test } from "vitest";
import { classifySession } from "../../src/keys/classify.ts";
import { compareKeys } from "../../src/keys/compare-keys.ts";
import { agentIdFromKey, chatTypeOf, hasThreadPart, parentKey, routeFromKey } from "../../src/keys/key-parts.ts";
import { parseSessionKey } from "../../src/keys/session-key.ts";
import { parseSessionReference } from "../../src/keys/session-reference.ts";

const uuid = "0b0c6c1e-6b1d-4f0e-9a51-6f0f8f0c1d2e";

test.each([
  ["agent:a:main", "main", "direct", undefined],
  ["agent:a:inbox", "other", "direct", undefined],
  ["agent:a:direct:x", "other", "direct", undefined],
  ["agent:a:telegram:group:-5:topic:7", "group", "group", { channel: "telegram", to: "-5", threadId: "7" }],
  ["agent:a:slack:channel:C1", "group", "channel", { channel: "slack", to: "C1" }],
  ["agent:a:slack:channel:C1:thread:9", "group", "channel", { channel: "slack", to: "C1", threadId: "9" }],
  ["agent:a:slack:w:direct:U1", "other", "direct", { channel: "slack", to: "U1", accountId: "w" }],
  [`agent:a:subagent:${uuid}`, "other", "direct", undefined],
  ["cron:j", "cron", "direct", undefined],
  ["agent:a:cron:j", "cron", "direct", undefined],
  ["hook:h", "hook", "direct", undefined],
  ["agent:a:node-n", "node", "direct", undefined],
])("%s is %s, %s", (key, kind, chatType, route) => {
  expect(classifySession(key)).toBe(kind);
  expect(chatTypeOf(parseSessionKey(key))).toBe(chatType);
  expect(routeFromKey(parseSessionKey(key))).toEqual(route);
});

test("the main session is the one with the configured main key, and main folds to it", () => {
  expect(classifySession("agent:a:home", { mainKey: "home" })).toBe("main");
  expect(classifySession("agent:a:main", { mainKey: "home" })).toBe("main");
  expect(classifySession("agent:a:home")).toBe("other");
});

test("the parent of a thread is its chat, without any thread part", () => {
  expect(parentKey("agent:b:slack:channel:C1:thread:9")).toBe("agent:b:slack:channel:C1");
  expect(parentKey("agent:b:telegram:group:1:topic:2:thread:3")).toBe("agent:b:telegram:group:1");
  expect(parentKey("Agent:B:Slack:channel:C1")).toBe("agent:b:slack:channel:C1");
  expect(hasThreadPart("agent:b:telegram:group:1:topic:2")).toBe(true);
  expect(hasThreadPart("agent:b:telegram:group:1")).toBe(false);
});

test("a bare job key names no agent", () => {
  expect(agentIdFromKey("cron:j")).toBeUndefined();
  expect(agentIdFromKey("agent:b:cron:j")).toBe("b");
});

test("a reference is an alias, a session id or a key", () => {
  expect(parseSessionReference(" MAIN ")).toEqual({ type: "main" });
  expect(parseSessionReference("current")).toEqual({ type: "current" });
  expect(parseSessionReference(uuid.toUpperCase())).toEqual({ type: "sessionId", sessionId: uuid });
  expect(parseSessionReference("agent:a:main", { mainKey: "home" })).toMatchObject({ parsed: { mainKey: "home" } });
  expect(() => parseSessionReference("global")).toThrow("reserved");
});

test("keys order by their UTF-8 bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
      expect(Math.sign(compareKeys(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
    }),
  );
  expect(compareKeys("\uffff", "\u{10000}")).toBeLessThan(0);
});
