import { deepEqual } from "node:assert/strict";
import { deliveryRow, newId } from "../rows.ts";
import { commit, createSession } from "../steps.ts";
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
]);
