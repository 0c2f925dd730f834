import type { SessionStore } from "@trunkline/core";
import { expect, test } from "vitest";
import { createSessions, fileStore, message, newSession, write } from "./fixtures.ts";

// Medians of short calls, taken in turns: what else the machine does hardly shows in them. A bound holds ten times what
// is measured, and is broken at once by anything that grows with the data.
const rounds = 150;

async function medianRatio(large: (turn: number) => Promise<unknown>, small: (turn: number) => Promise<unknown>) {
  const times: [number[], number[]] = [[], []];
  for (let turn = 0; turn < rounds; turn++) {
    for (const [index, work] of [large, small].entries()) {
      const start = performance.now();
      await work(turn);
      times[index]?.push(performance.now() - start);
    }
  }
  const [ofLarge, ofSmall] = times.map((list) => list.sort((a, b) => a - b)[rounds >> 1] ?? 0);
  return (ofLarge ?? 0) / (ofSmall ?? 1);
}

async function fill(store: SessionStore, session: string, count: number): Promise<void> {
  for (let first = 0; first < count; first += 1000) {
    const messages = Array.from({ length: 1000 }, (_, index) => message(`${session}-${first + index}`));
    await write(store, { id: session, append: [{ from: "outside", messages }] });
  }
}

test("an append and a tail cost the same in a transcript of 20 000 as in an empty one", async () => {
  const { store } = await fileStore();
  await createSessions(store, "long", "short");
  await fill(store, "long", 20_000);
  const append = (id: string) => (turn: number) =>
    write(store, { id, set: { updatedAt: turn }, append: [{ from: "outside", messages: [message(`${id}+${turn}`)] }] });
  expect(await medianRatio(append("long"), append("short"))).toBeLessThan(10);
  const tail = (sessionRow: string) => () =>
    store.readMessages({ sessionRow, firstSeq: 1, classes: [0], from: "newest", limit: 50 });
  expect(await medianRatio(tail("long"), tail("short"))).toBeLessThan(10);
});

test("a page of the list costs the same among 20 000 sessions as among 200", async () => {
  const [large, small] = [await fileStore(), await fileStore()];
  for (const [{ store }, count] of [
    [large, 20_000],
    [small, 200],
  ] as const) {
    for (let first = 0; first < count; first += 200) {
      const sessions = Array.from({ length: 200 }, (_, index) => ({
        id: `s${first + index}`,
        create: newSession(`s${first + index}`, { fields: { updatedAt: first + index } }),
      }));
      await store.commit({ at: 1, sessions });
    }
  }
  const page = (store: SessionStore) => () =>
    store.listSessions({ scope: { agentIds: ["main"] }, archived: false, limit: 100 });
  expect(await medianRatio(page(large.store), page(small.store))).toBeLessThan(10);
});
