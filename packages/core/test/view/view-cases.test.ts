import { expect, test } from "vitest";
import { redactSecrets } from "../../src/view/redact/redact-secrets.ts";
import { sanitizeAssistantText } from "../../src/view/sanitize/sanitize-assistant-text.ts";
import { truncateText } from "../../src/view/truncate.ts";
import { channelText } from "../../src/view/view-text.ts";
import { loadViewCases, type ViewCase } from "./view-cases.ts";

const cases = [...loadViewCases("view-cases.jsonl"), ...loadViewCases("own-view-cases.jsonl")];

function apply({ fn, input }: ViewCase): { text: string; redacted?: boolean; truncated?: boolean } {
  if (fn === "prose") return { text: sanitizeAssistantText(input) };
  if (fn === "redact") return redactSecrets(input);
  const { text, redacted } = redactSecrets(sanitizeAssistantText(input));
  return { ...truncateText(text), redacted };
}

test.each(cases)("$name", (viewCase) => {
  const result = apply(viewCase);
  expect(result.text).toBe(viewCase.expected);
  if (viewCase.redacted !== undefined) expect(result.redacted).toBe(viewCase.redacted);
  if (viewCase.truncated !== undefined) expect(result.truncated).toBe(viewCase.truncated);
  if (viewCase.fn === "redact") expect(result.redacted).toBe(viewCase.expected !== viewCase.input);
  if (viewCase.delivery !== undefined) expect(channelText(viewCase.input)).toBe(viewCase.delivery);
});

test.each(cases.filter(({ fn }) => fn !== "pipeline"))("done twice it changes nothing: $name", (viewCase) => {
  const once = apply(viewCase).text;
  expect(apply({ ...viewCase, input: once }).text).toBe(once);
});
