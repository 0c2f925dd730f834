import { createConnection } from "mysql2/promise";
import { describe } from "vitest";
import { testSharedCommits } from "../../store-sql/test/shared-commits.ts";
import { startProxy } from "../../testkit/test/server-stores/breaking-proxy.ts";
import { answeringServers } from "./databases.ts";
import { openStore, testStore } from "./fixtures.ts";

describe.each(await answeringServers())("commits that share a transaction on $name", (server) => {
  testSharedCommits(async () => {
    const { store: direct, database } = await testStore(server);
    const proxy = await startProxy(database.url, 3306);
    const store = await openStore({ ...database, url: proxy.url }, { poolSize: 1 });
    return {
      store,
      direct,
      proxy,
      async hold(session) {
        const connection = await createConnection(database.url);
        await connection.query("start transaction");
        await connection.query("select id from sessions where id = ? for update", [session]);
        return {
          async release() {
            await connection.query("commit");
            await connection.end();
          },
        };
      },
    };
  });
});
