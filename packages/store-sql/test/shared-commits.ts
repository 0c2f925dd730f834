import { setTimeout as sleep } from "node:timers/promises";
import type { CommitResult, SessionStore } from "@trunkline/core";
import { expect, test } from "vitest";
import type { Proxy as BreakingProxy } from "../../testkit/test/server-stores/breaking-proxy.ts";
import {
  append,
  createSession,
  failure,
  message,
  readSession,
  transcript,
} from "../../testkit/test/server-stores/sessions.ts";

export interface SharedCommitBench {
  /** Reaches the server through the proxy, with a pool of one connection. */
  readonly store: SessionStore;
  /** Another handle on the same database, past the proxy. */
  readonly direct: SessionStore;
  readonly proxy: BreakingProxy;
  /** Locks a session's row in a transaction of its own. */
  hold(session: string): Promise<{ release(): Promise<void> }>;
}

const ids = Array.from({ length: 6 }, (_, number) => `s${number}`);

/** Six sessions whose rows the store remembers. */
async function remembered(open: () => Promise<SharedCommitBench>): Promise<SharedCommitBench> {
  const bench = await open();
  for (const id of ids) {
    await createSession(bench.direct, id);
    await append(bench.store, id, message(`${id} first`));
  }
  return bench;
}

function appendTo(store: SessionStore, id: string, messageId = `${id} second`): Promise<CommitResult> {
  const messages = [message(messageId)];
  return store.commit({ at: 3, sessions: [{ id, append: [{ from: "outside", messages }] }] });
}

async function expectBoth(store: SessionStore, sessions: readonly string[] = ids): Promise<void> {
  for (const id of sessions) expect(await transcript(store, id)).toEqual([`1:${id} first`, `2:${id} second`]);
}

