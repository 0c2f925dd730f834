import {
  configuredAgentIds,
  defaultAgentId,
  formatSessionKey,
  parseSessionReference,
  type SessionStore,
  type TrunklineConfig,
  TrunklineError,
} from "@trunkline/core";
import { CommandError } from "./command-error.ts";

/** A session that the operator named. */
export interface SessionTarget {
  readonly sessionKey: string;
  /** False for the main session of an agent that has had no message yet. */
  readonly exists: boolean;
}

/**
 * Finds the session that a text names: a key, a sessionId or `main`, else a label, else an agent's main session, in that order.
 * Throws `not_found`, or `ambiguous` for a label that fits several.
 */
export async function findSession(store: SessionStore, config: TrunklineConfig, typed: string): Promise<SessionTarget> {
  return (
    (await byReference(store, config, typed)) ??
    (await byLabel(store, typed)) ??
    (await byAgent(store, config, typed)) ??
    notFound(typed)
  );
}

async function byReference(
  store: SessionStore,
  config: TrunklineConfig,
  typed: string,
): Promise<SessionTarget | undefined> {
  const reference = readReference(config, typed);
  if (reference === undefined) return undefined;
  if (reference.type === "main" || reference.type === "current")
    return mainSession(store, config, defaultAgentId(config));
  const [[bySessionId], [byKey]] = await store.read([
    {
      find: "session",
      index: "sessionId",
      equals: [reference.type === "sessionId" ? reference.sessionId : ""],
      limit: 1,
    },
    {
      find: "session",
      index: "sessionKey",
      equals: [reference.type === "key" ? formatSessionKey(reference.parsed) : ""],
      limit: 1,
    },
  ]);
  const found = reference.type === "sessionId" ? bySessionId : byKey;
  if (found !== undefined && found.deletedAt === null) return { sessionKey: found.sessionKey, exists: true };
  if (reference.type !== "key") return undefined;
  const { parsed } = reference;
  const isMain = parsed.shape === "main" && configuredAgentIds(config).includes(parsed.agentId);
  return isMain ? { sessionKey: formatSessionKey(parsed), exists: false } : undefined;
}

/** What a text refers to; `undefined` for a text that is no key, sessionId, `main` or `current`. */
export function readReference(config: TrunklineConfig, typed: string) {
  try {
    return parseSessionReference(typed, { mainKey: config.session.mainKey });
  } catch (error) {
    if (TrunklineError.isInstance(error) && error.code === "invalid_key") return undefined;
    throw error;
  }
}

async function byLabel(store: SessionStore, label: string): Promise<SessionTarget | undefined> {
  const found = await store.listSessions({ scope: { every: true }, archived: false, label, limit: 6 });
  const [first] = found;
  if (found.length < 2) return first && { sessionKey: first.sessionKey, exists: true };
  const keys = found.map(({ sessionKey }) => sessionKey).join(", ");
  throw new CommandError("ambiguous", `several sessions are labelled "${label}": ${keys}`, {
    fix: "Name one of these keys instead of the label",
  });
}

async function byAgent(
  store: SessionStore,
  config: TrunklineConfig,
  agentId: string,
): Promise<SessionTarget | undefined> {
  return configuredAgentIds(config).includes(agentId) ? mainSession(store, config, agentId) : undefined;
}

async function mainSession(store: SessionStore, config: TrunklineConfig, agentId: string): Promise<SessionTarget> {
  const sessionKey = `agent:${agentId}:${config.session.mainKey}`;
  const [[found]] = await store.read([{ find: "session", index: "sessionKey", equals: [sessionKey], limit: 1 }]);
  return { sessionKey, exists: found !== undefined && found.deletedAt === null };
}

function notFound(typed: string): never {
  throw new CommandError("not_found", `no session, label or agent is called "${typed}"`, {
    fix: "Ids are compared byte for byte. See them with: npx trunkline sessions list",
  });
}
