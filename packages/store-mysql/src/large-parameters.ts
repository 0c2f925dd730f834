import type { ExpandedStatement, Statement } from "@trunkline/store-sql";

/** Texts above this many UTF-16 units travel in pieces: a packet of MariaDB holds 16 MiB, quotes and escapes included. */
const pieceLength = 1024 * 1024;

/** Takes large texts out of a statement. (No text of ours holds a `?` that is not a placeholder.) */
export function expandLargeParameters(statement: Statement): ExpandedStatement {
  if (!statement.parameters.some(isLarge)) return { before: [], statement, after: [] };
  const before: Statement[] = [];
  const after: Statement[] = [];
  const parts = statement.sql.split("?");
  let sql = parts[0] ?? "";
  const parameters: unknown[] = [];
  for (const [position, value] of statement.parameters.entries()) {
    const rest = parts[position + 1] ?? "";
    if (isLarge(value)) {
      const variable = `@trunkline_text${position}`;
      for (const [number, piece] of piecesOf(value).entries()) {
        before.push({
          sql: number === 0 ? `set ${variable} = ?` : `set ${variable} = concat(${variable}, ?)`,
          parameters: [piece],
        });
      }
      after.push({ sql: `set ${variable} = null`, parameters: [] });
      sql += variable + rest;
    } else {
      parameters.push(value);
      sql += `?${rest}`;
    }
  }
  return { before, statement: { sql, parameters }, after };
}

function isLarge(value: unknown): value is string {
  return typeof value === "string" && value.length > pieceLength;
}

/** Never parts a surrogate pair. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + pieceLength, text.length);
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to -= 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
