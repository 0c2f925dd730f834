import { randomUUID } from "node:crypto";
import { createSqliteStore } from "../src/index.ts";

// Commits `count` transactions to one session, each of a message, a usage entry and a counter, and prints a line for each
// acknowledged one. Arguments: path, session row id, count.
const [path = "", session = "", count = "0"] = process.argv.slice(2);
const store = await createSqliteStore({ path });
await store.migrate();
for (let index = 0; index < Number(count); index++) {
  const id = randomUUID();
  const result = await store.commit({
    at: index,
    sessions: [
      {
        id: session,
        append: [{ from: "outside", messages: [{ id, role: "user", class: 0, body: { content: "x".repeat(2000) } }] }],
      },
    ],
    records: [
      {
        kind: "usage",
        insert: {
          id,
          runId: id,
          sessionRow: session,
          parentRow: null,
          rootId: session,
          model: null,
          inputTokens: 1,
          outputTokens: 0,
          totalTokens: 1,
          nanoUsd: 0,
          at: index,
        },
      },
    ],
    counters: [{ scope: "acknowledged", by: 1 }],
  });
  if (!result.committed) throw new Error("a plain append was refused");
  process.stdout.write(`${id}\n`);
}
await store.close();
