import { expect, test } from "vitest";
import { callTool, databaseFile, hang, openHarness } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { mortalProcess } from "../mortal-process.ts";
import { createTestClock } from "../stores/store-traffic.ts";

const main = "agent:a:main";
const room = "agent:b:telegram:group:1";

test("an answer that died with its run becomes an entry even when the session that gave it is gone", async () => {
  const store = await databaseFile().open();
  const clock = createTestClock();
  const process = mortalProcess(store, clock);
  const harness = await openHarness({
    store: process.store,
    clock: process.clock,
    script: {
      [`${main} inbound`]: async (request) => {
        await callTool(request, "sessions_send", { sessionKey: room, message: "?" });
        return hang(request);
      },
      send: "the answer",
      default: "NO_REPLY",
    },
    config: { session: { agentToAgent: { maxPingPongTurns: 0 } } },
  });
  await harness.human(room, "made");
  await harness.human(main, "ask");
  await clock.advance(0);
  await harness.trunkline.deleteSession(room);
  await clock.advance(1_000);
  expect(await harness.find(room)).toBeUndefined();
  process.kill();
  const second = await openHarness({ store, clock });
  await second.advance(20_000);
  expect(await second.transcript(main)).toContain("user: the answer");
  expect(await findViolations(store)).toEqual([]);
});

test("an exchange whose target is gone is over when its last run has ended", async () => {
  const harness = await openHarness({ script: { send: "first", [`${main} turn`]: hang, default: "NO_REPLY" } });
  await harness.human(room, "made");
  await harness.settle();
  await harness.send(main, room, "?", { timeoutSeconds: 0 });
  await harness.advance(0);
  expect(harness.requests(main).map(({ run }) => run.kind)).toEqual(["turn"]);
  await harness.trunkline.deleteSession(room);
  await harness.advance(1_000);
  await harness.advance(10 * 60_000);
  await harness.settle();
  expect(await findViolations(harness.store)).toEqual([]);
});
