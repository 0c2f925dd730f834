import { randomUUID } from "node:crypto";
import type { MessageRecord, SessionStore } from "@trunkline/core";
import { seedSessions, seedTranscript } from "../fixtures/seed.ts";
import { prose } from "../fixtures/texts.ts";
import type { Thread, ThreadStorage } from "./thread-storage.ts";

/** A migrated store of ours, without the engine and the tools' checks. */
export function openTrunkline(store: SessionStore): ThreadStorage {
  return {
    name: "Trunkline",
    listing: {
      async add(count) {
        await seedSessions(store, count, 1);
        await fillTextIndex(store);
      },
      async newest(limit) {
        const sessions = await store.listSessions({ scope: { every: true }, archived: false, limit });
        return sessions.map(({ displayName }) => displayName ?? "");
      },
    },
    addThread: (messages) => addThread(store, messages),
    close: () => store.close(),
  };
}

async function addThread(store: SessionStore, count: number): Promise<Thread> {
  const id = await seedTranscript(store, `agent:main:thread:${randomUUID()}`, count);
  await fillTextIndex(store);
  let next = count;
  return {
    async append() {
      const body = { content: prose(next++) };
      const row = { id: randomUUID(), role: "user", class: 0, body } as const;
      const append = [{ from: "outside", messages: [row] }] as const;
      await store.commit({ at: next, sessions: [{ id, set: { updatedAt: next }, append }] });
      return body.content;
    },
    async last(limit) {
      const from = { sessionRow: id, firstSeq: 0, from: "newest" } as const;
      const page = await store.readMessages({ ...from, classes: [0], limit });
      return page.messages.map(textOf);
    },
  };
}

/** It is filled when writing has paused; the first pause is in the time of whoever is compared with us. */
async function fillTextIndex(store: SessionStore): Promise<void> {
  await store.searchMessages({ scope: { every: true }, words: ["invoice"], includeTools: false, limit: 1 });
}

function textOf({ body: { content } }: MessageRecord): string {
  return typeof content === "string" ? content : "";
}
