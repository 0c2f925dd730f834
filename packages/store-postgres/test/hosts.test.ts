import { createRequire } from "node:module";
import { CamelCasePlugin, Kysely, PostgresDialect } from "kysely";
import { Client, Pool } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  append,
  createSession,
  failure,
  message,
  newSession,
  readSession,
  transcript,
} from "../../testkit/test/server-stores/sessions.ts";
import { createPostgresStore } from "../src/index.ts";
import { serverAnswers, type TestDatabase } from "./databases.ts";
import { openStore, testStore } from "./fixtures.ts";

interface HostTables {
  readonly orders: { readonly id: number };
}

async function hostDatabase() {
  const { store, database } = await testStore();
  await database.run("create table orders (id integer primary key)");
  const kysely = new Kysely<HostTables>({
    dialect: new PostgresDialect({ pool: hostPool(database) }),
    plugins: [new CamelCasePlugin()],
  });
  onTestFinished(() => kysely.destroy());
  return { store, database, kysely };
}

function hostPool({ url }: TestDatabase, max = 3): Pool {
  const pool = new Pool({ connectionString: url, max });
  pool.on("error", () => undefined);
  return pool;
}

function anotherCopyOfPg(): { readonly Client: unknown; readonly Pool: typeof Pool } {
  const require = createRequire(import.meta.url);
  require("pg");
  for (const file of Object.keys(require.cache)) if (/\/pg(-pool)?\//.test(file)) delete require.cache[file];
  return require("pg");
}

describe.skipIf(!(await serverAnswers()))("a store on what the caller has", () => {
  test("a pool serves the store and is not ended with it", async () => {
    const { database } = await testStore();
    const pool = hostPool(database);
    onTestFinished(() => pool.end());
    const store = await createPostgresStore({ pool });
    await createSession(store, "s");
    await append(store, "s", message("m1"), message("m2"));
    expect(await transcript(store, "s")).toEqual(["1:m1", "2:m2"]);
    await store.close();
    expect((await failure(append(store, "s", message("m3")))).code).toBe("store_unavailable");
    expect((await pool.query("select count(*)::int as rows from messages")).rows).toEqual([{ rows: 2 }]);
  });

  test("a pool of another copy of pg serves the store, without what depends on its classes", async () => {
    const { database } = await testStore();
    const copy = anotherCopyOfPg();
    expect(copy.Client).not.toBe(Client);
    const pool = new copy.Pool({ connectionString: database.url, max: 2 });
    onTestFinished(() => pool.end());
    const store = await createPostgresStore({ pool });
    await createSession(store, "s");
    await Promise.all(["m1", "m2"].map((id) => append(store, "s", message(id))));
    const session = await readSession(store, "s");
    expect([session.lastSeq, session.settings]).toEqual([2, {}]);
    expect((await transcript(store, "s")).length).toBe(2);
  });

  test("B117: a Kysely instance serves the store, whatever its plugins and number types are", async () => {
    const { database, kysely } = await hostDatabase();
    const store = await createPostgresStore({ kysely });
    onTestFinished(() => store.close());
    await createSession(store, "s");
    await append(store, "s", message("m1", "needle"));
    const session = await readSession(store, "s");
    expect([session.lastSeq, session.version, session.settings]).toEqual([1, 2, {}]);
    const hits = await store.searchMessages({
      scope: { every: true },
      words: ["needle"],
      includeTools: false,
      limit: 5,
    });
    expect(hits.map((hit) => hit.message.seq)).toEqual([1]);
    expect(await store.sumUsage({ sessionRow: "s" })).toMatchObject({ runs: 0, totalTokens: 0 });
    const refused = await store.commit({ at: 1, sessions: [{ id: "s", when: { version: 7 }, set: { goal: "no" } }] });
    expect(refused).toEqual({ committed: false });
    expect(await transcript(await openStore(database), "s")).toEqual(["1:m1"]);
  });
});

describe.skipIf(!(await serverAnswers()))("a store inside the caller's transaction", () => {
  test("its commits are kept with the transaction, and undone with it", async () => {
    const { store, kysely } = await hostDatabase();
    await createSession(store, "s");
    for (const keep of [false, true]) {
      const transaction = await kysely.startTransaction().execute();
      const inside = await createPostgresStore({ kysely: transaction });
      await transaction.insertInto("orders").values({ id: 1 }).execute();
      await append(inside, "s", message("m"));
      expect(await transcript(inside, "s")).toEqual(["1:m"]);
      expect(await transcript(store, "s")).toEqual([]);
      await (keep ? transaction.commit() : transaction.rollback()).execute();
      expect(await transcript(store, "s")).toEqual(keep ? ["1:m"] : []);
      expect((await kysely.selectFrom("orders").selectAll().execute()).length).toBe(keep ? 1 : 0);
    }
  });

  test("a refused commit and a failed one leave the transaction usable", async () => {
    const { store, kysely } = await hostDatabase();
    await createSession(store, "s");
    await kysely.transaction().execute(async (transaction) => {
      const inside = await createPostgresStore({ kysely: transaction });
      await append(inside, "s", message("m1"));
      expect(await inside.commit({ at: 1, sessions: [{ id: "s", create: newSession("s") }] })).toEqual({
        committed: false,
      });
      const tooLarge = message("m2", "x".repeat(16 * 1024 * 1024 + 1));
      expect((await failure(append(inside, "s", tooLarge))).code).toBe("store_too_large");
      await append(inside, "s", message("m3"));
    });
    expect(await transcript(store, "s")).toEqual(["1:m1", "2:m3"]);
  });

  test("operations at once take turns on its one connection", async () => {
    const { store, kysely } = await hostDatabase();
    await createSession(store, "s");
    await kysely.transaction().execute(async (transaction) => {
      const inside = await createPostgresStore({ kysely: transaction });
      const ids = Array.from({ length: 10 }, (_value, index) => `m${index}`);
      await Promise.all([
        ...ids.map((id) => append(inside, "s", message(id))),
        inside.clock(),
        readSession(inside, "s"),
      ]);
    });
    expect((await transcript(store, "s")).length).toBe(10);
  });

  test("B127: the schema can be made in it", async () => {
    const { database, kysely } = await hostDatabase();
    await kysely.transaction().execute(async (transaction) => {
      const inside = await createPostgresStore({ kysely: transaction, schema: "later" });
      expect(await inside.schemaVersion()).toMatchObject({ current: 0 });
      await inside.migrate();
      await createSession(inside, "s");
    });
    expect((await readSession(await openStore(database, { schema: "later" }), "s")).id).toBe("s");
  });

  test("its own listeners hear of a commit when they are told to, other handles when the transaction is committed", async () => {
    const { store, kysely } = await hostDatabase();
    const [own, others]: [string[], string[]] = [[], []];
    store.subscribe((hints) => others.push(...hints.map((hint) => hint.id)));
    await store.commit({ at: 1, hints: [{ about: "run", id: "warm" }] });
    const transaction = await kysely.startTransaction().execute();
    const inside = await createPostgresStore({ kysely: transaction });
    inside.subscribe((hints) => own.push(...hints.map((hint) => hint.id)));
    await inside.commit({ at: 1, hints: [{ about: "run", id: "r1" }] });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([own, others]).toEqual([[], ["warm"]]);
    await transaction.commit().execute();
    inside.flushHints();
    await expect.poll(() => [own, others], { timeout: 10_000 }).toEqual([["r1"], ["warm", "r1"]]);
  });
});
