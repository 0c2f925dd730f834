import type { NewMessageRow, Provenance, Route, SessionRecord } from "@trunkline/core";
import { decide, type Plan } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import { contactPatch } from "../inbound/contact.ts";
import { SubmitRefused } from "../inbound/submit-refused.ts";
import { mergeOldest } from "../inbound/waiting-messages.ts";
import { addStaleReset } from "../sessions/stale-reset.ts";
import { createDraft } from "../transaction-draft.ts";
import { openWatchesOf, placeNotices, tellOpened } from "../watch/open-notices.ts";
import { earlierMessage, type IdempotencyScope, rememberKey } from "./idempotency.ts";
import { newRun } from "./new-run.ts";

export interface Admission {
  /** The row id of the session. */
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly text: string;
  readonly role: "human" | "system";
  readonly provenance: Provenance;
  readonly mode: "followup" | "collect" | "steer";
  readonly replyRoute: Route | null;
  /** Where the message came from, if from a channel: it becomes the session's route where that may change. */
  readonly contact: Route | null;
  readonly idempotency: IdempotencyScope | undefined;
}

export interface AdmittedMessage {
  readonly runId: string;
  readonly sessionKey: string;
}

const triesAtMost = 10;

/**
 * Commits a message and its run together; the same key gives the first run again. `prepare` finds or makes the session;
 * it is called again when that was deleted meanwhile. Throws `SubmitRefused` (`conflict`, `not_found`).
 */
export async function admitMessage(engine: Engine, prepare: () => Promise<Admission>): Promise<AdmittedMessage> {
  for (let attempt = 0; attempt < triesAtMost; attempt++) {
    const admission = await prepare();
    engine.faultPoint("admit.before-commit");
    const admitted = await decide(engine, () => plan(engine, admission));
    engine.faultPoint("admit.after-commit");
    if (admitted !== "deleted") return { ...admitted, sessionKey: admission.sessionKey };
  }
  throw new SubmitRefused("not_found", "The session was deleted while the message arrived; send it again");
}

async function plan(engine: Engine, admission: Admission): Promise<Plan<{ readonly runId: string } | "deleted">> {
  const known = await earlierMessage(engine, admission.idempotency);
  if (known?.runId) return { answer: { runId: known.runId } };
  const [session, watches] = await engine.store.read([
    { get: "session", key: admission.sessionId },
    openWatchesOf(admission.sessionId),
  ]);
  if (!session || session.deletedAt !== null) return { answer: "deleted" };
  const now = engine.clock.now();
  const draft = createDraft();
  const runId = newId();
  const message = messageRow(admission, runId);
  const human = admission.role === "human";
  const reset = await addStaleReset(engine, draft, session, now);
  await mergeOldest(engine, draft, session, now);
  const incarnation = reset === undefined ? session : { ...session, sessionId: reset };
  await placeNotices(engine, draft, incarnation, watches, "outside");
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
      ...(admission.contact ? contactPatch(session, admission.contact) : {}),
    })
    .append({ from: "outside", messages: [message] })
    .enqueue(inboundRun(admission, session, runId, message.id, now));
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
    for (const write of rememberKey(admission.idempotency, { runId, result: null }, now)) draft.record(write);
  }
  draft.hint({ about: "run", id: runId });
  draft.hint({ about: "session", id: session.id });
  draft.event(queuedEvent(session, runId, admission, now));
  return { commit: draft, answer: { runId } };
}

function messageRow({ text, role, provenance }: Admission, runId: string): NewMessageRow {
  return {
    id: newId(),
    role: "user",
    class: 0,
    runId,
    body: { content: text },
    provenance,
    ...(role === "human" ? { human: true as const } : {}),
  };
}

function inboundRun(
  { mode, replyRoute }: Admission,
  session: SessionRecord,
  runId: string,
  messageId: string,
  now: number,
) {
  return newRun(
    {
      id: runId,
      cause: `inbound:${runId}`,
      kind: "inbound",
      lane: "main",
      chainId: runId,
      hop: 0,
      path: [session.id],
      guarded: 0,
      mode,
      replyRoute,
      inputIds: [messageId],
    },
    now,
  );
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
