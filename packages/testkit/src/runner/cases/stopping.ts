import { equal, ok } from "node:assert/strict";
import { recordedTool } from "../recorded-tool.ts";
import type { RunnerCase } from "../runner-case.ts";
import { settled } from "../settled.ts";

/** A run whose provider never answers ends soon after its signal was aborted with this reason. */
const endsAfter = (reason: string): RunnerCase => ({
  name: `a run that is aborted as "${reason}" ends although the provider does not answer`,
  async run({ run }) {
    const controller = new AbortController();
    let asked = () => {};
    const reached = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const running = run(
      () => {
        asked();
        return { hang: true };
      },
      { signal: controller.signal },
    );
    await Promise.race([reached, running]);
    controller.abort(reason);
    await settled(running);
  },
});

export const stoppingCases: readonly RunnerCase[] = [
  endsAfter("cancelled"),
  endsAfter("timeout"),
  {
    name: "a yield ends the turn: the model is not called again after the tool call that yielded",
    requires: "tools",
    async run({ runner, request }) {
      const controller = new AbortController();
      const tool = recordedTool("sessions_list", () => {
        controller.abort("yielded");
        return { status: "yielded" };
      });
      const { runner: one, model } = await runner([
        { toolCalls: [{ id: "call-1", name: "sessions_list", argumentsText: "{}" }] },
        { text: "said after the yield" },
      ]);
      await settled(one.run(request({ tools: [tool], signal: controller.signal })));
      equal(tool.calls.length, 1);
      ok(model.inputs.length <= 1, `the model was called ${model.inputs.length} times`);
    },
  },
  {
    name: "a run whose signal is aborted before it starts calls no model",
    async run({ runner, request }) {
      const { runner: one, model } = await runner([{ text: "never asked for" }]);
      await settled(one.run(request({ signal: AbortSignal.abort("stopping") })));
      equal(model.inputs.length, 0);
    },
  },
];
