import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, MysqlDialect } from "kysely";
import { createPool } from "mysql2";
import { createConnection } from "mysql2/promise";
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
import { createMysqlStore } from "../src/index.ts";
import { answeringServers, type TestServer } from "./databases.ts";
import { openStore, testDatabase, testStore } from "./fixtures.ts";

async function proxiedStore(server: TestServer) {
  const { store: direct, database } = await testStore(server);
  await createSession(direct, "s");
  const proxy = await startProxy(database.url, 3306);
  const store = await openStore({ ...database, url: proxy.url }, { poolSize: 1 });
  await append(store, "s", message("first"));
  return { store, direct, database, proxy };
}

async function holdSessions(url: string) {
  const connection = await createConnection(url);
  await connection.query("start transaction");
  await connection.query("select id from sessions for update");
  return {
    async release() {
      await connection.query("commit");
      await connection.end();
    },
  };
}

describe.each(await answeringServers())("connections to $name", (server) => {
  test("a commit whose answer was lost is found and reported once", async () => {
    const { store, direct, proxy } = await proxiedStore(server);
    proxy.loseNextAnswer();
    await append(store, "s", message("m"));
    expect(await transcript(direct, "s")).toEqual(["1:first", "2:m"]);
  });

  test("a commit that did not arrive is made again", async () => {
    const { store, direct, proxy } = await proxiedStore(server);
    proxy.loseNextRequest();
    await append(store, "s", message("m"));
    expect(await transcript(direct, "s")).toEqual(["1:first", "2:m"]);
  });

  test("a change that inserts nothing is found by its session", async () => {
    const { store, direct, proxy } = await proxiedStore(server);
    proxy.loseNextAnswer();
    expect((await store.commit({ at: 3, sessions: [{ id: "s", set: { goal: "kept" } }] })).committed).toBe(true);
    expect((await readSession(direct, "s")).goal).toBe("kept");
  });

  test("where nothing tells what became of a commit it is store_outcome_unknown", async () => {
    const { store, direct, proxy } = await proxiedStore(server);
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
    const { store, database } = await testStore(server, { poolSize: 1 });
    await createSession(store, "s");
    const [own] = await database.run(
      "select id as id from information_schema.processlist where db = database() and id <> connection_id()",
    );
    const holder = await holdSessions(database.url);
    const waiting = append(store, "s", message("m"));
    await sleep(300);
    await database.run(`kill ${own?.["id"]}`);
    await sleep(100);
    await holder.release();
    await waiting;
    expect(await transcript(store, "s")).toEqual(["1:m"]);
  });

  test("a lock that is held for longer than the store waits is store_busy", async () => {
    const { store, database } = await testStore(server, { busyTimeoutMs: 1000 });
    await createSession(store, "s");
    const holder = await holdSessions(database.url);
    const error = await failure(append(store, "s", message("m")));
    expect([error.code, error.retryable]).toEqual(["store_busy", true]);
    await holder.release();
    await append(store, "s", message("m"));
    expect(await transcript(store, "s")).toEqual(["1:m"]);
  });

  test("an append is one round trip, and at most two once another process writes to the session", async () => {
    const { store, direct, proxy } = await proxiedStore(server);
    const roundTrips = async (id: string) => {
      const before = proxy.roundTrips();
      await append(store, "s", message(id));
      return proxy.roundTrips() - before;
    };
    for (const id of ["m1", "m2", "m3"]) expect(await roundTrips(id)).toBe(1);
    await append(direct, "s", message("other"));
    await append(store, "s", message("m4"));
    expect(await roundTrips("m5")).toBeLessThanOrEqual(2);
  });

  test("B129: a pool of one connection serves everything at once without a hang", async () => {
    const { store } = await testStore(server, { poolSize: 1 });
    store.subscribe(() => undefined);
    await createSession(store, "s");
    const search = { scope: { every: true }, words: ["needle"], includeTools: false, limit: 50 } as const;
    await Promise.all([
      ...Array.from({ length: 40 }, (_value, index) => append(store, "s", message(`m${index}`, `needle ${index}`))),
      ...Array.from({ length: 10 }, () => store.listSessions({ scope: { every: true }, archived: false, limit: 10 })),
      store.searchMessages(search),
      store.migrate(),
      store.clock(),
    ]);
    expect((await store.searchMessages(search)).length).toBe(40);
  });
});