/** What commits that are asked for in one turn of the event loop owe each other on a server. */
export function testSharedCommits(open: () => Promise<SharedCommitBench>): void {
  test("appends of one turn to several sessions are one round trip", async () => {
    const { store, direct, proxy } = await remembered(open);
    const before = proxy.roundTrips();
    const results = await Promise.all(ids.map((id) => appendTo(store, id)));
    expect(proxy.roundTrips() - before).toBe(1);
    expect(results.map(({ committed }) => committed)).toEqual(ids.map(() => true));
    const numbers = results.flatMap((result) => (result.committed ? result.sessions : []));
    expect(numbers.map(({ id, lastSeq }) => [id, lastSeq])).toEqual(ids.map((id) => [id, 2]));
    await expectBoth(direct);
    await Promise.all(ids.map((id) => append(store, id, message(`${id} third`))));
    expect(await transcript(direct, "s5")).toEqual(["1:s5 first", "2:s5 second", "3:s5 third"]);
  });

  test("reads of one turn are one round trip, and each is given its own", async () => {
    const { store, proxy } = await remembered(open);
    const before = proxy.roundTrips();
    const found = await Promise.all(
      ids.map((id) =>
        store.read([
          { get: "session", key: id },
          { find: "session", index: "sessionId", equals: [`incarnation-${id}`], limit: 1 },
          { get: "message", key: `${id} first` },
        ]),
      ),
    );
    expect(proxy.roundTrips() - before).toBe(1);
    expect(found.map(([session, [named], first]) => [session?.id, named?.id, first?.sessionRow])).toEqual(
      ids.map((id) => [id, id, id]),
    );
  });

  test("a read that cannot be made takes no other with it", async () => {
    const { store } = await remembered(open);
    const impossible = store.read([{ find: "session", index: "label", equals: ["l"], limit: -1 }]);
    const others = ids.map((id) => store.read([{ get: "session", key: id }]));
    expect((await failure(impossible)).code).toBe("store_unavailable");
    expect((await Promise.all(others)).map(([session]) => session?.id)).toEqual(ids);
  });

  test("each keeps its own values, of the same columns and of others", async () => {
    const { store, direct, proxy } = await remembered(open);
    const goals = ["it's ?", null, "\u{1f600} \\", "", "g".repeat(70_000)];
    const before = proxy.roundTrips();
    await Promise.all([
      ...goals.map((goal, place) => store.commit({ at: 3, sessions: [{ id: `s${place}`, set: { goal } }] })),
      store.commit({ at: 3, sessions: [{ id: "s5", set: { updatedAt: 9 }, add: { totalTokens: 5 } }] }),
    ]);
    expect(proxy.roundTrips() - before).toBe(1);
    const sessions = await Promise.all(ids.map((id) => readSession(direct, id)));
    expect(sessions.map(({ goal }) => goal)).toEqual([...goals, null]);
    expect(sessions.map(({ updatedAt }) => updatedAt)).toEqual([1, 1, 1, 1, 1, 9]);
    expect(sessions.map(({ totalTokens }) => totalTokens)).toEqual([0, 0, 0, 0, 0, 5]);
  });

  test("one that is refused takes no other with it, whatever refuses it", async () => {
    const { store, direct } = await remembered(open);
    // The row is not as it is remembered, a message's id is there already, and a guard does not hold.
    await append(direct, "s1", message("s1 other"));
    const results = await Promise.all([
      appendTo(store, "s0"),
      appendTo(store, "s1"),
      appendTo(store, "s2", "s0 first"),
      store.commit({ at: 3, sessions: [{ id: "s3", when: { version: 99 }, set: { goal: "g" } }] }),
      appendTo(store, "s4"),
    ]);
    expect(results.map(({ committed }) => committed)).toEqual([true, true, false, false, true]);
    await expectBoth(direct, ["s0", "s4"]);
    expect(await transcript(direct, "s1")).toEqual(["1:s1 first", "2:s1 other", "3:s1 second"]);
    expect(await transcript(direct, "s2")).toEqual(["1:s2 first"]);
  });

  test("one that cannot be stored takes no other with it", async () => {
    const { store, direct } = await remembered(open);
    const tooLarge = store.commit({ at: 3, sessions: [{ id: "s1", set: { goal: "g".repeat(17 * 1024 * 1024) } }] });
    const others = Promise.all(["s0", "s2"].map((id) => appendTo(store, id)));
    expect((await failure(tooLarge)).code).toBe("store_too_large");
    await others;
    await expectBoth(direct, ["s0", "s2"]);
  });

  test("one that waits for a lock does not keep the others waiting", async () => {
    const { store, direct, hold } = await remembered(open);
    const lock = await hold("s3");
    // The pool's one connection serves those in front of it; then it waits too.
    const order = ["s0", "s1", "s2", "s3"];
    const done: string[] = [];
    const all = order.map((id) => appendTo(store, id).then(() => done.push(id)));
    await Promise.all(all.slice(0, 3));
    expect(done).toEqual(["s0", "s1", "s2"]);
    await sleep(50);
    await lock.release();
    await Promise.all(all);
    await expectBoth(direct, order);
  });

  test("a lock on another row is in nobody's way", async () => {
    const { store, direct, proxy, hold } = await remembered(open);
    // In a small table a server may rather look at all rows than at those that it is asked for.
    for (const id of ["a0", "s2 too", "t0"]) await createSession(direct, id);
    const lock = await hold("s2 too");
    const before = proxy.roundTrips();
    await Promise.all(ids.map((id) => appendTo(store, id)));
    const roundTrips = proxy.roundTrips() - before;
    await lock.release();
    expect(roundTrips).toBe(1);
    await expectBoth(direct);
  });

  test("those whose answer was lost are found and reported once", async () => {
    const { store, direct, proxy } = await remembered(open);
    proxy.loseNextAnswer();
    const results = await Promise.all(ids.map((id) => appendTo(store, id)));
    expect(results.map(({ committed }) => committed)).toEqual(ids.map(() => true));
    await expectBoth(direct);
  });

  test("those that did not arrive are made again", async () => {
    const { store, direct, proxy } = await remembered(open);
    proxy.loseNextRequest();
    await Promise.all(ids.map((id) => appendTo(store, id)));
    await expectBoth(direct);
  });

  test("closing waits for those that were asked for", async () => {
    const { store, direct } = await remembered(open);
    const asked = ids.map((id) => appendTo(store, id));
    await Promise.all([store.close(), ...asked]);
    await expectBoth(direct);
  });
}
