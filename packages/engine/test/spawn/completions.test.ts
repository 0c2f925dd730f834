import { expect, test } from "vitest";
import { answerAfter, begin, hang, openHarness } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";
import { byPrompt, completions, main, spawn, spawning, spawnOf, spawnsOf, usedSlots } from "./family.ts";

const slack = { channel: "slack" } as const;
const asked = { channel: "slack", peer: { kind: "direct", id: "U1" }, text: "go" } as const;

test("a child's result reaches its requester as exactly one entry, and a top-level requester's chat as one post", async () => {
  const h = await openHarness({ channels: [slack], script: { child: "raw result", child_announce: "the summary" } });
  h.script({ [`${main} inbound`]: spawning(["work"], "on it") });
  await h.trunkline.receive(asked);
  await h.settle();
  const [spawned] = await spawnsOf(h, main);
  const [entry] = await completions(h, main);
  expect(await completions(h, main)).toHaveLength(1);
  expect(entry).toContain("Status: success\nResult: the summary\nNotes:\n- (none)\nStats:");
  expect(h.channel("slack").sent.map(({ text }) => text)).toEqual(["on it", entry]);
  expect((await h.runs(main)).map(({ kind }) => kind)).toEqual(["inbound"]);
  const row = (await h.rows(main)).at(-1);
  expect(row).toMatchObject({
    role: "user",
    provenance: { kind: "subagent_completion", runId: spawned?.runId },
    dedupeKey: `completion:${spawned?.runId}`,
  });
  expect(await usedSlots(h, main)).toBe(0);
  expect(await findViolations(h.store)).toEqual([]);
});

test("the announce step sees the task, the captured text and the skip rule, and one step runs for one success", async () => {
  const h = await openHarness({ script: { child: "raw result", child_announce: "summary" } });
  const child = await spawn(h, main, { task: "Count the invoices" });
  await h.settle();
  const [, step, ...more] = h.requests(child.childSessionKey);
  expect(more).toEqual([]);
  expect(step?.run.kind).toBe("child_announce");
  expect(step?.prompt).toContain("Count the invoices");
  expect(step?.prompt).toContain("raw result");
  expect(step?.prompt).toContain("ANNOUNCE_SKIP");
});

test("B20: a step that says nothing, fails, or hangs leaves the captured text as the result", async () => {
  const h = await openHarness({ channels: [slack], script: { child: "the child's result" } });
  h.script({ [`${main} inbound`]: spawning(["empty", "failing", "hanging"]) });
  h.script({
    child_announce: byPrompt({
      empty: "",
      failing: () => {
        throw new Error("model is down");
      },
      hanging: () => new Promise(() => undefined),
    }),
  });
  await h.trunkline.receive(asked);
  await h.advance(120_000);
  await h.settle();
  expect(await completions(h, main)).toHaveLength(3);
  for (const { text } of h.channel("slack").sent) {
    expect(text).toContain("Status: success\nResult: the child's result\nNotes:\n- (none)");
  }
  expect(h.channel("slack").sent).toHaveLength(3);
});

test("scenario 38: a skip word in the step posts nothing; the captured text stays the result of the entry", async () => {
  const h = await openHarness({ channels: [slack], script: { child: "the child's result" } });
  for (const word of ["ANNOUNCE_SKIP", " NO_REPLY\n", "REPLY_SKIP", "<think>dull</think>ANNOUNCE_SKIP"]) {
    h.script({ [`${main} inbound`]: spawning(["work"]), child_announce: word });
    await h.trunkline.receive(asked);
    await h.settle();
  }
  expect(h.channel("slack").sent).toEqual([]);
  expect(await completions(h, main)).toHaveLength(4);
  for (const entry of await completions(h, main)) expect(entry).toContain("Result: the child's result");
  const list = await h.call(main, "subagents", {});
  expect("recent" in list && list.recent.map(({ delivery, outcome }) => ({ delivery, outcome }))).toEqual(
    Array.from({ length: 4 }, () => ({ delivery: "skipped", outcome: "success" })),
  );
  expect(await usedSlots(h, main)).toBe(0);
});

