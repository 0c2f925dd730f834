import type { CodeRegions } from "./code-regions.ts";

/** One family's pass: takes its markup out of a text, leaving code alone; linear. */
export type Stage = (text: string, code: CodeRegions) => string;

/** Collects what is cut out of a text and gives the rest. */
export interface Cuts {
  /** Leaves `[start, end)` out; in ascending order. */
  remove(start: number, end: number): void;
  /** Leaves `[start, end)` out and puts `replacement` in its place. */
  replace(start: number, end: number, replacement: string): void;
  /** What has been kept so far, up to `end`, has something other than white space. */
  showsBefore(end: number): boolean;
  /** How much has been kept so far. */
  readonly keptLength: number;
  /** Forgets the first `length` units of what was kept. */
  dropFirst(length: number): void;
  /** Where the last cut ended. */
  readonly lastEnd: number;
  result(): string;
}

/** Starts collecting cuts of a text. */
export function cutsOf(text: string): Cuts {
  let output = "";
  let copied = 0;
  let shows = false;
  const keepTo = (end: number) => {
    if (end <= copied) return;
    const kept = text.slice(copied, end);
    shows ||= /\S/.test(kept);
    output += kept;
    copied = end;
  };
  return {
    remove(start, end) {
      keepTo(start);
      copied = Math.max(copied, end);
    },
    replace(start, end, replacement) {
      keepTo(start);
      output += replacement;
      copied = Math.max(copied, end);
    },
    showsBefore(end) {
      keepTo(end);
      return shows;
    },
    get keptLength() {
      return output.length;
    },
    dropFirst(length) {
      output = output.slice(length);
      shows = /\S/.test(output);
    },
    get lastEnd() {
      return copied;
    },
    result() {
      keepTo(text.length);
      return output;
    },
  };
}
