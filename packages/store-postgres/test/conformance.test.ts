import { testSessionStore } from "@trunkline/testkit";
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import { afterAll } from "vitest";
import { createPostgresStore } from "../src/index.ts";
import { createDatabase, serverAnswers, type TestDatabase } from "./databases.ts";

let shared: Promise<TestDatabase> | undefined;
afterAll(async () => (await shared)?.drop());

async function takeDatabase(schema: "any" | "none"): Promise<TestDatabase> {
  if (schema === "none") return await createDatabase();
  shared ??= createDatabase();
  const database = await shared;
  return { ...database, drop: database.empty };
}

function harnessOf(database: TestDatabase) {
  return {
    dispose: () => database.drop(),
    async corrupt(messageId: string) {
      await database.run("update messages set body = '{broken' where id = $1", [messageId]);
    },
    cutConnections: () => database.cutConnections(),
  };
}

const capabilities = { shared: true, snapshots: true, corruption: true, connections: true };

if (await serverAnswers()) {
  testSessionStore({
    name: "postgres",
    capabilities,
    async harness({ schema }) {
      const database = await takeDatabase(schema);
      return { ...harnessOf(database), open: () => createPostgresStore({ url: database.url, poolSize: 4 }) };
    },
  });

  testSessionStore({
    name: "postgres, on Kysely",
    capabilities,
    async harness({ schema }) {
      const database = await takeDatabase(schema);
      const instances: Kysely<object>[] = [];
      return {
        ...harnessOf(database),
        open() {
          const pool = new Pool({ connectionString: database.url, max: 3 });
          pool.on("error", () => undefined);
          const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) });
          instances.push(kysely);
          return createPostgresStore({ kysely });
        },
        async dispose() {
          await Promise.all(instances.map((kysely) => kysely.destroy()));
          await database.drop();
        },
      };
    },
  });
}
