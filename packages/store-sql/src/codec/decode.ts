import { type MessageBody, type ReadableKind, type ReadableRecords, TrunklineError } from "@trunkline/core";
import type { PhysicalTable } from "../schema/physical-tables.ts";
import type { Row } from "../statement.ts";

const unreadableBody: MessageBody = { content: "", unreadable: true };

export type RecordDecoder<K extends ReadableKind> = (row: Row) => ReadableRecords[K];

/** Turns rows of a table's `selection` into records, in place. A malformed message body becomes `{content: "", unreadable: true}`. */
export function createDecoder(kind: ReadableKind, table: PhysicalTable): (row: Row) => Row {
  const jsonColumns = table.columns.filter((column) => column.type === "json");
  return (row) => {
    for (const { property, nullable } of jsonColumns) {
      row[property] =
        kind === "message" && property === "body"
          ? readMessageBody(row[property])
          : decodeJson(row[property], () => {
              if (nullable) return null;
              if (kind === "session") return {};
              throw malformed(table, property, row);
            });
    }
    return row;
  };
}

function decodeJson(text: unknown, fallback: () => unknown): unknown {
  if (text === null) return null;
  if (text === "{}") return {};
  try {
    return JSON.parse(String(text));
  } catch {
    return fallback();
  }
}

/** A message's stored body; a malformed one is empty and marked `unreadable`. */
export function readMessageBody(text: unknown): MessageBody {
  const body = decodeJson(text, () => null);
  return isBody(body) ? body : unreadableBody;
}

function isBody(value: unknown): value is MessageBody {
  if (typeof value !== "object" || value === null || !("content" in value)) return false;
  return typeof value.content === "string" || Array.isArray(value.content);
}

function malformed(table: PhysicalTable, property: string, row: Row): TrunklineError {
  const key = table.key.map((column) => String(row[column])).join(", ");
  return new TrunklineError(
    "store_unavailable",
    `The column ${property} of row ${key} in ${table.name} is not valid JSON.`,
    {
      fix: "Restore this row from a backup, or delete it.",
    },
  );
}
