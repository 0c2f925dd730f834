import type { SessionStore } from "@trunkline/core";
import { testSessionStore } from "@trunkline/testkit";
import { Client } from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { startProxy } from "../../testkit/test/server-stores/breaking-proxy.ts";
import { append, createSession, failure, message, transcript } from "../../testkit/test/server-stores/sessions.ts";
import { createPostgresStore } from "../src/index.ts";
import { createDatabase, serverAnswers, type TestDatabase } from "./databases.ts";
import { openStore, testStore } from "./fixtures.ts";
import { type Pooler, poolerIsInstalled, startPooler } from "./pooler.ts";

const answers = await serverAnswers();
const canRun = answers && poolerIsInstalled();
const behind = { transactionPooler: true } as const;

/** A migrated database, and a pooler of its own with the given settings. */
async function pooledDatabase(settings: Parameters<typeof startPooler>[0] = {}) {
  const { store: direct, database } = await testStore();
  await createSession(direct, "s");
  const pooler = await startPooler(settings);
  onTestFinished(pooler.stop);
  return { direct, database, pooler, pooled: { ...database, url: pooler.through(database.url) } };
}

function listen(store: SessionStore): string[] {
  const heard: string[] = [];
  onTestFinished(store.subscribe((hints) => heard.push(...hints.map((hint) => hint.id))));
  return heard;
}

/** A connection in a transaction, which keeps the pooler's connection to the server to itself. */
async function hold(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("begin");
  return client;
}

const list = (store: SessionStore) => store.listSessions({ scope: { every: true }, archived: false, limit: 10 });

if (answers) {
  let pooler: Promise<Pooler> | undefined;
  let shared: Promise<TestDatabase> | undefined;
  afterAll(async () => {
    await (await shared)?.drop();
    await (await pooler)?.stop();
  });

  // Every transaction gets the other one of two connections. Without PgBouncer the store is told of a pooler all the same.
  testSessionStore({
    name: `postgres, one connection, ${canRun ? "through PgBouncer" : "told of a pooler"}`,
    capabilities: { shared: true, snapshots: true, corruption: true, connections: true },
    async harness({ schema }) {
      if (canRun) pooler ??= startPooler({ default_pool_size: 2, min_pool_size: 2, server_round_robin: 1 });
      if (schema !== "none") shared ??= createDatabase();
      const database = schema === "none" ? await createDatabase() : await (shared ?? createDatabase());
      const url = (await pooler)?.through(database.url) ?? database.url;
      return {
        open: () => createPostgresStore({ url, poolSize: 1, ...behind }),
        dispose: schema === "none" ? database.drop : database.empty,
        async corrupt(messageId) {
          await database.run("update messages set body = '{broken' where id = $1", [messageId]);
        },
        cutConnections: database.cutConnections,
      };
    },
  });
}

