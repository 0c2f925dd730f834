import type { RunRequest } from "@trunkline/core";
import { expect, test } from "vitest";
import { answerAfter, callTool, databaseFile, type Harness, openHarness } from "../harness.ts";
import { takeSnapshot } from "../invariants/snapshot.ts";
import { main } from "./family.ts";

const config = {
  agents: {
    defaults: { subagents: { maxSpawnDepth: 3, maxChildrenPerAgent: 4, maxConcurrent: 6 } },
    list: [{ id: "a", default: true }],
  },
};

/** The same numbers for the same seed, between 0 and 1. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A model that spawns, waits, yields, fails, dawdles and ends early, as chance has it. */
function moody(h: Harness, next: () => number) {
  return async (request: RunRequest): Promise<string> => {
    const tools = new Set(request.tools.map(({ name }) => name));
    const children = tools.has("sessions_spawn") && next() < 0.6 ? Math.ceil(next() * 3) : 0;
    for (let index = 0; index < children; index++) {
      const limit = next() < 0.15 ? { runTimeoutSeconds: 2 } : {};
      const cleanup = next() < 0.2 ? ({ cleanup: "delete" } as const) : {};
      await callTool(request, "sessions_spawn", { task: `part ${index}`, ...limit, ...cleanup });
      if (next() < 0.3) await answerAfter(h.clock, Math.floor(next() * 1500), "")(request);
    }
    if (children > 0 && next() < 0.2)
      await callTool(request, "subagents", { action: "wait", mode: "any", timeoutSeconds: 1 });
    if (tools.has("sessions_yield") && next() < 0.5) await callTool(request, "sessions_yield", {});
    if (next() < 0.1) throw new Error("moody");
    const dawdle = next();
    if (dawdle < 0.5 && !request.signal.aborted) await answerAfter(h.clock, Math.floor(dawdle * 8000), "")(request);
    return next() < 0.15 ? "NO_REPLY" : `done by ${request.run.kind}`;
  };
}

for (const seed of [3, 24]) {
  test(`whatever a family does over two engines, every child settles once and nothing is left over (seed ${seed})`, async () => {
    const { open } = databaseFile();
    const next = numbers(seed);
    const first = await openHarness({ store: await open(), config, channels: [{ channel: "slack" }] });
    const script = { default: moody(first, next) };
    first.script(script);
    const second = await openHarness({
      store: await open(),
      clock: first.clock,
      config,
      channels: [{ channel: "slack" }],
      script,
    });
    const engines = [first, second] as const;
    for (let round = 0; round < 12; round++) {
      const h = engines[round % 2] ?? first;
      await h.trunkline.receive({ channel: "slack", peer: { kind: "direct", id: "U1" }, text: `round ${round}` });
      await first.advance(Math.floor(next() * 3000));
      const list = await h.call(main, "subagents", {});
      const active = "active" in list ? list.active : [];
      const one = active[Math.floor(next() * active.length)];
      if (one && next() < 0.3) await h.call(main, "subagents", { action: "cancel", runId: one.runId });
      if (one && next() < 0.3) void h.send(main, one.childSessionKey, "hello", { timeoutSeconds: 0 });
      if (next() < 0.08) await h.trunkline.abort({ sessionKey: main });
    }
    for (let step = 0; step < 400; step++) await first.advance(500);
    const { spawn, yield: yields, session, counter } = await takeSnapshot(first.store);
    expect(spawn.filter(({ state }) => state !== "settled")).toEqual([]);
    expect(yields.filter(({ state }) => state === "waiting")).toEqual([]);
    expect(session.filter(({ activeRunId, queuedRuns }) => activeRunId !== null || queuedRuns > 0)).toEqual([]);
    expect(counter.filter(({ scope, used }) => !scope.startsWith("chain:") && used !== 0)).toEqual([]);
    expect(spawn.length).toBeGreaterThan(5);
  });
}
