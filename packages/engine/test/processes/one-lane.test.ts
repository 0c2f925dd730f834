import { createTrunkline } from "@trunkline/engine";
import { createScriptedRunner } from "@trunkline/testkit";
import { expect, onTestFinished, test } from "vitest";
import { databaseFile } from "../harness.ts";
import { takeSnapshot } from "../invariants/snapshot.ts";
import { engineLog, startEngine } from "./start-engine.ts";

const sessionKey = "agent:a:main";
const messagesEach = 12;

test("B108: two processes that send to one session take turns: no two runs at once, no turn inside another", {
  timeout: 120_000,
}, async () => {
  const { open, place } = databaseFile();
  const store = await open();
  const trunkline = await createTrunkline({
    store,
    runners: createScriptedRunner(() => "never called"),
    deliverers: [],
    config: { agents: { list: [{ id: "a", default: true }] } },
  });
  onTestFinished(() => trunkline.stop({ drainMs: 0 }));
  const log = engineLog();
  const order = { place: await place(), log: log.path, runMs: 10 };
  const processes = await Promise.all([startEngine(order), startEngine(order)]);
  const sent = processes.flatMap(({ child, tell }) =>
    Array.from({ length: messagesEach }, (_, index) => {
      const text = `${child.pid} ${index}`;
      tell({ sessionKey, text });
      return text;
    }),
  );
  await expect.poll(() => log.entries().length, { timeout: 60_000 }).toBe(sent.length * 2);
  await trunkline.waitForIdle({ timeoutMs: 30_000 });

  const entries = log.entries();
  for (let turn = 0; turn < entries.length; turn += 2) {
    const [began, ended] = entries.slice(turn, turn + 2);
    expect([began?.what, ended?.what, ended?.runId]).toEqual(["began", "ended", began?.runId]);
  }
  const { run, message } = await takeSnapshot(store);
  expect(run.map(({ state }) => state)).toEqual(sent.map(() => "ok"));
  const rows = message.toSorted((a, b) => a.seq - b.seq).map(({ role, body }) => [role, body.content]);
  const questions = rows.filter((_row, index) => index % 2 === 0);
  expect(rows.filter((_row, index) => index % 2 === 1)).toEqual(sent.map(() => ["assistant", "done"]));
  expect(questions.toSorted()).toEqual(sent.map((text) => ["user", text]).toSorted());
});
