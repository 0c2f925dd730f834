import type { RecordWrite } from "@trunkline/core";
import { sql } from "kysely";
import { encodeColumn } from "../codec/encode.ts";
import type { SqlContext } from "../context.ts";
import { columnsIn, type PhysicalTable } from "../schema/physical-tables.ts";
import { slot, type Values } from "../shapes.ts";
import { later, type Statement, type Steps } from "../statement.ts";
import { require } from "./guard-failed.ts";
import { insertRecord } from "./insert-row.ts";
import { type GuardPlan, planGuard } from "./record-guard.ts";

type Update = Extract<RecordWrite, { readonly set?: unknown }>;

/** Inserts, changes or removes one record; fails the commit when no row matches, unless the write is optional. */
export function* writeRecord(context: SqlContext, write: RecordWrite): Steps<void> {
  const table = context.tables[write.kind];
  if ("insert" in write) {
    yield* insertRecord(context, write.kind, write.insert);
    return;
  }
  const guard = planGuard(table, write.when);
  const expects = write.optional ? "any" : 1;
  const { changes, rows } = yield "remove" in write
    ? later(removeStatement(context, table, guard, write.key), expects)
    : updateStatement(context, table, guard, write, expects);
  require(changes === 1 || rows.length === 1 || write.optional === true);
}

function removeStatement({ shape }: SqlContext, table: PhysicalTable, guard: GuardPlan, key: string): Statement {
  return shape(`remove.${table.name} ${guard.name}`, (db) =>
    db.deleteFrom(table.name).where(matching(table, guard)),
  ).bind({
    ...guard.values,
    key,
  });
}

function updateStatement(
  context: SqlContext,
  table: PhysicalTable,
  guard: GuardPlan,
  write: Update,
  expects: 1 | "any",
): Statement {
  const { shape } = context;
  const patch: Readonly<Record<string, unknown>> = { ...write.set, ...claimableAfter(write) };
  const added: Readonly<Record<string, unknown>> = { ...write.add };
  const set = columnsIn(table, patch);
  const add = columnsIn(table, added);
  const names = [set, add].map((columns) => columns.map((column) => column.property).join());
  const values: Record<string, unknown> = { ...guard.values, key: write.key };
  for (const column of set) values[`set.${column.property}`] = encodeColumn(column, patch[column.property]);
  for (const column of add) values[`add.${column.property}`] = added[column.property];
  if (set.length + add.length === 0) return later(checkStatement(context, table, guard, values), expects);
  const update = shape(`update.${table.name} ${names.join(" + ")} ${guard.name}`, (db) =>
    db
      .updateTable(table.name)
      .set({
        ...Object.fromEntries(set.map((column) => [column.name, slot(`set.${column.property}`)])),
        ...Object.fromEntries(
          add.map((column) => [column.name, sql`${sql.ref(column.name)} + ${slot(`add.${column.property}`)}`]),
        ),
      })
      .where(matching(table, guard)),
  );
  return later(update.bind(values), expects);
}

/** A write that changes nothing holds its row for the rest of the transaction. */
function checkStatement(
  { shape, traits }: SqlContext,
  table: PhysicalTable,
  guard: GuardPlan,
  values: Values,
): Statement {
  return shape(`check.${table.name} ${guard.name}`, (db) => {
    const query = db.selectFrom(table.name).select(sql<number>`1`.as("matches")).where(matching(table, guard));
    return traits.rowLocks ? query.forUpdate() : query;
  }).bind(values);
}

/** A run that leaves the queue, or comes back to it, is not claimable; its session's write decides which one is. */
function claimableAfter(write: Update): { readonly claimableAt?: null } {
  return write.kind === "run" && write.set?.state !== undefined ? { claimableAt: null } : {};
}

function matching(table: PhysicalTable, guard: GuardPlan) {
  const key = table.columnOf.get(table.key[0] ?? "");
  return sql<boolean>`${sql.join([sql`${sql.ref(key?.name ?? "id")} = ${slot("key")}`, ...guard.conditions], sql` and `)}`;
}
