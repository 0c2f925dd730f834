import { testSessionStore } from "@trunkline/testkit";
import { afterAll } from "vitest";
import { createMysqlStore } from "../src/index.ts";
import { answeringServers, createDatabase, type TestDatabase } from "./databases.ts";

for (const server of await answeringServers()) {
  let shared: Promise<TestDatabase> | undefined;
  afterAll(async () => (await shared)?.drop());

  testSessionStore({
    name: server.name,
    capabilities: { shared: true, snapshots: true, corruption: true, connections: true },
    async harness({ schema }) {
      const isOwn = schema === "none";
      if (!isOwn) shared ??= createDatabase(server);
      const database = await (isOwn ? createDatabase(server) : (shared ?? createDatabase(server)));
      return {
        open: () => createMysqlStore({ url: database.url, poolSize: 4 }),
        dispose: isOwn ? database.drop : database.empty,
        async corrupt(messageId) {
          await database.run("update messages set body = '{broken' where id = ?", [messageId]);
        },
        cutConnections: database.cutConnections,
      };
    },
  });
}
