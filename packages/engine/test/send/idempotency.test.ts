import { expect, test } from "vitest";
import { answerAfter, begin, databaseFile, openHarness } from "../harness.ts";

const a = "agent:a:main";
const b = "agent:b:main";
const quiet = { session: { agentToAgent: { maxPingPongTurns: 0 } } };

test("scenario 24: one key is one run and one row, sent in parallel and again after its end; another payload is a conflict", async () => {
  const h = await openHarness({ config: quiet, script: { send: "once", flow_announce: "ANNOUNCE_SKIP" } });
  const key = { idempotencyKey: "k1" };
  const results = await Promise.all(Array.from({ length: 6 }, () => h.send(a, b, "q", key)));
  results.push(await h.send(a, b, "q", key));
  results.push(await h.send(a, b, "q", { ...key, timeoutSeconds: 3 }));
  const runIds = new Set(results.map((result) => ("runId" in result ? result.runId : "none")));
  expect(runIds.size).toBe(1);
  for (const result of results) expect(result).toMatchObject({ status: "ok", reply: "once" });
  expect(await h.send(a, b, "q", { ...key, timeoutSeconds: 0 })).toMatchObject({ status: "accepted" });
  await h.settle();
  expect((await h.runs(b)).filter(({ kind }) => kind === "send")).toHaveLength(1);
  expect((await h.transcript(b)).filter((line) => line === "user: q")).toHaveLength(1);
  expect(await h.send(a, b, "another", key)).toMatchObject({ status: "error", code: "conflict" });
  expect(await h.call(a, "sessions_send", { agentId: "b", message: "q", ...key })).toMatchObject({ code: "conflict" });
  expect((await h.runs(b)).filter(({ kind }) => kind === "send")).toHaveLength(1);
});

test("a key belongs to the caller's session", async () => {
  const h = await openHarness({ config: quiet, script: { send: "x", flow_announce: "ANNOUNCE_SKIP" } });
  await h.send(a, b, "q", { idempotencyKey: "k" });
  await h.send("agent:c:main", b, "another text", { idempotencyKey: "k" });
  await h.settle();
  expect((await h.runs(b)).filter(({ kind }) => kind === "send")).toHaveLength(2);
});

test("a repeat waits for what is left of the first run", async () => {
  const h = await openHarness({ config: quiet });
  h.script({ [`${b} send`]: answerAfter(h.clock, 10_000, "late") });
  const first = begin(h.send(a, b, "q", { idempotencyKey: "k", timeoutSeconds: 2 }));
  await h.advance(2000);
  expect(await first.result()).toMatchObject({ status: "timeout" });
  const again = begin(h.send(a, b, "q", { idempotencyKey: "k", timeoutSeconds: 60 }));
  await h.advance(8000);
  expect(await again.result()).toMatchObject({ status: "ok", reply: "late" });
  await h.settle();
  expect(await h.transcript(a)).toEqual(["user: late"]);
});

test("two processes with one key admit one run, and both get its reply", async () => {
  const file = databaseFile();
  const h = await openHarness({
    config: quiet,
    store: await file.open(),
    script: { send: "once", flow_announce: "ANNOUNCE_SKIP" },
  });
  const other = await h.second({ store: await file.open() });
  const results = await Promise.all(
    [h, other, h, other].map((one) => one.send(a, b, "q", { idempotencyKey: "k", timeoutSeconds: 20 })),
  );
  expect(results).toEqual(Array(4).fill(results[0]));
  expect(results[0]).toMatchObject({ status: "ok", reply: "once" });
  await h.settle();
  expect((await h.runs(b)).filter(({ kind }) => kind === "send")).toHaveLength(1);
  expect(h.runner.requests.length + other.runner.requests.length).toBe(2);
});

test("a refusal is not remembered", async () => {
  const h = await openHarness({ config: quiet, script: { default: "NO_REPLY", send: "now" } });
  await h.human("agent:b:side", "hi");
  await h.settle();
  await h.trunkline.patchSession("agent:b:side", { archived: true });
  const key = { idempotencyKey: "k" };
  expect(await h.send(a, "agent:b:side", "q", key)).toMatchObject({ code: "archived" });
  await h.trunkline.patchSession("agent:b:side", { archived: false });
  expect(await h.send(a, "agent:b:side", "q", key)).toMatchObject({ status: "ok", reply: "now" });
  await h.settle();
});

test("a repeat finds its run although the target was archived or deleted since", async () => {
  const h = await openHarness({ config: quiet, script: { default: "NO_REPLY", send: "done" } });
  await h.human("agent:b:side", "hi");
  await h.settle();
  const key = { idempotencyKey: "k" };
  const first = await h.send(a, "agent:b:side", "q", key);
  await h.settle();
  await h.trunkline.patchSession("agent:b:side", { archived: true });
  expect(await h.send(a, "agent:b:side", "q", key)).toEqual(first);
  await h.trunkline.deleteSession("agent:b:side");
  await h.settle();
  expect(await h.send(a, "agent:b:side", "q", key)).toMatchObject({ status: "ok", reply: "done" });
});

test("a key is forgotten after 30 days, and then one of two senders makes a new run", async () => {
  const h = await openHarness({ config: quiet, script: { send: "x", flow_announce: "ANNOUNCE_SKIP" } });
  await h.send(a, b, "q", { idempotencyKey: "k" });
  await h.settle();
  h.clock.step(31 * 24 * 3_600_000);
  const [one, two] = await Promise.all([
    h.send(a, b, "new text", { idempotencyKey: "k" }),
    h.send(a, b, "new text", { idempotencyKey: "k" }),
  ]);
  expect(one).toEqual(two);
  expect(one).toMatchObject({ status: "ok" });
  await h.settle();
  expect((await h.runs(b)).filter(({ kind }) => kind === "send")).toHaveLength(2);
});
