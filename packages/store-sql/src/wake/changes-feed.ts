import type { WakeHint } from "@trunkline/core";
import { sql } from "kysely";
import type { SqlContext } from "../context.ts";
import { selectAll, selectFirst } from "../read/select.ts";
import { inReference } from "../read/session-filter.ts";
import { slot } from "../shapes.ts";
import type { Row, Steps, Written } from "../statement.ts";

/** How long hints stay in the feed, in milliseconds. */
export const feedRetentionMs = 10 * 60_000;

/** The feed's last number. */
export function* lastChange({ shape, meta }: SqlContext): Steps<number> {
  const row = yield* selectFirst(
    shape("feed.last", (db) => db.selectFrom(meta.changes).select((eb) => eb.fn.max("id").as("last"))).bind({}),
  );
  return Number(row?.["last"] ?? 0);
}

export interface FeedPage {
  readonly hints: readonly WakeHint[];
  /** Numbers of all rows that were read, ascending; those of this handle's own hints too. */
  readonly numbers: readonly number[];
  /** There may be more. */
  readonly isFull: boolean;
}

const pageRows = 1000;

export interface FeedRange {
  /** The number after which new ones begin. */
  readonly after: number;
  /** Lower numbers that were not there before. */
  readonly missing: readonly number[];
  /** Hints written before this time, in milliseconds, are left out. */
  readonly since: number;
}

/** Hints of other handles. */
export function* readChanges(context: SqlContext, { after, missing, since }: FeedRange): Steps<FeedPage> {
  const late = missing.length === 0 ? [] : yield* readNumbers(context, missing);
  const next = yield* readAfter(context, after);
  const rows = [...late, ...next];
  const hints = rows
    .filter((row) => row["origin"] !== context.feedOrigin && Number(row["at"]) >= since)
    .map((row) => ({ about: row["about"] as WakeHint["about"], id: String(row["ref"]) }));
  return { hints, numbers: rows.map((row) => Number(row["id"])), isFull: next.length === pageRows };
}

const feedColumns = ["id", "origin", "about", "ref", "at"] as const;

function* readAfter({ shape, meta }: SqlContext, after: number): Steps<readonly Row[]> {
  return yield* selectAll(
    shape("feed.read", (db) =>
      db.selectFrom(meta.changes).select(feedColumns).where("id", ">", slot("after")).orderBy("id").limit(pageRows),
    ).bind({ after }),
  );
}

function* readNumbers({ shape, meta }: SqlContext, numbers: readonly number[]): Steps<readonly Row[]> {
  const filter = inReference("number", sql.ref("id"), numbers);
  return yield* selectAll(
    shape(`feed.numbers ${filter.name}`, (db) =>
      db.selectFrom(meta.changes).select(feedColumns).where(filter.build()).orderBy("id"),
    ).bind(filter.values),
  );
}

/** The most hints that are removed at once; more than are written between two removals. */
const removedAtOnce = 2000;

/** Removes hints that every reader has had time to see. Walks from the oldest on, so that it costs what it removes. */
export function* pruneChanges({ shape, meta }: SqlContext, now: number): Steps<Written<undefined>> {
  const oldest = yield* selectFirst(
    shape("feed.oldest", (db) => db.selectFrom(meta.changes).select("id").orderBy("id").limit(1)).bind({}),
  );
  const kept = yield* selectFirst(
    shape("feed.kept", (db) =>
      db.selectFrom(meta.changes).select("id").where("at", ">=", slot("before")).orderBy("id").limit(1),
    ).bind({ before: now - feedRetentionMs }),
  );
  if (oldest !== undefined && kept !== undefined) {
    const below = Math.min(Number(kept["id"]), Number(oldest["id"]) + removedAtOnce);
    yield shape("feed.prune", (db) => db.deleteFrom(meta.changes).where("id", "<", slot("below"))).bind({ below });
  }
  return { keep: true, value: undefined };
}
