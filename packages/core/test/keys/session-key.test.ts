import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TrunklineError } from "../../src/errors/trunkline-error.ts";
import {
  canonicalSessionKey,
  formatSessionKey,
  type ParsedSessionKey,
  parseSessionKey,
} from "../../src/keys/session-key.ts";

const uuid = "0b0c6c1e-6b1d-4f0e-9a51-6f0f8f0c1d2e";

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return TrunklineError.isInstance(error) ? error.code : `not ours: ${String(error)}`;
  }
  return undefined;
}

describe("every shape of the grammar is read", () => {
  const cases: readonly (readonly [string, ParsedSessionKey])[] = [
    ["agent:main:main", { shape: "main", agentId: "main", mainKey: "main" }],
    ["agent:main:node", { shape: "main", agentId: "main", mainKey: "node" }],
    ["agent:main:cron", { shape: "main", agentId: "main", mainKey: "cron" }],
    ["agent:a:telegram:group:-5", { shape: "group", agentId: "a", channel: "telegram", peerId: "-5" }],
    ["agent:a:matrix:channel:!Ab:hs", { shape: "channel", agentId: "a", channel: "matrix", peerId: "!Ab:hs" }],
    ["agent:a:direct:Ada", { shape: "direct", agentId: "a", peerId: "Ada" }],
    ["agent:a:telegram:direct:42", { shape: "direct", agentId: "a", channel: "telegram", peerId: "42" }],
    [
      "agent:a:slack:Work:direct:U1",
      { shape: "direct", agentId: "a", channel: "slack", accountId: "Work", peerId: "U1" },
    ],
    [`agent:a:subagent:${uuid}`, { shape: "subagent", agentId: "a", uuid }],
    [`agent:a:acp:${uuid}`, { shape: "acp", agentId: "a", uuid }],
    ["cron:Nightly", { shape: "cron", id: "Nightly" }],
    ["agent:a:cron:Nightly", { shape: "cron", agentId: "a", id: "Nightly" }],
    [`hook:${uuid}`, { shape: "hook", id: uuid }],
    ["node-Pi:4", { shape: "node", id: "Pi:4" }],
    ["agent:a:node-Pi", { shape: "node", agentId: "a", id: "Pi" }],
    [
      "agent:a:slack:channel:C1:thread:9.1",
      { shape: "channel", agentId: "a", channel: "slack", peerId: "C1", thread: { kind: "thread", id: "9.1" } },
    ],
    [
      "agent:a:telegram:group:-5:topic:7",
      { shape: "group", agentId: "a", channel: "telegram", peerId: "-5", thread: { kind: "topic", id: "7" } },
    ],
    [
      "agent:a:direct:x:thread:1:thread:2",
      { shape: "direct", agentId: "a", peerId: "x:thread:1", thread: { kind: "thread", id: "2" } },
    ],
  ];
  test.each(cases)("%s", (key, parsed) => {
    expect(parseSessionKey(key)).toEqual(parsed);
    expect(formatSessionKey(parsed)).toBe(key);
  });
});

test("only telegram groups have topics", () => {
  expect(parseSessionKey("agent:a:discord:group:1:topic:2")).toMatchObject({ peerId: "1:topic:2" });
  expect(parseSessionKey("agent:a:telegram:channel:1:topic:2")).toMatchObject({ peerId: "1:topic:2" });
});

test("the first matching shape wins, from left to right", () => {
  expect(parseSessionKey("agent:a:telegram:direct:direct:x")).toMatchObject({
    channel: "telegram",
    peerId: "direct:x",
  });
  expect(parseSessionKey("agent:a:cron:group:x")).toMatchObject({ shape: "cron", id: "group:x" });
  expect(parseSessionKey("agent:a:direct:group:x")).toMatchObject({ shape: "direct", peerId: "group:x" });
});

test.each([
  "",
  "   ",
  "main",
  "Current",
  "global",
  "UNKNOWN",
  "agent:main",
  "agent:main:",
  "agent::main",
  "agent:-a:main",
  `agent:${"a".repeat(65)}:main`,
  "agent:a b:main",
  "agent:a:subagent:7",
  "agent:a:subagent:group:7",
  `agent:a:acp:${uuid}:thread:1`,
  "agent:a:telgram:direkt:1",
  "agent:a:telegram:group:",
  "agent:a:telegram:group::thread:5",
  "agent:a:telegram:group:5:thread:",
  "agent:a::group:5",
  "agent:a:slack::direct:5",
  "agent:a:main:thread:5",
  "agent:a:node-",
  "cron:",
  "node-",
  "telegram:group:5",
  "some label",
  uuid,
  "agent:a:direct:\u0000",
  "agent:a:direct:\ud800",
])("%j is no key", (input) => {
  expect(codeOf(() => parseSessionKey(input))).toBe("invalid_key");
});

test("a refusal says what to do and does not repeat a long input", () => {
  expect.assertions(2);
  try {
    parseSessionKey("x".repeat(5000));
  } catch (error) {
    if (!TrunklineError.isInstance(error)) throw error;
    expect(error.fix).toContain("agent:main:main");
    expect(error.message.length).toBeLessThan(250);
  }
});

