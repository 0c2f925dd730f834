import type { CounterWrite } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import { selectFirst } from "../read/select.ts";
import { slot } from "../shapes.ts";
import { later, type Steps } from "../statement.ts";
import { require } from "./guard-failed.ts";

/** Moves one counter; passing `atMost`, or falling below 0, fails the commit. A counter that was never written is 0. */
export function* count({ shape, tables, traits }: SqlContext, { scope, by, atMost }: CounterWrite): Steps<void> {
  const table = tables.counter.name;
  const row = yield* selectFirst(
    shape("count.read", (db) => {
      const query = db.selectFrom(table).select("used").where("scope", "=", slot("scope"));
      return traits.rowLocks ? query.forUpdate() : query;
    }).bind({ scope }),
  );
  const used = Number(row?.["used"] ?? 0) + by;
  require(used >= 0 && (by <= 0 || atMost === undefined || used <= atMost));
  const write =
    row === undefined
      ? shape("count.insert", (db) => db.insertInto(table).values({ scope: slot("scope"), used: slot("used") }))
      : shape("count.update", (db) =>
          db
            .updateTable(table)
            .set({ used: slot("used") })
            .where("scope", "=", slot("scope")),
        );
  yield later(write.bind({ scope, used }));
}
