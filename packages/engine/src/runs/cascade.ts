import { addCascade } from "../maintenance/add-cascade.ts";
import type { Closing } from "./closing.ts";

/** A run that was cancelled or ran out of time takes its unsettled children with it: the intent is in its own commit. */
export async function cascadeLater({ engine, draft, run, children, ending, now }: Closing): Promise<void> {
  if (ending.state !== "cancelled" && ending.state !== "timeout") return;
  if (children.some(({ state }) => state !== "settled")) await addCascade(engine, draft, `run:${run.id}`, now);
}
