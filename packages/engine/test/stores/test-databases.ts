import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { StorePlace, TestStoreName } from "./store-place.ts";
import { createServerDatabase, type ServerDatabase, type ServerName } from "./test-server.ts";

const names: readonly TestStoreName[] = ["sqlite", "postgres", "mysql", "mariadb"];

/** The store that these tests run on. */
export const testStore: TestStoreName = chosen(process.env["TRUNKLINE_TEST_STORE"] ?? "sqlite");

function chosen(name: string): TestStoreName {
  const found = names.find((known) => known === name);
  if (!found) throw new Error(`TRUNKLINE_TEST_STORE is "${name}", not one of ${names.join(", ")}`);
  return found;
}

/** An empty database, until it is given back. */
export interface TestDatabase {
  readonly place: StorePlace;
  /** Every handle on it has to be closed before. */
  release(): Promise<void>;
}

/** An empty database that several handles, and several processes, may open. */
export function takeDatabase(): Promise<TestDatabase> {
  return testStore === "sqlite" ? createFile() : takeFromServer(testStore);
}

async function createFile(): Promise<TestDatabase> {
  const directory = await mkdtemp(join(tmpdir(), "trunkline-"));
  return {
    place: { store: "sqlite", url: join(directory, "trunkline.db") },
    release: () => rm(directory, { recursive: true, force: true }),
  };
}

// A database takes a server longer to make than a test takes, so the databases of one file's tests are used again.
const made: ServerDatabase[] = [];
const free: ServerDatabase[] = [];

if (testStore !== "sqlite") afterAll(async () => void (await Promise.all(made.map(({ drop }) => drop()))));

async function takeFromServer(server: ServerName): Promise<TestDatabase> {
  const database = free.pop() ?? (await createServerDatabase(server));
  if (!made.includes(database)) made.push(database);
  return {
    place: database.place,
    async release() {
      await database.empty();
      free.push(database);
    },
  };
}
