import type { Route } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import { routeHash } from "../outbox/new-delivery.ts";
import { announceRoute, storedRoute } from "../outbox/session-route.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { createDraft } from "../transaction-draft.ts";

const intentLifetimeMs = 120_000;
const titleLength = 60;

/** Opens a channel thread for a child; the binding stays an intent until the child is committed with it. */
export async function bindThread(
  engine: Engine,
  caller: ResolvedCaller,
  title: string,
): Promise<{ readonly route: Route } | { readonly error: string }> {
  const base = caller.run?.replyRoute ?? storedRoute(caller.session) ?? announceRoute(caller.session);
  const deliverer = base ? engine.deliverers.get(base.channel) : undefined;
  if (!engine.config.threadBindings.enabled) return { error: "thread bindings are switched off here" };
  if (!base || !deliverer?.createThread || !deliverer.capabilities.threads) {
    return { error: "this session's channel cannot open a thread to bind the child to" };
  }
  const controller = new AbortController();
  try {
    const route = await deliverer.createThread(
      { route: base, title: title.slice(0, titleLength).toWellFormed() },
      { idempotencyKey: newId(), signal: controller.signal },
    );
    if (route.threadId === undefined) return { error: "binding failed: the channel opened no thread" };
    engine.faultPoint("spawn.thread-created");
    await intend(engine, route);
    return { route };
  } catch (error) {
    engine.logger.warn({ err: error, channel: base.channel }, "a thread could not be opened");
    return { error: "binding failed: the channel did not open a thread" };
  }
}

/** Drops the intent of a child that was refused after its thread had been opened. */
export async function unbindThread(engine: Engine, route: Route): Promise<void> {
  await decide<void>(engine, async () => {
    const draft = createDraft();
    draft.record({ kind: "binding", key: routeHash(route), when: { state: "creating" }, remove: true, optional: true });
    return { commit: draft, answer: undefined };
  });
}

async function intend(engine: Engine, route: Route): Promise<void> {
  await decide<void>(engine, async () => {
    const [known] = await engine.store.read([{ get: "binding", key: routeHash(route) }]);
    const draft = createDraft();
    if (known) draft.record({ kind: "binding", key: known.routeHash, remove: true, optional: true });
    draft.record({
      kind: "binding",
      insert: {
        routeHash: routeHash(route),
        sessionRow: null,
        route,
        state: "creating",
        owner: engine.process.id,
        expiresAt: engine.clock.now() + intentLifetimeMs,
      },
    });
    return { commit: draft, answer: undefined };
  });
}
