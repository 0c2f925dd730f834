import type { SessionRecord, SpawnRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { Closing } from "../runs/closing.ts";

/** What a settlement writes with: the ending of a child's run, or a settlement without a run. */
export type Settling = Pick<Closing, "engine" | "draft" | "now" | "session">;

/** Who gets a completion: the session that asked, as it is now, else its nearest living ancestor. */
export async function livingRequester(engine: Engine, spawn: SpawnRecord): Promise<SessionRecord | undefined> {
  const [requester, ancestors] = await engine.store.read([
    { get: "session", key: spawn.requesterRow },
    { find: "lineage", index: "descendant", equals: [spawn.requesterRow], limit: 10 },
  ]);
  if (requester && requester.deletedAt === null) return requester;
  for (const { ancestorId } of ancestors) {
    const [ancestor] = await engine.store.read([{ get: "session", key: ancestorId }]);
    if (ancestor && ancestor.deletedAt === null) return ancestor;
  }
  return undefined;
}

/** Appends the one entry of a child to the requester's transcript; the requester's family may not have changed meanwhile. */
export function addCompletionEntry(
  { draft, session: child, now }: Settling,
  spawn: SpawnRecord,
  requester: SessionRecord,
): void {
  draft
    .session(requester.id)
    .when({ deleted: false, familyVersion: requester.familyVersion })
    .touchFamily()
    .set({ updatedAt: now })
    .append({
      from: "outside",
      messages: [
        {
          id: spawn.entryId,
          role: "user",
          class: 0,
          body: { content: spawn.body ?? "" },
          provenance: {
            kind: "subagent_completion",
            sourceSessionKey: child.sessionKey,
            sourceTool: "sessions_spawn",
            runId: spawn.runId,
          },
          dedupeKey: `completion:${spawn.runId}`,
        },
      ],
    });
}
