import { expect, test } from "vitest";
import { answerAfter, begin, callTool, databaseFile, type Harness, hang, openHarness } from "../harness.ts";
import { racingStore } from "../racing-store.ts";
import { completions, main, spawnIn, spawningAndYielding, spawnOf, spawnsOf } from "../spawn/family.ts";

const slack = { channel: "slack" } as const;
const asked = { channel: "slack", peer: { kind: "direct", id: "U1" }, text: "go" } as const;

/** How often the main session was resumed, and what with. */
const resumes = (h: Harness) => h.requests(main).filter(({ run }) => run.kind === "resume");

test("B83: a child that ends before, while, or after its parent yields leads to exactly one resume that holds its result", async () => {
  const before = await openHarness({ script: { child: "early", child_announce: "", resume: "ok" } });
  before.script({
    [`${main} inbound`]: async (request) => {
      const { runId } = await spawnIn(request, { task: "work" });
      await callTool(request, "subagents", { action: "wait", runIds: [runId] });
      const yielded = await callTool(request, "sessions_yield", {});
      expect(yielded).toMatchObject({ status: "yielded", pending: [{ runId, state: "ended" }] });
      return "";
    },
  });
  const during = await openHarness({ script: { child_announce: "", resume: "ok" } });
  const gate = Promise.withResolvers<string>();
  during.script({
    child: () => gate.promise,
    [`${main} inbound`]: async (request) => {
      const { runId } = await spawnIn(request, { task: "work" });
      await callTool(request, "sessions_yield", {});
      gate.resolve("meanwhile");
      while ((await spawnOf(during, runId)).state !== "settled") await new Promise((next) => setImmediate(next));
      return "";
    },
  });
  const after = await openHarness({ script: { child_announce: "", resume: "ok" } });
  after.script({
    child: answerAfter(after.clock, 5000, "late"),
    [`${main} inbound`]: spawningAndYielding(["work"]),
  });
  for (const [h, text] of [
    [before, "early"],
    [during, "meanwhile"],
    [after, "late"],
  ] as const) {
    const { runId } = await h.human(main, "go");
    await h.advance(5000);
    await h.settle();
    expect(resumes(h)).toHaveLength(1);
    expect(resumes(h)[0]?.prompt).toContain(`Result: ${text}`);
    expect(await h.trunkline.waitForRun(runId, { timeoutMs: 0 })).toEqual({ status: "ok", reply: "ok" });
    expect(await completions(h, main)).toHaveLength(1);
    expect((await spawnsOf(h, main))[0]).toMatchObject({ held: 0, state: "settled" });
  }
});

test("B83: a child that settles just before the commit of the yield joins it", async () => {
  const gate = Promise.withResolvers<string>();
  const { open } = databaseFile();
  let raced = false;
  const plain = await open();
  const store = racingStore(await open(), async (transaction) => {
    const yields = transaction.records?.some((record) => record.kind === "yield" && "insert" in record);
    if (!yields || raced) return;
    raced = true;
    gate.resolve("in between");
    for (let look = 0; look < 500; look++) {
      const [[spawned]] = await plain.read([{ find: "spawn", index: "settled", equals: ["settled"], limit: 1 }]);
      if (spawned) return;
      await new Promise((next) => setTimeout(next, 5));
    }
  });
  const h = await openHarness({ store, script: { child_announce: "", resume: "ok" } });
  h.script({ child: () => gate.promise, [`${main} inbound`]: spawningAndYielding(["work"]) });
  const { runId } = await h.human(main, "go");
  await h.settle();
  expect(raced).toBe(true);
  expect(resumes(h)).toHaveLength(1);
  expect(resumes(h)[0]?.prompt).toContain("Result: in between");
  expect(await h.trunkline.waitForRun(runId, { timeoutMs: 0 })).toEqual({ status: "ok", reply: "ok" });
});

test("B22: two children that end in the same tick are one resume with both results, and nothing raw is posted", async () => {
  const h = await openHarness({ channels: [slack] });
  h.script({
    [`${main} inbound`]: spawningAndYielding(["one", "two"]),
    child: (request) => answerAfter(h.clock, 1000, `raw ${request.prompt.slice(-3)}`)(request),
    child_announce: "",
    resume: "combined",
  });
  await h.trunkline.receive(asked);
  await h.advance(1000);
  await h.settle();
  expect(resumes(h)).toHaveLength(1);
  expect(resumes(h)[0]?.prompt).toContain("raw one");
  expect(resumes(h)[0]?.prompt).toContain("raw two");
  expect(h.channel("slack").sent.map(({ text }) => text)).toEqual(["combined"]);
});

