import { expect, test } from "vitest";
import { answerAfter, begin, callTool, databaseFile, type Harness, hang, openHarness } from "../harness.ts";
import { defaultLimits, findViolations } from "../invariants/find-violations.ts";
import { racingStore } from "../racing-store.ts";
import { createTestClock } from "../stores/store-traffic.ts";

const main = "agent:a:main";
const group = (id: number) => `agent:a:telegram:group:${id}`;

/** How many of the harness's runners work at the moment, at most so far. */
function watchConcurrency() {
  const seen = { now: 0, most: 0 };
  return {
    seen,
    count: async <T>(work: T): Promise<Awaited<T>> => {
      seen.now += 1;
      seen.most = Math.max(seen.most, seen.now);
      try {
        return await work;
      } finally {
        seen.now -= 1;
      }
    },
  };
}

async function spawnMany(harness: Harness, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    await harness.call(group(number), "sessions_spawn", { task: `task ${number}` });
  }
}

test("eight inbound runs work at once in a process, sixteen sends, and the others follow", async () => {
  const clock = createTestClock();
  const watched = watchConcurrency();
  const work = answerAfter(clock, 1_000, "done");
  const harness = await openHarness({ clock, script: { default: (request) => watched.count(work(request)) } });
  for (let number = 0; number < 20; number++) await harness.human(group(number), "hello");
  await clock.advance(0);
  expect(watched.seen.now).toBe(8);
  await clock.advance(3_000);
  expect(watched.seen).toEqual({ now: 0, most: 8 });

  watched.seen.most = 0;
  for (let number = 0; number < 20; number++) {
    await harness.send("agent:b:main", group(number), "hello", { timeoutSeconds: 0 });
  }
  await clock.advance(0);
  expect(watched.seen.now).toBe(16);
});

test("a process that has no room in a lane leaves the runs to another", async () => {
  const clock = createTestClock();
  const harness = await openHarness({ clock, lanes: { main: 1 }, script: { default: hang } });
  for (let number = 0; number < 3; number++) await harness.human(group(number), "hello");
  await clock.advance(0);
  const other = await harness.second({ script: { default: hang } });
  await clock.advance(0);
  expect([harness.runner.requests.length, other.runner.requests.length]).toEqual([1, 1]);
});

test("a run that is queued at the moment at which a slot gets free is behind those that wait", async () => {
  for (let turns = 0; turns < 12; turns++) {
    let late: Promise<unknown> | undefined;
    const harness: Harness = await openHarness({
      lanes: { main: 1 },
      script: { default: "done" },
      start: false,
      hooks: {
        faultPoint(name) {
          if (name === "runner.after-return") late ??= after(turns).then(() => harness.human(group(3), "late"));
        },
      },
    });
    for (let number = 0; number < 3; number++) await harness.human(group(number), "hello");
    await harness.trunkline.start();
    await harness.settle();
    await late;
    await harness.settle();
    expect(harness.runner.requests.map(({ session }) => session.key)).toEqual([0, 1, 2, 3].map(group));
  }
});

async function after(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
}

test("sub-agents are counted across processes", async () => {
  const clock = createTestClock();
  const config = { agents: { list: [{ id: "a", default: true }], defaults: { subagents: { maxConcurrent: 3 } } } };
  const file = databaseFile();
  const watched = watchConcurrency();
  const work = answerAfter(clock, 1_000, "done");
  const script = { child: (request: Parameters<typeof work>[0]) => watched.count(work(request)), default: "" };
  const first = await openHarness({ clock, config, script, store: await file.open() });
  const second = await openHarness({ clock, config, script, store: await file.open() });
  for (let number = 0; number < 10; number++) await first.human(group(number), "made");
  await clock.advance(0);
  await spawnMany(first, 10);
  await clock.advance(0);
  expect(watched.seen.now).toBe(3);
  await clock.advance(10_000);
  expect(watched.seen).toEqual({ now: 0, most: 3 });
  await second.settle();
  expect(await findViolations(first.store, { ...defaultLimits, maxConcurrent: 3 })).toEqual([]);
});

