import {
  channelText,
  chatTypeOf,
  cutText,
  type Deliverer,
  type DeliveryRecord,
  isSkipWord,
  parseSessionKey,
  type Route,
  type SessionRecord,
  sendDecision,
  textParts,
} from "@trunkline/core";
import { decide, type Plan } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { createDraft } from "../transaction-draft.ts";
import { classifyFailure, type Failure, unclear } from "./classify-failure.ts";
import { endDelivery, expired, finishPart, retryLater, startSending } from "./delivery-writes.ts";

/** How long a deliverer may take for one request. */
const sendLimitMs = 30_000;

interface Sending {
  readonly delivery: DeliveryRecord;
  readonly route: Route;
  readonly deliverer: Deliverer;
  readonly texts: readonly string[];
}

/**
 * One attempt of a delivery: the intent is committed, each part is posted, each receipt is committed. `false` when it
 * has to wait, with nothing written.
 */
export async function attemptDelivery(engine: Engine, id: string): Promise<boolean> {
  engine.faultPoint("delivery.before-attempt");
  const sending = await decide(engine, () => begin(engine, id));
  if (typeof sending === "boolean") return sending;
  engine.faultPoint("delivery.after-intent");
  const { delivery, texts } = sending;
  for (let part = delivery.partsDone; part < texts.length; part++) {
    if (part > delivery.partsDone) engine.faultPoint("delivery.between-parts");
    const outcome = await sendPart(engine, sending, part);
    if ("failure" in outcome) {
      await settleFailure(engine, id, outcome.failure);
      return true;
    }
    engine.faultPoint("delivery.after-send");
    await finishPart(engine, id, part, outcome.receipt);
  }
  engine.faultPoint("delivery.after-record");
  return true;
}

/** What to send, `true` when the delivery ended without a call, `false` when it has to wait. */
async function begin(engine: Engine, id: string): Promise<Plan<Sending | boolean>> {
  const [delivery] = await engine.store.read([{ get: "delivery", key: id }]);
  const now = engine.clock.now();
  if (delivery?.state !== "pending" || (delivery.nextAttemptAt ?? 0) > now) return { answer: false };
  const [session, occupants, own] = await engine.store.read([
    { get: "session", key: delivery.sessionRow },
    { find: "delivery", index: "activeRoute", equals: [delivery.routeHash], limit: 1 },
    { get: "process", key: engine.process.id },
  ]);
  if (!session || own?.dead !== 0) return { answer: false };
  const draft = createDraft();
  const { route } = delivery;
  const deliverer = route ? engine.deliverers.get(route.channel) : undefined;
  const text = channelText(delivery.body);
  if (!route || !deliverer) {
    endDelivery(
      draft,
      delivery,
      session,
      "undeliverable",
      `no deliverer for channel ${route?.channel ?? "(none)"}`,
      now,
    );
    return { commit: draft, answer: true };
  }
  if (text === "" || isSkipWord(text)) {
    endDelivery(draft, delivery, session, "skipped", "nothing to say", now);
    return { commit: draft, answer: true };
  }
  if (!isSendAllowed(engine, session, route)) {
    endDelivery(draft, delivery, session, "suppressed", "the send policy denies it", now);
    return { commit: draft, answer: true };
  }
  if (delivery.expiresAt !== null && now > delivery.expiresAt) {
    expired(draft, delivery, session, now);
    return { commit: draft, answer: true };
  }
  if (occupants.length > 0) return { answer: false };
  const cuts = delivery.parts ?? cutText(text, deliverer.capabilities.maxTextLength);
  startSending(draft, delivery, session, { owner: engine.process.id, cuts, now });
  return {
    commit: draft,
    answer: { delivery: { ...delivery, parts: cuts }, route, deliverer, texts: textParts(text, cuts) },
  };
}

/** The send policy, asked here and nowhere else: in front of the deliverers, for every text that leaves. */
function isSendAllowed(engine: Engine, session: SessionRecord, route: Route): boolean {
  const { sessionKey, sendPolicy } = session;
  return sendDecision(engine.config, {
    ...(sendPolicy === null ? {} : { override: sendPolicy }),
    channel: route.channel,
    chatType: chatTypeOf(parseSessionKey(sessionKey)),
    sessionKey,
  }).allowed;
}

type Outcome = { readonly receipt: readonly string[] } | { readonly failure: Failure };

async function sendPart(engine: Engine, sending: Sending, part: number): Promise<Outcome> {
  const { delivery, deliverer, route, texts } = sending;
  const text = texts[part] ?? "";
  if (text.trim() === "") return { receipt: [] };
  const controller = new AbortController();
  const silence = Promise.withResolvers<Outcome>();
  const cancelTimer = engine.clock.setTimer(sendLimitMs, () => {
    silence.resolve({ failure: unclear(`no answer within ${sendLimitMs / 1000} s`) });
    controller.abort(new DOMException("timeout", "AbortError"));
  });
  const idempotencyKey = texts.length === 1 ? delivery.id : `${delivery.id}:${part + 1}`;
  const attempt = async (): Promise<Outcome> => {
    try {
      const { messageIds } = await deliverer.send({ route, text }, { idempotencyKey, signal: controller.signal });
      return messageIds.length > 0 ? { receipt: messageIds } : { failure: unclear("the platform gave no message id") };
    } catch (error) {
      return { failure: classifyFailure(error) };
    }
  };
  try {
    return await Promise.race([attempt(), silence.promise]);
  } finally {
    cancelTimer();
  }
}

async function settleFailure(engine: Engine, id: string, failure: Failure): Promise<void> {
  if (failure.class === "ambiguous") await settleAmbiguous(engine, id, failure.reason);
  else await retryOrFail(engine, id, failure);
}

/** An outcome that nobody can know: tried again only where the deliverer honours the key, else `unknown`, never sent again. */
export async function settleAmbiguous(engine: Engine, id: string, reason: string): Promise<void> {
  const [delivery] = await engine.store.read([{ get: "delivery", key: id }]);
  const deliverer = delivery?.route ? engine.deliverers.get(delivery.route.channel) : undefined;
  if (deliverer?.capabilities.idempotent) {
    await retryOrFail(engine, id, { class: "retryable", reason });
    return;
  }
  await decide<void>(engine, async () => {
    const found = await readSending(engine, id);
    if (!found) return { answer: undefined };
    const draft = createDraft();
    endDelivery(draft, found.delivery, found.session, "unknown", reason, engine.clock.now());
    return { commit: draft, answer: undefined };
  });
}

async function retryOrFail(engine: Engine, id: string, failure: Failure): Promise<void> {
  await decide<void>(engine, async () => {
    const found = await readSending(engine, id);
    if (!found) return { answer: undefined };
    const draft = createDraft();
    retryLater(draft, found.delivery, found.session, failure, engine.clock.now());
    return { commit: draft, answer: undefined };
  });
}

async function readSending(engine: Engine, id: string) {
  const [delivery] = await engine.store.read([{ get: "delivery", key: id }]);
  if (delivery?.state !== "sending") return undefined;
  const [session] = await engine.store.read([{ get: "session", key: delivery.sessionRow }]);
  return session ? { delivery, session } : undefined;
}
