import { Client } from "pg";
import { describe } from "vitest";
import { testSharedCommits } from "../../store-sql/test/shared-commits.ts";
import { startProxy } from "../../testkit/test/server-stores/breaking-proxy.ts";
import { serverAnswers } from "./databases.ts";
import { openStore, testStore } from "./fixtures.ts";

describe.skipIf(!(await serverAnswers()))("commits that share a transaction on PostgreSQL", () => {
  testSharedCommits(async () => {
    const { store: direct, database } = await testStore();
    const proxy = await startProxy(database.url, 5432);
    const store = await openStore({ ...database, url: proxy.url }, { poolSize: 1 });
    return {
      store,
      direct,
      proxy,
      async hold(session) {
        const client = new Client({ connectionString: database.url });
        await client.connect();
        await client.query("begin");
        await client.query("select id from sessions where id = $1 for update", [session]);
        return {
          async release() {
            await client.query("commit");
            await client.end();
          },
        };
      },
    };
  });
});
