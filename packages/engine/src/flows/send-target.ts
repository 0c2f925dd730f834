import type { RefusalResult, SessionRecord, WatchRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { findByKey } from "../sessions/ensure-session.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { openWatchesOf } from "../watch/open-notices.ts";
import type { Relation } from "./new-flow.ts";

/** What a send goes to: a session, or the main session of a configured agent that is made for it. */
export type SendTarget = SessionRecord | { readonly sessionKey: string; readonly agentId: string };

export interface TargetNow {
  /** The session as it is now; `undefined` while it is still to be made. */
  readonly session: SessionRecord | undefined;
  readonly relation: Relation;
  readonly openWatches: readonly WatchRecord[];
}

/** Reads everything that a send depends on at the moment of its commit, or why it can no longer be sent. */
export async function readTarget(
  engine: Engine,
  caller: ResolvedCaller,
  target: SendTarget,
): Promise<TargetNow | { readonly refusal: RefusalResult }> {
  // A main session to be made may have been made meanwhile.
  const known = "id" in target ? target : await findByKey(engine, target.sessionKey);
  const id = known?.id ?? "";
  const [run, session, down, up, openWatches] = await engine.store.read([
    { get: "run", key: caller.run?.id ?? "" },
    { get: "session", key: id },
    { get: "lineage", key: `${caller.session.id}\n${id}` },
    { get: "lineage", key: `${id}\n${caller.session.id}` },
    openWatchesOf(id),
  ]);
  if (caller.run && (run?.state !== "running" || run.fence !== caller.run.fence)) return { refusal: callerIsOver };
  if (!known) return { session: undefined, relation: "other", openWatches: [] };
  if (!session || session.deletedAt !== null || session.sessionId !== known.sessionId) return { refusal: gone };
  if (session.archived === 1) return { refusal: archived };
  const relation = session.id === caller.session.id ? "self" : down || up ? "family" : "other";
  return { session, relation, openWatches };
}

const callerIsOver: RefusalResult = {
  status: "error",
  code: "run_cancelled",
  error: "this run is over; nothing was sent",
};
const gone: RefusalResult = {
  status: "error",
  code: "session_changed",
  error: "the target was reset or deleted meanwhile; look it up again with sessions_list",
};
const archived: RefusalResult = {
  status: "error",
  code: "archived",
  error: "the target is archived and takes no messages; it can still be read",
};
