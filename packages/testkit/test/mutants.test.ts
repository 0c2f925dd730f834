import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionStore } from "@trunkline/core";
import { describe, expect, test } from "vitest";
import { createSqliteStore } from "../../store-sqlite/src/index.ts";
import { runStoreCase, type StoreCase, type StoreSuiteOptions, sessionStoreCases } from "../src/index.ts";
import { commitMutants } from "./mutants/commit-mutants.ts";
import { dialectMutants } from "./mutants/dialect-mutants.ts";
import { readMutants } from "./mutants/read-mutants.ts";

/** The suite's options for SQLite files whose handles go through `mutate`. */
function sqlite(mutate: (store: SessionStore) => SessionStore): StoreSuiteOptions {
  return {
    name: "sqlite",
    capabilities: { shared: true },
    async harness() {
      const folder = await mkdtemp(join(tmpdir(), "trunkline-mutants-"));
      const opened: SessionStore[] = [];
      return {
        async open() {
          const store = await createSqliteStore({ path: join(folder, "store.db") });
          opened.push(store);
          return mutate(store);
        },
        async dispose() {
          for (const store of opened) await store.close();
          await rm(folder, { recursive: true });
        },
      };
    },
  };
}

function caseNamed(name: string): StoreCase {
  const found = sessionStoreCases.find((one) => one.name === name);
  if (!found) throw new Error(`no case is named "${name}"`);
  return found;
}

const mutants = [...commitMutants, ...readMutants, ...dialectMutants];

describe("a store with one fault is caught", () => {
  test.each(mutants)("$fault", { timeout: 60_000 }, async ({ caughtBy, mutate }) => {
    await expect(runStoreCase(caseNamed(caughtBy), sqlite(mutate))).rejects.toThrow();
  });
});

describe("the store without the fault passes the same case", () => {
  test.each([...new Set(mutants.map(({ caughtBy }) => caughtBy))])("%s", { timeout: 60_000 }, async (name) => {
    await runStoreCase(
      caseNamed(name),
      sqlite((store) => store),
    );
  });
});

test("case names are unique, so that a report names one rule", () => {
  const names = sessionStoreCases.map((one) => one.name);
  expect(new Set(names).size).toBe(names.length);
});
