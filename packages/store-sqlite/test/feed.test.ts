import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
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
