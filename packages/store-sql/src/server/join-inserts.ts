import type { Statement } from "../statement.ts";

const insertPattern = /^(insert into .*? values )(\(.*\))$/s;
const maxRows = 8;
/** Longer texts, in UTF-16 units, travel alone. */
const maxTextLength = 64 * 1024;
const texts = new Map<string, string>();

/** Neighbouring inserts of one row each become inserts of 2, 4 or 8 rows, where they are alike: few texts arise. */
export function joinInserts(writes: readonly Statement[]): readonly Statement[] {
  const joined: Statement[] = [];
  for (let from = 0; from < writes.length; ) {
    const rows = writes.slice(from, from + countRows(writes, from));
    const [first] = rows;
    if (first === undefined) break;
    joined.push(rows.length === 1 ? first : { ...first, sql: textOf(first, rows.length), parameters: valuesOf(rows) });
    from += rows.length;
  }
  return joined;
}

function countRows(writes: readonly Statement[], from: number): number {
  const first = writes[from];
  let count = 1;
  while (first !== undefined && count < maxRows) {
    const more = writes.slice(from + count, from + count * 2);
    if (more.length < count || more.some((write) => write.sql !== first.sql)) break;
    count *= 2;
  }
  const isInsert = count > 1 && first?.expects === "any" && insertPattern.test(first.sql);
  return isInsert && !writes.slice(from, from + count).some(isLong) ? count : 1;
}

function isLong({ parameters }: Statement): boolean {
  return parameters.some((value) => typeof value === "string" && value.length > maxTextLength);
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
