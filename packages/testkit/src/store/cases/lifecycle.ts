import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { type SessionStore, TrunklineError } from "@trunkline/core";
import { newId } from "../rows.ts";
import { createSession, list, need } from "../steps.ts";
import { casesOf } from "../store-case.ts";

const code =
  (...codes: readonly TrunklineError["code"][]) =>
  (error: unknown) =>
    TrunklineError.isInstance(error) && codes.includes(error.code);

const calls: readonly (readonly [string, (store: SessionStore) => Promise<unknown>])[] = [
  ["commit", (store) => store.commit({ at: 0 })],
  ["read", (store) => store.read([{ get: "session", key: newId() }])],
  ["listSessions", (store) => list(store)],
  [
    "readMessages",
    (store) => store.readMessages({ sessionRow: newId(), firstSeq: 1, classes: [0], from: "newest", limit: 1 }),
  ],
  [
    "searchMessages",
    (store) => store.searchMessages({ scope: { every: true }, words: ["a"], includeTools: false, limit: 1 }),
  ],
  ["sumUsage", (store) => store.sumUsage({ rootId: newId() })],
  ["prune", (store) => store.prune({ what: "idempotency", before: 0, limit: 1 })],
  ["clock", (store) => store.clock()],
];

export const lifecycleCases = casesOf("lifecycle", [
  {
    name: "the store says what it can do and where its data lies",
    run: async ({ store, capabilities }) => {
      equal(store.capabilities.shared, capabilities.shared === true);
      equal(typeof store.capabilities.push, "boolean");
      ok(store.description.length > 0, "the description says where the data lies");
    },
  },
  {
    name: "before it is migrated a store refuses work with store_not_migrated",
    schema: "none",
    run: async ({ store }) => {
      for (const [name, call] of calls.filter(([name]) => name !== "clock"))
        await rejects(call(store), code("store_not_migrated"), name);
      const version = await store.schemaVersion();
      equal(version.current, 0);
      ok(version.latest > 0, "there is a schema to migrate to");
    },
  },
  {
    name: "migrating brings the schema up to date, and again changes nothing",
    schema: "none",
    run: async ({ store }) => {
      await store.migrate();
      const id = await createSession(store);
      await store.migrate();
      await store.migrate();
      const { current, latest } = await store.schemaVersion();
      equal(current, latest);
      equal((await need(store, "session", id)).id, id);
    },
  },
  {
    name: "migrations at once through one handle are one migration",
    schema: "none",
    run: async ({ store }) => {
      await Promise.all([store.migrate(), store.migrate(), store.migrate()]);
      await createSession(store);
    },
  },
  {
    name: "B125: eight handles that migrate an empty database at once all start",
    requires: "shared",
    schema: "none",
    timeoutMs: 60_000,
    run: async ({ store, open }) => {
      const stores = [store];
      while (stores.length < 8) stores.push(await open());
      await Promise.all(stores.map((one) => one.migrate()));
      for (const one of stores) {
        const { current, latest } = await one.schemaVersion();
        equal(current, latest);
        await createSession(one);
      }
      equal((await list(store)).length, 8);
    },
  },
  {
    name: "data outlives the handle that wrote it",
    requires: "shared",
    run: async ({ harness }) => {
      const first = await harness.open();
      await first.migrate();
      const id = await createSession(first, { fields: { label: "kept" } });
      await first.close();
      const second = await harness.open();
      try {
        await second.migrate();
        equal((await need(second, "session", id)).label, "kept");
      } finally {
        await second.close();
      }
    },
  },
  {
    name: "after close every call is refused with store_unavailable, and closing again is harmless",
    run: async ({ store }) => {
      await createSession(store);
      await store.close();
      for (const [name, call] of calls) await rejects(call(store), code("store_unavailable"), name);
      await store.close();
    },
  },
  {
    name: "work that was handed over before close is done or refused, never left hanging",
    run: async ({ store }) => {
      const id = await createSession(store);
      const work = Array.from({ length: 10 }, () =>
        store.commit({ at: 0, sessions: [{ id, add: { totalTokens: 1 } }] }).then(
          (result) => (result.committed ? "done" : "refused by a guard"),
          (error: unknown) => (code("store_unavailable")(error) ? "refused" : String(error)),
        ),
      );
      await store.close();
      const results = new Set(await Promise.all(work));
      deepEqual(
        [...results].filter((result) => result !== "done" && result !== "refused"),
        [],
      );
    },
  },
  {
    name: "`await using` closes the store",
    run: async ({ store }) => {
      await store[Symbol.asyncDispose]();
      await rejects(store.read([{ get: "session", key: newId() }]), code("store_unavailable"));
    },
  },
  {
    name: "B128: after its connections were cut a store works on with the next call",
    requires: "connections",
    timeoutMs: 60_000,
    run: async ({ store, harness }) => {
      const id = await createSession(store, { fields: { label: "before" } });
      for (let round = 0; round < 3; round++) {
        await harness.cutConnections?.();
        equal((await need(store, "session", id)).label, "before");
        await createSession(store);
      }
    },
  },
]);
