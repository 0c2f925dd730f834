// Writes the tables of settings from the schemas that parse configurations. Run with --conditions=trunkline-source.
// With --check it writes nothing and fails when a document is not up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { gatewayConfigSchema } from "../apps/gateway/src/config/gateway-config.ts";
import { trunklineConfigSchema } from "../packages/core/src/config/trunkline-config.ts";
import { meanings, toldInOneRow } from "./configuration-meanings.mjs";
import { root } from "./workspace.mjs";

/** The sections that each document tells. The gateway's are read as they come out: a port may go in as text. */
const documents = [
  { path: "docs/configuration.md", sections: sectionsOf(trunklineConfigSchema, "input") },
  {
    path: "docs/gateway.md",
    sections: sectionsOf(gatewayConfigSchema.pick({ store: true, gateway: true }), "output"),
  },
];
const settings = documents.flatMap(({ sections }) =>
  Object.entries(sections).flatMap(([name, section]) => settingsBelow(name, section)),
);
const problems = [...meaningProblems(), ...documents.flatMap(writeTables)];
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
}

function sectionsOf(schema, io) {
  return z.toJSONSchema(schema, { io, unrepresentable: "any" }).properties;
}

function meaningProblems() {
  const untold = settings.filter(({ name }) => meanings[name] === undefined).map(({ name }) => name);
  const unknown = Object.keys(meanings).filter((name) => !settings.some((setting) => setting.name === name));
  return [
    ...untold.map((name) => `scripts/configuration-meanings.mjs does not tell ${name}`),
    ...unknown.map((name) => `scripts/configuration-meanings.mjs tells ${name}, which does not exist`),
  ];
}

function writeTables({ path, sections }) {
  const before = readFileSync(join(root, path), "utf8");
  const after = before.replace(
    /<!-- configuration: (\w+) -->[\s\S]*?<!-- \/configuration -->/g,
    (_marker, section) => `<!-- configuration: ${section} -->\n\n${table(section)}\n\n<!-- /configuration -->`,
  );
  const problems = Object.keys(sections)
    .filter((section) => !after.includes(`<!-- configuration: ${section} -->`))
    .map((section) => `${path} has no table for ${section}`);
  if (after === before) return problems;
  if (process.argv.includes("--check")) return [...problems, `${path} is not up to date. Run: npm run docs`];
  writeFileSync(join(root, path), after);
  return problems;
}

function table(section) {
  const rows = settings
    .filter(({ name }) => name.split(/[.[]/)[0] === section)
    .map(({ name, type, standard }) => `| \`${name}\` | ${type} | ${standard} | ${meanings[name]} |`);
  return ["| Setting | Value | Default | Meaning |", "|---|---|---|---|", ...rows].join("\n");
}

/** `{name, type, standard}` of each setting below a node of the JSON schema. */
function settingsBelow(name, node) {
  if (toldInOneRow.includes(name)) return [setting(name, node)];
  if (node.properties !== undefined) {
    return Object.entries(node.properties).flatMap(([key, child]) => settingsBelow(`${name}.${key}`, child));
  }
  if (node.items?.properties !== undefined) return settingsBelow(`${name}[]`, node.items);
  if (isMap(node) && meanings[name] === undefined) return settingsBelow(`${name}.<name>`, node.additionalProperties);
  return [setting(name, node)];
}

function setting(name, node) {
  return {
    name,
    type: typeOf(node),
    standard: node.default === undefined ? "" : `\`${JSON.stringify(node.default)}\``,
  };
}

function typeOf(node) {
  if (node.properties !== undefined) return Object.keys(node.properties).map(code).join(", ");
  if (node.anyOf !== undefined) return node.anyOf.map(typeOf).join(" or ");
  if (node.const !== undefined) return code(node.const);
  if (node.enum !== undefined) return node.enum.map(code).join(", ");
  if (node.type === "array") return `list of ${node.items.type === "string" ? "texts" : typeOf(node.items)}`;
  if (node.type === "boolean") return "`true`, `false`";
  if (node.type === "string") return "text";
  if (node.type === "integer") return `whole number, ${range(node)}`;
  if (node.type === "number") return "number, 0 or more";
  return "object";
}

function range({ minimum, maximum }) {
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? `${minimum} or more`
    : `${minimum} to ${maximum}`;
}

function isMap(node) {
  return typeof node.additionalProperties === "object" && Object.keys(node.additionalProperties).length > 0;
}

function code(value) {
  return `\`${value}\``;
}
