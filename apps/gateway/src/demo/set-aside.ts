import { existsSync, renameSync } from "node:fs";
import { createSqliteStore } from "@trunkline/store-sqlite";

/** A demo database that was moved out of the way. */
export interface SetAside {
  /** The new path. */
  readonly path: string;
  readonly schema: number;
  readonly latest: number;
}

/** The schema of a database, and the one that this version writes. */
export type ReadSchema = (databasePath: string) => Promise<{ readonly current: number; readonly latest: number }>;

/** Moves a database of an older schema to a new name, so that the demo starts on a new one; leaves any other alone. */
export async function setOlderSchemaAside(
  databasePath: string,
  readSchema: ReadSchema = readSqliteSchema,
): Promise<SetAside | undefined> {
  if (!existsSync(databasePath)) return undefined;
  const { current, latest } = await readSchema(databasePath);
  if (current === 0 || current >= latest) return undefined;
  const path = freeName(databasePath.replace(/\.db$/u, ""), current);
  for (const suffix of ["", "-wal", "-shm"]) {
    if (existsSync(`${databasePath}${suffix}`)) renameSync(`${databasePath}${suffix}`, `${path}${suffix}`);
  }
  return { path, schema: current, latest };
}

async function readSqliteSchema(path: string) {
  await using store = await createSqliteStore({ path });
  return await store.schemaVersion();
}

function freeName(base: string, schema: number): string {
  for (let number = 1; ; number += 1) {
    const path = `${base}-schema-${schema}${number === 1 ? "" : `-${number}`}.db`;
    if (!existsSync(path)) return path;
  }
}
