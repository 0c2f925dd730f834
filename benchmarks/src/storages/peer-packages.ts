import { readFile } from "node:fs/promises";
import { loadPeer } from "../../peers/load.ts";

/** The parts of LangGraph's checkpointers that are used here. */
export interface Checkpointer {
  put(config: CheckpointConfig, checkpoint: Checkpoint, metadata: object, newVersions: object): Promise<unknown>;
  getTuple(config: CheckpointConfig): Promise<{ readonly checkpoint: Checkpoint } | undefined>;
}

export interface CheckpointConfig {
  readonly configurable: { readonly thread_id: string; readonly checkpoint_ns: string };
}

export interface Checkpoint {
  readonly channel_values: { readonly messages?: readonly ChatMessage[] };
  readonly channel_versions: { readonly [channel: string]: number };
}

export interface ChatMessage {
  readonly content: string;
}

/** The parts of Mastra's storage that are used here. */
export interface MastraStorage {
  init(): Promise<void>;
  getStore(domain: "memory"): Promise<MastraMemory>;
  close(): Promise<void>;
}

export interface MastraMemory {
  saveThread(input: { readonly thread: MastraThread }): Promise<unknown>;
  saveMessages(input: { readonly messages: readonly MastraMessage[] }): Promise<unknown>;
  listMessages(
    input: MastraPage & { readonly threadId: string; readonly includeTotal: boolean },
  ): Promise<{ readonly messages: readonly MastraMessage[] }>;
  listThreads(input: MastraPage): Promise<{ readonly threads: readonly MastraThread[] }>;
}

interface MastraPage {
  readonly page: number;
  readonly perPage: number;
  readonly orderBy: { readonly field: "createdAt" | "updatedAt"; readonly direction: "DESC" };
}

export interface MastraThread {
  readonly id: string;
  readonly resourceId: string;
  readonly title: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface MastraMessage {
  readonly id: string;
  readonly threadId: string;
  readonly resourceId: string;
  readonly role: "user" | "assistant";
  readonly createdAt: Date;
  readonly content: { readonly format: 2; readonly parts: readonly { readonly type: "text"; readonly text: string }[] };
}

type MessageClass = new (fields: { readonly id: string; readonly content: string }) => ChatMessage;

/** What the storages of others export, as far as it is used here. */
export interface PeerPackages {
  readonly emptyCheckpoint: () => Checkpoint;
  readonly HumanMessage: MessageClass;
  readonly AIMessage: MessageClass;
  readonly SqliteSaver: {
    fromConnString(path: string): Checkpointer & { readonly db: { close(): void }; setup(): void };
  };
  readonly PostgresSaver: {
    fromConnString(url: string): Checkpointer & { setup(): Promise<void>; end(): Promise<void> };
  };
  readonly LibSQLStore: new (options: { readonly id: string; readonly url: string }) => MastraStorage;
  readonly PostgresStore: new (options: { readonly id: string; readonly connectionString: string }) => MastraStorage;
}

const names = [
  "@langchain/core/messages",
  "@langchain/langgraph-checkpoint",
  "@langchain/langgraph-checkpoint-sqlite",
  "@langchain/langgraph-checkpoint-postgres",
  "@mastra/libsql",
  "@mastra/pg",
];

/** Imports them; `undefined` when they are not installed. */
export async function loadPeers(): Promise<PeerPackages | undefined> {
  try {
    const loaded = await Promise.all(names.map(loadPeer));
    return Object.assign({}, ...loaded) as PeerPackages;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** A package's name with the version that `peers/package.json` asks for. */
export async function withVersion(name: string): Promise<string> {
  const text = await readFile(new URL("../../peers/package.json", import.meta.url), "utf8");
  const { dependencies } = JSON.parse(text) as { readonly dependencies: { readonly [name: string]: string } };
  return `${name} ${dependencies[name]}`;
}
