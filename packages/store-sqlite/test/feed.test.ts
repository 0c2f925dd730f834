import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { createSqliteStore } from "../src/index.ts";
import { fileStore } from "./fixtures.ts";

const minuteMs = 60_000;

test("hints that everybody has had time to see are removed, a bounded number at once, and newer ones stay", async () => {
  const { store, path } = await fileStore();
  const database = new Database(path);
  onTestFinished(() => void database.close());
  const insert = database.prepare("insert into changes (origin, about, ref, at) values ('other', 'run', ?, ?)");
  database.transaction(() => {
    for (let index = 0; index < 5000; index++) insert.run(`old ${index}`, Date.now() - 11 * minuteMs);
    for (let index = 0; index < 10; index++) insert.run(`new ${index}`, Date.now() - 9 * minuteMs);
  })();
  const count = database.prepare<[string], number>("select count(*) from changes where ref like ?").pluck();
  const hints = Array.from({ length: 1000 }, (_, index) => ({ about: "run", id: `own ${index}` }) as const);
  for (const left of [3000, 1000, 0]) {
    await store.commit({ at: 1, hints });
    await vi.waitFor(() => expect(count.get("old %")).toBe(left));
  }
  expect([count.get("new %"), count.get("own %")]).toEqual([10, 3000]);
});

test("a quiet store looks for other handles' hints rarely, whoever renews a lease meanwhile, and often after a hint", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { store, path } = await fileStore();
  const other = await createSqliteStore({ path });
  onTestFinished(() => other.close());
  onTestFinished(store.subscribe(() => undefined));
  const timers = vi.spyOn(globalThis, "setTimeout");
  const looksIn = async (ms: number) => {
    timers.mockClear();
    for (let passed = 0; passed < ms; passed += 50) {
      await vi.advanceTimersByTimeAsync(50);
      await new Promise(setImmediate);
    }
    return timers.mock.calls.filter(([, delay]) => delay === 20 || delay === 250).length;
  };
  const renew = (from: typeof store, id: string) =>
    from.commit({
      at: 1,
      records: [{ kind: "process", insert: { id, hostTag: "h", leaseUntil: 1, dead: 0 } }],
      hints: [],
    });
  expect(await looksIn(2000)).toBeGreaterThan(50);
  await looksIn(4000);
  await renew(store, "own");
  await renew(other, "other");
  expect(await looksIn(2000)).toBeLessThan(20);
  await other.commit({ at: 1, hints: [{ about: "run", id: "r" }] });
  await looksIn(500);
  expect(await looksIn(2000)).toBeGreaterThan(50);
});
