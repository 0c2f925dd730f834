import { expect, test } from "vitest";
import { classifySession, redactSecrets, sanitizeAssistantText } from "../../src/index.ts";

test("B41: a closing tag without an opener drops what precedes it", () => {
  expect(sanitizeAssistantText("plan</think>Done")).toBe("Done");
});

test("B42: a tag that is mentioned in code is kept, with all that follows", () => {
  const text = "Use the `<think>` tag; then restart.\n\n```xml\n<think>example</think>\n```\nand go on.";
  expect(sanitizeAssistantText(text)).toBe(text);
});

test("B43: an answer that is all inside an unclosed tag loses the tag and not the answer", () => {
  expect(sanitizeAssistantText("<think>Here is my answer")).toBe("Here is my answer");
  expect(sanitizeAssistantText("<internal>Here is my plan")).toBe("");
});

test("B44: the leavings of every vendor's tool calls go, closed, unclosed and in upper case", () => {
  const shapes = [
    '<tool_call>{"name":"x"}</tool_call>',
    '<TOOL_CALL>{"name":"x"}</TOOL_CALL>',
    '<function_calls><invoke name="x"></invoke></function_calls>',
    "<|assistant|>",
    "<｜assistant｜>",
    '[Tool Call: x (ID: 1)]\nArguments: {"a":1}',
  ];
  for (const shape of shapes) {
    const clean = sanitizeAssistantText(`Before.\n${shape}\nAfter.`);
    expect(clean, shape).not.toMatch(/tool_call|function|assistant|Tool Call|Arguments|"name"/i);
    expect(clean).toContain("Before.");
    expect(clean).toContain("After.");
  }
  expect(sanitizeAssistantText('Before.\n<tool_call>{"name":"x","arguments":{"q":"cut o')).toBe("Before.\n");
});

test("B47: every spelling of a secret field is masked, camel and snake", () => {
  const names = [
    "access_token",
    "refresh_token",
    "id_token",
    "idToken",
    "secretAccessKey",
    "apiSecret",
    "client_secret",
    "privateKey",
  ];
  for (const name of names) {
    const value = ["v4", "lue-of-", "the-field-", "x".repeat(12)].join("");
    const { text, redacted } = redactSecrets(JSON.stringify({ [name]: value }));
    expect(text, name).not.toContain(value);
    expect(redacted).toBe(true);
  }
});

test("B48: a quoted value is masked whole, whatever stands in it", () => {
  const { text } = redactSecrets('password="ab;cd&ef"');
  expect(text).not.toContain("cd");
  expect(text).not.toContain("ef");
});

test("B50: hostile runs cost no more than their length", () => {
  for (const piece of ["<|", "a:a:a:", "<think><think>", "[Tool Call: ", "```", "https://a:"]) {
    const started = performance.now();
    const text = piece.repeat(Math.ceil(200_000 / piece.length));
    redactSecrets(sanitizeAssistantText(text));
    expect(performance.now() - started, piece).toBeLessThan(2500);
  }
});

test("B96: one function tells the kind of every shape of key", () => {
  const kinds = {
    "agent:a:main": "main",
    "agent:a:side": "other",
    "agent:a:telegram:group:-1": "group",
    "agent:a:telegram:group:-1:topic:7": "group",
    "agent:a:slack:channel:C1:thread:9": "group",
    "agent:a:direct:42": "other",
    "agent:a:subagent:11111111-1111-4111-8111-111111111111": "other",
    "agent:a:acp:11111111-1111-4111-8111-111111111111": "other",
    "cron:nightly": "cron",
    "agent:a:cron:nightly": "cron",
    "hook:11111111-1111-4111-8111-111111111111": "hook",
    "node-7": "node",
  };
  for (const [key, kind] of Object.entries(kinds)) expect(classifySession(key), key).toBe(kind);
});
