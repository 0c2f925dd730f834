import { type MessageBody, type ReadableKind, type ReadableRecords, TrunklineError } from "@trunkline/core";
import type { PhysicalColumn, PhysicalTable } from "../schema/physical-tables.ts";
import type { Row } from "../statement.ts";

const unreadableBody: MessageBody = { content: "", unreadable: true };

export type RecordDecoder<K extends ReadableKind> = (row: Row) => ReadableRecords[K];

/** Turns rows of a table's `selection` into records, in place. A malformed message body becomes `{content: "", unreadable: true}`. */
export function createDecoder(kind: ReadableKind, table: PhysicalTable): (row: Row) => Row {
  const readers = table.columns
    .filter((column) => column.type === "json")
    .map((column) => ({ property: column.property, read: columnReader(kind, table, column) }));
  return (row) => {
    for (const { property, read } of readers) {
      const text = row[property];
      if (text !== null) row[property] = read(String(text), row);
    }
    return row;
  };
}

function columnReader(
  kind: ReadableKind,
  table: PhysicalTable,
  column: PhysicalColumn,
): (text: string, row: Row) => unknown {
  if (kind === "message" && column.property === "body") return readMessageBody;
  return (text, row) => {
    if (text === "{}") return {};
    const value = parseJson(text);
    if (value !== undefined) return value;
    if (column.nullable) return null;
    if (kind === "session") return {};
    throw malformed(table, column, row);
  };
}

/** A message's stored body; a malformed one is empty and marked `unreadable`. */
export function readMessageBody(text: string): MessageBody {
  const body = parseJson(text);
  return isBody(body) ? body : unreadableBody;
}

/** Undefined when the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isBody(value: unknown): value is MessageBody {
  if (typeof value !== "object" || value === null || !("content" in value)) return false;
  return typeof value.content === "string" || Array.isArray(value.content);
}

function malformed(table: PhysicalTable, { property }: PhysicalColumn, row: Row): TrunklineError {
  const key = table.key.map((column) => String(row[column])).join(", ");
  return new TrunklineError(
    "store_unavailable",
    `The column ${property} of row ${key} in ${table.name} is not valid JSON.`,
    {
      fix: "Restore this row from a backup, or delete it.",
    },
  );
}
