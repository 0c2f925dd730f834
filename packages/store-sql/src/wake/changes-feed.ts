import type { WakeHint } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import { selectAll, selectFirst } from "../read/select.ts";
import { slot } from "../shapes.ts";
import type { Steps, Written } from "../statement.ts";

/** How long hints stay in the feed, in milliseconds. */
export const feedRetentionMs = 10 * 60_000;

/** The feed's last number: where a new reader begins. */
export function* lastChange({ shape, meta }: SqlContext): Steps<number> {
  const row = yield* selectFirst(
    shape("feed.last", (db) => db.selectFrom(meta.changes).select((eb) => eb.fn.max("id").as("last"))).bind({}),
  );
  return Number(row?.["last"] ?? 0);
}

export interface FeedPage {
  readonly hints: readonly WakeHint[];
  readonly last: number;
}

/** Hints of other handles after a number, at most 1000. */
export function* readChanges({ shape, meta, feedOrigin }: SqlContext, after: number): Steps<FeedPage> {
  const rows = yield* selectAll(
    shape("feed.read", (db) =>
      db
        .selectFrom(meta.changes)
        .select(["id", "origin", "about", "ref"])
        .where("id", ">", slot("after"))
        .orderBy("id")
        .limit(1000),
    ).bind({ after }),
  );
  const hints = rows
    .filter((row) => row["origin"] !== feedOrigin)
    .map((row) => ({ about: row["about"] as WakeHint["about"], id: String(row["ref"]) }));
  return { hints, last: Number(rows.at(-1)?.["id"] ?? after) };
}

/** Removes hints that every reader has had time to see. */
export function* pruneChanges({ shape, meta }: SqlContext, now: number): Steps<Written<undefined>> {
  yield shape("feed.prune", (db) => db.deleteFrom(meta.changes).where("at", "<", slot("before"))).bind({
    before: now - feedRetentionMs,
  });
  return { keep: true, value: undefined };
}
