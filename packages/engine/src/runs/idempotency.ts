import type { IdempotencyRecord, RecordWrite } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { SubmitRefused } from "../inbound/submit-refused.ts";

/** How long an idempotency key is remembered. */
export const idempotencyLifetimeMs = 30 * 24 * 60 * 60_000;

/** The scope and the payload of an idempotency key. */
export interface IdempotencyScope {
  readonly scopeHash: string;
  readonly fingerprint: string;
}

/** What an earlier message with this key came to. Throws `SubmitRefused` (`conflict`) when it was another message. */
export async function earlierMessage(
  engine: Engine,
  scope: IdempotencyScope | undefined,
): Promise<IdempotencyRecord | undefined> {
  if (!scope) return undefined;
  const [known] = await engine.store.read([{ get: "idempotency", key: scope.scopeHash }]);
  if (!known || known.expiresAt <= engine.clock.now()) return undefined;
  if (known.fingerprint === scope.fingerprint) return known;
  throw new SubmitRefused("conflict", "This idempotency key was used with another message");
}

/** Remembers a key with what it came to; one that another process has just written fails the commit. */
export function rememberKey(
  scope: IdempotencyScope,
  result: Pick<IdempotencyRecord, "runId" | "result">,
  now: number,
): readonly RecordWrite[] {
  const { scopeHash } = scope;
  return [
    { kind: "idempotency", key: scopeHash, when: { expiresAt: { atMost: now } }, remove: true, optional: true },
    { kind: "idempotency", insert: { ...scope, ...result, expiresAt: now + idempotencyLifetimeMs } },
  ];
}
