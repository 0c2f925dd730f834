import {
  type ColumnDefinition,
  type ColumnType,
  type IndexDefinition,
  type ReadableKind,
  recordTables,
} from "@trunkline/core";
import { columnName } from "./column-name.ts";

export interface PhysicalColumn {
  /** The record's property, e.g. `listRank`. */
  readonly property: string;
  /** The column in the database, e.g. `list_rank`. */
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** Written and used by the store only, in no record. */
  readonly storeOwned?: true;
}

export interface PhysicalIndex {
  readonly name: string;
  /** The name in `recordTables`. */
  readonly logicalName: string;
  /** The columns that were asked for; reads may fix or bound them. */
  readonly columns: readonly string[];
  /** The record's properties in these columns. */
  readonly properties: readonly string[];
  /** These and, unless they are unique together, the key's: a total order, and the columns of a plain index. */
  readonly order: readonly string[];
  readonly unique: boolean;
}

interface Definition {
  readonly table: string;
  readonly key: readonly string[];
  readonly columns: { readonly [property: string]: ColumnDefinition };
  readonly indexes: { readonly [name: string]: IndexDefinition };
}

export interface PhysicalTable {
  /** With the schema and the prefix. */
  readonly name: string;
  /** Key properties, in order. */
  readonly key: readonly string[];
  readonly columns: readonly PhysicalColumn[];
  /** The columns by their properties. */
  readonly columnOf: ReadonlyMap<string, PhysicalColumn>;
  /** The record's columns, with the property as alias. */
  readonly selection: readonly string[];
  readonly indexes: readonly PhysicalIndex[];
}

/** The columns that a patch gives values for, in its order. */
export function columnsIn(
  { columnOf }: PhysicalTable,
  patch: Readonly<Record<string, unknown>>,
): readonly PhysicalColumn[] {
  const columns: PhysicalColumn[] = [];
  for (const property of Object.keys(patch)) {
    const column = patch[property] === undefined ? undefined : columnOf.get(property);
    if (column !== undefined) columns.push(column);
  }
  return columns;
}

/** A table's name as Kysely takes it. */
export function qualifiedName(schema: string | undefined, name: string): string {
  return schema === undefined ? name : `${schema}.${name}`;
}

export type TableMap = { readonly [K in ReadableKind]: PhysicalTable };

/** Columns that only the store knows: `search_text` holds what a list's search looks at, folded; `stamp` is random at each write. */
const ownedColumns: { readonly [K in ReadableKind]?: readonly PhysicalColumn[] } = {
  session: [
    { property: "searchText", name: "search_text", type: "body", nullable: false, storeOwned: true },
    { property: "stamp", name: "stamp", type: "big", nullable: false, storeOwned: true },
  ],
};

/** Indexes that only retention work needs. */
const ownedIndexes: { readonly [K in ReadableKind]?: { readonly [name: string]: IndexDefinition } } = {
  run: { ended: { columns: ["endedAt"] } },
  idempotency: { run: { columns: ["runId"] } },
};

/** Every record table as it lies in the database: `prefix` stands before its name, and it is in `schema` where one is given. */
export function physicalTables(prefix: string, schema?: string): TableMap {
  const definitions: { readonly [kind: string]: Definition } = recordTables;
  const entries = Object.entries(definitions).map(([kind, definition]) => [
    kind,
    physicalTable(prefix, schema, kind as ReadableKind, definition),
  ]);
  return Object.fromEntries(entries) as TableMap;
}

function physicalTable(
  prefix: string,
  schema: string | undefined,
  kind: ReadableKind,
  definition: Definition,
): PhysicalTable {
  const name = prefix + definition.table;
  const recorded = Object.entries(definition.columns).map(([property, { type, nullable }]) => ({
    property,
    name: columnName(property),
    type,
    nullable,
  }));
  const indexes = { ...definition.indexes, ...ownedIndexes[kind] };
  const columns: readonly PhysicalColumn[] = [...recorded, ...(ownedColumns[kind] ?? [])];
  return {
    name: qualifiedName(schema, name),
    key: definition.key,
    columns,
    columnOf: new Map(columns.map((column) => [column.property, column])),
    selection: recorded.map((column) => `${column.name} as ${column.property}`),
    indexes: Object.entries(indexes).map(([logicalName, { columns, unique }]) => ({
      name: `${name}_${columnName(logicalName)}`,
      logicalName,
      columns: columns.map(columnName),
      properties: columns,
      order: totalOrder(definition, columns).map(columnName),
      unique: unique ?? false,
    })),
  };
}

function totalOrder(definition: Definition, columns: readonly string[]): readonly string[] {
  const uniqueIndexes = Object.values(definition.indexes).filter(
    (index) => index.unique && index.columns.every((column) => definition.columns[column]?.nullable === false),
  );
  const uniqueSets = [definition.key, ...uniqueIndexes.map((index) => index.columns)];
  const isTotal = uniqueSets.some((set) => set.every((column) => columns.includes(column)));
  return isTotal ? columns : [...columns, ...definition.key.filter((column) => !columns.includes(column))];
}
