/** What the sources of a package may import: packages of this repository, npm packages, and Node's own modules. */
export interface ImportRule {
  /** Folder names below packages/; "any" lifts every limit. */
  readonly ours: readonly string[] | "any";
  readonly external?: readonly string[];
  /** How many vendors (npm scopes, or packages without a scope) may come on top: a driver, a platform's client, an SDK. */
  readonly vendors?: 0 | 1;
  /** May import `node:` modules. */
  readonly builtins?: boolean;
  /** Packages of this repository that an installing project brings itself, so that there is only one copy of them. */
  readonly peers?: readonly string[];
}

const adapter = { ours: ["core"], peers: ["core"], builtins: true } as const;
const protocolFace = { ours: ["core", "engine"], peers: ["core"], vendors: 1, builtins: true } as const;

/** The one markdown tree from which every channel's flavour is made. */
const markdown = ["mdast-util-from-markdown", "mdast-util-gfm", "micromark-extension-gfm"];

/** Who may import whom, by folder name; a name that ends with `-*` is a family. A package without a row fails the test. */
export const importRules: Readonly<Record<string, ImportRule>> = {
  config: { ours: [] },
  core: { ours: [], external: ["zod"] },
  engine: { ours: ["core"], peers: ["core"], external: ["zod", "uuid", "croner", ...markdown], builtins: true },
  "store-sql": { ...adapter, external: ["kysely"] },
  "store-*": { ...adapter, ours: ["core", "store-sql"], external: ["kysely"], vendors: 1 },
  "runner-*": { ...adapter, external: ["zod"], vendors: 1 },
  "deliverer-*": { ...adapter, external: ["zod"], vendors: 1 },
  // BullMQ leaves the choice of its Redis client to whoever installs it.
  "dispatcher-*": { ...adapter, external: ["ioredis"], vendors: 1 },
  testkit: { ...adapter, external: ["vitest", "fast-check"] },
  client: { ...adapter },
  create: { ours: [], vendors: 1, builtins: true },
  mcp: { ...protocolFace, external: ["zod"] },
  a2a: { ...protocolFace, external: ["zod"] },
  gateway: { ours: "any" },
  console: { ours: "any" },
};

/** The rule for a folder: its own row, else the row of its family. */
export function importRuleFor(folder: string): ImportRule | undefined {
  return importRules[folder] ?? importRules[`${folder.slice(0, folder.indexOf("-") + 1)}*`];
}
