import { describe, expect, test } from "vitest";
import type { StoredMessage } from "../../src/session/message.ts";
import { viewMessageSchema } from "../../src/tools/message-schema.ts";
import { maxHistoryBytes, maxRowMessagesBytes, oversizedContent, viewMessages } from "../../src/view/history-view.ts";
import { truncationMarker } from "../../src/view/truncate.ts";

const key = `sk-${"abcdEFGH1234567890wxyz"}`;
const mask = "sk-abc…wxyz";

function message(seq: number, part: Partial<StoredMessage>): StoredMessage {
  return { seq, id: `m${seq}`, role: "assistant", content: "", timestamp: 1000 + seq, ...part };
}

function contents(messages: readonly StoredMessage[], options = {}): unknown[] {
  return viewMessages(messages, options).messages.map(({ content }) => content);
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

describe("what a view leaves out", () => {
  const transcript = [
    message(1, { role: "user", content: "list the files" }),
    message(2, { content: [{ type: "toolCall", id: "c1", name: "ls", arguments: { path: "/" } }] }),
    message(3, { role: "toolResult", content: "a.md", toolCallId: "c1" }),
    message(4, { content: "One file." }),
  ];

  test("tool results stay out unless they are asked for", () => {
    expect(viewMessages(transcript).messages.map(({ seq }) => seq)).toEqual([1, 2, 4]);
    const shown = viewMessages(transcript, { includeTools: true }).messages;
    expect(shown.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(shown[2]).toMatchObject({ role: "toolResult", toolCallId: "c1" });
  });

  test("thinking blocks and signatures stay out, and count as nothing", () => {
    const view = viewMessages([
      message(1, {
        content: [
          { type: "thinking", text: "hmm", signature: "s" },
          { type: "text", text: "Yes" },
        ],
      }),
    ]);
    expect(view.messages[0]?.content).toEqual([{ type: "text", text: "Yes" }]);
    expect(view.contentTruncated).toBe(false);
  });

  test("an image is replaced by its size", () => {
    const data = Buffer.from("hello").toString("base64");
    const view = viewMessages([
      message(1, { role: "user", content: [{ type: "image", mimeType: "image/png", data }] }),
    ]);
    expect(view.messages[0]?.content).toEqual([{ type: "image", omitted: true, bytes: 5 }]);
    expect(view.contentTruncated).toBe(true);
  });

  test.each(["NO_REPLY", " ANNOUNCE_SKIP\n", "<think>quiet</think>REPLY_SKIP"])("the reply %j is hidden", (content) => {
    expect(contents([message(1, { content })])).toEqual([]);
    expect(
      contents([
        message(1, {
          content: [
            { type: "thinking", text: "x" },
            { type: "text", text: content },
          ],
        }),
      ]),
    ).toEqual([]);
  });

  test("a skip word is shown from a user, in a longer reply, in other case and beside a tool call", () => {
    const call = { type: "toolCall", id: "c", name: "ls", arguments: {} } as const;
    const shown = contents([
      message(1, { role: "user", content: "NO_REPLY" }),
      message(2, { content: "NO_REPLY because quiet" }),
      message(3, { content: "no_reply" }),
      message(4, { content: [{ type: "text", text: "NO_REPLY" }, call] }),
    ]);
    expect(shown).toHaveLength(4);
  });

  test("a text that sanitises to nothing leaves an empty message", () => {
    expect(contents([message(1, { content: "<think>x</think>" })])).toEqual([""]);
  });

  test("fields of a stored row that the view does not know stay out", () => {
    const row = { ...message(1, { content: "Yes" }), usage: { totalTokens: 3 }, details: { cost: 1 } };
    expect(Object.keys(viewMessages([row]).messages[0] ?? {}).sort()).toEqual([
      "content",
      "id",
      "role",
      "seq",
      "timestamp",
    ]);
  });
});

describe("what a view does to texts", () => {
  test("only an assistant's text is sanitised, every text is redacted", () => {
    const content = `<think>x</think>Key ${key}`;
    expect(contents([message(1, { content }), message(2, { role: "user", content })])).toEqual([
      `Key ${mask}`,
      `<think>x</think>Key ${mask}`,
    ]);
    expect(contents([message(1, { role: "toolResult", content })], { includeTools: true })).toEqual([
      `<think>x</think>Key ${mask}`,
    ]);
  });

  test("tool-call arguments are redacted at any depth, keys being context", () => {
    const call = {
      type: "toolCall",
      id: "c",
      name: "http",
      arguments: {
        headers: { Authorization: `Bearer ${key}`, accept: "*/*" },
        body: [{ apiKey: "hunter2-hunter2-hunter2" }, { name: "DB_PASSWORD", value: "hunter2" }, `token=${key}`],
        argv: ["--token", "hunter2", "--verbose", "yes"],
        count: 3,
        [key]: null,
      },
    } as const;
    const view = viewMessages([message(1, { content: [call] })]);
    expect(view.messages[0]?.content).toEqual([
      {
        ...call,
        arguments: {
          headers: { Authorization: "***", accept: "*/*" },
          body: [{ apiKey: "hunter…ter2" }, { name: "DB_PASSWORD", value: "***" }, `token=${mask}`],
          argv: ["--token", "***", "--verbose", "yes"],
          count: 3,
          [mask]: null,
        },
      },
    ]);
    expect(view.contentRedacted).toBe(true);
    expect(JSON.stringify(call)).toContain("hunter2-hunter2-hunter2");
  });

  test("a text over 4000 units is cut after it was redacted, on a code point", () => {
    const view = viewMessages([message(1, { role: "user", content: `${"a".repeat(3999)}😀${key}` })]);
    expect(view.messages[0]?.content).toBe(`${"a".repeat(3999)}${truncationMarker}`);
    expect(view).toMatchObject({ contentTruncated: true, contentRedacted: true });
    const exact = viewMessages([message(1, { content: "a".repeat(4000) })]);
    expect(exact).toMatchObject({ contentTruncated: false, contentRedacted: false });
  });

  test("a secret that stands across the cut does not survive it", () => {
    for (let offset = 3960; offset < 4010; offset += 1) {
      const text = `${"x ".repeat(2010).slice(0, offset)} ${key} end`;
      expect(JSON.stringify(viewMessages([message(1, { role: "user", content: text })]))).not.toContain(
        key.slice(6, 20),
      );
    }
  });

  test("long strings in arguments are cut too", () => {
    const call = { type: "toolCall", id: "c", name: "write", arguments: { text: "a".repeat(5000) } } as const;
    const view = viewMessages([message(1, { content: [call] })]);
    expect(view.messages[0]?.content).toEqual([{ ...call, arguments: { text: "a".repeat(4000) + truncationMarker } }]);
    expect(view.contentTruncated).toBe(true);
  });

  test("texts that only together hold a secret or markup become one", () => {
    const split = (left: string, right: string) => [
      { type: "text", text: left } as const,
      { type: "thinking", text: "x" } as const,
      { type: "text", text: right } as const,
    ];
    const shown = contents([
      message(1, { content: split(`Key ${key.slice(0, 6)}`, key.slice(6)) }),
      message(2, { content: split("Yes <think>no", "no</think>") }),
      message(3, { content: split("One.", "Two.") }),
    ]);
    expect(shown).toEqual([
      [{ type: "text", text: `Key ${mask}` }],
      [{ type: "text", text: "Yes " }],
      [
        { type: "text", text: "One." },
        { type: "text", text: "Two." },
      ],
    ]);
  });

  test("an unreadable row stays, empty", () => {
    expect(viewMessages([message(1, { content: "", unreadable: true })]).messages).toEqual([
      { seq: 1, id: "m1", role: "assistant", content: "", timestamp: 1001, unreadable: true },
    ]);
  });

  test("provenance, run and pending come through, and the message fits the tool's schema", () => {
    const stored = message(1, {
      role: "user",
      content: "Hello",
      provenance: { kind: "inter_session", sourceSessionKey: "agent:main:main", hop: 1 },
      runId: "r1",
      pending: true,
    });
    const [shown] = viewMessages([stored]).messages;
    expect(shown).toEqual(stored);
    expect(viewMessageSchema.parse(shown)).toEqual(shown);
  });

  test("stored messages are left as they are", () => {
    const stored = [message(1, { content: [{ type: "text", text: `<think>x</think>${key}` }] })];
    const before = JSON.stringify(stored);
    viewMessages(stored);
    expect(JSON.stringify(stored)).toBe(before);
  });
});

describe("how much a view holds", () => {
  test("bytes is the UTF-8 length of the JSON, none for no messages", () => {
    const view = viewMessages([message(1, { content: "é😀" }), message(2, { content: "b" })]);
    expect(view.bytes).toBe(jsonBytes(view.messages));
    expect(viewMessages([])).toEqual({
      messages: [],
      droppedMessages: false,
      contentTruncated: false,
      contentRedacted: false,
      bytes: 2,
    });
  });

  test("over 80 KiB the oldest go first, and what is dropped sets no other flag", () => {
    const stored = Array.from({ length: 40 }, (_, index) =>
      message(index + 1, { role: "user", content: "a".repeat(4000) }),
    );
    const long = message(0, { role: "user", content: `${"a".repeat(5000)} ${key}` });
    const view = viewMessages([long, ...stored]);
    expect(view).toMatchObject({ droppedMessages: true, contentTruncated: false, contentRedacted: false });
    expect(view.bytes).toBeLessThanOrEqual(maxHistoryBytes);
    expect(view.bytes).toBe(jsonBytes(view.messages));
    expect(view.messages.at(-1)?.seq).toBe(40);
    expect(view.messages.map(({ seq }) => seq)).toEqual(stored.slice(-view.messages.length).map(({ seq }) => seq));
    const withOneMore = [stored[39 - view.messages.length], ...view.messages];
    expect(jsonBytes(withOneMore)).toBeGreaterThan(maxHistoryBytes);
  });

  test("what fits exactly stays, one byte less drops the oldest", () => {
    const stored = [message(1, { content: "é" }), message(2, { content: "b" })];
    const { bytes } = viewMessages(stored);
    expect(viewMessages(stored, { maxBytes: bytes })).toMatchObject({ droppedMessages: false, bytes });
    const dropped = viewMessages(stored, { maxBytes: bytes - 1 });
    expect(dropped.messages.map(({ seq }) => seq)).toEqual([2]);
    expect(dropped.droppedMessages).toBe(true);
  });

  test("one that alone is too large is replaced, and keeps what it is known by", () => {
    const blocks = Array.from({ length: 30 }, () => ({ type: "text", text: "a b ".repeat(1000) }) as const);
    const view = viewMessages([message(1, { content: "Hi" }), message(2, { content: blocks, runId: "r2" })]);
    expect(view.messages).toEqual([
      { seq: 2, id: "m2", role: "assistant", content: oversizedContent, timestamp: 1002, runId: "r2" },
    ]);
    expect(view).toMatchObject({ droppedMessages: true, contentTruncated: false });
    expect(view.bytes).toBe(jsonBytes(view.messages));
  });

  test("a row of a list holds 16 KiB", () => {
    const stored = Array.from({ length: 20 }, (_, index) => message(index + 1, { content: "a".repeat(3000) }));
    const view = viewMessages(stored, { maxBytes: maxRowMessagesBytes });
    expect(view.messages.map(({ seq }) => seq)).toEqual([16, 17, 18, 19, 20]);
    expect(view.bytes).toBeLessThanOrEqual(maxRowMessagesBytes);
  });
});
