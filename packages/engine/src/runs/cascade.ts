import { newId } from "../identifiers.ts";
import type { Closing } from "./closing.ts";

/** A run that was cancelled or ran out of time takes its unsettled children with it: the intent is in its own commit. */
export async function cascadeLater(closing: Closing): Promise<void> {
  const { engine, draft, run, ending, now } = closing;
  if (ending.state !== "cancelled" && ending.state !== "timeout") return;
  const ref = `run:${run.id}`;
  const [children, known] = await engine.store.read([
    { find: "spawn", index: "requesterRun", equals: [run.id], limit: 1000 },
    { find: "job", index: "ref", equals: ["cascade", ref], limit: 1 },
  ]);
  if (known.length > 0 || !children.some(({ state }) => state !== "settled")) return;
  draft.record({ kind: "job", insert: { id: newId(), kind: "cascade", ref, dueAt: now, attempts: 0, owner: null } });
}
