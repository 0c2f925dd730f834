/** Names of the store's own tables: `meta` holds the schema's version, `changes` the feed of hints for other processes. */
export interface MetaTables {
  readonly meta: string;
  readonly changes: string;
}

export function createMetaTables(prefix: string): MetaTables {
  return { meta: `${prefix}meta`, changes: `${prefix}changes` };
}