test("five children ending at once on two engines resume their parent once", async () => {
  const { open } = databaseFile();
  const first = await openHarness({ store: await open() });
  const script = {
    [`${main} inbound`]: spawningAndYielding(["1", "2", "3", "4", "5"]),
    child: answerAfter(first.clock, 1000, "r"),
    child_announce: "",
    resume: "all in",
  };
  first.script(script);
  const second = await openHarness({ store: await open(), clock: first.clock, script });
  const { runId } = await first.human(main, "go");
  for (let step = 0; step < 60; step++) await first.advance(100);
  expect(await first.trunkline.waitForRun(runId, { timeoutMs: 0 })).toEqual({ status: "ok", reply: "all in" });
  expect([...resumes(first), ...resumes(second)]).toHaveLength(1);
  expect(await completions(first, main)).toHaveLength(5);
});

test("a yield that was marked is none where the run fails: the failure stands, and its children post by themselves", async () => {
  const h = await openHarness({ channels: [slack] });
  h.script({
    [`${main} inbound`]: async (request) => {
      await spawnIn(request, { task: "fast" });
      const second = await spawnIn(request, { task: "slow" });
      await callTool(request, "subagents", { action: "wait", mode: "any" });
      await callTool(request, "sessions_yield", {});
      expect(second.status).toBe("accepted");
      throw new Error("the model went away");
    },
    child: (request) => answerAfter(h.clock, request.prompt.endsWith("slow") ? 5000 : 0, "r")(request),
    child_announce: ({ prompt }) => (prompt.includes("slow") ? "slow one" : "fast one"),
  });
  const { runId = "" } = await h.trunkline.receive(asked);
  await h.advance(5000);
  await h.settle();
  expect(await h.trunkline.waitForRun(runId, { timeoutMs: 0 })).toMatchObject({ status: "error", code: "run_failed" });
  expect(h.channel("slack").sent.map(({ text }) => /Result: (.*)/.exec(text)?.[1])).toEqual(["fast one", "slow one"]);
  expect(resumes(h)).toEqual([]);
  expect(await h.session(main)).toMatchObject({ openYields: 0 });
});

test("abort, reset and delete of a yielded session cancel its children and drop the wait", async () => {
  for (const end of ["abort", "abort the run", "reset", "delete"] as const) {
    const h = await openHarness({ channels: [slack], script: { child: hang, resume: "must not come" } });
    const room = { channel: "slack", peer: { kind: "group", id: "C1" }, text: "go" } as const;
    h.script({ inbound: spawningAndYielding(["one", "two"]) });
    const { sessionKey, runId = "" } = await h.trunkline.receive(room);
    await h.advance(0);
    const children = await spawnsOf(h, sessionKey);
    const waiting = begin(h.trunkline.waitForRun(runId, { timeoutMs: 60_000 }));
    if (end === "abort") await h.trunkline.abort({ sessionKey });
    if (end === "abort the run") await h.trunkline.abort({ runId });
    if (end === "reset") await h.trunkline.resetSession(sessionKey);
    if (end === "delete") await h.trunkline.deleteSession(sessionKey);
    await h.settle();
    expect(await waiting.result(), end).toMatchObject({ status: "error", code: "run_cancelled" });
    for (const { runId: child } of children) expect((await spawnOf(h, child)).outcome).toBe("cancelled");
    expect(h.runner.requests.filter(({ run }) => run.kind === "resume")).toEqual([]);
    expect(h.channel("slack").sent).toEqual([]);
    const [yields] = await h.store.read([{ find: "yield", index: "runId", equals: [runId], limit: 1 }]);
    expect(yields).toMatchObject([{ state: "cancelled" }]);
    if (end !== "delete") expect(await h.session(sessionKey)).toMatchObject({ openYields: 0 });
  }
});

test("a child that is cancelled while it is awaited counts as ended: the resume says so", async () => {
  const h = await openHarness({ script: { child: hang, resume: "one was stopped" } });
  h.script({ [`${main} inbound`]: spawningAndYielding(["work"]) });
  const { runId } = await h.human(main, "go");
  await h.advance(0);
  const [spawned] = await spawnsOf(h, main);
  await h.call(main, "subagents", { action: "cancel", runId: spawned?.runId ?? "" });
  await h.settle();
  expect(resumes(h)[0]?.prompt).toContain("Status: cancelled");
  expect(await h.trunkline.waitForRun(runId, { timeoutMs: 0 })).toEqual({ status: "ok", reply: "one was stopped" });
});
