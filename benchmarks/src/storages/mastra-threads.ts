import { randomUUID } from "node:crypto";
import { prose } from "../fixtures/texts.ts";
import {
  type MastraMemory,
  type MastraMessage,
  type MastraStorage,
  type PeerPackages,
  withVersion,
} from "./peer-packages.ts";
import { type Thread, type ThreadListing, type ThreadStorage, threadName } from "./thread-storage.ts";

const start = Date.UTC(2026, 0, 1);
const resourceId = "main";
const messagesPerSave = 500;
const savesAtOnce = 10;

/** Mastra's storage on a file. */
export async function openMastraLibSql(packages: PeerPackages, path: string): Promise<ThreadStorage> {
  const storage = new packages.LibSQLStore({ id: "benchmark", url: `file:${path}` });
  const note = `${await withVersion("@mastra/libsql")}: a page of threads or of messages comes with a count of all`;
  return await openMastra(storage, note);
}

/** Mastra's storage on a database. */
export async function openMastraPostgres(packages: PeerPackages, url: string): Promise<ThreadStorage> {
  const storage = new packages.PostgresStore({ id: "benchmark", connectionString: url });
  return await openMastra(storage, `${await withVersion("@mastra/pg")}: a page of threads comes with a count of all`);
}

async function openMastra(storage: MastraStorage, note: string): Promise<ThreadStorage> {
  await storage.init();
  const memory = await storage.getStore("memory");
  return {
    name: "Mastra",
    note,
    listing: openListing(memory),
    addThread: (messages) => addThread(memory, messages),
    close: () => storage.close(),
  };
}

function openListing(memory: MastraMemory): ThreadListing {
  return {
    async add(count) {
      for (let first = 0; first < count; first += savesAtOnce) {
        const indexes = Array.from({ length: Math.min(savesAtOnce, count - first) }, (_, place) => first + place);
        await Promise.all(indexes.map((index) => saveThread(memory, threadName(index), index)));
      }
    },
    async newest(limit) {
      const orderBy = { field: "updatedAt", direction: "DESC" } as const;
      const { threads } = await memory.listThreads({ page: 0, perPage: limit, orderBy });
      return threads.map(({ title }) => title);
    },
  };
}

async function addThread(memory: MastraMemory, count: number): Promise<Thread> {
  const threadId = await saveThread(memory, "Transcript", 0);
  const message = (index: number): MastraMessage => ({
    id: randomUUID(),
    threadId,
    resourceId,
    role: index % 2 === 0 ? "user" : "assistant",
    createdAt: new Date(start + index),
    content: { format: 2, parts: [{ type: "text", text: prose(index) }] },
  });
  for (let first = 0; first < count; first += messagesPerSave) {
    const length = Math.min(messagesPerSave, count - first);
    await memory.saveMessages({ messages: Array.from({ length }, (_, place) => message(first + place)) });
  }
  let next = count;
  return {
    async append() {
      const added = message(next++);
      await memory.saveMessages({ messages: [added] });
      return textOf(added);
    },
    async last(limit) {
      const orderBy = { field: "createdAt", direction: "DESC" } as const;
      // As Mastra's own agents read their last messages; its store of files counts them all the same.
      const page = await memory.listMessages({ threadId, page: 0, perPage: limit, orderBy, includeTotal: false });
      return page.messages.map(textOf).reverse();
    },
  };
}

async function saveThread(memory: MastraMemory, title: string, index: number): Promise<string> {
  const id = randomUUID();
  const at = new Date(start + index);
  await memory.saveThread({ thread: { id, resourceId, title, createdAt: at, updatedAt: at } });
  return id;
}

function textOf({ content }: MastraMessage): string {
  return content.parts.map(({ text }) => text).join("");
}
