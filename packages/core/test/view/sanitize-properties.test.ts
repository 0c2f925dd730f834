import fc from "fast-check";
import { expect, test } from "vitest";
import { sanitizeAssistantText } from "../../src/view/sanitize/sanitize-assistant-text.ts";

const pieces = [
  ..."<think> </think> <thinking> <internal> </internal> <think/> <final> </final> <thi nk> < > / </ think".split(" "),
  ..."<| |> <|a|> <｜end｜> <｜tool▁calls▁begin｜> <｜tool▁calls▁end｜> <relevant-memories> </relevant_memories>".split(
    " ",
  ),
  ...'<tool_call> </tool_call> <tool_calls> </tool_calls> {"a":1} { } " \' <function=ls> </function> <parameter=a>'.split(
    " ",
  ),
  ..."<tool_result> </tool_result> <function_response> </function_response> <invoke> </invoke> <arg_key> </arg_key>".split(
    " ",
  ),
  ..."<minimax:tool_call> </minimax:tool_call> ]<]minimax[>[ [TOOL_CALL] [/TOOL_CALL] [TOOL_RESULT] [ls] [/ls] [ ]".split(
    " ",
  ),
  "[Tool Call: ls (ID: 1)]",
  "[Tool Call: ",
  'Arguments: {"a":1}',
  "[Tool Result for ID 1]",
  "[Historical context: x]",
  '{tool => "a", args => {}}',
  '[ls]\n{"p":1}\n[END_TOOL_REQUEST]',
  "tool_call: ls",
  "commentary to=functions.x ",
  "🛠️ Exec: ls",
  ..."` `` ``` ~~~ \\ - > a word text. = name é 你 😀 | _".split(" "),
  "```js\n",
  "    ",
  "\t",
  "\n",
  "\r\n",
  "\n\n",
  "- ",
  "> ",
  "1. ",
  " ",
];

const markup = fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((parts) => parts.join(""));
const anyText = fc.oneof(
  markup,
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
);

test("sanitising twice changes nothing", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const once = sanitizeAssistantText(text);
      expect(sanitizeAssistantText(once)).toBe(once);
    }),
    { numRuns: 4000 },
  );
});

test("the result is never longer than the text, and as well formed", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const result = sanitizeAssistantText(text);
      expect(result.length).toBeLessThanOrEqual(text.length);
      if (text.isWellFormed()) expect(result.isWellFormed()).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("what stands in a closed fence with nothing before it stays, whatever it is", () => {
  fc.assert(
    fc.property(markup, markup, (code, rest) => {
      const fenced = `~~~~~\n${code.replaceAll("~", "")}\n~~~~~\n`;
      fc.pre(!rest.includes("</"));
      expect(sanitizeAssistantText(`${fenced}\n${rest}`).startsWith(fenced.trimEnd())).toBe(true);
    }),
    { numRuns: 1500 },
  );
});

test("no reasoning survives in front of its closing tag, wherever the block stands", () => {
  fc.assert(
    fc.property(
      fc.lorem({ maxCount: 8, mode: "words" }),
      fc.nat(),
      fc.constantFrom("think", "THOUGHT", "internal"),
      (words, at, name) => {
        const index = at % (words.length + 1);
        const text = `${words.slice(0, index)}<${name}>kept7secret</${name}>${words.slice(index)}`;
        expect(sanitizeAssistantText(text)).toBe(words);
      },
    ),
    { numRuns: 500 },
  );
});

test("a block nested by cuts a thousand times over leaves no tag", () => {
  const text = `${"<thi".repeat(1000)}<think>x</think>${"nk>y</think>".repeat(1000)}Yes`;
  const result = sanitizeAssistantText(text);
  expect(result).toBe("Yes");
});

test("a text nested deeper than any budget still settles", () => {
  const depth = 40_000;
  const text = `${"<thi".repeat(depth)}<think>x</think>${"nk>y</think>".repeat(depth)}Yes`;
  const result = sanitizeAssistantText(text);
  expect(result).not.toMatch(/<\s*\/?\s*think/i);
  expect(sanitizeAssistantText(result)).toBe(result);
});
