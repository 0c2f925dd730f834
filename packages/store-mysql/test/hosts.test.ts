import { CamelCasePlugin, Kysely, MysqlDialect } from "kysely";
import { createPool as createCallbackPool } from "mysql2";
import { createPool } from "mysql2/promise";
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
import { createMysqlStore } from "../src/index.ts";
import { answeringServers, type TestServer } from "./databases.ts";
import { openStore, testStore } from "./fixtures.ts";

interface HostTables {
  readonly orders: { readonly id: number };
}

async function hostDatabase(server: TestServer) {
  const { store, database } = await testStore(server);
  await database.run("create table orders (id integer primary key)");
  const pool = createCallbackPool({
    uri: database.url,
    connectionLimit: 3,
    supportBigNumbers: true,
    bigNumberStrings: true,
  });
  const kysely = new Kysely<HostTables>({ dialect: new MysqlDialect({ pool }), plugins: [new CamelCasePlugin()] });
  onTestFinished(() => kysely.destroy());
  return { store, database, kysely };
}

function decoded(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return text;
  }
}

describe.each(await answeringServers())("a store on what the caller has, $name", (server) => {
  test.each([{ multipleStatements: true }, { multipleStatements: false }])(
    "a pool with multipleStatements: $multipleStatements serves the store and is not ended with it",
    async ({ multipleStatements }) => {
      const { database } = await testStore(server);
      const pool = createPool({ uri: database.url, multipleStatements, connectionLimit: 2 });
      onTestFinished(() => pool.end());
      const store = await createMysqlStore({ pool });
      await createSession(store, "s");
      await append(store, "s", message("m1"), message("m2", "x".repeat(3_000_000)));
      expect(await transcript(store, "s")).toEqual(["1:m1", "2:m2"]);
      const refused = await store.commit({
        at: 1,
        sessions: [{ id: "s", when: { version: 77 }, set: { goal: "no" } }],
      });
      expect(refused).toEqual({ committed: false });
      await store.close();
      expect((await failure(append(store, "s", message("m3")))).code).toBe("store_unavailable");
      expect((await pool.query("select count(*) as found from messages"))[0]).toEqual([{ found: 2 }]);
    },
  );

  test("B114: a connection that cannot hold every text is refused", async () => {
    const { database } = await testStore(server);
    const latin = createPool({ uri: database.url, charset: "latin1" });
    onTestFinished(() => latin.end());
    const error = await failure(createMysqlStore({ pool: latin }));
    expect([error.code, error.message.includes("latin1")]).toEqual(["store_unavailable", true]);
  });

  test.each(["NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES", ""])("sql_mode '%s' is refused", async (mode) => {
    const { database } = await testStore(server);
    const pool = createPool({ uri: database.url, connectionLimit: 1 });
    onTestFinished(() => pool.end());
    await pool.query("set session sql_mode = ?", [mode]);
    const error = await failure(createMysqlStore({ pool }));
    expect([error.code, error.fix?.includes("sql_mode")]).toEqual(["store_unavailable", true]);
  });

  test("B117: a Kysely instance serves the store, whatever its plugins and number types are", async () => {
    const { database, kysely } = await hostDatabase(server);
    const store = await createMysqlStore({ kysely });
    onTestFinished(() => store.close());
    await createSession(store, "s");
    await append(store, "s", message("m1", `needle ${"x".repeat(3_000_000)}`));
    const session = await readSession(store, "s");
    expect([session.lastSeq, session.version, session.settings]).toEqual([1, 2, {}]);
    const hits = await store.searchMessages({
      scope: { every: true },
      words: ["needle"],
      includeTools: false,
      limit: 5,
    });
    expect(hits.map((hit) => hit.message.seq)).toEqual([1]);
    const refused = await store.commit({ at: 1, sessions: [{ id: "s", when: { version: 7 }, set: { goal: "no" } }] });
    expect(refused).toEqual({ committed: false });
    expect(await transcript(await openStore(database), "s")).toEqual(["1:m1"]);
  });

  test("B111: a Kysely instance whose driver decodes JSON by itself changes no message", async () => {
    const { store, database } = await testStore(server);
    const pool = createCallbackPool({
      uri: database.url,
      typeCast: (field, next) => (field.type === "BLOB" ? decoded(field.string("utf8")) : next()),
    });
    const kysely = new Kysely<object>({ dialect: new MysqlDialect({ pool }) });
    onTestFinished(() => kysely.destroy());
    const hosted = await createMysqlStore({ kysely });
    onTestFinished(() => hosted.close());
    await createSession(hosted, "s");
    await append(hosted, "s", message("m1", '{"a":1}'), message("m2", "needle"));
    const query = { sessionRow: "s", firstSeq: 1, classes: [0], from: "oldest", limit: 9 } as const;
    const { messages } = await hosted.readMessages(query);
    expect(messages.map(({ body }) => body)).toEqual([{ content: '{"a":1}' }, { content: "needle" }]);
    expect((await store.readMessages(query)).messages).toEqual(messages);
    const search = { scope: { every: true }, words: ["needle"], includeTools: false, limit: 5 } as const;
    expect((await hosted.searchMessages(search)).map((hit) => hit.message.id)).toEqual(["m2"]);
  });

  test("commits in the caller's transaction are kept with it, and undone with it", async () => {
    const { store, kysely } = await hostDatabase(server);
    await createSession(store, "s");
    for (const keep of [false, true]) {
      const transaction = await kysely.startTransaction().execute();
      const inside = await createMysqlStore({ kysely: transaction });
      await transaction.insertInto("orders").values({ id: 1 }).execute();
      await append(inside, "s", message("m"));
      expect(await transcript(inside, "s")).toEqual(["1:m"]);
      expect(await transcript(store, "s")).toEqual([]);
      await (keep ? transaction.commit() : transaction.rollback()).execute();
      expect(await transcript(store, "s")).toEqual(keep ? ["1:m"] : []);
    }
  });

  test("B127: a refused commit leaves the caller's transaction usable, and its schema cannot be changed in it", async () => {
    const { store, kysely } = await hostDatabase(server);
    await createSession(store, "s");
    const heard: string[] = [];
    const transaction = await kysely.startTransaction().execute();
    const inside = await createMysqlStore({ kysely: transaction });
    inside.subscribe((hints) => heard.push(...hints.map((hint) => hint.id)));
    await append(inside, "s", message("m1"));
    expect(await inside.commit({ at: 1, sessions: [{ id: "s", create: newSession("s") }] })).toEqual({
      committed: false,
    });
    const { code, fix } = await failure(inside.migrate());
    expect([code, fix]).toEqual(["store_unavailable", "Call migrate() once on a store outside of the transaction."]);
    await inside.commit({ at: 1, hints: [{ about: "run", id: "r1" }] });
    await append(inside, "s", message("m2"));
    await transaction.commit().execute();
    expect(heard).toEqual([]);
    inside.flushHints();
    await expect.poll(() => heard).toEqual(["r1"]);
    expect(await transcript(store, "s")).toEqual(["1:m1", "2:m2"]);
  });
});
