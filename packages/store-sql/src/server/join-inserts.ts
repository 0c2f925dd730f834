import { isLong, type Statement } from "../statement.ts";

const insertPattern = /^(insert into .*? values )(\(.*\))$/s;
const maxRows = 16;
const texts = new Map<string, string>();

export interface JoinInsertsOptions {
  /** Only inserts of 1, 2, 4, 8 or 16 rows: few texts arise, for connections that keep statements prepared. */
  readonly inPowers: boolean;
}

/** Neighbouring inserts of one row each become inserts of several rows, where they are alike. */
export function joinInserts(writes: readonly Statement[], options: JoinInsertsOptions): readonly Statement[] {
  const joined: Statement[] = [];
  for (let from = 0; from < writes.length; ) {
    const rows = writes.slice(from, from + countRows(writes, from, options));
    const [first] = rows;
    if (first === undefined) break;
    joined.push(rows.length === 1 ? first : { ...first, sql: textOf(first, rows.length), parameters: valuesOf(rows) });
    from += rows.length;
  }
  return joined;
}

function countRows(writes: readonly Statement[], from: number, { inPowers }: JoinInsertsOptions): number {
  const first = writes[from];
  if (first?.expects !== "any" || writes[from + 1]?.sql !== first.sql || !insertPattern.test(first.sql)) return 1;
  let count = 2;
  while (count < maxRows && writes[from + count]?.sql === first.sql) count += 1;
  if (inPowers) count = 2 ** Math.floor(Math.log2(count));
  return writes.slice(from, from + count).some(isLong) ? 1 : count;
}

function textOf({ sql, parameters }: Statement, rows: number): string {
  const name = `${rows} ${sql}`;
  let text = texts.get(name);
  if (text === undefined) {
    const [, head = "", tuple = ""] = insertPattern.exec(sql) ?? [];
    text = head + Array.from({ length: rows }, (_, row) => renumbered(tuple, row * parameters.length)).join(", ");
    texts.set(name, text);
  }
  return text;
}

function renumbered(tuple: string, by: number): string {
  return tuple.replace(/\$(\d+)/g, (_whole, number: string) => `$${Number(number) + by}`);
}

function valuesOf(rows: readonly Statement[]): readonly unknown[] {
  return rows.flatMap(({ parameters }) => parameters);
}