test("structural parts fold to lower case, opaque ids keep every byte", () => {
  expect(canonicalSessionKey("  AGENT:Main:Test1\n")).toBe("agent:main:test1");
  expect(canonicalSessionKey("Agent:A:Matrix:CHANNEL:!Ab_%É:hs")).toBe("agent:a:matrix:channel:!Ab_%É:hs");
  expect(canonicalSessionKey("agent:a:Slack:WORK:Direct:U1:Thread:x")).toBe("agent:a:slack:WORK:direct:U1:Thread:x");
  expect(canonicalSessionKey(`agent:a:SubAgent:${uuid.toUpperCase()}`)).toBe(`agent:a:subagent:${uuid}`);
  expect(canonicalSessionKey("CRON:Nightly")).toBe("cron:Nightly");
  expect(canonicalSessionKey("NODE-Pi")).toBe("node-Pi");
});

test("the segment main folds to the configured main key", () => {
  expect(canonicalSessionKey("agent:a:main", { mainKey: "Home" })).toBe("agent:a:home");
  expect(canonicalSessionKey("agent:a:other", { mainKey: "home" })).toBe("agent:a:other");
});

test("512 bytes of UTF-8 are the limit, counted after trimming", () => {
  const base = "agent:a:direct:";
  const longest = `${base}${"é".repeat((512 - base.length - 1) / 2)}x`;
  expect(parseSessionKey(` ${longest} `)).toMatchObject({ shape: "direct" });
  expect(codeOf(() => parseSessionKey(`${longest}x`))).toBe("invalid_key");
  expect(codeOf(() => formatSessionKey({ shape: "cron", id: "é".repeat(254) }))).toBe("invalid_key");
});

test.each<ParsedSessionKey>([
  { shape: "direct", agentId: "a", peerId: "x:thread:1" },
  { shape: "group", agentId: "a", channel: "telegram", peerId: "1:topic:2" },
  { shape: "group", agentId: "a", channel: "cron", peerId: "1" },
  { shape: "group", agentId: "a", channel: "Slack", peerId: "1" },
  { shape: "direct", agentId: "a", channel: "slack", accountId: "direct", peerId: "1" },
  { shape: "direct", agentId: "a", channel: "slack", accountId: "a:b", peerId: "1" },
  { shape: "direct", agentId: "a", accountId: "b", peerId: "1" },
  { shape: "direct", agentId: "a", peerId: "1", thread: { kind: "topic", id: "2" } },
  { shape: "direct", agentId: "a", peerId: "1", thread: { kind: "thread", id: "2:thread:3" } },
  { shape: "direct", agentId: "a", peerId: "1 " },
  { shape: "direct", agentId: "a", peerId: "" },
  { shape: "main", agentId: "a", mainKey: "node-1" },
  { shape: "main", agentId: "a", mainKey: "b:c" },
  { shape: "subagent", agentId: "a", uuid: "1" },
])("an id that would not be read back is refused: %j", (parsed) => {
  expect(codeOf(() => formatSessionKey(parsed))).toBe("invalid_key");
});

const piece = fc.oneof(
  fc.constantFrom(
    "agent",
    "main",
    "a",
    "B",
    "direct",
    "group",
    "channel",
    "thread",
    "topic",
    "telegram",
    "cron",
    "hook",
  ),
  fc.constantFrom("node-1", "subagent", "acp", uuid, "", " ", "é", "e\u0301", "İ", "ΑΣ", "%", "_", "\u{1f600}"),
  fc.string({ unit: "binary", maxLength: 4 }),
);
const keyLike = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(":"));
const agentTail = keyLike.map((text) => `agent:a:${text}`);

// Segment by segment, because a Greek sigma folds by its place in the word.
const foldSegments = (key: string) =>
  key
    .split(":")
    .map((segment) => segment.toLowerCase())
    .join(":");

test("whatever parses is written and read back to the same parts", () => {
  let parsedCount = 0;
  fc.assert(
    fc.property(fc.oneof(keyLike, agentTail), (input) => {
      let parsed: ParsedSessionKey;
      try {
        parsed = parseSessionKey(input);
      } catch {
        return;
      }
      parsedCount += 1;
      const key = formatSessionKey(parsed);
      expect(parseSessionKey(key)).toEqual(parsed);
      expect(canonicalSessionKey(key)).toBe(key);
      expect(foldSegments(key)).toBe(foldSegments(input.trim()));
    }),
    { numRuns: 2000 },
  );
  expect(parsedCount).toBeGreaterThan(300);
});

test("two keys that differ in an opaque byte never become one", () => {
  const id = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(id, id, (left, right) => {
      const keys = [left, right].map((peerId) => {
        try {
          return formatSessionKey({ shape: "group", agentId: "a", channel: "telegram", peerId });
        } catch {
          return undefined;
        }
      });
      if (keys[0] !== undefined && left !== right) expect(keys[0]).not.toBe(keys[1]);
    }),
  );
});

test("parts that are accepted come back as they went in", () => {
  const text = fc.oneof(piece, keyLike);
  const threadOf = fc.option(fc.record({ kind: fc.constantFrom("thread" as const, "topic" as const), id: text }), {
    nil: undefined,
  });
  fc.assert(
    fc.property(text, text, text, threadOf, (channel, accountId, peerId, thread) => {
      const parsed: ParsedSessionKey = {
        shape: "direct",
        agentId: "a",
        channel,
        accountId,
        peerId,
        ...(thread === undefined ? {} : { thread }),
      };
      let key: string;
      try {
        key = formatSessionKey(parsed);
      } catch {
        return;
      }
      expect(parseSessionKey(key)).toEqual(parsed);
    }),
    { numRuns: 1000 },
  );
});
