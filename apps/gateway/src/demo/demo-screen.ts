import type { CommandContext } from "../cli/command-context.ts";
import { createLiveStatus } from "../terminal/live-status.ts";
import { widthOf, wrapTo } from "../terminal/text-width.ts";
import { createTimeline, foldWindowMs } from "../timeline/create-timeline.ts";
import { entryToJson } from "../timeline/entry-json.ts";
import { treeLines } from "../timeline/session-tree.ts";
import type { TimelineEntry } from "../timeline/timeline-entry.ts";
import type { DemoSummary } from "./demo-summary.ts";

/** What stands above the timeline. */
export interface DemoHeader {
  readonly run: number;
  readonly documents: number;
  readonly total: number;
  readonly place: string;
  readonly store: string;
  /** What an earlier process left: `3 of 5 readers had finished`. */
  readonly resuming?: string;
}

/** Prints the demo as it happens: a timeline for people, JSON lines for programs. */
export interface DemoScreen {
  header(header: DemoHeader): void;
  entry(entry: TimelineEntry): void;
  summary(summary: DemoSummary): void;
  /** Takes down what is shown only while work goes on. */
  close(): void;
}

/** Makes the screen; `describe` says in one line what is going on. */
export function createDemoScreen(context: CommandContext, describe: () => string | undefined): DemoScreen {
  const { surroundings, globals, glyphs } = context;
  const live = createLiveStatus({
    stream: surroundings.stderr,
    repaints: surroundings.stderr.isTTY === true && surroundings.environment["TERM"] !== "dumb",
    unicode: glyphs.cut === "…",
    cut: glyphs.cut,
    describe: () => (globals.quiet ? undefined : describe()),
  });
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) live.clear();
    for (const line of lines) context.print(line);
  };
  const screen = context.json ? jsonScreen(print) : textScreen(context, print);
  return {
    ...screen,
    close() {
      live.stop();
      screen.close();
    },
  };
}

type Print = (lines: readonly string[]) => void;

function jsonScreen(print: Print): DemoScreen {
  let startedAt: number | undefined;
  const line = (value: object) => print([JSON.stringify({ v: 1, ...value })]);
  return {
    header: (header) => line({ type: "header", ...header }),
    entry(entry) {
      startedAt ??= entry.at;
      print([entryToJson(entry, startedAt)]);
    },
    summary: ({ tree: _tree, ...summary }) => line({ type: "summary", ...summary }),
    close: () => undefined,
  };
}

function textScreen(context: CommandContext, print: Print): DemoScreen {
  const { paint, glyphs, globals } = context;
  let startedAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const timeline = createTimeline({
    width: context.width,
    glyphs,
    paint,
    get startedAt() {
      return startedAt ?? 0;
    },
    verbose: globals.verbose,
  });
  const flush = () => {
    clearTimeout(timer);
    print(timeline.flush());
  };
  return {
    header(header) {
      print([...headerLines(header, context), ...timeline.titles()]);
    },
    entry(entry) {
      if (!entry.earlier) startedAt ??= entry.at;
      print(timeline.push(entry));
      clearTimeout(timer);
      if (timeline.holding) timer = setTimeout(flush, foldWindowMs);
    },
    summary(summary) {
      flush();
      print(summaryLines(summary, context));
    },
    close: flush,
  };
}

function headerLines(header: DemoHeader, { paint, width }: CommandContext): readonly string[] {
  const { run, documents, total, place, store, resuming } = header;
  const count =
    documents < total
      ? `reading ${documents} of ${total} in ${place}, largest first; --limit changes it`
      : `${documents} ${documents === 1 ? "document" : "documents"} in ${place}`;
  const which = resuming === undefined ? `run ${run}` : `resuming run ${run}: ${resuming}`;
  const parts = ["Trunkline demo", count, `store ${store}`, which];
  const oneLineTitle = parts.join("   ");
  const [title = "", ...rest] = [
    ...(widthOf(oneLineTitle) < width() ? [oneLineTitle] : parts),
    ...wrapTo(
      "The agents are small deterministic programs, not models. Engine, tools, store and outbox are the real ones.",
      width() - 1,
    ),
  ];
  return [paint("bold", ` ${title}`), ...rest.map((line) => ` ${line}`)];
}

function summaryLines(summary: DemoSummary, context: CommandContext): readonly string[] {
  const { paint, glyphs, width, globals } = context;
  const { answer, completions, readers, delivered, pending, durationMs } = summary;
  const answerLines = wrapTo(answer ?? "none: see the lines above", Math.max(20, width() - 10));
  const tree = treeLines(summary.tree, {
    width: width(),
    glyphs,
    paint,
    titles: ["RUNS", "MESSAGES"],
    unfold: globals.verbose,
  });
  const counts = [
    `${completions} of ${readers} completions recorded once`,
    `${delivered} ${delivered === 1 ? "message" : "messages"} delivered`,
    `${pending} pending`,
    `${(durationMs / 1_000).toFixed(2)} s`,
  ].join(", ");
  return [
    ...answerLines.map(
      (line, index) => `${index === 0 ? ` ${paint("bold", "Answer")}   ` : " ".repeat(10)}${paint("bold", line)}`,
    ),
    ...tree,
    ...wrapTo(counts, width() - 1).map((line) => ` ${line}`),
    ...nextLines(context),
  ];
}

const nextCommands = [
  ["npx trunkline sessions list --tree --demo", "every session above"],
  ["npx trunkline sessions history main --demo", "the transcript as other sessions may see it"],
  ['npx trunkline send editor "Shorter" --wait 30 --demo', "talk to one agent yourself"],
] as const;

function nextLines({ paint, width }: CommandContext): readonly string[] {
  const widest = Math.max(...nextCommands.map(([command]) => command.length));
  const withWords = width() >= widest + 48;
  return nextCommands.map(([command, words], index) => {
    const head = index === 0 ? " Next   " : "        ";
    return withWords ? `${head}${command.padEnd(widest)}  ${paint("dim", words)}` : `${head}${command}`;
  });
}
