import { effectiveModel, type RecordWrite, type Usage, type UsageTotals } from "@trunkline/core";
import { newId } from "../identifiers.ts";
import type { Closing } from "./closing.ts";

const nanoPerUnit = 1e9;

type UsageFacts = Pick<Closing, "engine" | "run" | "session" | "ending">;

/** The usage entry of one run; it outlives the session. Cost: as reported, else from `models.prices`. */
export function usageWrite(closing: Closing, usage: Usage): RecordWrite {
  const { run, session, now } = closing;
  const { inputTokens, outputTokens, totalTokens, nanoUsd } = usageTotals(closing, usage);
  return {
    kind: "usage",
    insert: {
      id: newId(),
      runId: run.id,
      sessionRow: session.id,
      parentRow: session.parentId,
      rootId: session.rootId,
      model: modelOf(closing) ?? null,
      inputTokens,
      outputTokens,
      totalTokens,
      nanoUsd,
      at: now,
    },
  };
}

/** What one run has used, as its usage entry counts it. */
export function usageTotals(closing: UsageFacts, usage: Usage): UsageTotals {
  const inputTokens = usage.inputTokens ?? 0;
  const outputTokens = usage.outputTokens ?? 0;
  const model = modelOf(closing);
  const price = model === undefined ? undefined : closing.engine.config.models.prices[model];
  const priced = price ? (inputTokens * price.inputPerMillion + outputTokens * price.outputPerMillion) / 1e6 : 0;
  return {
    inputTokens,
    outputTokens,
    totalTokens: usage.totalTokens ?? inputTokens + outputTokens,
    nanoUsd: Math.round((usage.costUsd ?? priced) * nanoPerUnit),
    runs: 1,
  };
}

/** The model that answered; where the runner does not say, the one that it was asked to use. */
function modelOf({ engine, run, session, ending }: UsageFacts): string | undefined {
  return (
    ending.model ?? run.model ?? effectiveModel(engine.config, session.agentId, session.model ?? undefined) ?? undefined
  );
}
