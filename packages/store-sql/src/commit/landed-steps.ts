import type { ReadableKind, StoreTransaction } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import { selectFirst } from "../read/select.ts";
import { columnName } from "../schema/column-name.ts";
import { slot } from "../shapes.ts";
import type { Row, Steps } from "../statement.ts";
import type { PlannedWrite } from "./session-plan.ts";

/**
 * Whether a commit whose answer was lost is there. Session rows are locked first, which waits for a transaction that still
 * ends. A session that was not written since tells by its stamp; otherwise a row that the commit inserted does.
 */
export function* landedSteps(
  context: SqlContext,
  transaction: StoreTransaction,
  planned: readonly PlannedWrite[],
): Steps<boolean | undefined> {
  for (const { write, plan, stamp } of planned) {
    if (write.create !== undefined) continue;
    const now = yield* lockStamp(context, plan.id);
    if (now === undefined) continue;
    if (now["stamp"] === stamp) return true;
    if (now["version"] === plan.before.version) return false;
  }
  const inserted = insertedRow(context, transaction, planned);
  return inserted === undefined ? undefined : yield* exists(context, inserted);
}

function* lockStamp({ shape, tables }: SqlContext, id: string): Steps<Row | undefined> {
  return yield* selectFirst(
    shape("landed.session", (db) =>
      db.selectFrom(tables.session.name).select(["version", "stamp"]).where("id", "=", slot("id")).forUpdate(),
    ).bind({ id }),
  );
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
