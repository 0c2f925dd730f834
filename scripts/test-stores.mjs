// Runs everything that a store has to pass, one store after another, and writes what came of it into docs/stores.md:
// `npm run test:stores`, `npm run test:stores -- postgres mysql`. With `--table <folder>` it only writes the table, from
// results of vitest's json reporter at `<folder>/<store>/<any name>.json`.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { serverVersion } from "../packages/engine/test/stores/test-server.ts";
import { databases } from "./services.mjs";
import { root, runUnderRepositoryNode } from "./setup/process.mjs";

const stores = [
  { name: "sqlite", title: "SQLite", package: "store-sqlite" },
  { name: "postgres", title: "PostgreSQL", package: "store-postgres" },
  { name: "mysql", title: "MySQL", package: "store-mysql" },
  { name: "mariadb", title: "MariaDB", package: "store-mysql" },
];

/** What a row of the table counts: the test files below these folders. */
const suites = [
  { title: "The store's conformance suite", files: /packages\/store-\w+\/test\/conformance/ },
  {
    title: "The store under processes, lost connections, host transactions",
    files: /packages\/store-\w+\/test\/(?!conf)/,
  },
  { title: "Engine: sends and exchanges", files: /engine\/test\/send\// },
  { title: "Engine: sub-agents", files: /engine\/test\/spawn\// },
  { title: "Engine: yields", files: /engine\/test\/yield\// },
  { title: "Engine: outbox", files: /engine\/test\/outbox\// },
  { title: "Engine: watchers", files: /engine\/test\/watch\// },
  { title: "Engine: leases, stops, lost commits", files: /engine\/test\/(runs\/|decide)/ },
  { title: "Engine: inbound, reading, field reports", files: /engine\/test\/(inbound|read|reports)\// },
  { title: "Engine: several processes", files: /engine\/test\/processes\// },
  { title: "Crash matrix (processes killed)", files: /engine\/test\/crash\// },
  { title: "Model-based test", files: /engine\/test\/model\// },
];

const marks = ["<!-- table: written by npm run test:stores -->", "<!-- /table -->"];

async function main(args) {
  if (args[0] === "--table") return writeTable(args[1]);
  const folder = join(root, "node_modules", ".trunkline", "stores");
  Object.assign(process.env, await databases.run());
  let failed = 0;
  for (const store of stores) {
    if (args.length > 0 && !args.includes(store.name)) continue;
    rmSync(join(folder, store.name), { recursive: true, force: true });
    failed += await testStore(store, join(folder, store.name));
  }
  await writeTable(folder);
  return failed;
}

/** The engine's tests as `npm test` runs them on a server, and the store's own; resolves to how many runs failed. */
async function testStore({ name, package: folder }, results) {
  if (name !== "sqlite" && !process.env.TRUNKLINE_TEST_STORES.split(",").includes(name)) return 1;
  mkdirSync(results, { recursive: true });
  const engine = name === "sqlite" ? ["--project", "main", "packages/engine/test"] : ["--project", name];
  const own = ["--project", "main", `packages/${folder}/test`];
  let failed = 0;
  for (const [part, args] of Object.entries({ engine, own })) {
    const output = `--outputFile.json=${join(results, `${part}.json`)}`;
    const vitest = ["node_modules/vitest/vitest.mjs", "run", ...args, "--reporter=default", "--reporter=json", output];
    if ((await runUnderRepositoryNode(vitest)) !== 0) failed++;
  }
  return failed;
}

async function writeTable(folder) {
  const columns = await Promise.all(
    stores.map(async (store) => ({
      heading: `${store.title} ${await versionOf(store.name)}`,
      files: resultsOf(folder, store),
    })),
  );
  const lines = [
    ["Suite", ...columns.map(({ heading }) => heading.trim())],
    ["---", ...columns.map(() => "---")],
    ...suites.map(({ title, files }) => [title, ...columns.map((column) => cell(column.files, files))]),
  ].map((cells) => `| ${cells.join(" | ")} |`);
  const file = join(root, "docs", "stores.md");
  const text = readFileSync(file, "utf8");
  const [before, rest] = text.split(marks[0]);
  if (rest === undefined) throw new Error(`docs/stores.md has no line "${marks[0]}"`);
  writeFileSync(file, `${before}${marks[0]}\n\n${lines.join("\n")}\n\n${marks[1]}${rest.split(marks[1])[1]}`);
  return 0;
}

/** The tests of a store: one file's tests once, the newest result of each. */
function resultsOf(folder, { name }) {
  const other = { mysql: "mariadb", mariadb: "mysql" }[name];
  const byFile = new Map();
  for (const path of globSync(join(folder, name, "*.json"))) {
    for (const { name: file, startTime, assertionResults, status } of JSON.parse(readFileSync(path, "utf8"))
      .testResults) {
      // One file tests both of these servers, in groups of their names.
      const tests = assertionResults.filter(({ fullName }) => !fullName.split(/\W/).includes(other));
      const known = byFile.get(file);
      if (!known || known.startTime < startTime) byFile.set(file, { startTime, tests, status });
    }
  }
  return byFile;
}

function cell(results, pattern) {
  const found = [...results].filter(([file]) => pattern.test(file)).map(([, result]) => result);
  const count = (status) => found.flatMap(({ tests }) => tests).filter((test) => test.status === status).length;
  // A file that does not load has no test that failed.
  const unloaded = found.filter(
    ({ status, tests }) => status === "failed" && !tests.some((test) => test.status === "failed"),
  );
  const failed = count("failed") + unloaded.length;
  if (count("passed") + failed === 0) return "not run";
  return failed === 0 ? `${count("passed")} passed` : `${count("passed")} passed, ${failed} **failed**`;
}

async function versionOf(store) {
  if (store !== "sqlite") return serverVersion(store).then(shortVersion, () => "");
  const require = createRequire(join(root, "packages", "store-sqlite", "package.json"));
  const database = new (require("better-sqlite3"))(":memory:");
  return database.prepare("select sqlite_version()").pluck().get();
}

function shortVersion(text) {
  return /\d+(?:\.\d+)+/.exec(text)?.[0] ?? text;
}

process.exitCode = await main(process.argv.slice(2));
