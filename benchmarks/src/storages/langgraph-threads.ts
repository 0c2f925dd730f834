import { randomUUID } from "node:crypto";
import { prose } from "../fixtures/texts.ts";
import { type Checkpointer, type PeerPackages, withVersion } from "./peer-packages.ts";
import type { Thread, ThreadStorage } from "./thread-storage.ts";

const note = "a put stores the thread's whole state and a read fetches it; no list of threads, only of checkpoints";

/** LangGraph's checkpointer on a file. */
export async function openLangGraphSqlite(packages: PeerPackages, path: string): Promise<ThreadStorage> {
  const saver = packages.SqliteSaver.fromConnString(path);
  saver.setup();
  const versions = await Promise.all(["@langchain/langgraph-checkpoint-sqlite", "better-sqlite3"].map(withVersion));
  return {
    name: "LangGraph",
    note: `${versions.join(" on ")}: ${note}`,
    addThread: (messages) => addThread(packages, saver, messages),
    close: async () => saver.db.close(),
  };
}

/** LangGraph's checkpointer on a database. */
export async function openLangGraphPostgres(packages: PeerPackages, url: string): Promise<ThreadStorage> {
  const saver = packages.PostgresSaver.fromConnString(url);
  await saver.setup();
  return {
    name: "LangGraph",
    note: `${await withVersion("@langchain/langgraph-checkpoint-postgres")}: ${note}`,
    addThread: (messages) => addThread(packages, saver, messages),
    close: () => saver.end(),
  };
}

/**
 * A thread as a graph with a channel of messages leaves it. Whoever appends has the messages at hand already, and each
 * append starts from the same ones, so that the thread does not grow while it is measured.
 */
async function addThread(
  { emptyCheckpoint, HumanMessage, AIMessage }: PeerPackages,
  saver: Checkpointer,
  count: number,
): Promise<Thread> {
  const config = { configurable: { thread_id: randomUUID(), checkpoint_ns: "" } };
  const message = (index: number) => {
    const fields = { id: randomUUID(), content: prose(index) };
    return index % 2 === 0 ? new HumanMessage(fields) : new AIMessage(fields);
  };
  const messages = Array.from({ length: count }, (_, index) => message(index));
  let version = 0;
  const put = (values: typeof messages) => {
    version++;
    const channels = { channel_values: { messages: values }, channel_versions: { messages: version } };
    const metadata = { source: "loop", step: version, parents: {} };
    return saver.put(config, { ...emptyCheckpoint(), ...channels }, metadata, channels.channel_versions);
  };
  await put(messages);
  return {
    async append() {
      const added = message(count + version);
      await put([...messages, added]);
      return added.content;
    },
    async last(limit) {
      const tuple = await saver.getTuple(config);
      return (tuple?.checkpoint.channel_values.messages ?? []).slice(-limit).map(({ content }) => content);
    },
  };
}
