import { deepEqual, equal, ok } from "node:assert/strict";
import type { NewMessage } from "@trunkline/core";
import { count } from "../fake-model.ts";
import { recordedTool } from "../recorded-tool.ts";
import type { RunnerCase } from "../runner-case.ts";
import { settled } from "../settled.ts";

const callsIn = (messages: readonly NewMessage[]) =>
  messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.flatMap((block) => (block.type === "toolCall" ? [block] : [])),
  );

const callIds = (messages: readonly NewMessage[]): readonly string[] => callsIn(messages).map((call) => call.id);

const resultIds = (messages: readonly NewMessage[]): readonly (string | undefined)[] =>
  messages.filter((message) => message.role === "toolResult").map((message) => message.toolCallId);

export const toolCases: readonly RunnerCase[] = [
  {
    name: "a tool is called with the model's arguments, its result goes back, and the last text is the run's",
    requires: "tools",
    async run({ run }) {
      const tool = recordedTool("sessions_list", () => ({ found: "the result of the tool" }));
      const { text, messages, inputs } = await run(
        [
          { toolCalls: [{ id: "call-1", name: "sessions_list", argumentsText: '{"limit":3}' }] },
          { text: "the last text" },
        ],
        { tools: [tool] },
      );
      deepEqual(tool.calls, [{ limit: 3 }]);
      deepEqual([inputs.length, count(inputs[1] ?? "", "the result of the tool")], [2, 1]);
      equal(text, "the last text");
      deepEqual(callsIn(messages), [
        { type: "toolCall", id: "call-1", name: "sessions_list", arguments: { limit: 3 } },
      ]);
      deepEqual(resultIds(messages), ["call-1"]);
      deepEqual(
        messages.map((message) => message.role),
        ["assistant", "toolResult", "assistant"],
      );
    },
  },
  {
    name: "several tools called at once are all called, and each result keeps its call",
    requires: "tools",
    async run({ run }) {
      const [list, status] = [
        recordedTool("sessions_list", () => ["listed"]),
        recordedTool("session_status", () => "status"),
      ];
      const { messages, inputs } = await run(
        [
          {
            toolCalls: [
              { id: "call-1", name: "sessions_list", argumentsText: "{}" },
              { id: "call-2", name: "session_status", argumentsText: "{}" },
              { id: "call-3", name: "sessions_list", argumentsText: '{"limit":1}' },
            ],
          },
          { text: "done" },
        ],
        { tools: [list, status] },
      );
      deepEqual([list.calls.length, status.calls.length, inputs.length], [2, 1, 2]);
      deepEqual(resultIds(messages).toSorted(), ["call-1", "call-2", "call-3"]);
      deepEqual(callIds(messages).toSorted(), ["call-1", "call-2", "call-3"]);
      const resultOf = (id: string) => JSON.stringify(messages.find((message) => message.toolCallId === id)?.content);
      ok(resultOf("call-2").includes("status"), "the second call has the second tool's result");
    },
  },
  {
    name: "tools are called in several rounds until the model calls none",
    requires: "tools",
    async run({ run }) {
      const tool = recordedTool("sessions_list", (args) => args);
      const round = (id: string, limit: number) => ({
        toolCalls: [{ id, name: "sessions_list", argumentsText: JSON.stringify({ limit }) }],
      });
      const { text, inputs } = await run([round("a", 1), round("b", 2), round("c", 3), { text: "enough" }], {
        tools: [tool],
      });
      deepEqual(tool.calls, [{ limit: 1 }, { limit: 2 }, { limit: 3 }]);
      deepEqual([text, inputs.length], ["enough", 4]);
    },
  },
  {
    name: "a tool's refusal goes back to the model as the tool gave it",
    requires: "tools",
    async run({ run }) {
      const refusal = { status: "error", code: "not_found", error: "no session that this session may reach" };
      const tool = recordedTool("session_status", () => refusal);
      const { text, inputs } = await run(
        [{ toolCalls: [{ id: "call-1", name: "session_status", argumentsText: "{}" }] }, { text: "I see" }],
        { tools: [tool] },
      );
      equal(text, "I see");
      for (const part of ["not_found", "no session that this session may reach"]) ok(inputs[1]?.includes(part), part);
    },
  },
  {
    name: "garbage from the model, an unknown tool or broken arguments, ends or goes on and never hangs",
    requires: "tools",
    async run({ run }) {
      const tool = recordedTool("sessions_list", () => "listed");
      for (const call of [
        { id: "call-1", name: "no_such_tool", argumentsText: "{}" },
        { id: "call-1", name: "sessions_list", argumentsText: '{"limit":' },
      ]) {
        const script = (input: string) =>
          input.includes("call-1") ? { text: "after the garbage" } : { toolCalls: [call] };
        const outcome = await settled(run(script, { tools: [tool] }));
        if (outcome.value) equal(outcome.value.text, "after the garbage");
        else ok(outcome.error instanceof Error, "a run that ends by it rejects with an Error");
      }
    },
  },
  {
    name: "messages that came mid-run reach the model with the next step",
    requires: "steers",
    async run({ run }) {
      const waiting = [["also look at the second one"]];
      const tool = recordedTool("sessions_list", () => "listed");
      const { inputs } = await run(
        [
          { toolCalls: [{ id: "call-1", name: "sessions_list", argumentsText: "{}" }] },
          { text: "done" },
          { text: "done too" },
        ],
        { tools: [tool], takeInput: async () => waiting.shift() ?? [] },
      );
      equal(count(inputs.at(-1) ?? "", "also look at the second one"), 1);
    },
  },
];
