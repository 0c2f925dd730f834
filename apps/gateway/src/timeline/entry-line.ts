import { formatClock, formatDuration } from "../terminal/durations.ts";
import type { Glyphs } from "../terminal/glyphs.ts";
import type { Ink, Paint } from "../terminal/paint.ts";
import { oneLine } from "../terminal/printable.ts";
import { cutTo, fitTo, padTo, widthOf } from "../terminal/text-width.ts";
import type { TimelineEntry, TimelineSession } from "./timeline-entry.ts";

export interface LineOptions {
  /** Columns of the terminal now. */
  readonly width: number;
  readonly glyphs: Glyphs;
  readonly paint: Paint;
  /** Epoch milliseconds at which the timeline starts. */
  readonly startedAt: number;
  /** The colour of a name. */
  inkOf(who: string): Ink;
}

interface Cell {
  readonly text: string;
  readonly width: number;
  readonly align?: "right";
  readonly ink?: Ink;
  /** Blank columns before it. */
  readonly gap: number;
}

const columns = { time: 7, who: 12, verb: 10, session: 16, took: 8 } as const;

/** The lines of a step: one, or two in a terminal of fewer than 48 columns. */
export function entryLines(entry: TimelineEntry, options: LineOptions): readonly string[] {
  const time = entry.earlier ? "earlier" : formatClock(entry.at - options.startedAt);
  if (options.width < 48) return narrowLines(entry, time, options);
  const text = oneLine(entry.text);
  return [
    drawCells(
      rowCells(options, {
        time,
        who: { text: entry.who, ink: options.inkOf(entry.who) },
        glyph: glyphCell(entry, options.glyphs),
        verb: entry.verb,
        text,
        session: sessionName(entry.session, options.glyphs),
        took: entry.tookMs === undefined ? "" : formatDuration(entry.tookMs),
      }),
      options,
      entry.earlier === true || entry.dim === true,
    ),
  ];
}

/** The titles above the columns; none in a terminal of fewer than 48 columns. */
export function titleLines(options: LineOptions): readonly string[] {
  if (options.width < 48) return [];
  const row = rowCells(options, {
    time: "TIME",
    who: { text: "WHO" },
    glyph: { text: "WHAT" },
    verb: "",
    text: "",
    session: "SESSION",
    took: "TOOK",
  });
  return [drawCells(row, options, true)];
}

interface Row {
  readonly time: string;
  readonly who: { readonly text: string; readonly ink?: Ink };
  readonly glyph: { readonly text: string; readonly ink?: Ink };
  readonly verb: string;
  readonly text: string;
  readonly session: string;
  readonly took: string;
}

function rowCells({ width, glyphs }: LineOptions, row: Row): readonly Cell[] {
  const glyphWidth = widthOf(glyphs.done);
  const withSession = width >= 100;
  const withTook = width >= 72;
  const fixed = columns.time + 2 + columns.who + 1 + glyphWidth + 1 + columns.verb + 1;
  const right = (withSession ? columns.session + 1 : 0) + (withTook ? columns.took + 1 : 0);
  const isTitle = row.verb === "" && row.text === "";
  const what: readonly Cell[] = isTitle
    ? [{ text: row.glyph.text, width: width - fixed - right + glyphWidth + columns.verb + 2, gap: 1 }]
    : [
        { ...row.glyph, width: glyphWidth, gap: 1 },
        { text: row.verb, width: columns.verb, gap: 1, ...(row.glyph.ink && { ink: row.glyph.ink }) },
        { text: row.text, width: width - fixed - right, gap: 1 },
      ];
  return [
    { text: row.time, width: columns.time, align: "right", ink: "dim", gap: 0 },
    { ...row.who, width: columns.who, gap: 2 },
    ...what,
    ...(withSession ? [{ text: row.session, width: columns.session, ink: "dim", gap: 1 } as const] : []),
    ...(withTook ? [{ text: row.took, width: columns.took, align: "right", ink: "dim", gap: 1 } as const] : []),
  ];
}

function drawCells(cells: readonly Cell[], { glyphs, paint }: LineOptions, dim: boolean): string {
  const last = cells.findLastIndex(({ text }) => text !== "");
  const drawn = cells.slice(0, last + 1).map((cell, index) => {
    const fitted = fitTo(cell.text, cell.width, glyphs.cut, cell.align);
    const text = index === last ? fitted.trimEnd() : fitted;
    return " ".repeat(cell.gap) + (dim || cell.ink === undefined ? text : paint(cell.ink, text));
  });
  return dim ? paint("dim", drawn.join("")) : drawn.join("");
}

function narrowLines(entry: TimelineEntry, time: string, options: LineOptions): readonly string[] {
  const { width, glyphs, paint } = options;
  const dim = entry.earlier === true || entry.dim === true;
  const head = cutTo(`${padTo(time, 5)} ${entry.who} ${entry.verb}`, width, glyphs.cut);
  const text = cutTo(`  ${oneLine(entry.text)}`, width, glyphs.cut);
  return [head, text].filter((line) => line.trim() !== "").map((line) => (dim ? paint("dim", line) : line));
}

function glyphCell(entry: TimelineEntry, glyphs: Glyphs): { readonly text: string; readonly ink?: Ink } {
  const text = glyphs[entry.glyph];
  if (entry.glyph === "done") return { text, ink: "good" };
  if (entry.glyph === "failed") return { text, ink: "bad" };
  if (entry.glyph === "wait") return { text, ink: "waiting" };
  return { text };
}

function sessionName({ name, child }: TimelineSession, glyphs: Glyphs): string {
  return child === undefined ? name : `${name} ${glyphs.below} ${child === "" ? glyphs.cut : child}`;
}
