import { TrunklineError } from "@trunkline/core";

export interface TableNames {
  /** Put before every table's name: letters, digits and `_`, at most 24. */
  readonly tablePrefix?: string;
}

/**
 * Throws `invalid_config` for a prefix that could not stand in front of a table's name (which ends after 64 characters),
 * and for a `url` that is none.
 */
export function checkOptions({ tablePrefix = "", url }: TableNames & { readonly url?: string }): void {
  if (!/^[A-Za-z0-9_]{0,24}$/.test(tablePrefix)) {
    throw new TrunklineError("invalid_config", `tablePrefix "${tablePrefix}" cannot be part of a table's name.`, {
      path: "tablePrefix",
      fix: "Use letters, digits and _ only, and fewer of them.",
    });
  }
  if (url === undefined || URL.canParse(url)) return;
  throw new TrunklineError("invalid_config", "url is no URL of a MySQL or MariaDB database.", {
    path: "url",
    fix: "Write mysql://user:password@host:port/database, with special characters of the password as %XX.",
  });
}
