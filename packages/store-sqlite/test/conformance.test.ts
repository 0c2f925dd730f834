import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testSessionStore } from "@trunkline/testkit";
import Database from "better-sqlite3";
import { createSqliteStore } from "../src/index.ts";

testSessionStore({
  name: "sqlite, a file with two handles",
  capabilities: { shared: true, snapshots: true, corruption: true },
  async harness() {
    const folder = await mkdtemp(join(tmpdir(), "trunkline-sqlite-"));
    const path = join(folder, "store.db");
    return {
      open: () => createSqliteStore({ path }),
      dispose: () => rm(folder, { recursive: true }),
      async corrupt(messageId) {
        const database = new Database(path);
        database.prepare("update messages set body = '{broken' where id = ?").run(messageId);
        database.close();
      },
    };
  },
});

testSessionStore({
  name: "sqlite, in memory",
  capabilities: { snapshots: true },
  harness: async () => ({ open: () => createSqliteStore({ path: ":memory:" }) }),
});
