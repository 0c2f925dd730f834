import {
  asksForDefault,
  notFoundResult,
  operationDecision,
  refusalResult,
  type SessionRecord,
  type ToolInput,
  type ToolResult,
  thinkingDecision,
} from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { checkModelName } from "../sessions/check-model.ts";
import { deleteSession } from "../sessions/delete-session.ts";
import { findTarget } from "../sessions/find-target.ts";
import { patchSession } from "../sessions/patch-session.ts";
import { resetSession } from "../sessions/reset-session.ts";
import type { ResolvedCaller } from "../sessions/resolved-caller.ts";
import { createDraft } from "../transaction-draft.ts";

type Input = ToolInput<"sessions">;
type Result = ToolResult<"sessions">;
type Changed = Extract<Result, { status: "ok" }>["changed"];

/** `sessions`: changes the caller's own session or one that it spawned. */
export async function sessions(engine: Engine, caller: ResolvedCaller, input: Input): Promise<Result> {
  const target = await findTarget(engine, caller, input.sessionKey, input.action === "unwatch" ? "read" : "change");
  if (!("session" in target)) return "refusal" in target ? target.refusal : notFoundResult(input.sessionKey);
  const { session } = target;
  if (input.expectedSessionId !== undefined && input.expectedSessionId !== session.sessionId) return sessionChanged;
  const guarded = guard(caller, session, input);
  if (guarded) return guarded;
  switch (input.action) {
    case "patch":
      return patch(engine, caller, session, input);
    case "reset": {
      const sessionId = await resetSession(engine, session, "agent");
      return sessionId === undefined ? notFoundResult(input.sessionKey) : done(session, ["transcript"], sessionId);
    }
    case "delete":
      await deleteSession(engine, session);
      return done(session, ["deleted"]);
    case "unwatch":
      return done(session, (await unwatch(engine, caller, session)) ? ["watch"] : []);
  }
}

function guard(caller: ResolvedCaller, session: SessionRecord, input: Input): Result | undefined {
  const operation = input.action === "patch" && input.archived === true ? "archive" : input.action;
  if (operation !== "reset" && operation !== "delete" && operation !== "archive") return undefined;
  const isCallingRun = caller.run !== undefined && session.id === caller.session.id;
  const decision = operationDecision(operation, { kind: session.kind, isCallingRun });
  return decision.allowed ? undefined : refusalResult(decision, input.sessionKey);
}

async function patch(engine: Engine, caller: ResolvedCaller, session: SessionRecord, input: Input): Promise<Result> {
  const { label, pinned, archived, model, thinking, goal } = input;
  const wrong = await checkValues(engine, session, input);
  if (wrong) return wrong;
  const given = { label, pinned, archived, model, thinking, goal };
  const changed: Changed = (["label", "pinned", "archived", "model", "thinking", "goal"] as const).filter(
    (field) => given[field] !== undefined,
  );
  const outcome = await patchSession(
    engine,
    session,
    {
      ...(label === undefined ? {} : { label }),
      ...(pinned === undefined ? {} : { pinned }),
      ...(archived === undefined ? {} : { archived }),
      ...(model === undefined ? {} : { model }),
      ...(thinking === undefined ? {} : { thinking }),
      ...(goal === undefined ? {} : { goal }),
    },
    {
      actor: "agent",
      actorId: caller.agentId,
      actorRow: caller.session.id,
      ...(input.expectedSessionId === undefined ? {} : { expectedSessionId: input.expectedSessionId }),
    },
  );
  if (outcome === "changed") return done(session, changed);
  if (outcome === "busy") return busy;
  return outcome === "session_changed" ? sessionChanged : notFoundResult(input.sessionKey);
}

async function checkValues(engine: Engine, session: SessionRecord, input: Input): Promise<Result | undefined> {
  const thinking = input.thinking ?? undefined;
  if (thinking !== undefined && !asksForDefault(thinking)) {
    const decision = thinkingDecision(thinking);
    if (!decision.allowed) return refusalResult(decision, "");
  }
  const model = input.model ?? undefined;
  if (model === undefined || asksForDefault(model)) return undefined;
  const decision = await checkModelName(engine, session.agentId, model);
  return decision.allowed ? undefined : refusalResult(decision, "");
}

async function unwatch(engine: Engine, caller: ResolvedCaller, session: SessionRecord): Promise<boolean> {
  return decide(engine, async () => {
    const [watches] = await engine.store.read([
      { find: "watch", index: "pair", equals: [caller.session.id, session.id], limit: 1 },
    ]);
    const watch = watches[0];
    if (!watch) return { answer: false };
    const draft = createDraft();
    draft.session(session.id).add({ watchCount: -1 });
    draft.record({ kind: "watch", key: watch.id, when: { lastSeen: watch.lastSeen }, remove: true });
    return { commit: draft, answer: true };
  });
}

function done(session: SessionRecord, changed: Changed, sessionId = session.sessionId): Result {
  return { status: "ok", sessionKey: session.sessionKey, sessionId, changed };
}

const sessionChanged: Result = {
  status: "error",
  code: "session_changed",
  error: "the session has another sessionId by now: it was reset; read it again before you change it",
};
const busy: Result = {
  status: "error",
  code: "busy",
  error: "the session is running or waits for sub-agents; archive it when it is idle",
};