describe.each(await answeringServers())("opening a store on $name", (server) => {
  const password = ["do", "not", "print"].join("-");

  test("a server that is not there is store_unavailable, and the password is in no part of the error", async () => {
    const error = await failure(createMysqlStore({ url: `mysql://someone:${password}@127.0.0.1:1/db` }));
    expect([error.code, error.message.includes("127.0.0.1:1/db")]).toEqual(["store_unavailable", true]);
    expect(`${error.message} ${error.fix} ${error.cause}`).not.toContain(password);
  });

  test("a url that is none is invalid_config, and no part of it is shown", async () => {
    const error = await failure(createMysqlStore({ url: `mysql//${password}` }));
    expect([error.code, error.path]).toEqual(["invalid_config", "url"]);
    expect(`${error.message} ${error.fix} ${error.cause}`).not.toContain(password);
  });

  test("a database that is not there says so", async () => {
    const url = new URL(server.url);
    url.pathname = "/trunkline_missing";
    const error = await failure(createMysqlStore({ url: url.href }));
    expect([error.code, error.fix]).toEqual(["store_unavailable", "Create the database first."]);
  });

  test("data of a newer schema is refused by every door", async () => {
    const { store, database } = await testStore(server);
    await store.close();
    await database.run("update meta set value = '99' where name = 'schema_version'");
    const old = await createMysqlStore({ url: database.url });
    expect((await failure(old.migrate())).code).toBe("store_schema_newer");
    expect((await failure(old.read([{ get: "session", key: "s" }]))).code).toBe("store_schema_newer");
    await old.close();
  });

  test("stores with other prefixes share a database without seeing each other's rows", async () => {
    const { store, database } = await testStore(server);
    const prefixed = await openStore(database, { tablePrefix: "a_" });
    for (const each of [store, prefixed]) {
      await createSession(each, "s");
      await append(each, "s", message("m"));
      expect(await transcript(each, "s")).toEqual(["1:m"]);
    }
    for (const tablePrefix of ["a b", "x`; drop", "x".repeat(25)])
      expect((await failure(createMysqlStore({ url: database.url, tablePrefix }))).code).toBe("invalid_config");
  });

  test("a migration that was cut off is taken up again", async () => {
    const { store, database } = await testStore(server);
    await store.close();
    for (const statement of ["drop table jobs", "drop table message_texts", "delete from meta"])
      await database.run(statement);
    const again = await openStore(database);
    expect(await again.read([{ find: "job", index: "due", equals: [], limit: 1 }])).toEqual([[]]);
  });

  test("B126: a migration waits for another one, on a pool or on Kysely, though no transaction holds the lock", async () => {
    const database = await testDatabase(server);
    const pool = createPool({ uri: database.url, connectionLimit: 1 });
    const kysely = new Kysely<object>({ dialect: new MysqlDialect({ pool }) });
    onTestFinished(() => kysely.destroy());
    const stores = [await createMysqlStore({ url: database.url }), await createMysqlStore({ kysely })];
    // Whoever migrates first has to wait for this table.
    await database.run("create table meta (name varbinary(190) not null primary key, value longtext not null)");
    const holder = await createConnection(database.url);
    onTestFinished(() => holder.end());
    await holder.query("lock tables meta write");
    const migrations = stores.map((store) => store.migrate());
    const waiting = async () => {
      const states = await database.run(
        "select state as state from information_schema.processlist where db = database()",
      );
      return states
        .map(({ state }) => String(state))
        .filter((state) => /lock/i.test(state))
        .sort();
    };
    await expect.poll(waiting, { timeout: 10_000 }).toEqual(["User lock", "Waiting for table metadata lock"]);
    await holder.query("unlock tables");
    await Promise.all(migrations);
    for (const store of stores) {
      const { current, latest } = await store.schemaVersion();
      expect(current).toBe(latest);
      await store.close();
    }
  });
});
