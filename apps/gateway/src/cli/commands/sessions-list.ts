import { z } from "zod";
import { formatColumns } from "../../terminal/columns.ts";
import { formatAge } from "../../terminal/durations.ts";
import type { GlyphName } from "../../terminal/glyphs.ts";
import { oneLine } from "../../terminal/printable.ts";
import { type TreeNode, treeLines } from "../../timeline/session-tree.ts";
import type { CommandContext } from "../command-context.ts";
import type { CommandDefinition } from "../command-definition.ts";
import { CommandError } from "../command-error.ts";
import { countFlag, isSet, minutesFlag, textFlag } from "../read-flags.ts";
import { refusalOf, reportToolResult } from "../report-result.ts";
import { openReader } from "../session-reader.ts";

const rowSchema = z.looseObject({
  key: z.string(),
  status: z.string(),
  updatedAt: z.number(),
  label: z.string().optional(),
  spawnedBy: z.string().optional(),
});
const listSchema = z.object({
  sessions: z.array(rowSchema),
  hasMore: z.boolean(),
  nextOffset: z.number().optional(),
});

type Row = z.output<typeof rowSchema>;
type List = z.output<typeof listSchema>;

/** `sessions list`. */
export const sessionsListCommand: CommandDefinition = {
  path: ["sessions", "list"],
  summary: "List sessions, pinned and newest first",
  flags: [
    { flags: "--kind <kinds>", description: "main, group, cron, hook, node, other; several with commas" },
    { flags: "--agent <id>", description: "sessions of this agent" },
    { flags: "--active <span>", description: "active in the last 60m, 2h, 7d" },
    { flags: "--search <text>", description: "part of a key, label, name, sessionId or model" },
    { flags: "--label <label>", description: "with exactly this label" },
    { flags: "--archived", description: "the archived sessions instead" },
    { flags: "--tree", description: "children below the session that spawned them" },
    { flags: "--limit <count>", description: "rows, at most 200; default 50" },
    { flags: "--offset <count>", description: "rows to skip" },
  ],
  examples: [
    { line: "sessions list --tree", description: "who spawned whom" },
    { line: "sessions list --kind group --active 2h", description: "group chats of the last two hours" },
  ],
  exitCodes: [0, 2, 4, 7],
  async run(context, { flags }) {
    const args = listArguments(flags);
    const reader = await openReader(context);
    try {
      const result = await reader.call("sessions_list", args);
      const lines = (shown: unknown) => listLines(context, listSchema.parse(shown), isSet(flags, "tree"));
      if (reader.asSession || refusalOf(result) !== undefined) return reportToolResult(context, result, lines);
      const { sessions, hasMore, nextOffset } = listSchema.parse(result);
      const items = { items: sessions, hasMore, ...(nextOffset === undefined ? {} : { nextOffset }) };
      context.result(items, () => lines(result));
      return 0;
    } finally {
      await reader.close();
    }
  },
};

function listArguments(flags: Readonly<Record<string, unknown>>): object {
  const kinds = textFlag(flags, "kind")
    ?.split(",")
    .map((kind) => kind.trim());
  const values = {
    kinds: checkKinds(kinds),
    agentId: textFlag(flags, "agent"),
    activeMinutes: minutesFlag(flags, "active"),
    search: textFlag(flags, "search"),
    label: textFlag(flags, "label"),
    archived: isSet(flags, "archived") ? true : undefined,
    limit: countFlag(flags, "limit", { minimum: 1, maximum: 200 }),
    offset: countFlag(flags, "offset", { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

const knownKinds = ["main", "group", "cron", "hook", "node", "other"];

function checkKinds(kinds: readonly string[] | undefined): readonly string[] | undefined {
  const unknown = kinds?.find((kind) => !knownKinds.includes(kind));
  if (unknown === undefined) return kinds;
  throw new CommandError("invalid_input", `--kind does not know "${unknown}"`, {
    fix: `Use one or several of: ${knownKinds.join(", ")}`,
    path: "--kind",
  });
}

function listLines(context: CommandContext, list: List, asTree: boolean): readonly string[] {
  const { paint } = context;
  if (list.sessions.length === 0) return [paint("dim", "no sessions")];
  const rows = asTree ? treeOf(context, list.sessions) : tableOf(context, list.sessions);
  const more = list.hasMore ? [paint("dim", `more: add --offset ${list.nextOffset ?? list.sessions.length}`)] : [];
  return [...rows, ...more];
}

function tableOf({ width, glyphs, paint }: CommandContext, sessions: readonly Row[]): readonly string[] {
  const columns = [
    { title: "STATE" },
    { title: "SESSION", flexible: true },
    { title: "LABEL", flexible: true },
    { title: "AGE", align: "right" },
  ] as const;
  const rows = sessions.map(({ status, key, label, updatedAt }) => [
    status,
    oneLine(key),
    oneLine(label ?? ""),
    formatAge(Date.now() - updatedAt),
  ]);
  const [titles = "", ...lines] = formatColumns(columns, rows, { width: width(), cut: glyphs.cut });
  return [paint("dim", titles), ...lines];
}

const glyphsOfStates: Readonly<Record<string, GlyphName>> = { running: "running", queued: "wait", yielded: "wait" };

function treeOf(context: CommandContext, sessions: readonly Row[]): readonly string[] {
  const keys = new Set(sessions.map(({ key }) => key));
  const nodeOf = (row: Row): TreeNode => ({
    name: row.label === undefined ? row.key : `${row.label}  ${row.key}`,
    state: row.status,
    glyph: glyphsOfStates[row.status] ?? "idle",
    cells: [formatAge(Date.now() - row.updatedAt)],
    children: sessions.filter(({ spawnedBy }) => spawnedBy === row.key).map(nodeOf),
  });
  const roots = sessions.filter(({ spawnedBy }) => spawnedBy === undefined || !keys.has(spawnedBy)).map(nodeOf);
  return treeLines(roots, {
    width: context.width(),
    glyphs: context.glyphs,
    paint: context.paint,
    titles: ["AGE"],
    unfold: true,
  });
}
