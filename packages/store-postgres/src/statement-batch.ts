import type { Row, Statement, StatementResult } from "@trunkline/store-sql";
import { type Client, type Connection, Query } from "pg";

/** The name under which a connection keeps a statement prepared; empty = it is prepared for this run only. */
export type NameOf = (statement: Statement) => string;

/**
 * Runs statements as one message, which has one answer: no round trip between them, and no description of rows that are
 * known. Without a BEGIN among them they are a transaction: the server commits where a message ends.
 */
export function runBatch(
  client: Client,
  statements: readonly Statement[],
  nameOf: NameOf,
): Promise<readonly StatementResult[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new StatementBatch(statements, nameOf, (error, results) => (error ? reject(error) : resolve(results ?? []))),
    );
  });
}

/** What a connection of `pg` does, for queries that are classes of their own. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  parse(statement: { readonly name: string; readonly text: string }): void;
  bind(values: { readonly statement: string; readonly values: readonly (string | null)[] }): void;
  describe(what: { readonly type: "P" }): void;
  execute(portal: null): void;
  close(what: { readonly type: "S"; readonly name: string }): void;
  sync(): void;
}

interface Column {
  readonly name: string;
  readonly isNumber: boolean;
}

/** What the rows of a statement look like, empty until they were described. */
interface Prepared {
  columns: readonly Column[];
  /** With all columns, so that rows are alike in memory. */
  emptyRow: Row;
}

const numberTypes = new Set([21, 23, 20, 701, 1700]);

/** int2, int4, int8, float8 and numeric: all numbers of the store are whole and below 2^53. */
export function isNumberType(oid: number): boolean {
  return numberTypes.has(oid);
}

const preparedOn = new WeakMap<Connection, Map<string, Prepared>>();

type Done = (error?: Error | null, results?: readonly StatementResult[]) => void;

class StatementBatch extends Query {
  declare callback: Done;
  readonly #statements: readonly Statement[];
  readonly #nameOf: NameOf;
  /** In the order of the statements. */
  readonly #prepared: Prepared[] = [];
  readonly #added: string[] = [];
  readonly #results: StatementResult[] = [];
  #rows: Row[] = [];

  constructor(statements: readonly Statement[], nameOf: NameOf, done: Done) {
    super("");
    this.callback = done;
    this.#statements = statements;
    this.#nameOf = nameOf;
  }

  override submit = (connection: Connection): void => {
    const wire = connection as unknown as Wire;
    const known = preparedOf(connection);
    wire.stream.cork();
    for (const statement of this.#statements) {
      const name = this.#nameOf(statement);
      let prepared = known.get(name);
      if (prepared === undefined) {
        prepared = { columns: [], emptyRow: {} };
        wire.parse({ name, text: statement.sql });
        if (name !== "") {
          known.set(name, prepared);
          this.#added.push(name);
        }
      }
      this.#prepared.push(prepared);
      wire.bind({ statement: name, values: statement.parameters.map(textOf) });
      if (isRead(statement) && prepared.columns.length === 0) wire.describe({ type: "P" });
      wire.execute(null);
    }
    wire.sync();
    wire.stream.uncork();
  };

  handleRowDescription({ fields }: { readonly fields: readonly { name: string; dataTypeID: number }[] }): void {
    const prepared = this.#prepared[this.#results.length];
    if (prepared === undefined) return;
    prepared.columns = fields.map(({ name, dataTypeID }) => ({ name, isNumber: isNumberType(dataTypeID) }));
    prepared.emptyRow = Object.fromEntries(fields.map(({ name }) => [name, null]));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const prepared = this.#prepared[this.#results.length];
    const row = { ...prepared?.emptyRow };
    prepared?.columns.forEach(({ name, isNumber }, place) => {
      const value = fields[place] ?? null;
      if (value !== null) row[name] = isNumber ? Number(value) : value;
    });
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#results.push({ rows: this.#rows, changes: Number(/\d+$/.exec(text)?.[0] ?? 0) });
    this.#rows = [];
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#results);
  }

  /** To which statement the server came is not known, so that no new one counts as prepared. */
  handleError(error: Error, connection: Connection): void {
    const wire = connection as unknown as Wire;
    for (const name of this.#added) {
      preparedOf(connection).delete(name);
      wire.close({ type: "S", name });
    }
    this.callback(error);
  }
}

function preparedOf(connection: Connection): Map<string, Prepared> {
  let known = preparedOn.get(connection);
  if (known === undefined) {
    known = new Map();
    preparedOn.set(connection, known);
  }
  return known;
}

/** Writes whose result nobody wants, and what begins or ends a transaction, need no description. */
function isRead({ sql, expects }: Statement): boolean {
  return expects === undefined && sql.startsWith("select");
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) ? `{${value.map(quoted).join()}}` : String(value);
}

function quoted(member: unknown): string {
  return `"${String(member).replace(/["\\]/g, "\\$&")}"`;
}
