import { type Decision, modelDecision } from "@trunkline/core";
import type { Engine } from "../engine.ts";

/** Whether a session of an agent may use a model: its runner's word where it has one, else the configuration's. */
export async function checkModelName(engine: Engine, agentId: string, model: string): Promise<Decision> {
  const runner = engine.runners[agentId] ?? engine.runners.default;
  const known = runner.knowsModel ? await runner.knowsModel(model.trim()) : undefined;
  return modelDecision(engine.config, model.trim(), known);
}
