import type { UsageQuery, UsageTotals } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import { slot } from "../shapes.ts";
import type { Steps } from "../statement.ts";
import { selectFirst } from "./select.ts";

/** Usage of a session, of a parent's children, or of a whole tree. */
export function* sumUsageSteps({ shape, tables }: SqlContext, query: UsageQuery): Steps<UsageTotals> {
  const [column, id] =
    "sessionRow" in query
      ? ["session_row", query.sessionRow]
      : "parentRow" in query
        ? ["parent_row", query.parentRow]
        : ["root_id", query.rootId];
  const sums = yield* selectFirst(
    shape(`usage.${column}`, (db) =>
      db
        .selectFrom(tables.usage.name)
        .select((eb) => [
          eb.fn.sum("input_tokens").as("inputTokens"),
          eb.fn.sum("output_tokens").as("outputTokens"),
          eb.fn.sum("total_tokens").as("totalTokens"),
          eb.fn.sum("nano_usd").as("nanoUsd"),
          eb.fn.countAll().as("runs"),
        ])
        .where(column, "=", slot("id")),
    ).bind({ id }),
  );
  const total = (name: string) => Number(sums?.[name] ?? 0);
  return {
    inputTokens: total("inputTokens"),
    outputTokens: total("outputTokens"),
    totalTokens: total("totalTokens"),
    nanoUsd: total("nanoUsd"),
    runs: total("runs"),
  };
}
