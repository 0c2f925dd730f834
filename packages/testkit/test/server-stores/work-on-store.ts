import { randomUUID } from "node:crypto";
import type { SessionStore } from "@trunkline/core";

/**
 * Works on a store in a process of its own and prints the id of each commit that was acknowledged. The process' arguments:
 * url; what to do: append, list, patch or migrate; a session's row id; how often (0 = until killed).
 */
export async function workOnStore(open: (url: string) => Promise<SessionStore>): Promise<void> {
  const [url = "", work = "migrate", session = "", count = "1"] = process.argv.slice(2);
  const store = await open(url);
  await store.migrate();
  for (let number = 0; number < Number(count) || Number(count) === 0; number++)
    await works[work]?.(store, session, number);
  await store.close();
}

const works: { readonly [name: string]: (store: SessionStore, session: string, number: number) => Promise<void> } = {
  append,
  list,
  patch,
  migrate: async () => undefined,
};

async function append(store: SessionStore, session: string): Promise<void> {
  const id = randomUUID();
  const body = { content: "x".repeat(2000) };
  const result = await store.commit({
    at: Date.now(),
    sessions: [
      {
        id: session,
        add: { totalTokens: 1 },
        append: [{ from: "outside", messages: [{ id, role: "user", class: 0, body }] }],
      },
    ],
    counters: [{ scope: "acknowledged", by: 1 }],
  });
  if (!result.committed) throw new Error("a plain append was refused");
  process.stdout.write(`${id}\n`);
}

async function list(store: SessionStore): Promise<void> {
  const rows = await store.listSessions({ scope: { every: true }, archived: false, limit: 50 });
  if (rows.length === 0) throw new Error("the session is not listed");
}

async function patch(store: SessionStore, session: string, number: number): Promise<void> {
  const result = await store.commit({ at: Date.now(), sessions: [{ id: session, set: { goal: `goal ${number}` } }] });
  if (!result.committed) throw new Error("a plain patch was refused");
}