test("a near miss of a skip word is an ordinary result", async () => {
  const h = await openHarness({ channels: [slack], script: { child: "x", child_announce: "ANNOUNCE_SKIP it is" } });
  h.script({ [`${main} inbound`]: spawning(["work"]) });
  await h.trunkline.receive(asked);
  await h.settle();
  expect(h.channel("slack").sent.at(-1)?.text).toContain("Result: ANNOUNCE_SKIP it is");
});

test("scenario 37: a failed child is status error with its error noted, and has no announce step", async () => {
  const h = await openHarness({ channels: [slack] });
  h.script({
    [`${main} inbound`]: spawning(["work"]),
    child: (request) => {
      request.emit({ type: "message", message: { role: "assistant", content: "half way" } });
      throw new Error("the tool broke");
    },
  });
  await h.trunkline.receive(asked);
  await h.settle();
  const [entry] = await completions(h, main);
  expect(entry).toContain("Status: error\nResult: half way\nNotes:\n- the tool broke\nStats:");
  expect(h.channel("slack").sent.map(({ text }) => text)).toEqual([entry]);
  expect(h.runner.requests.map(({ run }) => run.kind)).toEqual(["inbound", "child"]);
});

test("B27: a runner that fails over inside its run is announced once, with the final status", async () => {
  const h = await openHarness({ channels: [slack], script: { child_announce: "summary" } });
  h.script({
    [`${main} inbound`]: spawning(["work"]),
    child: async (request) => {
      request.emit({ type: "text", text: "first model failed" });
      return "second model's answer";
    },
  });
  await h.trunkline.receive(asked);
  await h.settle();
  expect(h.channel("slack").sent).toHaveLength(1);
  expect((await completions(h, main))[0]).toContain("Status: success\nResult: summary");
});

test("the stats line counts every run of the child, the announce step too, with its price", async () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 500_000 };
  const config = {
    agents: { defaults: { model: "acme/one" }, list: [{ id: "a" }] },
    models: { prices: { "acme/one": { inputPerMillion: 2, outputPerMillion: 10 } } },
  };
  const h = await openHarness({ config });
  h.script({
    child: () => ({ text: "result", usage }),
    child_announce: () => ({ text: "summary", usage: { inputTokens: 100_000, costUsd: 0.5 } }),
  });
  const child = await spawn(h, main, { task: "work" });
  await h.settle();
  const { sessionId } = await h.session(child.childSessionKey);
  expect((await completions(h, main))[0]?.split("\n").at(-1)).toBe(
    `Stats: runtime 0ms · tokens 1100000 in / 500000 out / 1600000 total · est. cost $7.5000 · sessionKey ${child.childSessionKey} · sessionId ${sessionId}`,
  );
});

test("nothing is disposed of while the run that spawned the child still goes on; then it is posted, after that run's own text", async () => {
  const h = await openHarness({ channels: [slack], script: { child: "early", child_announce: "early summary" } });
  const release = Promise.withResolvers<void>();
  h.script({
    [`${main} inbound`]: async (request) => {
      await request.tools.find(({ name }) => name === "sessions_spawn")?.call({ task: "work" });
      await release.promise;
      return "the parent's answer";
    },
  });
  const { runId } = await h.trunkline.receive(asked);
  await h.advance(60_000);
  const [held] = await spawnsOf(h, main);
  expect(held).toMatchObject({ state: "settled", held: 1, deliveryId: null });
  expect(await usedSlots(h, main)).toBe(0);
  expect(h.channel("slack").sent).toEqual([]);
  const list = await h.call(main, "subagents", {});
  expect("recent" in list && list.recent[0]?.delivery).toBe("pending");
  release.resolve();
  await h.settle();
  expect((await h.run(runId ?? "")).state).toBe("ok");
  expect(h.channel("slack").sent.map(({ text }) => text)).toContain("the parent's answer");
  expect(h.channel("slack").sent.map(({ text }) => text)).toContain((await completions(h, main))[0]);
  expect(await completions(h, main)).toHaveLength(1);
  expect(await findViolations(h.store)).toEqual([]);
});

