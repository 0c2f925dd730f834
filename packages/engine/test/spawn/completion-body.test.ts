import { expect, test } from "vitest";
import { buildCompletionBody, type CompletionFacts } from "../../src/spawns/completion-body.ts";

const facts: CompletionFacts = {
  outcome: "success",
  text: "All is well.",
  runtimeMs: 65_400,
  usage: { inputTokens: 120, outputTokens: 30, totalTokens: 150, nanoUsd: 0, runs: 1 },
  sessionKey: "agent:a:subagent:5f0c2f0e-6f6e-4b57-9f5b-0d8f2b0f3c11",
  sessionId: "8d7c5f61-0d0e-4f35-8a49-a7de31e3d9b0",
};
const stats =
  "Stats: runtime 1m5s · tokens 120 in / 30 out / 150 total · sessionKey agent:a:subagent:5f0c2f0e-6f6e-4b57-9f5b-0d8f2b0f3c11 · sessionId 8d7c5f61-0d0e-4f35-8a49-a7de31e3d9b0";

const body = (more: Partial<CompletionFacts> = {}) => buildCompletionBody({ ...facts, ...more });

test("scenario 37: the status is the runtime's, the model's own is dropped, its result and notes are kept, the figures come last", () => {
  expect(body({ text: "Status: failed\nResult: Three invoices\nare open.\nNotes:\n- one is old\nask Ada" })).toBe(
    ["Status: success", "Result: Three invoices\nare open.", "Notes:", "- one is old", "- ask Ada", stats].join("\n"),
  );
});

test("scenario 37: a text in no form is all result, and nothing of it is lost", () => {
  const text = "The server said:\nstatus: 200\nnotes: see below\n\nAnd more.";
  expect(body({ text })).toBe(["Status: success", `Result: ${text}`, "Notes:", "- (none)", stats].join("\n"));
});

test("a model's status line alone is dropped, what follows it is the result; headings may be marked up", () => {
  expect(body({ text: "Status: failed\nThe disk is full." })).toContain("Result: The disk is full.\nNotes:\n- (none)");
  expect(body({ text: "**Status:** ok\n**Result:** Done.\n## Notes:\n* first" })).toBe(
    ["Status: success", "Result: Done.", "Notes:", "* first", stats].join("\n"),
  );
  expect(body({ text: "Here it is.\nResult: 42" })).toContain("Result: Here it is.\n42\nNotes:");
  expect(body({ text: "Result: 42\nNotes: (none)" })).toContain("Result: 42\nNotes:\n- (none)\nStats:");
});

test("scenario 37: the run's error is the first note, without its line breaks; a text that is nothing is not available", () => {
  expect(body({ outcome: "error", text: null, error: "The model\n  went away" })).toBe(
    ["Status: error", "Result: (not available)", "Notes:", "- The model went away", stats].join("\n"),
  );
  for (const text of ["", "  \n", "NO_REPLY", "<think>hm</think>ANNOUNCE_SKIP", "<think>only thoughts</think>"]) {
    expect(body({ text: text.startsWith("<think>only") ? "" : text })).toContain("Result: (not available)");
  }
});

test("scenario 37: a lost run is unknown, its runtime not available; a cost is shown when there is one", () => {
  expect(body({ outcome: "unknown", runtimeMs: undefined, text: null })).toContain("Status: unknown");
  expect(body({ runtimeMs: undefined })).toContain("Stats: runtime n/a ·");
  expect(body({ usage: { ...facts.usage, nanoUsd: 12_345_678 } })).toContain("· est. cost $0.0123 ·");
  expect(body()).not.toContain("cost");
  expect(body({ transcriptPath: "sessions/x.jsonl" })).toMatch(/ · transcript sessions\/x\.jsonl$/);
});

test("result and error cross as every text between sessions does: without reasoning and secrets, and cut", () => {
  const token = `gh${"p_"}${"a1B2c3D4e5".repeat(4)}`;
  const text = body({ text: `<think>private</think>Use ${token}`, error: `refused: ${token}`, outcome: "error" });
  expect(text).not.toContain("private");
  expect(text).not.toContain(token);
  expect(Buffer.byteLength(body({ text: "x".repeat(200_000) }))).toBeLessThan(101 * 1024);
});
