import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createSqliteStore } from "../src/index.ts";
import { createSessions, fileStore, message, temporaryDirectory, transcript, write } from "./fixtures.ts";

test("B103: a commit has the lock before it reads, so that nobody writes between its reading and its writing", async () => {
  const path = join(await temporaryDirectory(), "store.db");
  const rival = new Database(path, { timeout: 0 });
  onTestFinished(() => void rival.close());
  const statements: string[] = [];
  const refusals: unknown[] = [];
  const { store } = await fileStore({ path, onStatement: intrude });
  await createSessions(store, "s");

  function intrude(sql: string): void {
    statements.push(sql);
    if (!sql.startsWith("insert")) return;
    try {
      rival.exec("update sessions set goal = 'rival'");
    } catch (error) {
      refusals.push(error instanceof Database.SqliteError && error.code);
    }
  }

  refusals.length = 0;
  statements.length = 0;
  await write(store, { id: "s", append: [{ from: "outside", messages: [message("m1")] }] });
  expect(refusals).toEqual(["SQLITE_BUSY"]);
  expect(statements.filter((sql) => sql.startsWith("begin"))).toHaveLength(1);
  expect(statements.findIndex((sql) => sql.startsWith("select"))).toBe(1);
});

test("B104: two handles on one file get through five seconds of contention without an error", async () => {
  const { store, path } = await fileStore();
  const { store: other } = await fileStore({ path });
  await createSessions(store, "s");
  const holder = new Database(path, { timeout: 0 });
  onTestFinished(() => void holder.close());
  const end = performance.now() + 5000;
  let held = 0;
  async function hold(): Promise<void> {
    for (; performance.now() < end; held++) {
      holder.exec("begin immediate");
      await sleep(20 + Math.random() * 80);
      holder.exec("commit");
      await sleep(10 + Math.random() * 30);
    }
  }
  const written: string[] = [];
  async function append(handle: typeof store, name: string): Promise<void> {
    for (let number = 0; performance.now() < end; number++) {
      const id = `${name}${number}`;
      await write(handle, { id: "s", append: [{ from: "outside", messages: [message(id)] }] });
      written.push(id);
    }
  }
  await Promise.all([hold(), append(store, "a"), append(other, "b")]);
  const { messages } = await store.readMessages({
    sessionRow: "s",
    firstSeq: 1,
    classes: [0],
    from: "oldest",
    limit: 100_000,
  });
  expect(messages.map(({ id }) => id).toSorted()).toEqual(written.toSorted());
  expect(messages.map(({ seq }) => seq)).toEqual(written.map((_id, index) => index + 1));
  expect(held).toBeGreaterThan(10);
  expect(new Set(written.map((id) => id[0]))).toEqual(new Set(["a", "b"]));
});

test("B104: a commit waits for another connection's lock without blocking the event loop", async () => {
  const { store, path } = await fileStore();
  await createSessions(store, "s");
  const holder = new Database(path);
  holder.exec("begin immediate");
  let ticks = 0;
  const ticking = setInterval(() => {
    ticks += 1;
    if (ticks === 20) holder.exec("commit");
  }, 10);
  await write(store, { id: "s", append: [{ from: "outside", messages: [message("m1")] }] });
  clearInterval(ticking);
  holder.close();
  expect(ticks).toBeGreaterThanOrEqual(20);
  expect(await transcript(store, "s")).toEqual(["1:m1"]);
});

test("a lock that outlasts the budget is store_busy and writes nothing", async () => {
  const { store, path } = await fileStore();
  await createSessions(store, "s");
  const impatient = await createSqliteStore({ path, busyTimeoutMs: 50 });
  const holder = new Database(path);
  holder.exec("begin immediate");
  const refused = write(impatient, { id: "s", append: [{ from: "outside", messages: [message("m1")] }] });
  await expect(refused).rejects.toMatchObject({ code: "store_busy", retryable: true });
  expect(await transcript(impatient, "s")).toEqual([]);
  holder.close();
  await write(impatient, { id: "s", append: [{ from: "outside", messages: [message("m1")] }] });
  await impatient.close();
});
