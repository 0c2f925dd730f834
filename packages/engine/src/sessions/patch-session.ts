import type { SessionPatch, SessionRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { createDraft } from "../transaction-draft.ts";
import { tellOpened } from "../watch/open-notices.ts";

/** The settings of a session that a host may change; `null` clears, what is left out stays. */
export interface SessionSettingsPatch {
  readonly label?: string | null;
  readonly pinned?: boolean | null;
  readonly archived?: boolean | null;
  readonly model?: string | null;
  readonly thinking?: string | null;
  readonly goal?: string | null;
  readonly sendPolicy?: "allow" | "deny" | "inherit" | null;
}

export interface PatchOptions {
  readonly actor?: "human" | "agent" | "system";
  readonly actorId?: string;
  /** The session row whose own watch is not notified. */
  readonly actorRow?: string;
  readonly expectedSessionId?: string;
}

/** Writes the given settings and no other. `busy`: archiving a running or yielded session. */
export async function patchSession(
  engine: Engine,
  session: SessionRecord,
  patch: SessionSettingsPatch,
  options: PatchOptions = {},
): Promise<"changed" | "busy" | "session_changed" | "not_found"> {
  return decide(engine, async () => {
    const [current] = await engine.store.read([{ get: "session", key: session.id }]);
    if (!current || current.deletedAt !== null) return { answer: "not_found" };
    const { expectedSessionId } = options;
    if (expectedSessionId !== undefined && current.sessionId !== expectedSessionId)
      return { answer: "session_changed" };
    const working = current.activeRunId !== null || current.queuedRuns > 0 || current.openYields > 0;
    if (patch.archived === true && working) return { answer: "busy" };
    const now = engine.clock.now();
    const draft = createDraft();
    const write = draft
      .session(session.id)
      .when({ sessionId: current.sessionId, deleted: false, ...(patch.archived === true ? { activeRun: null } : {}) })
      .set(columns(patch));
    const actor = {
      actorKind: options.actor ?? "human",
      actorId: options.actorId ?? null,
      ...(options.actorRow === undefined ? {} : { actorRow: options.actorRow }),
    } as const;
    if (patch.goal !== undefined && patch.goal !== current.goal) {
      write.log({ kind: "goal_changed", data: {}, ...actor });
      await tellOpened(engine, draft, current, options.actorRow);
    }
    if (patch.archived === true && current.archived === 0) write.log({ kind: "archived", data: {}, ...actor });
    draft.hint({ about: "session", id: session.id });
    draft.event({ type: "session_changed", at: now, sessionKey: current.sessionKey });
    return { commit: draft, answer: "changed" };
  });
}

function columns(patch: SessionSettingsPatch): SessionPatch {
  const { label, pinned, archived, model, thinking, goal, sendPolicy } = patch;
  return {
    ...(label === undefined ? {} : { label }),
    ...(pinned === undefined ? {} : { pinned: pinned ? 1 : 0 }),
    ...(archived === undefined ? {} : { archived: archived ? 1 : 0 }),
    ...(model === undefined ? {} : { model: isDefault(model) ? null : model }),
    ...(thinking === undefined ? {} : { thinking: isDefault(thinking) ? null : thinking }),
    ...(goal === undefined ? {} : { goal }),
    ...(sendPolicy === undefined ? {} : { sendPolicy: sendPolicy === "inherit" ? null : sendPolicy }),
  };
}

function isDefault(value: string | null): boolean {
  return value === null || value.trim() === "" || value.trim().toLowerCase() === "default";
}
