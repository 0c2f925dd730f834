import { channelText, type Deliverer, type Route } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import { routeHash } from "../outbox/new-delivery.ts";
import { isSendAllowed } from "../outbox/send-allowed.ts";
import { announceRoute, storedRoute } from "../outbox/session-route.ts";
import { withinLimit } from "../outbox/within-limit.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { createDraft } from "../transaction-draft.ts";

const intentLifetimeMs = 120_000;
const createLimitMs = 30_000;
const titleLength = 60;

/** What opening a thread came to; `error` says why there is none, without a text of the platform. */
export type BoundThread = { readonly route: Route } | { readonly error: string };

/** Opens a channel thread for a child; the binding stays an intent until the child is committed with it. */
export async function bindThread(engine: Engine, caller: ResolvedCaller, title: string): Promise<BoundThread> {
  const base = caller.run?.replyRoute ?? storedRoute(caller.session) ?? announceRoute(caller.session);
  const deliverer = base ? engine.deliverers.get(base.channel) : undefined;
  if (!engine.config.threadBindings.enabled) return { error: "binding failed: thread bindings are switched off here" };
  if (!base || !deliverer?.createThread || !deliverer.capabilities.threads) {
    return { error: "binding failed: this session's channel cannot open a thread to bind the child to" };
  }
  if (!isSendAllowed(engine, caller.session, base)) {
    return { error: "binding failed: the send policy lets nothing of this session out to its channel" };
  }
  const route = await createThread(engine, deliverer, base, titleOf(title));
  if (route?.threadId === undefined) return { error: "binding failed: the channel opened no thread" };
  engine.faultPoint("spawn.thread-created");
  return (await intend(engine, route)) ? { route } : { error: "binding failed: the thread belongs to another session" };
}

/** Drops the intent of a child that was refused after its thread had been opened. */
export async function unbindThread(engine: Engine, route: Route): Promise<void> {
  await decide<void>(engine, async () => {
    const draft = createDraft();
    const when = { state: "creating", owner: engine.process.id } as const;
    draft.record({ kind: "binding", key: routeHash(route), when, remove: true, optional: true });
    return { commit: draft, answer: undefined };
  });
}

async function createThread(
  engine: Engine,
  deliverer: Deliverer,
  route: Route,
  title: string,
): Promise<Route | undefined> {
  return withinLimit<Route | undefined>(engine, { limitMs: createLimitMs, late: undefined }, async (signal) => {
    try {
      return await deliverer.createThread?.({ route, title }, { idempotencyKey: newId(), signal });
    } catch (error) {
      engine.logger.warn({ err: error, channel: route.channel }, "a thread could not be opened");
      return undefined;
    }
  });
}

function titleOf(text: string): string {
  const line = channelText(text).replace(/\s+/g, " ");
  return line.length <= titleLength ? line : `${line.slice(0, titleLength - 1).toWellFormed()}…`;
}

// A thread that is bound to a living session is never taken from it; a forgotten intent is replaced.
async function intend(engine: Engine, route: Route): Promise<boolean> {
  return decide<boolean>(engine, async () => {
    const [known] = await engine.store.read([{ get: "binding", key: routeHash(route) }]);
    const [holder] = await engine.store.read([{ get: "session", key: known?.sessionRow ?? "" }]);
    const now = engine.clock.now();
    const lives = known?.state === "creating" ? (known.expiresAt ?? 0) > now : holder && holder.deletedAt === null;
    if (known && lives) return { answer: false };
    const draft = createDraft();
    if (known) draft.record({ kind: "binding", key: known.routeHash, when: { state: known.state }, remove: true });
    draft.record({
      kind: "binding",
      insert: {
        routeHash: routeHash(route),
        sessionRow: null,
        route,
        state: "creating",
        owner: engine.process.id,
        expiresAt: now + intentLifetimeMs,
      },
    });
    return { commit: draft, answer: true };
  });
}
