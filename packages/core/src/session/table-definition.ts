import type { ReadableKind, ReadableRecords } from "./records.ts";

/** Logical column types; each database maps them once (see `docs/decisions/2026-12-01-tables.md`). `json` is encoded by the store. */
export type ColumnType = "id" | "key" | "name" | "text" | "body" | "json" | "big" | "int";

export interface ColumnDefinition {
  readonly type: ColumnType;
  readonly nullable: boolean;
}

export interface IndexDefinition {
  readonly columns: readonly string[];
  readonly unique?: true;
}

export interface TableDefinition<K extends ReadableKind = ReadableKind> {
  readonly table: string;
  /** The primary key's columns; reading by key joins several with a line feed. */
  readonly key: readonly (keyof ReadableRecords[K] & string)[];
  readonly columns: { readonly [C in keyof ReadableRecords[K] & string]: ColumnDefinition };
  readonly indexes: { readonly [name: string]: IndexDefinition };
}

/** A column that always holds a value. */
export const of = (type: ColumnType): ColumnDefinition => ({ type, nullable: false });
/** A column that may be empty. */
export const maybe = (type: ColumnType): ColumnDefinition => ({ type, nullable: true });
