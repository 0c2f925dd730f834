import { existsSync } from "node:fs";
import { join } from "node:path";
import { publishedPackages } from "./workspace.mjs";

/** When to pick which package; a package that does not exist yet is listed as planned. */
const rows = [
  ["core", "you write an adapter, or only need keys, redaction or the tool schemas"],
  ["engine", "always: it runs sessions, spawns, replies and deliveries"],
  ["store-sqlite", "one machine, nothing to operate"],
  ["store-postgres", "you run Postgres, or several processes"],
  ["store-mysql", "you run MySQL or MariaDB"],
  ["runner-ai-sdk", "your models come through the AI SDK"],
  ["runner-openai-agents", "your agents are built with the OpenAI Agents SDK"],
  ["runner-acp", "children should run on an external coding agent"],
  ["deliverer-*", "answers should reach a chat channel"],
  ["dispatcher-bullmq", "many processes share the runs, and you have Redis"],
  ["mcp", "a client speaks the Model Context Protocol"],
  ["a2a", "other agents speak Agent2Agent"],
  ["client", "you call a gateway from TypeScript"],
  ["testkit", "you test an agent, a store, a runner or a deliverer"],
  ["create", "you start a store or a deliverer of your own"],
  ["gateway", "you want the program: command line, HTTP and MCP"],
];

/** The README's table, in Markdown: package, when to pick it, what it needs beside it, how far it is. */
export function packageTable() {
  const published = publishedPackages().filter(({ directory }) => existsSync(join(directory, "src", "index.ts")));
  const lines = rows.map(([name, when]) => {
    const members = published.filter((candidate) => isNamed(candidate.name, name));
    const state = members.length === 0 ? "planned" : "preview";
    return `| ${cell(name, members)} | ${when} | ${peers(members)} | ${state} |`;
  });
  const unlisted = published.filter(
    ({ name }) => name !== "@trunkline/store-sql" && !rows.some(([row]) => isNamed(name, row)),
  );
  if (unlisted.length > 0) {
    throw new Error(`scripts/package-table.mjs has no row for: ${unlisted.map(({ name }) => name).join(", ")}`);
  }
  return ["| Package | Pick it when | Peers | State |", "|---|---|---|---|", ...lines].join("\n");
}

function isNamed(name, row) {
  const full = `@trunkline/${row}`;
  return full.endsWith("*") ? name.startsWith(full.slice(0, -1)) : name === full;
}

function cell(row, members) {
  if (row.endsWith("*") && members.length > 0) return `\`@trunkline/${row}\` (${members.length})`;
  return `\`@trunkline/${row}\``;
}

function peers(members) {
  const names = members.flatMap(({ manifest }) =>
    Object.keys(manifest.peerDependencies ?? {}).filter(
      (peer) => !peer.startsWith("@trunkline/") && manifest.peerDependenciesMeta?.[peer]?.optional !== true,
    ),
  );
  return [...new Set(names)].map((name) => `\`${name}\``).join(", ");
}
