import type { RunRequest } from "@trunkline/core";
import { expect, test } from "vitest";
import { answerAfter, callTool, databaseFile, type Harness, openHarness } from "../harness.ts";
import { findViolations } from "../invariants/find-violations.ts";

const keys = ["agent:a:main", "agent:b:main", "agent:c:main", "agent:b:telegram:group:-5", "agent:a:side"];

/** Numbers that look random and are the same for the same seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function pick<T>(random: (below: number) => number, values: readonly T[]): T {
  const value = values[random(values.length)];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

function behaviour(h: Harness, random: (below: number) => number) {
  return async (request: RunRequest): Promise<string> => {
    const send = (timeoutSeconds: number) =>
      callTool(request, "sessions_send", { sessionKey: pick(random, keys), message: "pass on", timeoutSeconds });
    switch (random(9)) {
      case 0:
        return "NO_REPLY";
      case 1:
        throw new Error("a failure");
      case 2:
        await answerAfter(h.clock, 2000, "")(request);
        return "slow text";
      case 3:
        await send(0);
        return "sent";
      case 4:
        await send(1 + random(5));
        return "sent and waited";
      case 5:
        if (request.session.spawnDepth > 0) return "leaf";
        await callTool(request, "sessions_spawn", { task: "a task" });
        if (random(2) === 0) await callTool(request, "sessions_yield", {});
        return "spawned";
      default:
        return `text ${random(100)}`;
    }
  };
}

function act(h: Harness, random: (below: number) => number): Promise<unknown> {
  const key = pick(random, keys);
  switch (random(12)) {
    case 0:
      return h.trunkline.patchSession(key, { goal: `goal ${random(5)}` });
    case 1:
      return h.trunkline.resetSession(key);
    case 2:
      return h.trunkline.abort({ sessionKey: key });
    case 3:
      return h.trunkline.deleteSession("agent:a:side");
    case 4:
    case 5:
    case 6:
      return h.human(key, `human ${random(100)}`);
    default:
      return h.send(key, pick(random, keys), `message ${random(100)}`, {
        timeoutSeconds: random(3),
        ...(random(3) === 0 ? { watch: true } : {}),
        ...(random(4) === 0 ? { idempotencyKey: `key ${random(3)}` } : {}),
      });
  }
}

for (const seed of [1, 2, 3]) {
  test(`sessions that do everything at once in two processes keep the store's rules and come to rest (seed ${seed})`, async () => {
    const random = randomNumbers(seed);
    const file = databaseFile();
    const config = { messages: { queue: { mode: "collect" as const, cap: 3 } } };
    const channels = [{ channel: "telegram" }];
    const h = await openHarness({ store: await file.open(), config, channels });
    const other = await h.second({ store: await file.open() });
    h.script({ default: behaviour(h, random) });
    other.script({ default: behaviour(other, random) });
    for (const key of keys) await h.human(key, "hello");
    const going: Promise<unknown>[] = [];
    for (let step = 0; step < 60; step++) {
      // Refusals, and sessions that are gone or busy, are part of it.
      going.push(act(step % 2 === 0 ? h : other, random).catch((error: unknown) => error));
      if (step % 3 === 0) await h.advance(random(1500));
    }
    await h.advance(120_000);
    await Promise.all([...going, h.advance(120_000)]);
    await h.settle();
    await other.settle();
    const calls = h.runner.requests.length + other.runner.requests.length;
    expect(calls).toBeGreaterThan(60);
    expect(await findViolations(h.store)).toEqual([]);
    await h.advance(900_000);
    await h.settle();
    expect(await findViolations(h.store, { maxChildren: 5, maxHops: 8, quietAt: h.clock.now() })).toEqual([]);
    expect(h.runner.requests.length + other.runner.requests.length).toBe(calls);
    for (const { key } of await living(h)) {
      expect(await h.session(key)).toMatchObject({ activeRunId: null, queuedRuns: 0, openYields: 0 });
    }
  }, 180_000);
}

async function living(h: Harness): Promise<readonly { readonly key: string }[]> {
  const sessions = await h.store.listSessions({ scope: { every: true }, archived: false, limit: 1000 });
  return sessions.map(({ sessionKey }) => ({ key: sessionKey }));
}
