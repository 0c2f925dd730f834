import { testSessionStore } from "@trunkline/testkit";
import { afterAll } from "vitest";
import { createPostgresStore } from "../src/index.ts";
import { createDatabase, serverAnswers, type TestDatabase } from "./databases.ts";

let shared: Promise<TestDatabase> | undefined;
afterAll(async () => (await shared)?.drop());

if (await serverAnswers()) {
  testSessionStore({
    name: "postgres",
    capabilities: { shared: true, snapshots: true, corruption: true, connections: true },
    async harness({ schema }) {
      const isOwn = schema === "none";
      if (!isOwn) shared ??= createDatabase();
      const database = await (isOwn ? createDatabase() : (shared ?? createDatabase()));
      return {
        open: () => createPostgresStore({ url: database.url, poolSize: 4 }),
        dispose: isOwn ? database.drop : database.empty,
        async corrupt(messageId) {
          await database.run("update messages set body = '{broken' where id = $1", [messageId]);
        },
        cutConnections: database.cutConnections,
      };
    },
  });
}
