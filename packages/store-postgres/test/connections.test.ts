import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, PostgresDialect } from "kysely";
import { Client, Pool } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { startProxy } from "../../testkit/test/server-stores/breaking-proxy.ts";
import {
  append,
  createSession,
  failure,
  message,
  readSession,
  transcript,
} from "../../testkit/test/server-stores/sessions.ts";
import { createPostgresStore } from "../src/index.ts";
import { serverAnswers } from "./databases.ts";
import { openStore, testDatabase, testStore } from "./fixtures.ts";

async function proxiedStore() {
  const { store: direct, database } = await testStore();
  await createSession(direct, "s");
  const proxy = await startProxy(database.url, 5432);
  const store = await openStore({ ...database, url: proxy.url }, { poolSize: 1 });
  await append(store, "s", message("first"));
  return { store, direct, database, proxy };
}

describe.skipIf(!(await serverAnswers()))("connections to PostgreSQL that break", () => {
  test("a commit whose answer was lost is found and reported once", async () => {
    const { store, direct, proxy } = await proxiedStore();
    proxy.loseNextAnswer();
    await append(store, "s", message("m"));
    expect(await transcript(direct, "s")).toEqual(["1:first", "2:m"]);
  });

  test("a commit that did not arrive is made again", async () => {
    const { store, direct, proxy } = await proxiedStore();
    proxy.loseNextRequest();
    await append(store, "s", message("m"));
    expect(await transcript(direct, "s")).toEqual(["1:first", "2:m"]);
  });

  test("a change that inserts nothing is found by its session", async () => {
    const { store, direct, proxy } = await proxiedStore();
    proxy.loseNextAnswer();
    const patched = store.commit({ at: 3, sessions: [{ id: "s", set: { goal: "kept" } }] });
    expect((await patched).committed).toBe(true);
    expect((await readSession(direct, "s")).goal).toBe("kept");
    await append(store, "s", message("after"));
    expect(await transcript(direct, "s")).toEqual(["1:first", "2:after"]);
  });

  test("where nothing tells what became of a commit it is store_outcome_unknown", async () => {
    const { store, direct, proxy } = await proxiedStore();
    await store.commit({ at: 1, counters: [{ scope: "c", by: 1 }] });
    // The first request reads the counter, the second one moves it.
    proxy.loseNextAnswer({ after: 1 });
    const moved = store.commit({ at: 1, counters: [{ scope: "c", by: 1 }] });
    const error = await failure(moved);
    expect([error.code, error.retryable]).toEqual(["store_outcome_unknown", true]);
    const [counter] = await direct.read([{ get: "counter", key: "c" }]);
    expect(counter?.used).toBe(2);
  });

  test("a connection killed while its commit waits for a lock costs nothing but a repetition", async () => {
    const { store, database } = await testStore();
    await createSession(store, "s");
    const other = new Client({ connectionString: database.url });
    await other.connect();
    await other.query("begin");
    await other.query("select id from sessions for update");
    const waiting = append(store, "s", message("m"));
    await sleep(200);
    const killed = await other.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    expect(killed.rowCount).toBe(1);
    await other.query("commit");
    await other.end();
    await waiting;
    expect(await transcript(store, "s")).toEqual(["1:m"]);
  });

  test("a lock that is held for longer than the store waits is store_busy", async () => {
    const { store, database } = await testStore({ busyTimeoutMs: 200 });
    await createSession(store, "s");
    const other = new Client({ connectionString: database.url });
    await other.connect();
    await other.query("begin");
    await other.query("select id from sessions for update");
    const error = await failure(append(store, "s", message("m")));
    expect([error.code, error.retryable]).toEqual(["store_busy", true]);
    await other.query("commit");
    await other.end();
    await append(store, "s", message("m"));
    expect(await transcript(store, "s")).toEqual(["1:m"]);
  });

  test("an append is one round trip, and one of a session that another process wrote to is at most three", async () => {
    const { store, direct, proxy } = await proxiedStore();
    for (let number = 0; number < 3; number++) {
      const before = proxy.roundTrips();
      await append(store, "s", message(`m${number}`));
      expect(proxy.roundTrips() - before).toBe(1);
    }
    await append(direct, "s", message("other"));
    const before = proxy.roundTrips();
    await append(store, "s", message("m4"));
    expect(proxy.roundTrips() - before).toBeLessThanOrEqual(3);
    const again = proxy.roundTrips();
    await append(store, "s", message("m5"));
    expect(proxy.roundTrips() - again).toBeLessThanOrEqual(2);
  });
});

