import type { RecordWrite, Usage } from "@trunkline/core";
import { newId } from "../identifiers.ts";
import type { Closing } from "./closing.ts";

const nanoPerUnit = 1e9;

/** The usage entry of one run; it outlives the session. Cost: as reported, else from `models.prices`. */
export function usageWrite(closing: Closing, usage: Usage): RecordWrite {
  const { run, session, ending, now, engine } = closing;
  const inputTokens = usage.inputTokens ?? 0;
  const outputTokens = usage.outputTokens ?? 0;
  const model = ending.model ?? run.model;
  const price = model === null ? undefined : engine.config.models.prices[model];
  const priced = price ? (inputTokens * price.inputPerMillion + outputTokens * price.outputPerMillion) / 1e6 : 0;
  return {
    kind: "usage",
    insert: {
      id: newId(),
      runId: run.id,
      sessionRow: session.id,
      parentRow: session.parentId,
      rootId: session.rootId,
      model,
      inputTokens,
      outputTokens,
      totalTokens: usage.totalTokens ?? inputTokens + outputTokens,
      nanoUsd: Math.round((usage.costUsd ?? priced) * nanoPerUnit),
      at: now,
    },
  };
}
