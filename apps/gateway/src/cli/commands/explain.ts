import { type AccessAction, type Decision, nearestName, parseConfig, type TrunklineConfig } from "@trunkline/core";
import { readLocalSetup } from "../../runtime/local-setup.ts";
import type { LocalTrunkline } from "../../runtime/open-local.ts";
import { oneLine } from "../../terminal/printable.ts";
import type { CommandContext } from "../command-context.ts";
import type { CommandDefinition } from "../command-definition.ts";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-code.ts";
import { findSession, readReference } from "../session-target.ts";
import { trailLines } from "../trail-lines.ts";

const actions: readonly AccessAction[] = ["read", "send", "change"];

/** `explain`. */
export const explainCommand: CommandDefinition = {
  path: ["explain"],
  arguments: "<caller> <action> <target>",
  summary: "Say why access is allowed or refused",
  flags: [],
  examples: [
    { line: "explain main send editor", description: "may main message the editor, and why" },
    { line: "explain agent:editor:main read main", description: "main is then the editor's own main session" },
  ],
  exitCodes: [0, 2, 3, 4, 7],
  async run(context, { arguments: [caller = "", typedAction = "", target = ""] }) {
    refuseGlobals(context);
    const action = readAction(typedAction);
    const setup = readLocalSetup(context);
    const config = parseConfig(setup.engineInput);
    const { openLocal } = await import("../../runtime/open-local.ts");
    const local = await openLocal(setup, { policy: "own" });
    context.note(`via ${setup.databaseName}`);
    try {
      const decision = await explain(local, config, { caller, action, target });
      context.result(decision, () => [headline(decision), ...trailLines(context, decision)]);
      return decision.allowed ? exitCodes.done : exitCodes.refused;
    } finally {
      await local.close();
    }
  },
};

interface Question {
  readonly caller: string;
  readonly action: AccessAction;
  readonly target: string;
}

async function explain(
  { store, trunkline }: LocalTrunkline,
  config: TrunklineConfig,
  { caller, action, target }: Question,
): Promise<Decision> {
  const { sessionKey } = await findSession(store, config, caller);
  const reference = readReference(config, target);
  // "main" and "current" are the caller's, not the operator's.
  if (reference?.type === "main" || reference?.type === "current") {
    return trunkline.explain({ sessionKey }, action, target);
  }
  const found = await findSession(store, config, target);
  return trunkline.explain({ sessionKey }, action, reference === undefined ? found.sessionKey : target);
}

function headline({ allowed, code, reason }: Decision): string {
  return oneLine(allowed ? `Allowed: ${reason}` : `Refused (${code}): ${reason}`);
}

function readAction(typed: string): AccessAction {
  const action = actions.find((name) => name === typed);
  if (action !== undefined) return action;
  const nearest = nearestName(typed, actions) ?? "read";
  throw new CommandError("invalid_input", `explain does not know the action "${typed}"`, {
    fix: `Actions are ${actions.join(", ")}, e.g. npx trunkline explain main ${nearest} main`,
    path: "<action>",
  });
}

function refuseGlobals({ globals }: CommandContext): void {
  if (globals.url !== undefined) {
    throw new CommandError("invalid_input", "a gateway does not explain its decisions", {
      fix: "Ask beside its configuration, without --url and TRUNKLINE_URL: npx trunkline explain main read main",
      path: "--url",
    });
  }
  if (globals.as === undefined) return;
  throw new CommandError("invalid_input", "explain takes the caller as its first argument, not as --as", {
    fix: "Leave --as out, e.g. npx trunkline explain main read main",
    path: "--as",
  });
}
