import type { GlyphName } from "../terminal/glyphs.ts";

/** One committed step, ready to be drawn or written as a JSON line. */
export interface TimelineEntry {
  /** What kind of step it was, e.g. `run_started`; the `type` of the JSON line. */
  readonly type: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly who: string;
  readonly glyph: GlyphName;
  readonly verb: string;
  readonly text: string;
  readonly sessionKey: string;
  readonly session: TimelineSession;
  readonly runId?: string;
  readonly tookMs?: number;
  /** The step was finished by an earlier process. */
  readonly earlier?: true;
  /** Drawn dim: it prepares the scene and is no part of the story. */
  readonly dim?: true;
  readonly fold?: TimelineFold;
}

/** The short name of a session: its own, and that of the child below it where the child acts. */
export interface TimelineSession {
  readonly name: string;
  readonly child?: string;
}

/** Like lines may become one: lines of the same key, each within 50 ms of the one before. */
export interface TimelineFold {
  readonly key: string;
  /** The first of them is drawn at once and the others are counted as "more". */
  readonly leads: boolean;
  /** The text that stands for `count` lines. */
  describe(count: number): string;
}
