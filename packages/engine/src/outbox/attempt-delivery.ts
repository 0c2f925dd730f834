import {
  channelText,
  cutText,
  type Deliverer,
  type DeliveryRecord,
  isSkipWord,
  type Route,
  textParts,
} from "@trunkline/core";
import { decide, type Plan } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { createDraft, type TransactionDraft } from "../transaction-draft.ts";
import { endDelivery, fail, startSending } from "./delivery-writes.ts";
import { finishPart } from "./finish-part.ts";
import { renderMarkdown } from "./markdown/render-markdown.ts";
import { isSendAllowed } from "./send-allowed.ts";
import { sendPart } from "./send-part.ts";
import { settleFailure } from "./settle-failure.ts";

/** A delivery whose attempt is committed: from here on a lost process means that nobody knows whether it was posted. */
export interface Sending {
  readonly delivery: DeliveryRecord;
  /** The process that sends; another one's attempt is not touched. */
  readonly owner: string;
  readonly route: Route;
  readonly deliverer: Deliverer;
  readonly texts: readonly string[];
}

/**
 * One attempt of a delivery: the intent is committed, each part is posted, each receipt is committed. `false` when it
 * has to wait, with nothing written. `stop` gives up a request that is going.
 */
export async function attemptDelivery(engine: Engine, id: string, stop?: AbortSignal): Promise<boolean> {
  engine.faultPoint("delivery.before-attempt");
  const sending = await decide(engine, () => begin(engine, id));
  if (typeof sending === "boolean") return sending;
  engine.faultPoint("delivery.after-intent");
  const { delivery, texts } = sending;
  for (let part = delivery.partsDone; part < texts.length; part++) {
    if (part > delivery.partsDone) engine.faultPoint("delivery.between-parts");
    const outcome = await sendPart(engine, sending, part, stop);
    if ("failure" in outcome) {
      await settleFailure(engine, sending, outcome.failure);
      return true;
    }
    engine.faultPoint("delivery.after-send");
    if (!(await finishPart(engine, sending, part, outcome.receipt))) return true;
  }
  engine.faultPoint("delivery.after-record");
  return true;
}

/** What to send, `true` when the delivery ended without a call, `false` when it has to wait. */
async function begin(engine: Engine, id: string): Promise<Plan<Sending | boolean>> {
  const [delivery] = await engine.store.read([{ get: "delivery", key: id }]);
  const now = engine.clock.now();
  const owner = engine.process.id;
  if (delivery?.state !== "pending" || (delivery.nextAttemptAt ?? 0) > now) return { answer: false };
  const [session, occupants, own] = await engine.store.read([
    { get: "session", key: delivery.sessionRow },
    { find: "delivery", index: "activeRoute", equals: [delivery.routeHash], limit: 1 },
    { get: "process", key: owner },
  ]);
  if (own?.dead !== 0) return { answer: false };
  const draft = createDraft();
  const ended = (end: (draft: TransactionDraft) => void): Plan<boolean> => {
    end(draft);
    return { commit: draft, answer: true };
  };
  const { route } = delivery;
  const deliverer = route ? engine.deliverers.get(route.channel) : undefined;
  const text = channelText(delivery.body);
  if (!session || session.deletedAt !== null) {
    return ended(() => endDelivery(draft, delivery, undefined, "undeliverable", "its session was deleted", now));
  }
  if (!route || !deliverer) {
    const reason = `no deliverer for channel ${route?.channel ?? "(none)"}`;
    return ended(() => endDelivery(draft, delivery, session, "undeliverable", reason, now));
  }
  if (text === "" || isSkipWord(text)) {
    return ended(() => endDelivery(draft, delivery, session, "skipped", "nothing to say", now));
  }
  if (!isSendAllowed(engine, session, route)) {
    return ended(() => endDelivery(draft, delivery, session, "suppressed", "the send policy denies it", now));
  }
  // A text that waited for a process to come back gets its first attempt however late that is.
  if (delivery.attempts > 0 && delivery.expiresAt !== null && now > delivery.expiresAt) {
    return ended(() => fail(draft, delivery, session, "not delivered in time", now));
  }
  if (occupants.length > 0) return { answer: false };
  const cuts = delivery.parts ?? cutText(text, deliverer.capabilities.maxTextLength);
  startSending(draft, delivery, session, { owner, cuts, now });
  const texts = await renderMarkdown(textParts(text, cuts), deliverer.capabilities.markdown);
  return { commit: draft, answer: { delivery, owner, route, deliverer, texts } };
}
