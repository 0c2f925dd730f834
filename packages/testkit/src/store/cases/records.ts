import { deepEqual, equal, ok } from "node:assert/strict";
import type { RecordWrite } from "@trunkline/core";
import { deliveryRow, idempotencyRow, newId, start, usageRow } from "../rows.ts";
import { commit, createSession, get, need, refuse } from "../steps.ts";
import { casesOf } from "../store-case.ts";

const one = (record: RecordWrite) => ({ records: [record] });

export const recordCases = casesOf("records", [
  {
    name: "a record reads back as it was written, objects, lists and nulls too",
    run: async ({ store }) => {
      const insert = deliveryRow(await createSession(store), {
        route: { channel: "slack", to: "C1", accountId: "a", threadId: "t" },
        parts: [0, 4000],
        partsTotal: 2,
        receipts: ["1", "2"],
        reason: null,
      });
      await commit(store, one({ kind: "delivery", insert }));
      deepEqual(await need(store, "delivery", insert.id), insert);
    },
  },
  {
    name: "each kind of record is written, changed and removed by its key",
    run: async ({ store }) => {
      const process = { id: newId(), hostTag: "h", leaseUntil: start, dead: 0 };
      const job = { id: newId(), kind: "unbind", ref: newId(), dueAt: start, attempts: 0, owner: null } as const;
      const binding = {
        routeHash: newId(),
        sessionRow: null,
        route: { channel: "slack", to: "C1" },
        state: "creating",
        owner: null,
        expiresAt: start,
      } as const;
      const waiting = {
        id: newId(),
        runId: newId(),
        sessionRow: newId(),
        state: "waiting",
        pending: 2,
        note: "n",
        createdAt: start,
      } as const;
      await commit(store, {
        records: [
          { kind: "process", insert: process },
          { kind: "job", insert: job },
          { kind: "binding", insert: binding },
          { kind: "yield", insert: waiting },
        ],
      });
      deepEqual(await need(store, "process", process.id), process);
      deepEqual(await need(store, "job", job.id), job);
      deepEqual(await need(store, "binding", binding.routeHash), binding);
      deepEqual(await need(store, "yield", waiting.id), waiting);
      await commit(store, {
        records: [
          { kind: "process", key: process.id, set: { dead: 1 } },
          { kind: "job", key: job.id, add: { attempts: 1 } },
          { kind: "binding", key: binding.routeHash, set: { state: "bound", sessionRow: job.id, expiresAt: null } },
          { kind: "yield", key: waiting.id, remove: true },
        ],
      });
      equal((await need(store, "process", process.id)).dead, 1);
      equal((await need(store, "job", job.id)).attempts, 1);
      deepEqual(await need(store, "binding", binding.routeHash), {
        ...binding,
        state: "bound",
        sessionRow: job.id,
        expiresAt: null,
      });
      equal(await get(store, "yield", waiting.id), undefined);
    },
  },
  {
    name: "an existing key refuses the insert",
    run: async ({ store }) => {
      const insert = idempotencyRow({ fingerprint: "first" });
      await commit(store, one({ kind: "idempotency", insert }));
      await refuse(
        store,
        one({ kind: "idempotency", insert: { ...insert, fingerprint: "second" } }),
        "the key is taken",
      );
      equal((await need(store, "idempotency", insert.scopeHash)).fingerprint, "first");
    },
  },
  {
    name: "a unique value refuses the insert and the change that would double it",
    run: async ({ store }) => {
      const id = await createSession(store);
      const first = deliveryRow(id, { cause: "flow:1", activeRoute: "r1" });
      const second = deliveryRow(id, { cause: "flow:2" });
      await commit(store, {
        records: [
          { kind: "delivery", insert: first },
          { kind: "delivery", insert: second },
        ],
      });
      await refuse(
        store,
        one({ kind: "delivery", insert: deliveryRow(id, { cause: "flow:1" }) }),
        "the cause is taken",
      );
      await refuse(
        store,
        one({ kind: "delivery", key: second.id, set: { activeRoute: "r1" } }),
        "another delivery is on its way to the route",
      );
      await commit(store, {
        records: [
          { kind: "delivery", key: first.id, set: { activeRoute: null } },
          { kind: "delivery", key: second.id, set: { activeRoute: "r1" } },
        ],
      });
      equal((await need(store, "delivery", second.id)).activeRoute, "r1");
    },
  },
  {
    name: "null in a unique column is no value: many rows may have none",
    run: async ({ store }) => {
      const id = await createSession(store);
      const insert = () => ({ kind: "delivery", insert: deliveryRow(id) }) as const;
      await commit(store, { records: [insert(), insert(), insert()] });
    },
  },
  {
    name: "a guard of equality, of null, of any of several values and of a bound",
    run: async ({ store }) => {
      const insert = deliveryRow(await createSession(store), { attempts: 3, nextAttemptAt: start, state: "pending" });
      await commit(store, one({ kind: "delivery", insert }));
      const key = insert.id;
      const set = { reason: "touched" };
      const holds: readonly RecordWrite[] = [
        { kind: "delivery", key, when: { state: "pending" }, set },
        { kind: "delivery", key, when: { owner: null }, set },
        { kind: "delivery", key, when: { state: { anyOf: ["sending", "pending"] } }, set },
        { kind: "delivery", key, when: { nextAttemptAt: { atMost: start } }, set },
        { kind: "delivery", key, when: { attempts: { atLeast: 3 } }, set },
        { kind: "delivery", key, when: { state: "pending", owner: null, attempts: { atMost: 3 } }, set },
      ];
      for (const record of holds) await commit(store, one(record), JSON.stringify(record));
      const fails: readonly RecordWrite[] = [
        { kind: "delivery", key, when: { state: "sending" }, set },
        { kind: "delivery", key, when: { nextAttemptAt: null }, set },
        { kind: "delivery", key, when: { owner: "someone" }, set },
        { kind: "delivery", key, when: { state: { anyOf: ["sending", "failed"] } }, set },
        { kind: "delivery", key, when: { state: { anyOf: [] } }, set },
        { kind: "delivery", key, when: { nextAttemptAt: { atMost: start - 1 } }, set },
        { kind: "delivery", key, when: { attempts: { atLeast: 4 } }, set },
        { kind: "delivery", key, when: { endedAt: { atMost: start } }, set },
        { kind: "delivery", key, when: { state: "pending", attempts: { atMost: 2 } }, set },
        { kind: "delivery", key: newId(), set },
      ];
      for (const record of fails) await refuse(store, one(record), JSON.stringify(record));
    },
  },
  {
    name: "a guard protects a removal as it protects a change",
    run: async ({ store }) => {
      const insert = idempotencyRow({ fingerprint: "f" });
      await commit(store, one({ kind: "idempotency", insert }));
      const key = insert.scopeHash;
      await refuse(
        store,
        one({ kind: "idempotency", key, when: { fingerprint: "g" }, remove: true }),
        "the guard fails",
      );
      ok(await get(store, "idempotency", key));
      await commit(store, one({ kind: "idempotency", key, when: { fingerprint: "f" }, remove: true }));
      equal(await get(store, "idempotency", key), undefined);
      await refuse(store, one({ kind: "idempotency", key, remove: true }), "there is no such row");
    },
  },
  {
    name: "an optional write that does not match leaves the row alone and the commit whole",
    run: async ({ store }) => {
      const insert = deliveryRow(await createSession(store));
      await commit(store, one({ kind: "delivery", insert }));
      const key = insert.id;
      await commit(store, {
        records: [
          { kind: "delivery", key, when: { state: "sending" }, set: { reason: "no" }, optional: true },
          { kind: "delivery", key: newId(), set: { reason: "no" }, optional: true },
          { kind: "delivery", key, when: { state: "sending" }, remove: true, optional: true },
          { kind: "delivery", key: newId(), remove: true, optional: true },
          { kind: "delivery", key, when: { state: "pending" }, set: { attempts: 1 }, optional: true },
        ],
      });
      const row = await need(store, "delivery", key);
      deepEqual([row.reason, row.attempts], [null, 1]);
    },
  },
  {
    name: "set and add work together, and on the row as it is then",
    run: async ({ store }) => {
      const insert = deliveryRow(await createSession(store), { attempts: 1 });
      await commit(store, one({ kind: "delivery", insert }));
      await commit(
        store,
        one({ kind: "delivery", key: insert.id, set: { state: "sending" }, add: { attempts: 2, version: 1 } }),
      );
      const row = await need(store, "delivery", insert.id);
      deepEqual([row.state, row.attempts, row.version], ["sending", 3, 1]);
    },
  },
  {
    name: "records are written in the given order: a row made first may be changed and removed after",
    run: async ({ store }) => {
      const insert = idempotencyRow({ fingerprint: "a" });
      const key = insert.scopeHash;
      await commit(store, {
        records: [
          { kind: "idempotency", insert },
          { kind: "idempotency", key, when: { fingerprint: "a" }, set: { fingerprint: "b" } },
        ],
      });
      equal((await need(store, "idempotency", key)).fingerprint, "b");
      await commit(store, {
        records: [
          { kind: "idempotency", key, remove: true },
          { kind: "idempotency", insert: { ...insert, fingerprint: "c" } },
        ],
      });
      equal((await need(store, "idempotency", key)).fingerprint, "c");
    },
  },
  {
    name: "a change that sets the same values is a change and not a refusal",
    run: async ({ store }) => {
      const insert = usageRow({ totalTokens: 5 });
      await commit(store, one({ kind: "usage", insert }));
      await commit(store, one({ kind: "usage", key: insert.id, set: { totalTokens: 5 } }));
      await commit(store, one({ kind: "usage", key: insert.id, when: { totalTokens: 5 }, set: { totalTokens: 5 } }));
    },
  },
]);
