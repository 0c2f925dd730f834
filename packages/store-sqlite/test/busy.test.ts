import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { createSqliteStore } from "../src/index.ts";
import { createSessions, fileStore, message, transcript, write } from "./fixtures.ts";

test("a commit waits for another connection's lock without blocking the event loop", async () => {
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
