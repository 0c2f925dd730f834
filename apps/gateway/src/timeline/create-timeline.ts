import type { Ink } from "../terminal/paint.ts";
import { entryLines, type LineOptions, titleLines } from "./entry-line.ts";
import type { TimelineEntry } from "./timeline-entry.ts";

/** How long a like line waits for the next one. */
export const foldWindowMs = 50;

const longestHoldMs = 500;

const fewestFolded = 4;
const hues: readonly Ink[] = ["hue0", "hue1", "hue2", "hue3", "hue4", "hue5"];

export interface TimelineOptions extends Omit<LineOptions, "width" | "inkOf"> {
  /** Columns of the terminal, asked for each line: resizing affects new lines only. */
  width(): number;
  /** Draws every line on its own. */
  readonly verbose: boolean;
}

/** Steps in, finished lines out: a line that was given out never changes. Prints nothing itself. */
export interface Timeline {
  titles(): readonly string[];
  /** The lines that may be drawn now; a like line may be held back until `flush`. */
  push(entry: TimelineEntry): readonly string[];
  /** True while lines are held back. */
  readonly holding: boolean;
  flush(): readonly string[];
}

interface HeldLines {
  readonly key: string;
  readonly since: number;
  latest: number;
  readonly led: boolean;
  readonly entries: TimelineEntry[];
}

/** Makes a timeline: aligned columns, four or more like lines, each within 50 ms of the one before, folded into one. */
export function createTimeline(options: TimelineOptions): Timeline {
  const inks = new Map<string, Ink>();
  let held: HeldLines | undefined;

  const lineOptions = (): LineOptions => ({ ...options, width: options.width(), inkOf });

  function inkOf(who: string): Ink {
    const ink = inks.get(who) ?? hues[inks.size % hues.length] ?? "hue0";
    inks.set(who, ink);
    return ink;
  }

  function draw(entry: TimelineEntry): readonly string[] {
    return entryLines(entry, lineOptions());
  }

  function flush(): readonly string[] {
    if (held === undefined) return [];
    const { entries, led } = held;
    held = undefined;
    const folded = entries.length + (led ? 1 : 0) >= fewestFolded ? foldEntries(entries) : undefined;
    return folded === undefined ? entries.flatMap(draw) : draw(folded);
  }

  function push(entry: TimelineEntry): readonly string[] {
    const { fold } = entry;
    if (fold === undefined || options.verbose) return [...flush(), ...draw(entry)];
    if (held?.key === fold.key && entry.at - held.latest <= foldWindowMs && entry.at - held.since <= longestHoldMs) {
      held.entries.push(entry);
      held.latest = entry.at;
      return [];
    }
    const before = flush();
    held = { key: fold.key, since: entry.at, latest: entry.at, led: fold.leads, entries: fold.leads ? [] : [entry] };
    return fold.leads ? [...before, ...draw(entry)] : before;
  }

  return {
    titles: () => titleLines(lineOptions()),
    push,
    get holding() {
      return held !== undefined && held.entries.length > 0;
    },
    flush,
  };
}

function foldEntries(entries: readonly TimelineEntry[]): TimelineEntry | undefined {
  const last = entries.at(-1);
  if (last?.fold === undefined) return undefined;
  const tookMs = Math.max(0, ...entries.map((entry) => entry.tookMs ?? 0));
  return {
    ...last,
    text: last.fold.describe(entries.length),
    session: last.session.child === undefined ? last.session : { ...last.session, child: "" },
    ...(tookMs === 0 ? {} : { tookMs }),
  };
}
