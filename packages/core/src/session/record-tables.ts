import type { ReadableKind } from "./records.ts";
import { runTables } from "./run-tables.ts";
import { sessionTables } from "./session-tables.ts";
import { maybe, of, type TableDefinition } from "./table-definition.ts";

/** Every table with its key and indexes: the single source of migrations, codecs and index reads. */
export const recordTables = {
  ...sessionTables,
  ...runTables,
  delivery: {
    table: "deliveries",
    key: ["id"],
    columns: {
      id: of("id"),
      cause: of("name"),
      sessionRow: of("id"),
      runId: maybe("id"),
      kind: of("name"),
      route: maybe("json"),
      routeHash: maybe("id"),
      body: of("body"),
      state: of("name"),
      reason: maybe("body"),
      attempts: of("int"),
      nextAttemptAt: maybe("big"),
      expiresAt: maybe("big"),
      owner: maybe("id"),
      parts: maybe("json"),
      partsTotal: of("int"),
      partsDone: of("int"),
      receipts: of("json"),
      activeRoute: maybe("id"),
      createdAt: of("big"),
      endedAt: maybe("big"),
      version: of("big"),
    },
    indexes: {
      cause: { columns: ["cause"], unique: true },
      activeRoute: { columns: ["activeRoute"], unique: true },
      due: { columns: ["state", "nextAttemptAt"] },
      owner: { columns: ["owner", "state"] },
      session: { columns: ["sessionRow", "createdAt"] },
      run: { columns: ["runId"] },
    },
  },
  binding: {
    table: "bindings",
    key: ["routeHash"],
    columns: {
      routeHash: of("id"),
      sessionRow: maybe("id"),
      route: of("json"),
      state: of("name"),
      owner: maybe("id"),
      expiresAt: maybe("big"),
    },
    indexes: { session: { columns: ["sessionRow"] }, expiry: { columns: ["state", "expiresAt"] } },
  },
  idempotency: {
    table: "idempotency",
    key: ["scopeHash"],
    columns: {
      scopeHash: of("id"),
      fingerprint: of("name"),
      runId: maybe("id"),
      result: maybe("json"),
      expiresAt: of("big"),
    },
    indexes: { expiry: { columns: ["expiresAt"] } },
  },
  usage: {
    table: "usage_entries",
    key: ["id"],
    columns: {
      id: of("id"),
      runId: of("id"),
      sessionRow: of("id"),
      parentRow: maybe("id"),
      rootId: of("id"),
      model: maybe("text"),
      inputTokens: of("big"),
      outputTokens: of("big"),
      totalTokens: of("big"),
      nanoUsd: of("big"),
      at: of("big"),
    },
    indexes: {
      run: { columns: ["runId"], unique: true },
      session: { columns: ["sessionRow", "at"] },
      root: { columns: ["rootId"] },
      parent: { columns: ["parentRow"] },
    },
  },
  job: {
    table: "jobs",
    key: ["id"],
    columns: {
      id: of("id"),
      kind: of("name"),
      ref: of("name"),
      dueAt: of("big"),
      attempts: of("int"),
      owner: maybe("id"),
    },
    indexes: { ref: { columns: ["kind", "ref"], unique: true }, due: { columns: ["dueAt"] } },
  },
  counter: {
    table: "counters",
    key: ["scope"],
    columns: { scope: of("name"), used: of("big") },
    indexes: {},
  },
} as const satisfies { readonly [K in ReadableKind]: TableDefinition<K> };

/** The names of a kind's indexes, for `{find}` reads. */
export type IndexName<K extends ReadableKind> = keyof (typeof recordTables)[K]["indexes"] & string;
