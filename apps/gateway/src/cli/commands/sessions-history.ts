import { z } from "zod";
import { oneLine, printable } from "../../terminal/printable.ts";
import type { CommandContext } from "../command-context.ts";
import type { CommandDefinition } from "../command-definition.ts";
import { readAbout } from "../read-about.ts";
import { countFlag, isSet } from "../read-flags.ts";

const blockSchema = z.looseObject({ type: z.string(), text: z.string().optional(), name: z.string().optional() });
const messageSchema = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(blockSchema)]),
  timestamp: z.number(),
  provenance: z.looseObject({ kind: z.string(), sourceSessionKey: z.string().optional() }).optional(),
  pending: z.literal(true).optional(),
  unreadable: z.literal(true).optional(),
});
const historySchema = z.object({
  sessionKey: z.string(),
  messages: z.array(messageSchema),
  truncated: z.boolean(),
  contentRedacted: z.boolean(),
  hasMore: z.boolean().optional(),
  nextOffset: z.number().optional(),
});

type History = z.output<typeof historySchema>;
type Message = z.output<typeof messageSchema>;

/** `sessions history`. */
export const sessionsHistoryCommand: CommandDefinition = {
  path: ["sessions", "history"],
  arguments: "<session>",
  summary: "Show a transcript as another session may see it",
  flags: [
    { flags: "--limit <count>", description: "messages, at most 200; default 50" },
    { flags: "--offset <count>", description: "messages to skip, counted back from the newest" },
    { flags: "--tools", description: "tool results too" },
  ],
  examples: [
    { line: "sessions history main", description: "its newest messages" },
    { line: "sessions history main --limit 20 --offset 20", description: "the twenty before the newest twenty" },
  ],
  exitCodes: [0, 2, 3, 4, 7],
  run(context, { arguments: [session = ""], flags }) {
    const limit = countFlag(flags, "limit", { minimum: 1, maximum: 200 });
    const offset = countFlag(flags, "offset", { minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
    const args = {
      ...(limit === undefined ? {} : { limit }),
      ...(offset === undefined ? {} : { offset }),
      ...(isSet(flags, "tools") ? { includeTools: true } : {}),
    };
    return readAbout(context, session, "sessions_history", args, {
      value: (result) => result,
      lines: (result) => historyLines(context, historySchema.parse(result)),
    });
  },
};

function historyLines(context: CommandContext, history: History): readonly string[] {
  const { paint } = context;
  const { messages, truncated, contentRedacted, nextOffset } = history;
  const older = nextOffset ?? (truncated ? messages.length : undefined);
  const remarks = [
    ...(messages.length === 0 ? ["no messages"] : []),
    ...(contentRedacted ? ["secrets are masked"] : []),
    ...(older === undefined ? [] : [`older messages: add --offset ${older}`]),
  ];
  return [
    ...messages.flatMap((message) => messageLines(message, context)),
    ...remarks.map((line) => paint("dim", line)),
  ];
}

function messageLines(message: Message, { paint }: CommandContext): readonly string[] {
  const { role, timestamp, provenance, pending, unreadable } = message;
  const from = provenance?.sourceSessionKey;
  const facts = [
    ...(provenance === undefined ? [] : [provenance.kind.replaceAll("_", " ")]),
    ...(from === undefined ? [] : [`from ${oneLine(from)}`]),
    ...(pending ? ["waits for its turn"] : []),
    ...(unreadable ? ["unreadable"] : []),
  ];
  const time = new Date(timestamp).toISOString().replace("T", " ").slice(0, 19);
  const head = `${paint("bold", role)}  ${paint("dim", [time, ...facts].join(", "))}`;
  return [head, ...textLines(message.content).map((line) => `  ${line}`.trimEnd()), ""];
}

function textLines(content: Message["content"]): readonly string[] {
  if (typeof content === "string") return content === "" ? [] : printable(content).split("\n");
  return content.flatMap((block) => {
    if (block.type === "text") return printable(block.text ?? "").split("\n");
    return block.type === "toolCall"
      ? [`calls ${oneLine(block.name ?? "")} ${oneLine(jsonOf(block["arguments"]))}`]
      : [`(${oneLine(block.type)})`];
  });
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? "";
}
