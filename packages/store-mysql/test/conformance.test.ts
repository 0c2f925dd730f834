import { testSessionStore } from "@trunkline/testkit";
import { Kysely, MysqlDialect } from "kysely";
import { createPool } from "mysql2";
import { afterAll } from "vitest";
import { createMysqlStore } from "../src/index.ts";
import { answeringServers, createDatabase, type TestDatabase, type TestServer } from "./databases.ts";

const shared = new Map<TestServer, Promise<TestDatabase>>();
afterAll(async () => {
  for (const database of shared.values()) await (await database).drop();
});

async function takeDatabase(server: TestServer, schema: "any" | "none"): Promise<TestDatabase> {
  if (schema === "none") return await createDatabase(server);
  const known = shared.get(server) ?? createDatabase(server);
  shared.set(server, known);
  const database = await known;
  return { ...database, drop: database.empty };
}

function harnessOf(database: TestDatabase) {
  return {
    dispose: () => database.drop(),
    async corrupt(messageId: string) {
      await database.run("update messages set body = '{broken' where id = ?", [messageId]);
    },
    cutConnections: () => database.cutConnections(),
  };
}

const capabilities = { shared: true, snapshots: true, corruption: true, connections: true };

for (const server of await answeringServers()) {
  // B129: everything has to work on a pool of one connection too, the store's own and a host's.
  const [poolSize, hostPoolSize] = server.name === "mariadb" ? [4, 1] : [1, 3];
  testSessionStore({
    name: `${server.name}, a pool of ${poolSize}`,
    capabilities,
    async harness({ schema }) {
      const database = await takeDatabase(server, schema);
      return { ...harnessOf(database), open: () => createMysqlStore({ url: database.url, poolSize }) };
    },
  });

  testSessionStore({
    name: `${server.name}, on Kysely with a pool of ${hostPoolSize}`,
    capabilities,
    async harness({ schema }) {
      const database = await takeDatabase(server, schema);
      const instances: Kysely<object>[] = [];
      return {
        ...harnessOf(database),
        open() {
          const kysely = new Kysely<object>({
            dialect: new MysqlDialect({ pool: createPool({ uri: database.url, connectionLimit: hostPoolSize }) }),
          });
          instances.push(kysely);
          return createMysqlStore({ kysely });
        },
        async dispose() {
          await Promise.all(instances.map((kysely) => kysely.destroy()));
          await database.drop();
        },
      };
    },
  });
}
