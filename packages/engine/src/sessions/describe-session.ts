import type { SessionRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { sessionDetails } from "./session-details.ts";
import { statusCard } from "./status-card.ts";

/** The status card of a session as its owner reads it. */
export async function describeSession(engine: Engine, session: SessionRecord): Promise<string> {
  const [current] = await engine.store.read([{ get: "session", key: session.id }]);
  return statusCard(await sessionDetails(engine, current ?? session, { caller: undefined }));
}
