import type { ReadableKind, StoreTransaction } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import { selectFirst } from "../read/select.ts";
import { columnName } from "../schema/column-name.ts";
import { slot } from "../shapes.ts";
import type { Steps } from "../statement.ts";
import { lockSession } from "./read-session.ts";
import type { PlannedWrite } from "./session-plan.ts";

/**
 * Whether a commit whose answer was lost is there. Session rows are locked first, which waits for a transaction that still
 * ends; then a row that it inserted tells, and without one the version of a session that did not change.
 */
export function* landedSteps(
  context: SqlContext,
  transaction: StoreTransaction,
  planned: readonly PlannedWrite[],
): Steps<boolean | undefined> {
  for (const { write, plan } of planned) {
    if (write.create !== undefined) continue;
    const now = yield* lockSession(context, plan.id);
    if (now.version === plan.before.version) return false;
  }
  const inserted = insertedRow(context, transaction, planned);
  return inserted === undefined ? undefined : yield* exists(context, inserted);
}

interface InsertedRow {
  readonly kind: ReadableKind;
  readonly key: unknown;
}

function insertedRow(
  { tables }: SqlContext,
  { records = [] }: StoreTransaction,
  planned: readonly PlannedWrite[],
): InsertedRow | undefined {
  for (const { write, plan } of planned) {
    if (write.create !== undefined) return { kind: "session", key: plan.id };
    const [message] = plan.messages;
    if (message !== undefined) return { kind: "message", key: message.id };
    const [run] = plan.runs;
    if (run !== undefined) return { kind: "run", key: run.id };
  }
  for (const record of records) {
    if (!("insert" in record)) continue;
    const row: Readonly<Record<string, unknown>> = { ...record.insert };
    return { kind: record.kind, key: row[tables[record.kind].key[0] ?? "id"] };
  }
  return undefined;
}

function* exists({ shape, tables }: SqlContext, { kind, key }: InsertedRow): Steps<boolean> {
  const table = tables[kind];
  const column = columnName(table.key[0] ?? "id");
  const row = yield* selectFirst(
    shape(`landed.${kind}`, (db) => db.selectFrom(table.name).select(column).where(column, "=", slot("key"))).bind({
      key,
    }),
  );
  return row !== undefined;
}
