import type { IdempotencyRecord, RefusalResult } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import type { AcceptedSpawn, SpawnIdempotency } from "./spawn-order.ts";

/**
 * What a key has come to before: the first child for the same arguments, `conflict` for others, the bare record of a key
 * whose time is over, `undefined` for a new key.
 */
export async function repeatedSpawn(
  engine: Engine,
  idempotency: SpawnIdempotency | undefined,
): Promise<AcceptedSpawn | RefusalResult | { readonly expired: IdempotencyRecord } | undefined> {
  if (!idempotency) return undefined;
  const [known] = await engine.store.read([{ get: "idempotency", key: idempotency.scopeHash }]);
  if (!known) return undefined;
  if (known.expiresAt <= engine.clock.now()) return { expired: known };
  const { runId, result } = known;
  if (known.fingerprint !== idempotency.fingerprint || runId === null || result === null) return conflict;
  return {
    status: "accepted",
    runId,
    childSessionKey: String(result["childSessionKey"]),
    context: result["context"] === "fork" ? "fork" : "isolated",
    ...(typeof result["model"] === "string" ? { model: result["model"] } : {}),
    ...(typeof result["note"] === "string" ? { note: result["note"] } : {}),
  };
}

const conflict: RefusalResult = {
  status: "error",
  code: "conflict",
  error: "this idempotencyKey was used with other arguments; use a new key for a new child",
};
