import { expect, test } from "vitest";
import { createSessions, memoryStore, message, write } from "./fixtures.ts";

const everywhere = { scope: { every: true }, includeTools: false, limit: 50 } as const;

async function ids(store: Awaited<ReturnType<typeof memoryStore>>, ...words: readonly string[]): Promise<string[]> {
  return (await store.searchMessages({ ...everywhere, words })).map((hit) => hit.message.id);
}

test("a search sees everything that was committed before it, newest first, however much waited to be indexed", async () => {
  const store = await memoryStore();
  await createSessions(store, "s");
  for (let batch = 0; batch < 5; batch++) {
    const messages = Array.from({ length: 100 }, (_, index) => message(`m${batch * 100 + index}`, `needle ${index}`));
    await write(store, { id: "s", append: [{ from: "outside", messages }] });
  }
  expect(await ids(store, "needle", "99")).toEqual(["m499", "m399", "m299", "m199", "m99"]);
  await write(store, { id: "s", append: [{ from: "outside", messages: [message("late", "needle 99")] }] });
  expect((await ids(store, "needle", "99"))[0]).toBe("late");
});

test("a part of a sentence without spaces is found", async () => {
  const store = await memoryStore();
  await createSessions(store, "s");
  const messages = [message("m1", "明日は東京タワーに行きます"), message("m2", "京都")];
  await write(store, { id: "s", append: [{ from: "outside", messages }] });
  expect(await ids(store, "東京")).toEqual(["m1"]);
  expect(await ids(store, "京")).toEqual(["m2", "m1"]);
});

test("several large messages are indexed whatever their size, by their beginning", async () => {
  const store = await memoryStore();
  await createSessions(store, "s");
  const filler = "word ".repeat(200_000);
  const messages = ["m1", "m2", "m3"].map((id) => message(id, `needle ${filler} tail`));
  await write(store, { id: "s", append: [{ from: "outside", messages }] });
  expect(await ids(store, "needle")).toEqual(["m3", "m2", "m1"]);
  expect(await ids(store, "tail")).toEqual([]);
});

test("a purged session leaves nothing in the index, and rows written after it are found", async () => {
  const store = await memoryStore();
  await createSessions(store, "s", "t");
  await write(store, { id: "s", append: [{ from: "outside", messages: [message("m1", "needle")] }] });
  expect(await ids(store, "needle")).toEqual(["m1"]);
  await write(store, { id: "s", set: { deletedAt: 5, archived: 2, sessionKey: "~deleted:s" } });
  while ((await store.prune({ what: "session", sessionRow: "s", limit: 10 })).more);
  await write(store, { id: "t", append: [{ from: "outside", messages: [message("m2", "needle")] }] });
  expect(await ids(store, "needle")).toEqual(["m2"]);
});
