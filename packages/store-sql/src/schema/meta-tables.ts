import { qualifiedName } from "./physical-tables.ts";

/** Names of the store's own tables: `meta` holds the schema's version, `changes` the feed of hints for other processes. */
export interface MetaTables {
  readonly meta: string;
  readonly changes: string;
}

export function createMetaTables(prefix: string, schema?: string): MetaTables {
  return { meta: qualifiedName(schema, `${prefix}meta`), changes: qualifiedName(schema, `${prefix}changes`) };
}
