import type { Provenance, Route, SessionPatch, SessionRecord } from "@trunkline/core";
import { decide, type Plan } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import { SubmitRefused } from "../inbound/submit-refused.ts";
import { addStaleReset } from "../sessions/stale-reset.ts";
import { createDraft } from "../transaction-draft.ts";
import { placeNotices, tellOpened } from "../watch/open-notices.ts";
import { newRun } from "./new-run.ts";

export const idempotencyLifetimeMs = 30 * 24 * 60 * 60_000;

export interface Admission {
  /** The row id of the session. */
  readonly sessionId: string;
  readonly text: string;
  readonly role: "human" | "system";
  readonly provenance: Provenance;
  readonly mode: "followup" | "collect" | "steer";
  readonly replyRoute: Route | null;
  readonly contact: SessionPatch;
  readonly idempotency: { readonly scopeHash: string; readonly fingerprint: string } | undefined;
}

/** Commits a message and its run together; the same key gives the first run again. Throws `SubmitRefused` (`conflict`, `not_found`). */
export async function admitMessage(engine: Engine, admission: Admission): Promise<{ readonly runId: string }> {
  engine.faultPoint("admit.before-commit");
  const admitted = await decide(engine, () => plan(engine, admission));
  engine.faultPoint("admit.after-commit");
  return admitted;
}

async function plan(engine: Engine, admission: Admission): Promise<Plan<{ readonly runId: string }>> {
  const [session, known] = await engine.store.read([
    { get: "session", key: admission.sessionId },
    { get: "idempotency", key: admission.idempotency?.scopeHash ?? "" },
  ]);
  if (known && admission.idempotency && known.expiresAt > engine.clock.now()) {
    if (known.fingerprint !== admission.idempotency.fingerprint || known.runId === null) {
      throw new SubmitRefused("conflict", "This idempotency key was used with another message");
    }
    return { answer: { runId: known.runId } };
  }
  if (!session || session.deletedAt !== null) {
    throw new SubmitRefused("not_found", "The session was deleted while the message arrived; send it again");
  }
  const now = engine.clock.now();
  const draft = createDraft();
  const runId = newId();
  const messageId = newId();
  const human = admission.role === "human";
  const run = newRun(
    {
      id: runId,
      cause: `inbound:${runId}`,
      kind: "inbound",
      lane: "main",
      chainId: runId,
      hop: 0,
      path: [session.id],
      guarded: 0,
      mode: admission.mode,
      replyRoute: admission.replyRoute,
      inputIds: [messageId],
    },
    now,
  );
  const reset = addStaleReset(engine, draft, session, now);
  await placeNotices(engine, draft, reset === undefined ? session : { ...session, sessionId: reset }, "outside");
  draft
    .session(session.id)
    .when({
      sessionId: session.sessionId,
      deleted: false,
      ...(reset === undefined ? {} : { version: session.version }),
    })
    .set({
      archived: 0,
      updatedAt: now,
      ...(human ? { lastHumanAt: now } : {}),
      ...admission.contact,
    })
    .append({
      from: "outside",
      messages: [
        {
          id: messageId,
          role: "user",
          class: 0,
          runId,
          body: { content: admission.text },
          provenance: admission.provenance,
          ...(human ? { human: true as const } : {}),
        },
      ],
    })
    .enqueue(run);
  if (human) {
    await tellOpened(engine, draft, session);
    draft.session(session.id).log({
      kind: "human_direct_message",
      actorKind: "human",
      actorId: admission.provenance.senderId ?? null,
      data: {},
    });
  }
  if (admission.idempotency) {
    const { scopeHash, fingerprint } = admission.idempotency;
    if (known) draft.record({ kind: "idempotency", key: scopeHash, remove: true, optional: true });
    draft.record({
      kind: "idempotency",
      insert: { scopeHash, fingerprint, runId, result: null, expiresAt: now + idempotencyLifetimeMs },
    });
  }
  draft.hint({ about: "run", id: runId });
  draft.hint({ about: "session", id: session.id });
  draft.event(queuedEvent(session, runId, admission, now));
  return { commit: draft, answer: { runId } };
}

function queuedEvent(session: SessionRecord, runId: string, admission: Admission, at: number) {
  return {
    type: "run_queued" as const,
    at,
    sessionKey: session.sessionKey,
    runId,
    agentId: session.agentId,
    kind: "inbound" as const,
    text: admission.text,
    ...(session.label === null ? {} : { label: session.label }),
  };
}
