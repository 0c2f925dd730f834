import { readFileSync } from "node:fs";
import process from "node:process";
import { z } from "zod";
import { formatFields } from "../terminal/columns.ts";
import type { CommandContext } from "./command-context.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";

const manifestSchema = z.object({ version: z.string() });

/** The version of this package. */
export function programVersion(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return manifestSchema.parse(JSON.parse(manifest)).version;
}

/** `--version`: this program's, Node's and the newest schema's. */
export async function printVersions(context: CommandContext): Promise<ExitCode> {
  const { createSqliteStore } = await import("@trunkline/store-sqlite");
  const store = await createSqliteStore({ path: ":memory:" });
  const { latest } = await store.schemaVersion();
  await store.close();
  const versions = { cli: programVersion(), node: process.versions.node, schema: latest };
  context.result(versions, () =>
    formatFields([
      ["trunkline", versions.cli],
      ["node", versions.node],
      ["schema", String(latest)],
    ]),
  );
  return exitCodes.done;
}
