import { testSessionStore } from "@trunkline/testkit";
import { createPostgresStore } from "../src/index.ts";
import { createDatabase } from "./databases.ts";

testSessionStore({
  name: "postgres",
  capabilities: { shared: true, snapshots: true, corruption: true, connections: true },
  async harness() {
    const database = await createDatabase();
    return {
      open: () => createPostgresStore({ url: database.url, poolSize: 4 }),
      dispose: database.drop,
      async corrupt(messageId) {
        await database.run("update messages set body = '{broken' where id = $1", [messageId]);
      },
      cutConnections: database.cutConnections,
    };
  },
});
