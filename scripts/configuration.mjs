// Writes the tables of docs/configuration.md from the schema that parses configurations. Run with
// --conditions=trunkline-source. With --check it writes nothing and fails when the document is not up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { trunklineConfigSchema } from "../packages/core/src/config/trunkline-config.ts";
import { meanings, toldInOneRow } from "./configuration-meanings.mjs";
import { root } from "./workspace.mjs";

const path = join(root, "docs/configuration.md");
const schema = z.toJSONSchema(trunklineConfigSchema, { io: "input", unrepresentable: "any" });
const settings = Object.entries(schema.properties).flatMap(([name, section]) => settingsBelow(name, section));
const without = settings.filter(({ name }) => meanings[name] === undefined).map(({ name }) => name);
const unknown = Object.keys(meanings).filter((name) => !settings.some((setting) => setting.name === name));
if (without.length + unknown.length > 0) {
  console.error(`scripts/configuration-meanings.mjs lacks: ${without.join(", ")}; has too many: ${unknown.join(", ")}`);
  process.exit(1);
}

const before = readFileSync(path, "utf8");
const after = before.replace(
  /<!-- configuration: (\w+) -->[\s\S]*?<!-- \/configuration -->/g,
  (_marker, section) => `<!-- configuration: ${section} -->\n\n${table(section)}\n\n<!-- /configuration -->`,
);
const absent = Object.keys(schema.properties).filter(
  (section) => !after.includes(`<!-- configuration: ${section} -->`),
);
if (absent.length > 0) {
  console.error(`docs/configuration.md has no table for: ${absent.join(", ")}`);
  process.exitCode = 1;
}
if (after !== before) {
  if (process.argv.includes("--check")) {
    console.error("Not up to date: docs/configuration.md. Run: npm run docs");
    process.exitCode = 1;
  } else writeFileSync(path, after);
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
