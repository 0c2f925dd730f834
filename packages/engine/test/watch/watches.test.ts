import { expect, test } from "vitest";
import { type Harness, openHarness } from "../harness.ts";

const a = "agent:a:main";
const b = "agent:b:main";
const quiet = { session: { agentToAgent: { maxPingPongTurns: 0 } } };

async function watching(options: Parameters<typeof openHarness>[0] = {}): Promise<Harness> {
  const h = await openHarness({ config: quiet, script: { default: "NO_REPLY" }, ...options });
  await h.human(b, "first");
  await h.settle();
  expect(await h.send(a, b, "hello", { watch: true })).toMatchObject({ watched: true });
  await h.settle();
  return h;
}

async function notices(h: Harness, key = a): Promise<readonly string[]> {
  return (await h.rows(key))
    .filter(({ provenance }) => provenance?.kind === "notice")
    .map(({ body }) => String(body.content));
}

test("scenario 27: a watch starts at the current version; three messages and a goal are one notice, one more change one more", async () => {
  const h = await openHarness({ config: quiet, script: { default: "NO_REPLY" } });
  await h.human(b, "one");
  await h.settle();
  await h.human(b, "two");
  await h.settle();
  await h.trunkline.patchSession(b, { goal: "tidy up" });
  await h.trunkline.patchSession(b, { goal: "tidy up more" });
  const { stateVersion } = await h.session(b);
  expect(stateVersion).toBe(7);
  expect(await h.send(a, b, "hello", { watch: true })).toMatchObject({ status: "ok", watched: true });
  expect(await h.send(a, b, "and again", { timeoutSeconds: 0 })).not.toHaveProperty("watched");
  await h.settle();
  await h.human(a, "own turn");
  await h.settle();
  expect(await notices(h)).toEqual([]);
  for (const text of ["x", "y", "z"]) await h.human(b, text);
  await h.trunkline.patchSession(b, { goal: "rest" });
  await h.settle();
  await h.human(a, "next");
  await h.settle();
  const [notice, ...more] = await notices(h);
  expect(more).toEqual([]);
  expect(notice).toContain(b);
  expect(notice).toContain("changesSince: 7.");
  await h.human(a, "nothing new");
  await h.settle();
  expect(await notices(h)).toHaveLength(1);
  const seen = (await h.stateEvents(b)).findLast(
    ({ kind }) => kind === "goal_changed" || kind === "human_direct_message",
  );
  await h.trunkline.patchSession(b, { goal: null });
  await h.human(a, "again");
  await h.settle();
  expect(await notices(h)).toHaveLength(2);
  expect((await notices(h))[1]).toContain(`changesSince: ${seen?.version}.`);
});

test("own changes never notify their maker, but do notify other watchers", async () => {
  const h = await openHarness({ config: quiet, script: { default: "NO_REPLY", child: "ok", child_announce: "ok" } });
  await h.human(a, "hi");
  const spawned = await h.call(a, "sessions_spawn", { task: "t" });
  if (spawned.status !== "accepted") throw new Error("no child");
  const child = spawned.childSessionKey;
  await h.settle();
  expect(await h.send("agent:c:main", child, "hello", { watch: true })).toMatchObject({ watched: true });
  await h.settle();
  expect(await h.call(a, "sessions", { action: "patch", sessionKey: child, goal: "finish" })).toMatchObject({
    status: "ok",
  });
  await h.human(a, "turn");
  await h.human("agent:c:main", "turn");
  await h.settle();
  expect(await notices(h)).toEqual([]);
  expect(await notices(h, "agent:c:main")).toHaveLength(1);
});

test("a parent watches its child from the spawn on", async () => {
  const h = await openHarness({ config: quiet, script: { default: "NO_REPLY", child: "ok", child_announce: "ok" } });
  await h.human(a, "hi");
  const spawned = await h.call(a, "sessions_spawn", { task: "t" });
  if (spawned.status !== "accepted") throw new Error("no child");
  await h.settle();
  await h.human(spawned.childSessionKey, "a human steps in");
  await h.settle();
  await h.human(a, "turn");
  await h.settle();
  expect(await notices(h)).toEqual([expect.stringContaining(spawned.childSessionKey)]);
});

test("a session made by the very send is watched from its first version on", async () => {
  const h = await openHarness({ config: quiet, script: { default: "NO_REPLY" } });
  expect(await h.send(a, b, "hello", { watch: true })).toMatchObject({ status: "ok", watched: true });
  await h.settle();
  await h.human(b, "change");
  await h.human(a, "turn");
  await h.settle();
  expect(await notices(h)).toEqual([expect.stringContaining("changesSince: 1.")]);
});

test("watched tells the truth: false for oneself, for a refusal and where it was not wanted; a repeat may still ask for it", async () => {
  const h = await openHarness({ config: quiet, script: { default: "NO_REPLY" } });
  expect(await h.send(a, "current", "note", { timeoutSeconds: 0, watch: true })).toMatchObject({ watched: false });
  expect(await h.send(a, "agent:b:nobody", "x", { watch: true })).toMatchObject({ status: "error", watched: false });
  expect(await h.send(a, b, "x", { watch: false })).toMatchObject({ status: "ok", watched: false });
  await h.send(a, b, "y", { idempotencyKey: "k" });
  await h.settle();
  await h.human(b, "not watched");
  await h.human(a, "turn");
  await h.settle();
  expect(await notices(h)).toEqual([]);
  expect(await h.send(a, b, "y", { idempotencyKey: "k", watch: true })).toMatchObject({ status: "ok", watched: true });
  await h.human(b, "watched");
  await h.human(a, "turn");
  await h.settle();
  expect(await notices(h)).toHaveLength(1);
  expect((await h.session(b)).watchCount).toBe(1);
});

test("unwatch ends it, and a new watch starts at the version of its day", async () => {
  const h = await watching();
  expect(await h.call(a, "sessions", { action: "unwatch", sessionKey: b })).toMatchObject({ status: "ok" });
  expect((await h.session(b)).watchCount).toBe(0);
  await h.human(b, "unseen");
  await h.human(a, "turn");
  await h.settle();
  expect(await notices(h)).toEqual([]);
  const { stateVersion } = await h.session(b);
  await h.send(a, b, "again", { watch: true });
  await h.settle();
  await h.human(b, "seen");
  await h.human(a, "turn");
  await h.settle();
  expect(await notices(h)).toEqual([expect.stringContaining(`changesSince: ${stateVersion}.`)]);
});