test("B24: a completion that finds its requester busy is one entry, in its place after the turn, and one post", async () => {
  const h = await openHarness({ channels: [slack], script: { child: "r", child_announce: "summary" } });
  h.script({ child: answerAfter(h.clock, 1000, "r"), [`${main} inbound`]: spawning(["work"]) });
  await h.trunkline.receive(asked);
  await h.advance(0);
  h.script({ [`${main} inbound`]: answerAfter(h.clock, 5000, "busy answer") });
  await h.trunkline.receive({ ...asked, text: "another" });
  await h.advance(10_000);
  const [spawned] = await spawnsOf(h, main);
  const rows = await h.rows(main);
  expect(rows.filter(({ dedupeKey }) => dedupeKey === `completion:${spawned?.runId}`)).toHaveLength(1);
  expect((await h.transcript(main)).map((line) => line.slice(0, 22))).toEqual([
    "user: go",
    "user: another",
    "assistant: busy answer",
    "user: Status: success\n",
  ]);
  expect(h.channel("slack").sent.filter(({ text }) => text.includes("Result: summary"))).toHaveLength(1);
});

test("B28: a completion whose two paths fire at once is one row and one delivery", async () => {
  const h = await openHarness({ channels: [slack], script: { child: hang } });
  const child = await spawn(h, main, { task: "work", runTimeoutSeconds: 5 });
  await h.advance(0);
  const [, , aborted] = await Promise.all([
    h.advance(5000),
    h.trunkline.abort({ runId: child.runId }),
    h.call(main, "subagents", { action: "cancel", runId: child.runId }),
  ]);
  await h.settle();
  expect(aborted).toMatchObject({ status: "ok" });
  expect(await completions(h, main)).toHaveLength(1);
  expect((await h.deliveries(main)).filter(({ kind }) => kind === "completion")).toHaveLength(1);
  expect(await findViolations(h.store)).toEqual([]);
});

test("B33: the entry goes to the session that spawned, by key; the route only says where the post goes", async () => {
  const telegram = { channel: "telegram" } as const;
  const h = await openHarness({ channels: [telegram, slack], script: { child: "r", child_announce: "summary" } });
  h.script({ [`${main} inbound`]: spawning(["work"]) });
  await h.trunkline.receive({ channel: "telegram", peer: { kind: "direct", id: "7" }, text: "go" });
  await h.settle();
  expect(await completions(h, main)).toHaveLength(1);
  expect(h.channel("telegram").sent.at(-1)?.route).toEqual({ channel: "telegram", to: "7" });
});

test("an ordinary message into a child is no run of its task: it settles nothing and posts nothing", async () => {
  const h = await openHarness({ channels: [slack], script: { child: "r", child_announce: "summary", send: "ok" } });
  h.script({ [`${main} inbound`]: spawning(["work"]) });
  await h.trunkline.receive(asked);
  await h.settle();
  const [spawned] = await spawnsOf(h, main);
  const before = h.channel("slack").sent.length;
  const [child] = await h.store.read([{ get: "session", key: spawned?.childRow ?? "" }]);
  expect(await h.send(main, child?.sessionKey ?? "", "one more thing")).toMatchObject({ status: "ok", reply: "ok" });
  await h.settle();
  expect(h.channel("slack").sent).toHaveLength(before);
  expect(await completions(h, main)).toHaveLength(1);
  expect(await spawnOf(h, spawned?.runId ?? "")).toEqual(spawned);
});

test("a spawn made outside a run is disposed of at once, like one of a run that has ended", async () => {
  const h = await openHarness({ channels: [slack], script: { child: "r", child_announce: "summary" } });
  h.script({ [`${main} inbound`]: "hi" });
  await h.trunkline.receive(asked);
  await h.settle();
  const waiting = begin(h.call(main, "sessions_spawn", { task: "work" }));
  await h.settle();
  expect((await waiting.result()).status).toBe("accepted");
  expect(h.channel("slack").sent.at(-1)?.text).toContain("Result: summary");
});
