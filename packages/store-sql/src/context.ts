import type { ReadableKind, WakeHint } from "@trunkline/core";
import { createDecoder, type RecordDecoder } from "./codec/decode.ts";
import type { DialectTraits } from "./dialect.ts";
import { createMetaTables, type MetaTables } from "./schema/meta-tables.ts";
import { physicalTables, qualifiedName, type TableMap } from "./schema/physical-tables.ts";
import type { MessageIndex } from "./search/message-index.ts";
import { createSqlCompiler, type SqlCompiler } from "./shapes.ts";
import type { Statement } from "./statement.ts";

/** What every operation needs to build and read statements. */
export interface SqlContext extends SqlCompiler {
  readonly traits: DialectTraits;
  readonly schema: string | undefined;
  readonly tables: TableMap;
  readonly meta: MetaTables;
  readonly decode: { readonly [K in ReadableKind]: RecordDecoder<K> };
  readonly messageIndex: MessageIndex;
  /** Marks this handle's rows in the feed of hints; undefined when no other handle reads it. */
  readonly feedOrigin: string | undefined;
  /** Statements that push hints when the transaction around them is committed. */
  readonly notify: ((hints: readonly WakeHint[]) => readonly Statement[]) | undefined;
}

export interface ContextOptions {
  readonly traits: DialectTraits;
  readonly prefix: string;
  /** Where the tables lie, if not where the connection looks by itself. */
  readonly schema: string | undefined;
  readonly feedOrigin: string | undefined;
  readonly notify: SqlContext["notify"];
}

export function createContext({ traits, prefix, schema, feedOrigin, notify }: ContextOptions): SqlContext {
  const tables = physicalTables(prefix, schema);
  const meta = createMetaTables(prefix, schema);
  const decoders = Object.entries(tables).map(([kind, table]) => [kind, createDecoder(kind as ReadableKind, table)]);
  const compiler = createSqlCompiler(traits);
  return {
    ...compiler,
    traits,
    schema,
    tables,
    meta,
    decode: Object.fromEntries(decoders) as SqlContext["decode"],
    messageIndex: traits.createMessageIndex({
      ...compiler,
      messages: tables.message.name,
      sessions: tables.session.name,
      meta: meta.meta,
      index: qualifiedName(schema, `${prefix}message_texts`),
    }),
    feedOrigin,
    notify,
  };
}
