import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { WakeHint } from "@trunkline/core";
import type { HintChannel, HintListener, Statement } from "@trunkline/store-sql";
import type { Client } from "pg";
import { hintPayloads, readPayload } from "./hint-payload.ts";

export interface NotifyChannelOptions {
  /** Makes a client that is in no pool. */
  readonly createClient: () => Client;
  readonly channel: string;
}

const reconnectAfterMs = [0, 100, 500, 2000];
const maxWaitingHints = 5000;

/** The name of the channel of one store's tables. */
export function channelName(tables: string): string {
  return `trunkline_${createHash("sha256").update(tables).digest("hex").slice(0, 24)}`;
}

/**
 * LISTEN and NOTIFY on a client of its own. Notifications are sent after the commit: within its transaction they would
 * make commits wait for one another.
 */
export function createNotifyChannel({ createClient, channel }: NotifyChannelOptions): HintChannel {
  const sender = randomUUID();
  let current: Client | undefined;
  let connection: Promise<Client> | undefined;
  let deliver: HintListener | undefined;
  let waiting: readonly WakeHint[] = [];
  let isSending = false;
  let failures = 0;
  let closed = false;

  function connected(): Promise<Client> {
    connection ??= connect();
    return connection;
  }

  async function connect(): Promise<Client> {
    await sleep(reconnectAfterMs[Math.min(failures, reconnectAfterMs.length - 1)], undefined, { ref: false });
    failures += 1;
    const client = createClient();
    current = client;
    client.on("error", () => lose(client));
    client.on("end", () => lose(client));
    client.on("notification", ({ payload = "" }) => {
      const hints = readPayload(payload, sender);
      if (hints.length > 0 && !closed) deliver?.(hints);
    });
    try {
      await client.connect();
      letProcessEnd(client);
      if (deliver !== undefined) await client.query(`listen ${channel}`);
    } catch (error) {
      lose(client);
      throw error;
    }
    failures = 0;
    return client;
  }

  /** A listening handle connects again by itself; another one when it has something to say. */
  function lose(client: Client): void {
    if (current !== client) return;
    current = undefined;
    connection = undefined;
    if (deliver !== undefined && !closed) connected().catch(ignore);
  }

  async function sendWaiting(): Promise<void> {
    isSending = true;
    try {
      while (waiting.length > 0 && !closed) {
        const client = await connected();
        const statements = notifyStatements(channel, sender, waiting);
        waiting = [];
        for (const { sql, parameters } of statements) await client.query(sql, [...parameters]);
      }
    } finally {
      isSending = false;
    }
  }

  return {
    send(hints) {
      if (hints.length === 0 || closed) return;
      waiting = [...waiting, ...hints].slice(-maxWaitingHints);
      if (!isSending) sendWaiting().catch(ignore);
    },
    listen(listener) {
      deliver = listener;
      const listening = connection?.then((client) => client.query(`listen ${channel}`)) ?? connected();
      listening.catch(ignore);
    },
    async close() {
      closed = true;
      const open = connection;
      current = undefined;
      connection = undefined;
      await open?.then(endClient).catch(ignore);
    },
  };
}

/** Sends hints when the transaction around them is committed; a listener passes over what it sent itself. */
export function notifyStatements(channel: string, sender: string, hints: readonly WakeHint[]): readonly Statement[] {
  const payloads = hintPayloads(sender, hints);
  if (payloads.length === 0) return [];
  const calls = payloads.map((_payload, index) => `pg_notify($1, $${index + 2})`);
  return [{ sql: `select ${calls.join()}`, parameters: [channel, ...payloads] }];
}

/** A process that has nothing else to do must still see the end of the connection that it waits for. */
async function endClient(client: Client): Promise<void> {
  if ("ref" in client && typeof client.ref === "function") client.ref();
  await client.end();
}

function letProcessEnd(client: Client): void {
  if ("unref" in client && typeof client.unref === "function") client.unref();
}

function ignore(): void {
  // What is lost here is found in the feed.
}
