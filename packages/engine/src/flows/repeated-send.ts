import type { RefusalResult } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { hashOf } from "../identifiers.ts";
import type { IdempotencyScope } from "../runs/idempotency.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import type { AdmittedSend } from "./admit-send.ts";

/** A key is the caller session's and the tool's; the payload is all arguments but `timeoutSeconds` and `watch`. */
export function sendIdempotency(
  caller: ResolvedCaller,
  tool: string,
  key: string | undefined,
  payload: unknown,
): IdempotencyScope | undefined {
  if (key === undefined) return undefined;
  return { scopeHash: hashOf(tool, caller.session.id, key), fingerprint: hashOf(payload) };
}

/** What an earlier send with this key came to, whatever has become of its target since; `undefined` for a new key. */
export async function repeatedSend(
  engine: Engine,
  scope: IdempotencyScope,
): Promise<AdmittedSend | RefusalResult | undefined> {
  const [known] = await engine.store.read([{ get: "idempotency", key: scope.scopeHash }]);
  if (!known || known.expiresAt <= engine.clock.now()) return undefined;
  const [flows] = await engine.store.read([{ find: "flow", index: "primaryRun", equals: [known.runId], limit: 1 }]);
  const flow = flows[0];
  if (known.fingerprint !== scope.fingerprint || !flow) return conflict;
  return {
    runId: flow.primaryRunId,
    flowId: flow.id,
    targetRow: flow.targetRow,
    sessionKey: String(known.result?.["sessionKey"]),
    announces: flow.silentEnd === 0,
  };
}

const conflict: RefusalResult = {
  status: "error",
  code: "conflict",
  error: "this idempotencyKey was used with other arguments; use a new key for a new message",
};
