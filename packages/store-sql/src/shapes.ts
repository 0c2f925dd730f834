import {
  type Compilable,
  type DialectAdapter,
  DummyDriver,
  Kysely,
  type QueryCompiler,
  type RawBuilder,
  sql,
} from "kysely";
import type { Statement } from "./statement.ts";

/** Table and column names are data here (they come from `recordTables`), so their types are open. */
export interface Tables {
  readonly [table: string]: { readonly [column: string]: unknown };
}

export type SqlBuilder = Kysely<Tables>;

export type Values = { readonly [slot: string]: unknown };

/** A statement compiled once; `bind` fills its slots. */
export interface Shape {
  readonly sql: string;
  bind(values: Values): Statement;
}

/** Returns the shape stored under `name`, building it on first use. Equal names must mean equal SQL. */
export type ShapeCache = (name: string, build: (db: SqlBuilder) => Compilable) => Shape;

export interface SqlCompiler {
  readonly shape: ShapeCache;
  /** Compiles a statement that is run once. */
  readonly compile: (statement: RawBuilder<unknown>) => Statement;
}

interface Slot {
  readonly slot: string;
}

/** A placeholder that `Shape.bind` fills with the value of this name. */
export function slot<T = unknown>(name: string): RawBuilder<T> {
  const marker: Slot = { slot: name };
  return sql<T>`${marker}`;
}

export function createSqlCompiler(engine: {
  readonly createAdapter: () => DialectAdapter;
  readonly createQueryCompiler: () => QueryCompiler;
}): SqlCompiler {
  const db: SqlBuilder = new Kysely<Tables>({
    dialect: {
      createAdapter: engine.createAdapter,
      createQueryCompiler: engine.createQueryCompiler,
      createDriver: () => new DummyDriver(),
      createIntrospector: () => ({
        getSchemas: async () => [],
        getTables: async () => [],
        getMetadata: async () => ({ tables: [] }),
      }),
    },
  });
  const shapes = new Map<string, Shape>();
  return {
    shape: (name, build) => {
      const known = shapes.get(name);
      if (known !== undefined) return known;
      const shape = compileShape(build(db));
      shapes.set(name, shape);
      return shape;
    },
    compile: (statement) => {
      const { sql: text, parameters } = statement.compile(db);
      return { sql: text, parameters };
    },
  };
}

function compileShape(query: Compilable): Shape {
  const { sql: text, parameters } = query.compile();
  const slots = parameters.map((parameter) => (isSlot(parameter) ? parameter.slot : undefined));
  return {
    sql: text,
    bind: (values) => ({
      sql: text,
      parameters: slots.map((name, place) => (name === undefined ? parameters[place] : values[name])),
    }),
  };
}

function isSlot(parameter: unknown): parameter is Slot {
  return typeof parameter === "object" && parameter !== null && "slot" in parameter;
}
