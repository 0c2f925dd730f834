import { deepEqual } from "node:assert/strict";
import { deliveryRow, messageRow, newId } from "../rows.ts";
import { commit, createSession, write } from "../steps.ts";
import { casesOf } from "../store-case.ts";

export const readCases = casesOf("reads", [
  {
    name: "several reads come back in the order asked, absent rows as undefined",
    run: async ({ store }) => {
      const id = await createSession(store);
      const insert = deliveryRow(id);
      await commit(store, { records: [{ kind: "delivery", insert }] });
      const [none, delivery, rows, session] = await store.read([
        { get: "delivery", key: newId() },
        { get: "delivery", key: insert.id },
        { find: "delivery", index: "session", equals: [newId()], limit: 5 },
        { get: "session", key: id },
      ]);
      deepEqual([none, delivery?.id, rows, session?.id], [undefined, insert.id, [], id]);
      deepEqual(await store.read([]), []);
    },
  },
  {
    name: "an index is walked in order, both ways, inside its bounds, and a bound excludes null",
    run: async ({ store }) => {
      const id = await createSession(store);
      const at = [5, 1, 3, null, 2, 4];
      await commit(store, {
        records: at.map((nextAttemptAt) => ({
          kind: "delivery" as const,
          insert: deliveryRow(id, { nextAttemptAt, state: "unknown" }),
        })),
      });
      const [up, down, some, free] = await store.read([
        { find: "delivery", index: "due", equals: ["unknown"], from: 0, limit: 10 },
        { find: "delivery", index: "due", equals: ["unknown"], below: 100, descending: true, limit: 10 },
        { find: "delivery", index: "due", equals: ["unknown"], from: 2, below: 5, limit: 2 },
        { find: "delivery", index: "due", equals: ["unknown", null], limit: 10 },
      ]);
      deepEqual(
        up.map((row) => row.nextAttemptAt),
        [1, 2, 3, 4, 5],
      );
      deepEqual(
        down.map((row) => row.nextAttemptAt),
        [5, 4, 3, 2, 1],
      );
      deepEqual(
        some.map((row) => row.nextAttemptAt),
        [2, 3],
      );
      deepEqual(
        free.map((row) => row.nextAttemptAt),
        [null],
      );
    },
  },
  {
    name: "hundreds of rows asked for by key come back each in its place, absent and repeated ones too",
    run: async ({ store }) => {
      const id = await createSession(store);
      const rows = Array.from({ length: 450 }, (_value, index) => messageRow(`text ${index}`));
      await write(store, { id, append: [{ from: "outside", messages: rows }] });
      const keys = rows.flatMap((row, index) => (index % 7 === 0 ? [row.id, newId()] : [row.id]));
      const asked = [...keys, keys[0] ?? "", ""];
      const found = await store.read(asked.map((key) => ({ get: "message", key }) as const));
      const known = new Set(rows.map((row) => row.id));
      deepEqual(
        found.map((row) => row?.id),
        asked.map((key) => (known.has(key) ? key : undefined)),
      );
      deepEqual(found[1], undefined);
      deepEqual(found[2]?.body, { content: "text 1" });
    },
  },
  {
    name: "rows asked for by several columns are not mixed up",
    run: async ({ store }) => {
      const top = await createSession(store);
      const middle = await createSession(store, { parentId: top });
      const low = await createSession(store, { parentId: middle });
      const pairs = [
        [top, middle],
        [middle, top],
        [top, low],
        [middle, low],
        [low, low],
        [top, newId()],
      ];
      const found = await store.read(pairs.map((pair) => ({ get: "lineage", key: pair.join("\n") }) as const));
      deepEqual(
        found.map((row) => row?.distance),
        [1, undefined, 2, 1, undefined, undefined],
      );
      const sessions = [top, middle, low];
      for (const sessionRow of sessions) {
        const messages = ["a", "b"].map((dedupeKey) => messageRow(`${sessionRow} ${dedupeKey}`, { dedupeKey }));
        await write(store, { id: sessionRow, append: [{ from: "outside", messages }] });
      }
      const wanted = sessions.flatMap((sessionRow) => ["b", "a", "c"].map((key) => [sessionRow, key] as const));
      const entries = await store.read(
        wanted.map((equals) => ({ find: "message", index: "dedupe", equals, limit: 1 }) as const),
      );
      deepEqual(
        entries.map((list) => list.map((row) => [row.sessionRow, row.dedupeKey])),
        wanted.map(([sessionRow, key]) => (key === "c" ? [] : [[sessionRow, key]])),
      );
    },
  },
]);
