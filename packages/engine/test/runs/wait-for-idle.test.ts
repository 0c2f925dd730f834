import { expect, test } from "vitest";
import { hang, openHarness } from "../harness.ts";

const main = "agent:a:main";

test("a run of another process counts as busy", async () => {
  const first = await openHarness({ script: { default: hang } });
  await first.human(main, "hello");
  await first.clock.advance(0);
  const second = await first.second({ script: { default: hang } });
  await expect(second.trunkline.waitForIdle({ timeoutMs: 10 })).rejects.toThrow(/run .* \(inbound\) is running/);
  await first.trunkline.abort({ sessionKey: main });
  await second.trunkline.waitForIdle({ timeoutMs: 30_000 });
});

test("what is queued while nothing was started counts as busy, and is named", async () => {
  const harness = await openHarness({ start: false });
  await harness.human(main, "hello");
  await expect(harness.trunkline.waitForIdle({ timeoutMs: 0 })).rejects.toThrow(/run .* \(inbound\) is queued/);
});

test("a runner that goes on after its run was stopped counts as nothing", async () => {
  const harness = await openHarness({ script: { default: () => new Promise(() => undefined) } });
  const { runId } = await harness.human(main, "hello");
  await harness.clock.advance(0);
  await harness.trunkline.abort({ runId });
  await harness.trunkline.waitForIdle({ timeoutMs: 30_000 });
});

test("a yielded session that waits for its children is as busy as they are", async () => {
  const harness = await openHarness({
    script: {
      inbound: async ({ tools }) => {
        await tools.find(({ name }) => name === "sessions_spawn")?.call({ task: "x" });
        await tools.find(({ name }) => name === "sessions_yield")?.call({});
        return "";
      },
      child: hang,
    },
  });
  await harness.human(main, "go");
  await harness.clock.advance(0);
  await expect(harness.trunkline.waitForIdle({ timeoutMs: 0 })).rejects.toThrow(/\(child\)/);
});