describe.skipIf(!canRun)("B128: a store through PgBouncer in transaction mode", () => {
  test("and one that listens hear of each other's commits, and write one sequence", async () => {
    const { direct, pooled } = await pooledDatabase();
    const store = await openStore(pooled, behind);
    expect([direct.capabilities.push, store.capabilities.push]).toEqual([true, false]);
    const heard = { here: listen(direct), there: listen(store) };
    for (let number = 0; number < 5; number++) {
      await Promise.all([append(direct, "s", message(`d${number}`)), append(store, "s", message(`p${number}`))]);
      await direct.commit({ at: 1, hints: [{ about: "run", id: `from-direct-${number}` }] });
      await expect.poll(() => heard.there, { timeout: 1500, interval: 10 }).toContain(`from-direct-${number}`);
      await store.commit({ at: 1, hints: [{ about: "run", id: `from-pooled-${number}` }] });
      // Nothing is pushed to it from there: it looks into the table of hints once a second.
      await expect.poll(() => heard.here, { timeout: 3000, interval: 10 }).toContain(`from-pooled-${number}`);
    }
    const entries = await transcript(direct, "s");
    expect(entries).toEqual(await transcript(store, "s"));
    expect(entries.map((entry) => Number.parseInt(entry, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test("shares a single connection to the server with others without a hang", async () => {
    const { database, pooler } = await pooledDatabase({ default_pool_size: 1 });
    const url = pooler.through(database.url);
    const stores = [];
    for (let number = 0; number < 3; number++)
      stores.push(await openStore({ ...database, url }, { ...behind, poolSize: 4 }));
    for (const store of stores) store.subscribe(() => undefined);
    await Promise.all(
      stores.flatMap((store, place) => [
        ...Array.from({ length: 15 }, (_value, index) => append(store, "s", message(`${place}-${index}`))),
        ...Array.from({ length: 5 }, () => list(store)),
        store.migrate(),
        store.clock(),
      ]),
    );
    const numbers = (await transcript(stores[0] as SessionStore, "s")).map((entry) => Number.parseInt(entry, 10));
    expect(numbers).toEqual(Array.from({ length: 45 }, (_value, index) => index + 1));
  });

  test("loses and doubles nothing when the pooler dies and comes back", async () => {
    const { direct, pooler, pooled } = await pooledDatabase();
    const store = await openStore(pooled, behind);
    const ids = Array.from({ length: 150 }, (_value, index) => `m${index}`);
    let restarted = Promise.resolve();
    for (const [index, id] of ids.entries()) {
      if (index === 20 || index === 80) {
        await restarted;
        restarted = pooler.restart();
      }
      await append(store, "s", message(id));
    }
    await restarted;
    expect(await transcript(direct, "s")).toEqual(ids.map((id, index) => `${index + 1}:${id}`));
  });

  test("finds a commit whose answer was lost on the way to the pooler or from it, and repeats one that did not arrive", async () => {
    const { direct, pooled } = await pooledDatabase();
    const proxy = await startProxy(pooled.url, 6432);
    const store = await openStore({ ...pooled, url: proxy.url }, { ...behind, poolSize: 1 });
    await append(store, "s", message("first"));
    proxy.loseNextAnswer();
    await append(store, "s", message("m1"));
    proxy.loseNextRequest();
    await append(store, "s", message("m2"));
    expect(await transcript(direct, "s")).toEqual(["1:first", "2:m1", "3:m2"]);
  });

  test("waits for a lock for as long as it was told, and takes one round trip for an append", async () => {
    const { database, pooled } = await pooledDatabase();
    const proxy = await startProxy(pooled.url, 6432);
    const store = await openStore({ ...pooled, url: proxy.url }, { ...behind, poolSize: 1, busyTimeoutMs: 200 });
    await append(store, "s", message("m1"));
    const holder = await hold(database.url);
    await holder.query("select id from sessions for update");
    const error = await failure(append(store, "s", message("m2")));
    expect([error.code, error.retryable]).toEqual(["store_busy", true]);
    await holder.query("commit");
    const before = proxy.roundTrips();
    await append(store, "s", message("m2"));
    expect(proxy.roundTrips() - before).toBe(1);
    expect(await transcript(store, "s")).toEqual(["1:m1", "2:m2"]);
  });
});

describe.skipIf(!canRun)("what PgBouncer refuses", () => {
  test("a statement that got no connection to the server in time was not made, and is store_busy", async () => {
    const { direct, pooled } = await pooledDatabase({ default_pool_size: 1, query_wait_timeout: 1 });
    const store = await openStore(pooled, behind);
    await append(store, "s", message("m1"));
    const holder = await hold(pooled.url);
    for (const work of [append(store, "s", message("m2")), list(store)]) {
      const error = await failure(work);
      expect([error.code, error.retryable]).toEqual(["store_busy", true]);
    }
    await holder.query("commit");
    await append(store, "s", message("m3"));
    expect(await transcript(direct, "s")).toEqual(["1:m1", "2:m3"]);
  });

  test("a pooler that lets no more clients in is store_busy", async () => {
    const { pooled } = await pooledDatabase({ max_client_conn: 1 });
    await hold(pooled.url);
    const error = await failure(createPostgresStore({ url: pooled.url, ...behind }));
    expect([error.code, error.retryable]).toEqual(["store_busy", true]);
  });

  test("a store that was not told of the pooler says at once what to tell it", async () => {
    const { pooled } = await pooledDatabase();
    const error = await failure(createPostgresStore({ url: pooled.url }));
    expect([error.code, error.retryable]).toEqual(["store_unavailable", false]);
    expect(error.fix).toContain("transactionPooler: true");
  });

  test("a setting in the url is named", async () => {
    const { pooled } = await pooledDatabase();
    const error = await failure(createPostgresStore({ url: `${pooled.url}?statement_timeout=5000`, ...behind }));
    expect([error.code, error.message.includes("statement_timeout")]).toEqual(["store_unavailable", true]);
    expect(error.fix).toContain("out of the url");
  });

  test("a database that is not there says so", async () => {
    const { pooled } = await pooledDatabase();
    const url = new URL(pooled.url);
    url.pathname = "/trunkline_missing";
    const error = await failure(createPostgresStore({ url: url.href, ...behind }));
    expect([error.code, error.fix]).toEqual(["store_unavailable", "Create the database first."]);
  });
});
