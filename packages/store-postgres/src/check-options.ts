import { TrunklineError } from "@trunkline/core";

export interface TableNames {
  /** Put before every table's name: letters, digits and `_`, at most 24. */
  readonly tablePrefix?: string;
  /** The schema that holds the tables, made by the first migration; default: the first of the connection's search path. */
  readonly schema?: string;
}

/**
 * Throws `invalid_config` for names that could not stand in front of a table's (the server cuts names at 63 bytes), and
 * for a `url` that is none.
 */
export function checkOptions(options: TableNames & { readonly url?: string }): void {
  const { tablePrefix = "", schema = "x", url } = options;
  checkName("tablePrefix", tablePrefix, /^[A-Za-z0-9_]{0,24}$/);
  checkName("schema", schema, /^[A-Za-z_][A-Za-z0-9_]{0,62}$/);
  if (url === undefined || URL.canParse(url)) return;
  throw new TrunklineError("invalid_config", "url is no URL of a PostgreSQL database.", {
    path: "url",
    fix: "Write postgres://user:password@host:port/database, with special characters of the password as %XX.",
  });
}

function checkName(path: string, name: string, pattern: RegExp): void {
  if (pattern.test(name)) return;
  throw new TrunklineError("invalid_config", `${path} "${name}" cannot be part of a table's name.`, {
    path,
    fix: "Use letters, digits and _ only, and fewer of them.",
  });
}
