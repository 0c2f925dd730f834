import type { TrunklineEvent } from "@trunkline/engine";
import { coordinatorKey, editorKey } from "../runtime/demo-setup.ts";
import { oneLine } from "../terminal/printable.ts";
import type { TimelineEntry, TimelineFold, TimelineSession } from "../timeline/timeline-entry.ts";

type Step = Pick<TimelineEntry, "who" | "glyph" | "verb" | "text"> & {
  readonly session?: TimelineSession;
  readonly dim?: true;
  readonly fold?: TimelineFold;
};

/** Turns the engine's events into lines; it keeps what an earlier event said and a later one leaves out. */
export interface Narrator {
  /** The line that tells of an event; `undefined` for events that are no part of the story. */
  tell(event: TrunklineEvent): TimelineEntry | undefined;
}

/** Makes the narrator of one demo run. */
export function createNarrator(): Narrator {
  const flows = new Map<string, TrunklineEvent["flow"]>();
  const reports = new Map<string, string>();
  return {
    tell(event) {
      const { type, kind, runId = "", sessionKey, text } = event;
      if (type === "run_queued" && event.flow !== undefined) flows.set(runId, event.flow);
      if (type === "run_ended" && kind === "child" && text !== undefined) reports.set(sessionKey, text);
      const flow = event.flow ?? flows.get(runId);
      const report = type === "child_settled" ? (text ?? reports.get(sessionKey)) : text;
      return entryOf({
        ...event,
        ...(flow === undefined ? {} : { flow }),
        ...(report === undefined ? {} : { text: report }),
      });
    },
  };
}

function entryOf(event: TrunklineEvent): TimelineEntry | undefined {
  const step = stepOf(event);
  if (step === undefined) return undefined;
  return {
    type: event.type,
    at: event.at,
    sessionKey: event.sessionKey,
    session: sessionOf(event.sessionKey),
    ...step,
    ...(event.runId === undefined ? {} : { runId: event.runId }),
    ...(event.durationMs === undefined ? {} : { tookMs: event.durationMs }),
  };
}

/** The short name of one of the demo's own sessions. */
export function sessionOf(sessionKey: string): TimelineSession {
  if (sessionKey === coordinatorKey) return { name: "main" };
  return { name: sessionKey === editorKey ? "editor" : sessionKey };
}

function stepOf(event: TrunklineEvent): Step | undefined {
  if (event.type === "run_queued") return questionStep(event);
  if (event.type === "run_ended") return endedStep(event);
  if (event.type === "child_settled") return readerStep(event);
  return event.type === "delivery_changed" ? deliveryStep(event) : undefined;
}

function questionStep({ kind, sessionKey, text }: TrunklineEvent): Step | undefined {
  if (kind !== "inbound" || sessionKey !== coordinatorKey) return undefined;
  const [question = ""] = (text ?? "").split("\n");
  return { who: "you", glyph: "out", verb: "message", text: quoted(question) };
}

function endedStep(event: TrunklineEvent): Step | undefined {
  const { kind, state, sessionKey, text } = event;
  if (kind === "child" || kind === "child_announce") return undefined;
  const who = sessionKey === editorKey ? "editor" : "coordinator";
  if (state === "yielded") return undefined;
  if (state !== "ok") {
    return { who, glyph: "failed", verb: state === "interrupted" ? "stopped" : "failed", text: endedText(event) };
  }
  if (kind === "inbound" && who === "editor") {
    return { who, glyph: "run", verb: "open", text: "says NO_REPLY, so nothing is posted", dim: true };
  }
  if (kind === "send") return { who, glyph: "in", verb: "reply", text: quoted(text), session: { name: "main" } };
  if (kind === "turn") return turnStep(event, who);
  if (kind === "flow_announce") return { who, glyph: "announce", verb: "announce", text: "answer put in the outbox" };
  return undefined;
}

function turnStep({ text, flow }: TrunklineEvent, who: string): Step {
  if (flow !== undefined && flow.turn >= flow.of) {
    return { who, glyph: "done", verb: "settled", text: `exchange over after ${flow.turn} turns` };
  }
  const glyph = who === "editor" ? "in" : "out";
  return { who, glyph, verb: "reply", text: quoted(text), session: { name: who === "editor" ? "main" : "editor" } };
}

function readerStep({ outcome, label, text }: TrunklineEvent): Step {
  const document = oneLine(label ?? "a document");
  const session = { name: "main", child: document.replace(/\.[a-z]+$/u, "") };
  const outcomeWord = outcome ?? "unknown";
  const fold: TimelineFold = {
    key: `reader ${outcomeWord}`,
    leads: true,
    describe: (count) => `${count} more readers`,
  };
  if (outcomeWord === "success") {
    const [counts = document] = (text ?? document).split("\n");
    return { who: "reader", glyph: "done", verb: "done", text: oneLine(counts), session, fold };
  }
  const reason = outcomeWord === "interrupted" ? "interrupted, not run again" : outcomeWord;
  return { who: "reader", glyph: "failed", verb: "stopped", text: `${document}: ${reason}`, session, fold };
}

function deliveryStep({ delivery }: TrunklineEvent): Step | undefined {
  if (delivery === undefined || ["pending", "sending", "skipped", "suppressed"].includes(delivery.state))
    return undefined;
  const { state, channel, parts, kind } = delivery;
  if (state === "delivered") {
    const messages = Math.max(1, parts);
    const text = `channel ${channel ?? "?"}, ${messages} ${messages === 1 ? "message" : "messages"}`;
    return { who: "outbox", glyph: "done", verb: "delivered", text };
  }
  if (kind === "announce" || state !== "undeliverable")
    return { who: "outbox", glyph: "failed", verb: "stopped", text: state };
  const fold = {
    key: "kept",
    leads: false,
    describe: (count: number) => `${count} results for a session without a channel`,
  };
  const text = "a result for a session without a channel: it is in the transcript";
  return { who: "outbox", glyph: "run", verb: "kept", text, dim: true, fold };
}

function endedText({ state, error }: TrunklineEvent): string {
  if (state === "interrupted") return "interrupted inside its runner, not run again";
  return error === undefined ? `ended with ${state ?? "an error"}` : oneLine(error);
}

function quoted(text: string | undefined): string {
  return `"${oneLine(text ?? "")}"`;
}
