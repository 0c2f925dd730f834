import type { PruneRequest } from "@trunkline/core";
import type { SqlContext } from "../context.ts";
import type { Steps, Written } from "../statement.ts";
import { pruneEvents } from "./prune-events.ts";
import { pruneIdempotency } from "./prune-idempotency.ts";
import { pruneRuns } from "./prune-runs.ts";
import { purgeSession } from "./purge-session.ts";

/** Rows removed by one batch; `more` = another batch would find something. */
export interface Pruned {
  readonly removed: number;
  readonly more: boolean;
}

/** One small batch of retention work. */
export function* pruneSteps(context: SqlContext, request: PruneRequest): Steps<Written<Pruned>> {
  return { keep: true, value: yield* batch(context, request) };
}

function batch(context: SqlContext, request: PruneRequest): Steps<Pruned> {
  switch (request.what) {
    case "events":
      return pruneEvents(context, request);
    case "runs":
      return pruneRuns(context, request);
    case "idempotency":
      return pruneIdempotency(context, request);
    case "session":
      return purgeSession(context, request);
  }
}
