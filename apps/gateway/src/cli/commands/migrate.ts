import type { SessionStore } from "@trunkline/core";
import { isMissing, readLocalSetup } from "../../runtime/local-setup.ts";
import { formatFields } from "../../terminal/columns.ts";
import type { CommandContext } from "../command-context.ts";
import type { CommandDefinition } from "../command-definition.ts";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-code.ts";
import { textFlag } from "../read-flags.ts";

interface SchemaState {
  readonly current: number;
  readonly latest: number;
  readonly pending: number;
}

/** `migrate up`. */
export const migrateUpCommand: CommandDefinition = {
  path: ["migrate", "up"],
  summary: "Bring the store's schema up to date; safe to repeat",
  flags: [],
  examples: [
    { line: "migrate up", description: "the configured store" },
    { line: "migrate up --config other.json5", description: "the store of another configuration" },
  ],
  exitCodes: [0, 2, 7],
  async run(context) {
    const setup = readLocalSetup(context);
    const { openStore } = await import("../../runtime/open-local.ts");
    await using store = await openStore(setup);
    await store.migrate();
    print(context, setup.databaseName, await stateOf(store));
    return exitCodes.done;
  },
};

/** `migrate status`. */
export const migrateStatusCommand: CommandDefinition = {
  path: ["migrate", "status"],
  summary: "Show the store's schema version and what is pending; changes nothing",
  flags: [],
  examples: [
    { line: "migrate status", description: "the configured store; exit code 6 when something is pending" },
    { line: "migrate status --json", description: "the same for a script" },
  ],
  exitCodes: [0, 2, 6, 7],
  async run(context) {
    const setup = readLocalSetup(context);
    const { openStore } = await import("../../runtime/open-local.ts");
    const isThere = !isMissing(setup);
    const memory = { kind: "sqlite", path: ":memory:" } as const;
    await using store = await openStore(isThere ? setup : { ...setup, location: memory });
    const state = await stateOf(store);
    print(context, `${setup.databaseName}${isThere ? "" : " (not made yet)"}`, state);
    return state.pending === 0 ? exitCodes.done : exitCodes.problems;
  },
};

const dialects = ["sqlite", "postgres", "mysql"] as const;

/** `migrate sql`. */
export const migrateSqlCommand: CommandDefinition = {
  path: ["migrate", "sql"],
  summary: "Print the schema as plain SQL, to be applied by hand",
  flags: [{ flags: "--dialect <name>", description: `${dialects.join(", ")}; default: the configured store's` }],
  examples: [
    { line: "migrate sql --dialect postgres", description: "then start with migrate: false" },
    { line: "migrate sql --dialect mysql > schema.sql", description: "into a file" },
  ],
  exitCodes: [0, 2],
  async run(context, { flags }) {
    const asked = textFlag(flags, "dialect") ?? readLocalSetup(context).location.kind;
    const dialect = dialects.find((known) => known === asked);
    if (dialect === undefined) {
      throw new CommandError("invalid_input", `there is no dialect "${asked}"`, {
        path: "--dialect",
        fix: `Name one of ${dialects.join(", ")}: npx trunkline migrate sql --dialect postgres`,
      });
    }
    const sql = await schemaFor(dialect);
    context.result({ dialect, sql }, () => sql.trimEnd().split("\n"));
    return exitCodes.done;
  },
};

async function schemaFor(dialect: (typeof dialects)[number]): Promise<string> {
  switch (dialect) {
    case "sqlite":
      return (await import("@trunkline/store-sqlite")).sqliteMigrationSql();
    case "postgres":
      return (await import("@trunkline/store-postgres")).postgresMigrationSql();
    case "mysql":
      return (await import("@trunkline/store-mysql")).mysqlMigrationSql();
  }
}

async function stateOf(store: SessionStore): Promise<SchemaState> {
  const { current, latest } = await store.schemaVersion();
  return { current, latest, pending: Math.max(0, latest - current) };
}

function print(context: CommandContext, name: string, state: SchemaState): void {
  context.result(state, () => [
    ...formatFields([
      ["store", name],
      ["schema", `${state.current} of ${state.latest}`],
      ["pending", String(state.pending)],
    ]),
    ...(state.pending === 0 ? [] : [context.paint("dim", "apply them: npx trunkline migrate up")]),
  ]);
}
