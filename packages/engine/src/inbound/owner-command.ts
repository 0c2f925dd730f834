import type { Route, SessionRecord } from "@trunkline/core";
import { decide } from "../decide.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../identifiers.ts";
import { addDelivery } from "../outbox/new-delivery.ts";
import { abortSession } from "../runs/abort-session.ts";
import { earlierMessage, type IdempotencyScope, rememberKey } from "../runs/idempotency.ts";
import { describeSession } from "../sessions/describe-session.ts";
import { patchSession } from "../sessions/patch-session.ts";
import { resetSession } from "../sessions/reset-session.ts";
import { describeTools } from "../tools/effective-tools.ts";
import { createDraft } from "../transaction-draft.ts";

const commands = /^\/(stop|new|reset|tools|status|send\s+(on|off|inherit))$/i;

export interface OwnerCommand {
  readonly session: SessionRecord;
  readonly text: string;
  readonly route: Route;
  readonly idempotency: IdempotencyScope | undefined;
}

/** Whether a text, as a whole, is one of the owner's commands. */
export function isOwnerCommand(text: string): boolean {
  return commands.test(text.trim());
}

/** Carries out an owner's command, once for each key, and posts its answer; the command is no message of the transcript. */
export async function runOwnerCommand(engine: Engine, command: OwnerCommand): Promise<void> {
  const { session, text, route, idempotency } = command;
  if (await earlierMessage(engine, idempotency)) return;
  const [, name = "", setting = ""] = commands.exec(text.trim()) ?? [];
  const answer = await carryOut(engine, session, name.toLowerCase(), setting.toLowerCase());
  await decide<void>(engine, async () => {
    if (await earlierMessage(engine, idempotency)) return { answer: undefined };
    const now = engine.clock.now();
    const draft = createDraft();
    addDelivery(draft, { cause: `owner:${newId()}`, session, runId: null, kind: "owner", route, body: answer }, now);
    if (idempotency) {
      for (const write of rememberKey(idempotency, { runId: null, result: null }, now)) draft.record(write);
    }
    return { commit: draft, answer: undefined };
  });
}

async function carryOut(engine: Engine, session: SessionRecord, name: string, setting: string): Promise<string> {
  switch (name) {
    case "stop": {
      const aborted = await abortSession(engine, session);
      return aborted.length === 0
        ? "Nothing was running."
        : `Stopped ${aborted.length} run${aborted.length === 1 ? "" : "s"}.`;
    }
    case "new":
    case "reset":
      await resetSession(engine, session, "human");
      return "Started over with an empty transcript.";
    case "tools":
      return describeTools(engine, session);
    case "status":
      return describeSession(engine, session);
    default:
      await patchSession(engine, session, {
        sendPolicy: setting === "on" ? "allow" : setting === "off" ? "deny" : "inherit",
      });
      return `Posting for this session: ${setting}.`;
  }
}