describe.skipIf(!(await serverAnswers()))("B129: a pool of one connection", () => {
  test("serves everything at once without a hang", async () => {
    const { store } = await testStore({ poolSize: 1 });
    store.subscribe(() => undefined);
    await createSession(store, "s");
    await Promise.all([
      ...Array.from({ length: 40 }, (_value, index) => append(store, "s", message(`m${index}`, `needle ${index}`))),
      ...Array.from({ length: 10 }, () => store.listSessions({ scope: { every: true }, archived: false, limit: 10 })),
      store.searchMessages({ scope: { every: true }, words: ["needle"], includeTools: false, limit: 50 }),
      store.migrate(),
      store.clock(),
    ]);
    const hits = await store.searchMessages({
      scope: { every: true },
      words: ["needle"],
      includeTools: false,
      limit: 50,
    });
    expect(hits.length).toBe(40);
  });
});

describe.skipIf(!(await serverAnswers()))("opening a store on PostgreSQL", () => {
  const password = ["do", "not", "print"].join("-");

  test("a server that is not there is store_unavailable, and the password is in no part of the error", async () => {
    const error = await failure(createPostgresStore({ url: `postgres://someone:${password}@127.0.0.1:1/db` }));
    expect([error.code, error.message.includes("127.0.0.1:1/db")]).toEqual(["store_unavailable", true]);
    expect(`${error.message} ${error.fix} ${error.cause}`).not.toContain(password);
  });

  test("a url that is none is invalid_config, and no part of it is shown", async () => {
    const error = await failure(createPostgresStore({ url: `postgres//${password}` }));
    expect([error.code, error.path]).toEqual(["invalid_config", "url"]);
    expect(`${error.message} ${error.fix} ${error.cause}`).not.toContain(password);
  });

  test("a database that is not there says so", async () => {
    const { database } = await testStore();
    const url = new URL(database.url);
    url.pathname = "/trunkline_missing";
    const error = await failure(createPostgresStore({ url: url.href }));
    expect([error.code, error.fix]).toEqual(["store_unavailable", "Create the database first."]);
  });

  test("a database whose text is not UTF-8 is refused", async () => {
    const { database } = await testStore();
    const name = `${new URL(database.url).pathname.slice(1)}_latin`;
    await database.run(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    const url = new URL(database.url);
    url.pathname = `/${name}`;
    const error = await failure(createPostgresStore({ url: url.href }));
    expect([error.code, error.message.includes("LATIN1")]).toEqual(["store_unavailable", true]);
    await database.run(`drop database ${name} with (force)`);
  });

  test("data of a newer schema is refused by every door", async () => {
    const { store, database } = await testStore();
    await store.close();
    await database.run("update meta set value = '99' where name = 'schema_version'");
    const old = await createPostgresStore({ url: database.url });
    expect((await failure(old.migrate())).code).toBe("store_schema_newer");
    expect((await failure(old.read([{ get: "session", key: "s" }]))).code).toBe("store_schema_newer");
    await old.close();
  });

  test("stores with other prefixes and schemas share a database without seeing each other's rows", async () => {
    const { store, database } = await testStore();
    const prefixed = await openStore(database, { tablePrefix: "a_" });
    const apart = await openStore(database, { schema: "apart" });
    for (const each of [store, prefixed, apart]) {
      await createSession(each, "s");
      await append(each, "s", message("m"));
      expect(await transcript(each, "s")).toEqual(["1:m"]);
    }
    const search = { scope: { every: true }, words: ["text"], includeTools: false, limit: 5 } as const;
    expect((await apart.searchMessages(search)).length).toBe(1);
    for (const tablePrefix of ["a b", 'x"; drop', "x".repeat(25)])
      expect((await failure(createPostgresStore({ url: database.url, tablePrefix }))).code).toBe("invalid_config");
  });

  test("B126: a migration waits for another one, on a pool or on Kysely", async () => {
    const database = await testDatabase();
    const kysely = new Kysely<object>({
      dialect: new PostgresDialect({ pool: new Pool({ connectionString: database.url, max: 1 }) }),
    });
    onTestFinished(() => kysely.destroy());
    const stores = [await createPostgresStore({ url: database.url }), await createPostgresStore({ kysely })];
    // Whoever migrates first has to wait for this table.
    await database.run('create table meta (name text collate "C" not null primary key, value text not null)');
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    await holder.query("begin; lock table meta in access exclusive mode");
    const migrations = stores.map((store) => store.migrate());
    const waiting = async () => {
      const found = await database.run(
        "select wait_event as event from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return found.map(({ event }) => event).toSorted();
    };
    await expect.poll(waiting, { timeout: 10_000 }).toEqual(["advisory", "relation"]);
    await holder.query("commit");
    await holder.end();
    await Promise.all(migrations);
    for (const store of stores) {
      const { current, latest } = await store.schemaVersion();
      expect(current).toBe(latest);
      await store.close();
    }
  });

  test("a migration that was cut off is taken up again", async () => {
    const { store, database } = await testStore();
    await store.close();
    await database.run("drop table jobs; drop index messages_class; delete from meta where name = 'schema_version'");
    const again = await openStore(database);
    expect(await again.read([{ find: "job", index: "due", equals: [], limit: 1 }])).toEqual([[]]);
  });
});
