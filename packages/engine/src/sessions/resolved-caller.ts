import {
  agentIdFromKey,
  type Caller,
  canonicalSessionKey,
  classifySession,
  defaultAgentId,
  hasThreadPart,
  isSandboxedByConfig,
  parseSessionKey,
  type RunRecord,
  type SessionRecord,
  TrunklineError,
} from "@trunkline/core";
import { callerSchema, checkHostInput } from "../check-host-input.ts";
import type { Engine } from "../engine.ts";
import { byKeyRead, ensureSession } from "./ensure-session.ts";

const longestKey = 512;

/** The session on whose behalf a tool acts, checked and with its row. */
export interface ResolvedCaller {
  readonly session: SessionRecord;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly sandboxed: boolean;
  readonly spawnDepth: number;
  /** The live run that makes the call, if one does. */
  readonly run: RunRecord | undefined;
  /** The session that the call names by its key, as it was when the caller was resolved. */
  readonly named: SessionRecord | undefined;
}

/**
 * Checks what the host says about a caller and makes its row on its first call.
 * Throws `invalid_key` or `invalid_input` for a caller that cannot be. `named` is what the call gives as a session's key,
 * unchecked: that session is looked up in the same round trip.
 */
export async function resolveCaller(engine: Engine, caller: Caller, named?: unknown): Promise<ResolvedCaller> {
  checkHostInput(callerSchema, caller, "caller");
  const sessionKey = canonicalSessionKey(caller.sessionKey, { mainKey: engine.config.session.mainKey });
  const keys = [sessionKey, ...(isKeyLike(named) ? [named] : [])];
  const [known = [], target] = await engine.store.read(keys.map(byKeyRead));
  const owner = agentIdFromKey(sessionKey) ?? known[0]?.agentId;
  const agentId = owner ?? caller.agentId ?? defaultAgentId(engine.config);
  if (caller.agentId !== undefined && caller.agentId.toLowerCase() !== agentId) {
    throw new TrunklineError(
      "invalid_input",
      `the caller's agent "${caller.agentId}" is not the agent of its session key`,
      {
        path: "caller.agentId",
        fix: "Leave agentId out, or give the agent that the session key names.",
      },
    );
  }
  const session = known[0] ?? (await makeSession(engine, sessionKey, agentId));
  const byConfig = isSandboxedByConfig(engine.config, agentId, session.kind === "main") || session.sandboxed === 1;
  return {
    session,
    sessionKey,
    agentId,
    sandboxed: byConfig || caller.sandboxed === true,
    spawnDepth: session.spawnDepth,
    run: await liveRun(engine, session, caller.runId),
    named: target?.[0],
  };
}

/** Other references, and keys that are not written as they are stored, are resolved later. */
function isKeyLike(named: unknown): named is string {
  return typeof named === "string" && named.startsWith("agent:") && named.length <= longestKey;
}

async function makeSession(engine: Engine, sessionKey: string, agentId: string): Promise<SessionRecord> {
  const { shape } = parseSessionKey(sessionKey);
  if (shape === "subagent" || shape === "acp" || hasThreadPart(sessionKey)) {
    throw new TrunklineError(
      "invalid_input",
      "the caller's session does not exist, and a session of its kind is not made by a call",
      {
        path: "caller.sessionKey",
        fix: "Give the key of an existing session; sub-agents are made by sessions_spawn, threads by their first message.",
      },
    );
  }
  return ensureSession(engine, { sessionKey, agentId });
}

async function liveRun(
  engine: Engine,
  session: SessionRecord,
  runId: string | undefined,
): Promise<RunRecord | undefined> {
  if (runId === undefined) return undefined;
  const [run] = await engine.store.read([{ get: "run", key: runId }]);
  if (run?.state === "running" && session.activeRunId === run.id && run.sessionRow === session.id) return run;
  throw new TrunklineError("invalid_input", "the caller's runId is not the live run of its session", {
    path: "caller.runId",
    fix: "Pass the id of the run that is going in this session, or leave runId out.",
  });
}

/** The kind of the session that a key names, with this installation's main key. */
export function kindOf(engine: Engine, sessionKey: string): SessionRecord["kind"] {
  return classifySession(sessionKey, { mainKey: engine.config.session.mainKey });
}
