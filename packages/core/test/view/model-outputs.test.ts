import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { redactSecrets } from "../../src/view/redact/redact-secrets.ts";
import { sanitizeAssistantText } from "../../src/view/sanitize/sanitize-assistant-text.ts";

const folder = new URL("../fixtures/outputs/", import.meta.url);
const outputs = readdirSync(folder).map((file) => [file, readFileSync(new URL(file, folder), "utf8")] as const);

test.each(outputs)("%s comes through unchanged", (_file, output) => {
  expect(sanitizeAssistantText(output)).toBe(output);
  expect(redactSecrets(output)).toEqual({ text: output, redacted: false });
});

test.each(outputs)("%s comes through unchanged between leaked markup", (_file, output) => {
  const call = '<tool_call>{"name":"ls","arguments":{"p":"</tool_call>"}}</tool_call>';
  const leaked = `<think>\nfirst\n</think>\n${call}\n\n${output}\n\n<|im_end|>`;
  expect(sanitizeAssistantText(leaked)).toBe(`\n\n\n${output}\n\n`);
});
