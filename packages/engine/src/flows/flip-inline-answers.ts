import { crossingText, type FlowRecord } from "@trunkline/core";
import { newId } from "../identifiers.ts";
import type { Closing } from "../runs/closing.ts";

/**
 * A run that is over hears nothing any more: answers that it still waited for become entries of its session instead,
 * once; so do, after a crash, those that it had been given, because its tool results died with it.
 */
export async function flipInlineAnswers(closing: Closing): Promise<void> {
  const { run, ending, sends } = closing;
  for (const flow of sends) {
    if (flow.answerTo !== "inline" || flow.id === run.flowId) continue;
    if (flow.phase !== "primary" && ending.state !== "interrupted") continue;
    closing.draft.record({
      kind: "flow",
      key: flow.id,
      when: { version: flow.version },
      set: { answerTo: "entry", waiterOwner: null },
      add: { version: 1 },
    });
    if (flow.phase !== "primary") await addLostAnswer(closing, flow);
  }
}

async function addLostAnswer(closing: Closing, flow: FlowRecord): Promise<void> {
  const { engine, draft, session } = closing;
  const dedupeKey = `flow-reply:${flow.id}`;
  const [target, primary, known] = await engine.store.read([
    { get: "session", key: flow.targetRow },
    { get: "run", key: flow.primaryRunId },
    { find: "message", index: "dedupe", equals: [session.id, dedupeKey], limit: 1 },
  ]);
  const text =
    flow.firstReply ?? (flow.stoppedBy === "failed" ? `The run failed: ${primary?.error ?? "unknown"}` : null);
  if (text === null || known.length > 0) return;
  draft.session(session.id).append({
    from: "outside",
    messages: [
      {
        id: newId(),
        role: "user",
        class: 0,
        body: { content: crossingText(text) },
        provenance: {
          kind: "inter_session",
          // A session that was removed meanwhile has answered all the same.
          ...(target ? { sourceSessionKey: target.sessionKey } : {}),
          sourceTool: "sessions_send",
          chainId: flow.chainId,
          hop: flow.hop,
          ...(flow.firstReply === null ? { detail: "error" } : {}),
        },
        dedupeKey,
      },
    ],
  });
}
