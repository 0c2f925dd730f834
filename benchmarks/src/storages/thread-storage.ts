/** What Trunkline and others keep alike: threads of messages. Each opened storage has a file or a database of its own. */
export interface ThreadStorage {
  readonly name: string;
  /** What a reader of the figures has to know. */
  readonly note?: string;
  /** Missing where threads cannot be listed. */
  readonly listing?: ThreadListing;
  /** Adds a thread of so many messages, the texts of `prose`, of users and assistants in turns. */
  addThread(messages: number): Promise<Thread>;
  close(): Promise<void>;
}

export interface ThreadListing {
  /** Adds threads named by `threadName`, each newer than the one before. */
  add(count: number): Promise<void>;
  /** The names of the newest threads, the newest first. */
  newest(limit: number): Promise<readonly string[]>;
}

export interface Thread {
  /** Adds one message and returns its text. */
  append(): Promise<string>;
  /** The texts of the last messages, the newest last. */
  last(limit: number): Promise<readonly string[]>;
}

/** The name of the n-th listed thread. */
export const threadName = (index: number): string => `Group ${index}`;
