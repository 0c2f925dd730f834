import { TrunklineError } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import { selectFirst } from "../read/select.ts";
import { slot } from "../shapes.ts";
import type { Steps } from "../statement.ts";

/** The schema that this package writes. */
export const latestSchemaVersion = 1;

/** The version found in the database; the `meta` table must exist. */
export function* readSchemaVersion({ shape, meta }: SqlContext): Steps<number> {
  const row = yield* selectFirst(
    shape("meta.version", (db) => db.selectFrom(meta.meta).select("value").where("name", "=", "schema_version")).bind(
      {},
    ),
  );
  return Number(row?.["value"] ?? 0);
}

export function* writeSchemaVersion({ shape, meta }: SqlContext, version: number): Steps<void> {
  yield shape("meta.clearVersion", (db) => db.deleteFrom(meta.meta).where("name", "=", "schema_version")).bind({});
  yield shape("meta.setVersion", (db) =>
    db.insertInto(meta.meta).values({ name: "schema_version", value: slot("version") }),
  ).bind({
    version: String(version),
  });
}

/** Throws unless the schema is the one that this package knows. */
export function checkSchemaVersion(version: number, description: string): void {
  if (version > latestSchemaVersion) {
    throw new TrunklineError(
      "store_schema_newer",
      `The data in ${description} has schema version ${version}; this package knows ${latestSchemaVersion}.`,
      {
        fix: "Update Trunkline on this machine to the version that wrote the data.",
      },
    );
  }
  if (version < latestSchemaVersion) throw notMigrated(description);
}

/** The error of an operation on a database without the tables. */
export function notMigrated(description: string, cause?: unknown): TrunklineError {
  return new TrunklineError("store_not_migrated", `The tables in ${description} are missing or of an older version.`, {
    fix: "Call migrate() on the store once before using it.",
    cause,
  });
}
