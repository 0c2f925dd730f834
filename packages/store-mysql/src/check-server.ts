import { TrunklineError } from "@trunkline/core";
import { type SqlExecutor, selectFirst } from "@trunkline/store-sql";

const oldestMysql = [8, 0] as const;
const oldestMariadb = [10, 11] as const;
const smallestPacket = 16 * 1024 * 1024;

/** Connects once, and refuses a server or a connection that cannot keep every text as it is. */
export async function checkServer(executor: SqlExecutor, description: string): Promise<void> {
  const row = await executor.query(() =>
    selectFirst({
      sql: "select version() as version, @@max_allowed_packet as packet, @@sql_mode as mode, @@character_set_client as client, @@character_set_connection as connection, @@character_set_results as results",
      parameters: [],
    }),
  );
  const read = (name: string) => String(row?.[name] ?? "");
  const refuse = (problem: string, fix: string) => {
    throw new TrunklineError("store_unavailable", `${description} ${problem}.`, { fix });
  };
  const version = read("version");
  const isMariadb = /mariadb/i.test(version);
  const oldest = isMariadb ? oldestMariadb : oldestMysql;
  if (isOlder(version, oldest)) {
    const name = isMariadb ? "MariaDB" : "MySQL";
    refuse(`runs ${name} ${version}, which is too old`, `Use ${name} ${oldest.join(".")} or newer.`);
  }
  for (const direction of ["client", "connection", "results"]) {
    if (read(direction) !== "utf8mb4") {
      refuse(
        `is read and written as ${read(direction)}, which cannot hold every text`,
        "Set the charset of the connection to utf8mb4.",
      );
    }
  }
  if (Number(row?.["packet"]) < smallestPacket) {
    refuse(`accepts packets of ${read("packet")} bytes only`, "Set max_allowed_packet to 16M or more on the server.");
  }
  const modes = read("mode").split(",");
  if (modes.includes("NO_BACKSLASH_ESCAPES")) {
    refuse("runs with sql_mode NO_BACKSLASH_ESCAPES", "Remove NO_BACKSLASH_ESCAPES from the connection's sql_mode.");
  }
  if (!modes.includes("STRICT_TRANS_TABLES") && !modes.includes("STRICT_ALL_TABLES")) {
    refuse(
      "cuts values that are too long instead of refusing them",
      "Add STRICT_TRANS_TABLES to the connection's sql_mode.",
    );
  }
}

function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, ownMajor, ownMinor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(ownMajor) < major || (Number(ownMajor) === major && Number(ownMinor) < minor);
}
