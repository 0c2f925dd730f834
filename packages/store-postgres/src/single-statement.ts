import type { Statement } from "@trunkline/store-sql";

const maxWrites = 12;
const writePattern = /^(?:update|insert into|delete from) ((?:"\w+"\.)?"\w+")/;
const insertPattern = /^(insert into .*?) values \((.*)\)$/s;

/**
 * A transaction's writes as one statement, which needs no BEGIN and no COMMIT. The first one locks the session's row, and
 * the others read from it, so that they run after it. Undefined where that would not mean the same: a statement sees none
 * of its own changes, and of two to one row it keeps the first.
 */
export function singleStatement(writes: readonly Statement[], texts: Map<string, string>): Statement | undefined {
  const [first] = writes;
  if (first === undefined || writes.length > maxWrites || first.expects !== "one") return undefined;
  const key = writes.map(({ sql, expects }) => (expects === "one" ? `!${sql}` : sql)).join("\n");
  let text = texts.get(key);
  if (text === undefined) {
    text = canBeOne(writes) ? combine(writes) : "";
    texts.set(key, text);
  }
  return text === "" ? undefined : { sql: text, parameters: writes.flatMap(({ parameters }) => parameters) };
}

function canBeOne(writes: readonly Statement[]): boolean {
  const changed = new Set<string>();
  const inserted = new Set<string>();
  for (const { sql } of writes) {
    const table = writePattern.exec(sql)?.[1];
    if (table === undefined) return false;
    const inserts = insertPattern.test(sql);
    if (sql.startsWith("insert") && !inserts) return false;
    if (changed.has(table) || (!inserts && inserted.has(table))) return false;
    (inserts ? inserted : changed).add(table);
  }
  return true;
}

function combine(writes: readonly Statement[]): string {
  const parts: string[] = [];
  const guards: string[] = [];
  let shift = 0;
  for (const [number, { sql, parameters, expects }] of writes.entries()) {
    parts.push(`w${number} as (${number === 0 ? shifted(sql, 0) : behindFirst(shifted(sql, shift))} returning 1)`);
    if (expects === "one") guards.push(`(select count(*) from w${number})`);
    shift += parameters.length;
  }
  const held = guards.map((count) => `${count} = 1`).join(" and ");
  // The text that fails to become a number depends on data, so that it is not worked out while planning.
  return `with ${parts.join(", ")} select case when ${held} then 0 else ('guard:' || ${guards[0]})::int end`;
}

function shifted(sql: string, by: number): string {
  return sql.replace(/\$(\d+)/g, (_whole, number: string) => `$${Number(number) + by}`);
}

function behindFirst(sql: string): string {
  const insert = insertPattern.exec(sql);
  return insert === null ? `${sql} and exists (select 1 from w0)` : `${insert[1]} select ${insert[2]} from w0`;
}