test("a lane full of parents that wait for their children still moves: a waiting run lends its slot", async () => {
  const harness = await openHarness({
    config: {
      agents: { list: [{ id: "a", default: true }], defaults: { subagents: { maxSpawnDepth: 2, maxConcurrent: 1 } } },
      tools: { subagents: { tools: {} } },
    },
    script: {
      child: async (request) => {
        if (request.session.spawnDepth === 2) return "leaf";
        await callTool(request, "sessions_spawn", { task: "leaf" });
        return JSON.stringify(await callTool(request, "subagents", { action: "wait", timeoutSeconds: 60 }));
      },
      default: "",
    },
  });
  await harness.human(main, "made");
  await harness.settle();
  const spawned = await harness.call(main, "sessions_spawn", { task: "middle" });
  await harness.settle();
  const { runId } = spawned.status === "accepted" ? spawned : { runId: "" };
  expect((await harness.run(runId)).replyText).toContain('"status":"ok"');
  expect(await findViolations(harness.store)).toEqual([]);
});

test("a waiting send gives its slot of the process to the run that it waits for", async () => {
  const harness = await openHarness({
    lanes: { main: 1, nested: 1 },
    config: { session: { agentToAgent: { maxPingPongTurns: 0 } } },
    script: {
      "agent:a:main inbound": async (request) =>
        JSON.stringify(await callTool(request, "sessions_send", { sessionKey: "agent:b:main", message: "ask c" })),
      "agent:b:main send": async (request) =>
        JSON.stringify(await callTool(request, "sessions_send", { sessionKey: "agent:c:main", message: "answer" })),
      "agent:c:main send": "the answer",
      default: "NO_REPLY",
    },
  });
  await harness.human(main, "go");
  await harness.settle();
  expect((await harness.transcript(main)).at(-1)).toContain("the answer");
});

test("a slot that is lent while the run's end is being decided is given back once", async () => {
  const file = databaseFile();
  const store = await file.open();
  let lendNow: (() => Promise<unknown>) | undefined;
  const racing = racingStore(store, async ({ records }) => {
    const ends = records?.some((write) => write.kind === "run" && "set" in write && write.set?.state === "ok");
    if (!ends) return;
    const lend = lendNow;
    lendNow = undefined;
    await lend?.();
  });
  const harness = await openHarness({
    store: racing,
    script: {
      child: (request) => {
        if (request.prompt.includes("other")) return hang(request);
        // A wait that nobody waited for: it begins just when the run ends.
        lendNow = () =>
          store.commit({
            at: harness.clock.now(),
            records: [{ kind: "run", key: request.run.id, when: { slotLent: 0 }, set: { slotLent: 1 } }],
            counters: [{ scope: "lane:subagent", by: -1 }],
          });
        return "done";
      },
      default: "",
    },
  });
  await harness.human(main, "made");
  await harness.settle();
  await harness.call(main, "sessions_spawn", { task: "the other one" });
  await harness.call(main, "sessions_spawn", { task: "this one" });
  await harness.advance(0);
  expect(lendNow).toBeUndefined();
  expect(await findViolations(store)).toEqual([]);
});

test("two sessions that wait for each other end by their own limits", async () => {
  const ask = (other: string) => async (request: Parameters<typeof hang>[0]) => {
    const sent = await callTool(request, "sessions_send", { sessionKey: other, message: "?", timeoutSeconds: 20 });
    return JSON.stringify(sent);
  };
  const harness = await openHarness({
    script: {
      "agent:a:main inbound": ask("agent:b:main"),
      "agent:b:main inbound": ask("agent:a:main"),
      send: "answered",
      default: "NO_REPLY",
    },
  });
  const first = await harness.human("agent:a:main", "go");
  const second = await harness.human("agent:b:main", "go");
  const waits = [first, second].map(({ runId }) =>
    begin(harness.trunkline.waitForRun(runId, { timeoutMs: 3_600_000 })),
  );
  await harness.advance(19_000);
  expect(waits.map(({ done }) => done)).toEqual([false, false]);
  await harness.advance(2_000);
  for (const wait of waits) {
    const { status, reply } = await wait.result();
    expect(status).toBe("ok");
    expect(reply).toMatch(/"status":"(timeout|ok)"/);
  }
  await harness.settle();
  expect(await findViolations(harness.store)).toEqual([]);
});
