import {
  type Decision,
  defaultAgentId,
  effectiveModel,
  effectiveTools,
  formatSessionKey,
  isSandboxedByConfig,
  parseConfig,
  parseSessionKey,
  parseToolName,
  type SessionRecord,
  type ToolPolicyCaller,
  type TrunklineConfig,
  toolDecision,
} from "@trunkline/core";
import { isMissing, type LocalSetup, readLocalSetup } from "../../runtime/local-setup.ts";
import { formatColumns } from "../../terminal/columns.ts";
import type { CommandContext } from "../command-context.ts";
import type { CommandDefinition } from "../command-definition.ts";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-code.ts";
import { createGatewayClient } from "../gateway-client.ts";
import { textFlag } from "../read-flags.ts";
import { trailLines } from "../trail-lines.ts";

/** `tools`. */
export const toolsCommand: CommandDefinition = {
  path: ["tools"],
  summary: "Show a session's effective tools, what removed the rest",
  flags: [{ flags: "--why <tool>", description: "say why this tool is there or not" }],
  examples: [
    { line: "tools", description: "of the main session" },
    { line: "tools --why sessions_spawn --as agent:editor:main", description: "may the editor spawn, and why" },
  ],
  exitCodes: [0, 2, 7],
  async run(context, { flags }) {
    const why = textFlag(flags, "why");
    if (context.globals.url !== undefined) {
      await printRemote(context, context.globals.url, why);
      return exitCodes.done;
    }
    const setup = readLocalSetup(context);
    const config = parseConfig(setup.engineInput);
    const caller = await callerFor(context, setup, config);
    if (why === undefined) printTools(context, config, caller);
    else printDecision(context, toolDecision(config, caller, parseToolName(why)));
    return exitCodes.done;
  },
};

async function callerFor(
  { globals }: CommandContext,
  setup: LocalSetup,
  config: TrunklineConfig,
): Promise<ToolPolicyCaller> {
  const typed = globals.as ?? `agent:${defaultAgentId(config)}:${config.session.mainKey}`;
  const sessionKey = formatSessionKey(parseSessionKey(typed, { mainKey: config.session.mainKey }));
  const session = isMissing(setup) ? undefined : await findRow(setup, sessionKey);
  const parsed = parseSessionKey(sessionKey, { mainKey: config.session.mainKey });
  const agentId = session?.agentId ?? ("agentId" in parsed ? parsed.agentId : undefined) ?? defaultAgentId(config);
  const isMain = sessionKey === `agent:${agentId}:${config.session.mainKey}`;
  const model = effectiveModel(config, agentId, session?.model ?? undefined);
  return {
    sessionKey,
    agentId,
    sandboxed: session?.sandboxed === 1 || isSandboxedByConfig(config, agentId, isMain),
    ...(model === undefined ? {} : { model }),
    spawnDepth: session?.spawnDepth ?? 0,
  };
}

async function findRow(setup: LocalSetup, sessionKey: string): Promise<SessionRecord | undefined> {
  const { openStore } = await import("../../runtime/open-local.ts");
  await using store = await openStore(setup);
  const { current } = await store.schemaVersion();
  if (current === 0) return undefined;
  const [[row]] = await store.read([{ find: "session", index: "sessionKey", equals: [sessionKey], limit: 1 }]);
  return row;
}

function printTools(context: CommandContext, config: TrunklineConfig, caller: ToolPolicyCaller): void {
  const { tools, removed } = effectiveTools(config, caller);
  context.note(`as ${caller.sessionKey}`);
  context.result({ tools, removed }, () => {
    const rows = [
      ...tools.map((name) => ["yes", name, ""]),
      ...removed.map(({ name, layer, setting }) => ["no", name, `${layer}: ${setting}`]),
    ];
    const [titles = "", ...lines] = formatColumns(
      [{ title: "STATE" }, { title: "TOOL" }, { title: "REMOVED BY", flexible: true }],
      rows,
      { width: context.width(), cut: context.glyphs.cut },
    );
    return [context.paint("dim", titles), ...lines];
  });
}

function printDecision(context: CommandContext, decision: Decision): void {
  context.result(decision, () => [decision.reason, ...trailLines(context, decision)]);
}

async function printRemote(context: CommandContext, url: string, why: string | undefined): Promise<void> {
  if (why !== undefined) {
    throw new CommandError("invalid_input", "a gateway does not explain its tools", {
      fix: `Ask beside its configuration, without --url: npx trunkline tools --why ${why}`,
      path: "--why",
    });
  }
  const client = createGatewayClient(url, context.surroundings.environment["TRUNKLINE_TOKEN"]);
  const tools = (await client.listTools()).map(({ name }) => name);
  context.note(`via ${client.url}`);
  context.result({ tools }, () => tools);
}
