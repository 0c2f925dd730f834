import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import type { TransactionDraft } from "../transaction-draft.ts";

/**
 * Adds the intent to cancel children to the commit that makes it necessary: those of a run (`run:<id>`), or those that a
 * session has by now (`session:<row>`). A job that is at it already goes through them once more.
 */
export async function addCascade(engine: Engine, draft: TransactionDraft, ref: string, now: number): Promise<void> {
  const [known] = await engine.store.read([{ find: "job", index: "ref", equals: ["cascade", ref], limit: 1 }]);
  const job = known[0];
  if (!job) {
    draft.record({ kind: "job", insert: { id: newId(), kind: "cascade", ref, dueAt: now, attempts: 0, owner: null } });
    return;
  }
  const when = { attempts: job.attempts };
  draft.record({ kind: "job", key: job.id, when, set: { dueAt: now }, add: { attempts: 1 } });
}
