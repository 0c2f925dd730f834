import { type ColumnType, cleanText, TrunklineError } from "@trunkline/core";
import type { PhysicalColumn, PhysicalTable } from "../schema/physical-tables.ts";

/** The largest text or JSON value that is stored, in bytes of UTF-8. */
export const maxBodyBytes = 16 * 1024 * 1024;

/** The longest values of the short column types, alike on every database: in bytes of UTF-8, `text` in code points. */
export const columnLimits = { id: 36, key: 512, name: 190, text: 512 } as const;

const encoders: { readonly [T in ColumnType]: (value: unknown, column: PhysicalColumn) => unknown } = {
  id: (value, column) => encodeShort(value, column, columnLimits.id),
  key: (value, column) => encodeShort(value, column, columnLimits.key),
  name: (value, column) => encodeShort(value, column, columnLimits.name),
  text: encodeLabel,
  body: (value, column) => (typeof value === "string" ? limited(cleanText(value), column) : value),
  json: (value, column) => (value === null ? null : limited(encodeJson(value), column)),
  big: (value) => value,
  int: (value) => value,
};

/** A record's property as its column holds it. Throws `store_too_large`. */
export function encodeColumn(column: PhysicalColumn, value: unknown): unknown {
  return value === undefined ? null : encoders[column.type](value, column);
}

/** A record's values in the order of the table's columns. */
export function encodeRecord(table: PhysicalTable, record: object): unknown[] {
  const source = record as Readonly<Record<string, unknown>>;
  return table.columns.map((column) => encodeColumn(column, source[column.property]));
}

function encodeShort(value: unknown, column: PhysicalColumn, maxBytes: number): unknown {
  if (typeof value !== "string") return value;
  const text = cleanText(value);
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) throw tooLarge(column, `${bytes} bytes`, `${maxBytes} bytes`);
  return text;
}

function encodeLabel(value: unknown, column: PhysicalColumn): unknown {
  if (typeof value !== "string") return value;
  const text = cleanText(value);
  if (text.length <= columnLimits.text) return text;
  const length = [...text].length;
  if (length > columnLimits.text) throw tooLarge(column, `${length} characters`, `${columnLimits.text} characters`);
  return text;
}

/** JSON whose strings and keys are clean; `JSON.stringify` writes U+0000 and lone surrogates as escapes. */
export function encodeJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes("\\u0000") && !json.includes("\\ud")) return json;
  return JSON.stringify(value, (_key, nested: unknown) => cleanNested(nested));
}

function cleanNested(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, nested]) => [cleanText(key), nested]));
}

function limited(text: string, column: PhysicalColumn): string {
  if (text.length * 3 <= maxBodyBytes) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBodyBytes) throw tooLarge(column, `${bytes} bytes`, `${maxBodyBytes} bytes`);
  return text;
}

function tooLarge(column: PhysicalColumn, size: string, limit: string): TrunklineError {
  return new TrunklineError(
    "store_too_large",
    `A value for ${column.property} has ${size}; the store keeps at most ${limit}.`,
    {
      fix: "Shorten the text, or keep the large part elsewhere and store a reference to it.",
      path: column.property,
    },
  );
}
