import type { SessionListQuery, SessionRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { isTerminal } from "../outbox/delivery-states.ts";
import { deleteUnchanged } from "../sessions/delete-session.ts";
import { spawnOfChild } from "../spawns/read-spawns.ts";

/** Removes sessions that nobody has used for long, and the least used of too many; only with `maintenance.mode` "on". */
export interface StaleSessions {
  /** Looks at one page of candidates; whether there is another one to look at. */
  removeSome(): Promise<boolean>;
}

const dayMs = 24 * 60 * 60_000;
const pageSize = 50;
const descendantsAtMost = 10_000;

type Position = NonNullable<SessionListQuery["after"]>;

/** One list of candidates, walked from the most recently used to the least. */
interface Walk {
  readonly archived: boolean;
  readonly first: () => Pick<SessionListQuery, "after" | "offset">;
}

/** Walks the lists page by page, so that sessions which have to stay never hide those behind them. */
export function createStaleSessions(engine: Engine): StaleSessions {
  const { mode, pruneAfter, maxEntries } = engine.config.session.maintenance;
  const tooOld = (): Pick<SessionListQuery, "after"> => ({
    after: { listRank: pruneAfter * dayMs - engine.clock.now(), sessionKey: "" },
  });
  const tooMany = (): Pick<SessionListQuery, "offset"> => ({ offset: maxEntries });
  const walks: readonly Walk[] = [false, true].flatMap((archived) => [
    { archived, first: tooOld },
    { archived, first: tooMany },
  ]);
  let current = 0;
  let after: Position | undefined;

  async function nextPage(walk: Walk): Promise<readonly SessionRecord[]> {
    return engine.store.listSessions({
      scope: { every: true },
      archived: walk.archived,
      limit: pageSize,
      ...(after ? { after } : walk.first()),
    });
  }

  return {
    async removeSome() {
      const walk = mode === "on" ? walks[current] : undefined;
      if (!walk) {
        current = 0;
        return false;
      }
      const page = await nextPage(walk);
      const last = page.at(-1);
      after = last && page.length === pageSize ? { listRank: last.listRank, sessionKey: last.sessionKey } : undefined;
      if (!after) current += 1;
      for (const session of page) if (await mayGo(engine, session)) await deleteUnchanged(engine, session);
      return true;
    },
  };
}

/** Never a main or a pinned session, nor one with a living descendant or a text on its way; nor one at work, which `deleteUnchanged` sees. */
async function mayGo(engine: Engine, session: SessionRecord): Promise<boolean> {
  if (session.kind === "main" || session.pinned === 1) return false;
  const [links, deliveries] = await engine.store.read([
    { find: "lineage", index: "ancestor", equals: [session.id], limit: descendantsAtMost },
    { find: "delivery", index: "session", equals: [session.id], limit: descendantsAtMost },
  ]);
  if (deliveries.some(({ state }) => !isTerminal(state))) return false;
  const spawn = await spawnOfChild(engine, session.id);
  if (spawn && spawn.state !== "settled") return false;
  const below = await engine.store.read(
    links.map(({ descendantId }) => ({ get: "session", key: descendantId }) as const),
  );
  return below.every((descendant) => descendant === undefined || descendant.deletedAt !== null);
}
