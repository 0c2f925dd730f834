import type { ToolName } from "@trunkline/core";
import {
  type CallerKind,
  callerKinds,
  modes,
  openWorld,
  type Setting,
  sharing,
  type TargetKind,
  targetKinds,
  type World,
} from "./world.ts";

/** What each tool is asked, with the letter that stands for a success in the table. */
const questions: readonly {
  readonly letter: string;
  readonly tool: ToolName;
  readonly args: (target: string) => object;
}[] = [
  { letter: "H", tool: "sessions_history", args: (sessionKey) => ({ sessionKey }) },
  { letter: "S", tool: "session_status", args: (sessionKey) => ({ sessionKey }) },
  { letter: "M", tool: "sessions_send", args: (sessionKey) => ({ sessionKey, message: "hello", timeoutSeconds: 0 }) },
  { letter: "C", tool: "session_status", args: (sessionKey) => ({ sessionKey, model: "default" }) },
];

const codes: Readonly<Record<string, string>> = {
  not_found: "n",
  agent_scope: "g",
  agent_to_agent: "x",
  tool_not_allowed: "-",
};

/** Everything that can be asked, asked of the real tools: the table of docs/visibility.md. */
export async function visibilityTable(): Promise<string> {
  const rows = new Map<CallerKind, string[]>(callerKinds.map((kind) => [kind, []]));
  for (const mode of modes) {
    for (const share of Object.keys(sharing) as (keyof typeof sharing)[]) {
      for (const sandboxed of [false, true]) {
        const setting = { mode, share, sandboxed };
        const world = await openWorld(setting);
        for (const kind of callerKinds) rows.get(kind)?.push(await row(world, kind, setting));
        await world.close();
      }
    }
  }
  const head = ["visibility", "agent-to-agent", "sandboxed", ...targetKinds];
  return callerKinds
    .map((kind) =>
      [`### Caller: ${titles[kind]}`, "", line(head), line(head.map(() => "---")), ...(rows.get(kind) ?? []), ""].join(
        "\n",
      ),
    )
    .join("\n");
}

const titles: Readonly<Record<CallerKind, string>> = {
  main: "a main session (`agent:a:main`)",
  group: "a group session of agent a",
  cron: "a cron session of agent a",
  orchestrator: "a sub-agent of the main session that may spawn",
  leaf: "a sub-agent at the deepest level",
};

async function row(world: World, caller: CallerKind, { mode, share, sandboxed }: Setting): Promise<string> {
  const cells: string[] = [];
  for (const target of targetKinds) cells.push(await cell(world, caller, target));
  return line([mode, share, sandboxed ? "yes" : "no", ...cells]);
}

async function cell(world: World, caller: CallerKind, target: TargetKind): Promise<string> {
  const typed = world.target(caller, target);
  if (typed === undefined) return "";
  const letters: string[] = [];
  for (const { letter, tool, args } of questions) {
    const result = await world.trunkline.callTool(world.caller(caller), tool, args(typed));
    letters.push(verdict(result, letter));
  }
  letters.push(await listed(world, caller, typed));
  return `\`${letters.join("")}\``;
}

function verdict(result: unknown, letter: string): string {
  if (typeof result !== "object" || result === null || !("code" in result)) return letter;
  return codes[String(result.code)] ?? `(${String(result.code)})`;
}

/** Whether `sessions_list` holds the session. */
async function listed(world: World, caller: CallerKind, typed: string): Promise<string> {
  const result = await world.trunkline.callTool(world.caller(caller), "sessions_list", { limit: 200 });
  if (!("sessions" in result)) return verdict(result, "");
  return result.sessions.some(({ key }) => key === typed) ? "L" : "n";
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
