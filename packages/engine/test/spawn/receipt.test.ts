import type { RunRequest } from "@trunkline/core";
import { expect, test } from "vitest";
import { answerAfter, databaseFile, hang, openHarness } from "../harness.ts";
import { main, spawn, spawning, spawnsOf } from "./family.ts";

test("scenario 28: a spawn is accepted at once; the child runs in its own lane, its first message holds the task, its system prompt does not", async () => {
  const h = await openHarness();
  h.script({ child: answerAfter(h.clock, 3_600_000, "done") });
  const before = h.clock.now();
  const result = await spawn(h, main, { task: "Count the invoices of May", label: "invoices" });
  expect(h.clock.now()).toBe(before);
  expect(result).toEqual({
    status: "accepted",
    runId: expect.any(String),
    childSessionKey: expect.stringMatching(/^agent:a:subagent:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    context: "isolated",
  });
  await h.advance(0);
  const [request] = h.requests(result.childSessionKey);
  expect(request?.run.kind).toBe("child");
  expect(request?.prompt).toBe("[Subagent Task]\n\nCount the invoices of May");
  expect(request?.systemPrompt).not.toContain("invoices");
  expect(request?.session).toMatchObject({ spawnedBy: main, spawnDepth: 1, label: "invoices" });
  const [run] = await h.runs(result.childSessionKey);
  expect(run).toMatchObject({ id: result.runId, lane: "subagent", state: "running", replyRoute: null });
  expect(await h.deliveries(result.childSessionKey)).toEqual([]);
});

test("scenario 32: no more than maxConcurrent children run at once, in the order of their spawns, and the parent's turn is not delayed", async () => {
  const config = { agents: { defaults: { subagents: { maxConcurrent: 2 } }, list: [{ id: "a" }] } };
  const h = await openHarness({ config });
  const started: string[] = [];
  h.script({
    child: (request) => {
      started.push(request.prompt.slice(-1));
      return hang(request);
    },
    [`${main} inbound`]: spawning(["1", "2", "3", "4", "5"], "spawned"),
  });
  const { runId } = await h.human(main, "go");
  await h.advance(0);
  expect((await h.run(runId)).state).toBe("ok");
  // The first two run at the same time; which of their runners is called first is open.
  expect(started.sort()).toEqual(["1", "2"]);
  const spawns = await spawnsOf(h, main);
  expect(spawns).toHaveLength(5);
  for (const [index, spawned] of spawns.entries()) {
    expect(started.length).toBe(Math.min(index + 2, 5));
    await h.trunkline.abort({ runId: spawned.runId });
    await h.advance(0);
  }
  expect(started).toEqual(["1", "2", "3", "4", "5"]);
});

test("maxConcurrent counts the children of all engines on one store", async () => {
  const { open } = databaseFile();
  const config = {
    agents: { defaults: { subagents: { maxConcurrent: 2, maxChildrenPerAgent: 10 } }, list: [{ id: "a" }] },
  };
  let running = 0;
  let most = 0;
  const first = await openHarness({ store: await open(), config });
  const script = {
    child: async (request: RunRequest) => {
      most = Math.max(most, ++running);
      await answerAfter(first.clock, 1000, "")(request);
      running--;
      return "r";
    },
    child_announce: "ANNOUNCE_SKIP",
  };
  first.script(script);
  const second = await openHarness({ store: await open(), clock: first.clock, config, script });
  for (let index = 0; index < 6; index++) await spawn(index % 2 ? first : second, main, { task: `part ${index}` });
  for (let step = 0; step < 80; step++) await first.advance(100);
  expect((await spawnsOf(first, main)).map(({ outcome }) => outcome)).toEqual(
    Array.from({ length: 6 }, () => "success"),
  );
  expect(most).toBe(2);
});
