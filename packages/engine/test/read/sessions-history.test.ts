import type { ToolArguments, ToolResult } from "@trunkline/core";
import { expect, test } from "vitest";
import { type Harness, hang, openHarness } from "../harness.ts";

type History = Extract<ToolResult<"sessions_history">, { messages: unknown }>;

const key = "agent:a:telegram:group:1";

async function history(harness: Harness, args: Partial<ToolArguments<"sessions_history">> = {}): Promise<History> {
  const result = await harness.call("agent:a:main", "sessions_history", { sessionKey: key, ...args });
  if (!("messages" in result)) throw new Error(`refused: ${result.code}`);
  return result;
}

/** A session with `count` human messages and no run. */
async function filled(count: number, text = (index: number) => `message ${index}`): Promise<Harness> {
  const harness = await openHarness({ start: false });
  for (let index = 1; index <= count; index++) await harness.human(key, text(index));
  return harness;
}

const texts = (result: History) => result.messages.map(({ content }) => content);

test("B98: without a limit the newest fifty come, oldest first, and the result says that there are more", async () => {
  const harness = await filled(300);
  const result = await history(harness);
  expect(texts(result)).toEqual(Array.from({ length: 50 }, (_, index) => `message ${251 + index}`));
  expect(result).toMatchObject({ truncated: true, droppedMessages: false });
  expect((await history(harness, { limit: 9999 })).messages).toHaveLength(200);
});

test("B99: following nextOffset reaches the first message, and the last page has none", async () => {
  const harness = await filled(72);
  const first = await history(harness, { offset: 0 });
  expect(first).toMatchObject({ offset: 0, totalMessages: 72, hasMore: true, nextOffset: 50 });
  const second = await history(harness, { offset: first.nextOffset ?? -1 });
  expect(texts(second)).toEqual(Array.from({ length: 22 }, (_, index) => `message ${index + 1}`));
  expect(second.hasMore).toBe(false);
  expect(second).not.toHaveProperty("nextOffset");
  expect(second).not.toHaveProperty("nextCursor");
});

test("following nextCursor reaches the first message with no gap and no repetition while messages arrive", async () => {
  const harness = await filled(120);
  const seen: unknown[] = [];
  let page = await history(harness, { offset: 0, limit: 17 });
  for (;;) {
    seen.unshift(...texts(page));
    await harness.human(key, "arrives meanwhile");
    if (page.nextCursor === undefined) break;
    page = await history(harness, { cursor: page.nextCursor, limit: 17 });
  }
  expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => `message ${index + 1}`));
});

test("past the end there is an empty page", async () => {
  const harness = await filled(3);
  expect(await history(harness, { offset: 50 })).toMatchObject({ messages: [], hasMore: false, totalMessages: 3 });
});

test("B101: tool results are filtered before paging, so pages are full", async () => {
  const harness = await openHarness({
    script: {
      default: () => ({
        messages: [
          ...Array.from({ length: 10 }, (_, index) => ({
            role: "toolResult" as const,
            toolCallId: `${index}`,
            content: "result",
          })),
          { role: "assistant" as const, content: "answer" },
        ],
      }),
    },
  });
  for (let index = 0; index < 5; index++) await harness.human(key, "question");
  await harness.settle();
  const plain = await history(harness, { limit: 10, offset: 0 });
  expect(plain.messages.filter(({ role }) => role === "toolResult")).toEqual([]);
  expect(plain).toMatchObject({ totalMessages: 10, hasMore: false });
  expect(plain.messages).toHaveLength(10);
  expect(await history(harness, { limit: 10, offset: 0, includeTools: true })).toMatchObject({
    totalMessages: 60,
    hasMore: true,
  });
});

test("B100: contentTruncated is set for a text over the limit and for no other", async () => {
  for (const [units, cut] of [
    [3999, false],
    [4000, false],
    [4001, true],
  ] as const) {
    const harness = await filled(1, () => "x".repeat(units));
    const result = await history(harness);
    expect(result.contentTruncated).toBe(cut);
    expect(result.truncated).toBe(cut);
    expect(String(texts(result)[0]).endsWith("…(truncated)…")).toBe(cut);
  }
});

test("the oldest messages are dropped to keep the JSON within 80 KiB, and bytes tells its length", async () => {
  const harness = await filled(50, (index) => `${index} ${"x".repeat(3900)}`);
  const result = await history(harness);
  expect(result).toMatchObject({ truncated: true, droppedMessages: true, contentTruncated: false });
  expect(result.bytes).toBe(Buffer.byteLength(JSON.stringify(result.messages)));
  expect(result.bytes).toBeLessThanOrEqual(80 * 1024);
  expect(String(texts(result).at(-1))).toMatch(/^50 /);
});

test("B45, B46: secrets in tool results and arguments are masked for readers and raw for the session's own run", async () => {
  const token = ["gh", "p_", "a1B2".repeat(9)].join("");
  const seen: string[] = [];
  const harness = await openHarness({
    script: {
      default: (request) => {
        seen.push(JSON.stringify(request.messages));
        return {
          messages: [
            {
              role: "assistant",
              content: [{ type: "toolCall", id: "1", name: "env", arguments: { authorization: `Bearer ${token}` } }],
            },
            { role: "toolResult", toolCallId: "1", content: `GITHUB_TOKEN=${token}` },
            {
              role: "assistant",
              content: [
                { type: "thinking", text: `use ${token}` },
                { type: "text", text: "done" },
              ],
            },
          ],
        };
      },
    },
  });
  await harness.human(key, "print it");
  await harness.human(key, "again");
  await harness.settle();
  const result = await history(harness, { includeTools: true });
  expect(JSON.stringify(result)).not.toContain(token);
  expect(JSON.stringify(result)).not.toContain("thinking");
  expect(result.contentRedacted).toBe(true);
  expect(seen.at(-1)).toContain(token);
});

test("a waiting input is committed and shown at the tail as pending, at the number it would take now", async () => {
  const harness = await openHarness({ script: { default: hang } });
  await harness.human(key, "first");
  await harness.advance(0);
  await harness.human(key, "second");
  const result = await history(harness);
  expect(result.messages.map(({ seq, content, pending }) => ({ seq, content, pending }))).toEqual([
    { seq: 1, content: "first", pending: undefined },
    { seq: 2, content: "second", pending: true },
  ]);
});

test("a reply that is exactly a skip word is stored and shown to nobody", async () => {
  const harness = await openHarness({ script: { default: " NO_REPLY\n" } });
  await harness.human(key, "hello");
  await harness.settle();
  expect(texts(await history(harness))).toEqual(["hello"]);
  expect((await harness.rows(key)).map(({ class: shown }) => shown)).toEqual([0, 2]);
});

test("a message whose text sanitises to nothing stays, with empty content", async () => {
  const harness = await openHarness({ script: { default: "<internal>only for me</internal>" } });
  await harness.human(key, "hello");
  await harness.settle();
  expect(texts(await history(harness))).toEqual(["hello", ""]);
});

test("a reset empties what is read, and the old sessionId finds nothing", async () => {
  const harness = await filled(3);
  const { sessionId } = await harness.session(key);
  await harness.trunkline.resetSession(key);
  expect(await history(harness, { offset: 0 })).toMatchObject({ messages: [], totalMessages: 0 });
  expect(await harness.call("agent:a:main", "sessions_history", { sessionKey: sessionId })).toMatchObject({
    status: "error",
    code: "not_found",
  });
});
