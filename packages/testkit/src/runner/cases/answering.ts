import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { inspect } from "node:util";
import type { RunMessage } from "@trunkline/core";
import { count } from "../fake-model.ts";
import type { RunnerCase } from "../runner-case.ts";

const said = (seq: number, role: "user" | "assistant", content: string): RunMessage => ({
  seq,
  id: `message-${seq}`,
  role,
  content,
  timestamp: seq,
});

export const answeringCases: readonly RunnerCase[] = [
  {
    name: "the model's text is the run's text, from one call",
    async run({ run }) {
      const { text, inputs } = await run([{ text: "hello there" }]);
      equal(text, "hello there");
      deepEqual([inputs.length, count(inputs[0] ?? "", "the prompt of the case")], [1, 1]);
    },
  },
  {
    name: "the model gets the system prompt, then the transcript in order, then the prompt, each once",
    requires: "transcript",
    async run({ run }) {
      const messages = [said(1, "user", "earlier question"), said(2, "assistant", "earlier answer")];
      const { inputs } = await run([{ text: "yes" }], { messages });
      const input = inputs[0] ?? "";
      const parts = ["the system prompt of the case", "earlier question", "earlier answer", "the prompt of the case"];
      deepEqual(
        parts.map((part) => count(input, part)),
        [1, 1, 1, 1],
      );
      deepEqual(
        parts.slice(1).toSorted((a, b) => input.indexOf(a) - input.indexOf(b)),
        parts.slice(1),
      );
    },
  },
  {
    name: "a model that says nothing gives an empty text and no failure",
    async run({ run }) {
      equal((await run([{ text: "" }])).text, "");
    },
  },
  {
    name: "a text of 1 MB, with emoji and markup, comes back whole",
    async run({ run }) {
      const text = "\u{1f600} <b>wide</b> ".repeat(65_536);
      equal((await run([{ text }])).text === text, true, "the text is the same");
    },
  },
  {
    name: "what is shown live is the text, once",
    async run({ run }) {
      const { shown } = await run([{ text: "shown while it is said" }]);
      if (shown.length > 0) equal(shown.join(""), "shown while it is said");
    },
  },
  {
    name: "token counts are summed over all calls",
    requires: "usage",
    async run({ run, options }) {
      const usage = { inputTokens: 10, outputTokens: 3 };
      const { result } = await run([{ text: "one", usage }]);
      deepEqual([result.usage?.inputTokens, result.usage?.outputTokens], [10, 3]);
      if (options.capabilities?.tools === false) return;
      const twice = await run([
        { toolCalls: [{ id: "call-1", name: "absent", argumentsText: "{}" }], usage },
        { text: "two", usage: { inputTokens: 25, outputTokens: 4 } },
      ]).catch(() => undefined);
      if (twice && twice.inputs.length === 2)
        deepEqual([twice.result.usage?.inputTokens, twice.result.usage?.outputTokens], [35, 7]);
    },
  },
  {
    name: "a provider that fails rejects the run, with what the provider said",
    async run({ run }) {
      await rejects(
        run(() => ({ error: "the provider is out of order" })),
        (error: unknown) => {
          ok(error instanceof Error, "the rejection is an Error");
          return inspect(error, { depth: 8 }).includes("the provider is out of order");
        },
      );
    },
  },
  {
    name: "two runs at once do not mix",
    async run({ runner, request }) {
      const made = await runner((input) => ({ text: input.includes("alpha") ? "to alpha" : "to beta" }));
      const results = await Promise.all(
        ["alpha", "beta", "alpha"].map((prompt) => made.runner.run(request({ prompt }))),
      );
      const texts = results.map((result) => result.text ?? JSON.stringify(result.messages));
      deepEqual(
        texts.map((text) => [text.includes("to alpha"), text.includes("to beta")]),
        [
          [true, false],
          [false, true],
          [true, false],
        ],
      );
    },
  },
];
