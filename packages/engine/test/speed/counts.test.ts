import type { SessionStore } from "@trunkline/core";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { type Harness, type HarnessOptions, openHarness } from "../harness.ts";

const main = "agent:a:main";
const group = (index: number) => `agent:a:telegram:group:${index}`;

interface Counting {
  readonly h: Harness;
  /** The statements that some work runs. */
  statementsOf(work: () => Promise<unknown>): Promise<readonly string[]>;
  countOf(work: () => Promise<unknown>): Promise<number>;
}

async function counting(options: HarnessOptions = {}): Promise<Counting> {
  const statements: string[] = [];
  const store = await createSqliteStore({ path: ":memory:", onStatement: (sql) => void statements.push(sql) });
  onTestFinished(() => store.close());
  const h = await openHarness({ store, ...options });
  async function statementsOf(work: () => Promise<unknown>) {
    statements.length = 0;
    await work();
    return [...statements];
  }
  return { h, statementsOf, countOf: async (work) => (await statementsOf(work)).length };
}

async function spawnChild(h: Harness): Promise<string> {
  const spawned = await h.call(main, "sessions_spawn", { task: "look" });
  if (spawned.status !== "accepted") throw new Error("refused");
  await h.settle();
  return spawned.childSessionKey;
}

const history = (h: Harness, key: string) => () => h.call(main, "sessions_history", { sessionKey: key });

test("a send to an own child is one call of the model and some dozens of statements, however many sessions there are", async () => {
  const { h, countOf } = await counting({ script: { default: "done" } });
  const child = await spawnChild(h);
  const counts: number[] = [];
  for (let index = 0; index < 300; index++) {
    if (index % 100 === 0) {
      await h.settle();
      const calls = h.runner.requests.length;
      counts.push(await countOf(() => h.send(main, child, "how far?")));
      expect(h.runner.requests.length - calls).toBe(1);
    }
    await h.trunkline.submit({ sessionKey: group(index), text: "hello", actor: "system" });
  }
  expect(Math.max(...counts)).toBeLessThanOrEqual(160);
});

test("a history costs the same statements in a long transcript as in a short one", async () => {
  const { h, countOf } = await counting({ start: false });
  await h.human(group(1), "only one");
  for (let index = 0; index < 400; index++) await h.human(group(2), `message ${index}`);
  await history(h, group(1))();
  const short = await countOf(history(h, group(1)));
  expect(await countOf(history(h, group(2)))).toBe(short);
  expect(short).toBeLessThanOrEqual(8);
});

test("once warm, no call of a tool and no run needs a statement that was not prepared before", async () => {
  const { h, statementsOf } = await counting({ script: { default: "done" } });
  const round = (child: string) => async () => {
    await h.send(main, child, "how far?");
    await h.send(main, group(1), "shall we?");
    await h.settle();
    await h.call(main, "sessions_list", { messageLimit: 2, includeDerivedTitles: true, includeLastMessage: true });
    await history(h, group(1))();
    await spawnChild(h);
    await h.call(main, "subagents", {});
    await h.human(main, "hello");
    await h.settle();
  };
  await h.human(group(1), "hello");
  const child = await spawnChild(h);
  // Lists of another length, and what happens to fall together, need another shape now and then: a few rounds warm up.
  const known = new Set<string>();
  for (let turn = 0; turn < 6; turn++) for (const sql of await statementsOf(round(child))) known.add(sql);
  const fresh = (await statementsOf(round(child))).filter((sql) => !known.has(sql));
  expect(fresh).toEqual([]);
});

test("a send to an own child waits for the store eight times in a row, from the call to the answer", async () => {
  const store = await createSqliteStore({ path: ":memory:" });
  onTestFinished(() => store.close());
  const trips = tripsOf(store);
  const h = await openHarness({ store: trips.store, script: { default: "done" } });
  const child = await spawnChild(h);
  const counts: number[] = [];
  for (let round = 0; round < 5; round++) {
    await h.settle();
    const before = trips.count();
    expect(await h.send(main, child, "how far?")).toMatchObject({ status: "ok", reply: "done" });
    counts.push(trips.count() - before);
  }
  expect(Math.max(...counts)).toBeLessThanOrEqual(8);
});

/** Holds calls back until no more of them come, so that those that wait for each other count, and others do not. */
function tripsOf(store: SessionStore): { readonly store: SessionStore; count(): number } {
  const waiting: (() => void)[] = [];
  let trips = 0;

  async function leave(): Promise<void> {
    for (let seen = 0; seen < waiting.length; ) {
      seen = waiting.length;
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    }
    trips++;
    for (const go of waiting.splice(0)) go();
  }

  function held<A extends readonly unknown[], T>(call: (...args: A) => Promise<T>) {
    return async (...args: A): Promise<T> => {
      await new Promise<void>((go) => {
        if (waiting.push(go) === 1) void leave();
      });
      return await call(...args);
    };
  }

  const { commit, read, readMessages } = store;
  return {
    store: {
      ...store,
      commit: held(commit.bind(store)),
      read: held(read.bind(store)) as SessionStore["read"],
      readMessages: held(readMessages.bind(store)),
    },
    count: () => trips,
  };
}
