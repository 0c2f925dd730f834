import { TrunklineError } from "@trunkline/core";

export interface TableNames {
  /** Put before every table's name: letters, digits and `_`, at most 24. */
  readonly tablePrefix?: string;
}

/** Throws `invalid_config` for a prefix that could not stand in front of a table's name; a name ends after 64 characters. */
export function checkTableNames({ tablePrefix = "" }: TableNames): void {
  if (/^[A-Za-z0-9_]{0,24}$/.test(tablePrefix)) return;
  throw new TrunklineError("invalid_config", `tablePrefix "${tablePrefix}" cannot be part of a table's name.`, {
    path: "tablePrefix",
    fix: "Use letters, digits and _ only, and fewer of them.",
  });
}
