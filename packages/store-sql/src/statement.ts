/** One compiled SQL text with its parameters, in the order of the text's placeholders. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /**
   * A write whose result the steps do not need: it must match so many rows, or `any` = it may match none or more. It may
   * run later, together with others; should it not match, or break a rule, then the whole operation is undone.
   */
  readonly expects?: number | "any";
  /** The reads that come next whatever this one gives, and after which nothing comes: all may be run in one round trip. */
  readonly followedBy?: readonly Statement[];
}

/** A write that may run later, together with others. */
export function later(statement: Statement, expects: Statement["expects"] = "any"): Statement {
  return { ...statement, expects };
}

/** In UTF-16 units. */
const maxJoinedText = 64 * 1024;

/** Whether a statement holds a text so long that it is not joined with others. */
export function isLong({ parameters }: Statement): boolean {
  return parameters.some((value) => typeof value === "string" && value.length > maxJoinedText);
}

/** A fresh, plain object for each row, keyed by the names (or aliases) in the select list; the store may change it. */
export type Row = Record<string, unknown>;

export interface StatementResult {
  readonly rows: readonly Row[];
  /** Rows that a write matched. */
  readonly changes: number;
}

/**
 * A database operation as data: it yields statements and is handed their results. An executor runs it inside one
 * transaction and throws a statement's error into it; it may be started again from the beginning after a conflict,
 * so it must not have effects of its own.
 */
export type Steps<T> = Generator<Statement, T, StatementResult>;

/** What a writing operation hands back: `keep: false` undoes everything it wrote. */
export interface Written<T> {
  readonly keep: boolean;
  readonly value: T;
  /** The value instead, when a write that was put off did not match or broke a unique rule; all is undone then. */
  readonly refused?: T;
  /** Asked on a new connection when the old one died during the commit; undefined = it cannot be told. */
  readonly landed?: () => Steps<boolean | undefined>;
}
