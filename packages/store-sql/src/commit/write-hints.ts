import type { WakeHint } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import { slot } from "../shapes.ts";
import { later, type Steps } from "../statement.ts";

/** Adds the hints to the feed that other processes read. */
export function* writeHints(
  { shape, meta, feedOrigin, notify }: SqlContext,
  hints: readonly WakeHint[],
  now: number,
): Steps<void> {
  if (feedOrigin === undefined) return;
  const insert = shape("commit.hint", (db) =>
    db
      .insertInto(meta.changes)
      .values({ origin: slot("origin"), about: slot("about"), ref: slot("id"), at: slot("now") }),
  );
  for (const hint of hints) yield later(insert.bind({ ...hint, origin: feedOrigin, now }));
  for (const statement of notify?.(hints) ?? []) yield statement;
}
