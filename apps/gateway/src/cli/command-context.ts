import type { Glyphs } from "../terminal/glyphs.ts";
import { glyphsFor } from "../terminal/glyphs.ts";
import { createPaint, type Paint } from "../terminal/paint.ts";
import { type Surroundings, writeLine } from "../terminal/surroundings.ts";
import type { GlobalFlags } from "./global-flags.ts";

/** What every command gets: the outside world, the global flags, and how to print. */
export interface CommandContext {
  readonly surroundings: Surroundings;
  readonly globals: GlobalFlags;
  /** Results are JSON: asked for, or stdout is no terminal. */
  readonly json: boolean;
  readonly glyphs: Glyphs;
  /** Colours for stdout. */
  readonly paint: Paint;
  /** Columns of stdout now. */
  width(): number;
  /** Prints a line on stdout. */
  print(line: string): void;
  /** Prints a result: its JSON, or the lines that say the same. */
  result(value: unknown, lines: () => readonly string[]): void;
  /** Prints a remark on stderr, unless `--quiet`. */
  note(line: string): void;
}

const widthWithoutTerminal = 100;

/** Makes the context of one command. */
export function createCommandContext(surroundings: Surroundings, globals: GlobalFlags): CommandContext {
  const { stdout, stderr, environment } = surroundings;
  const json = globals.json || (!globals.text && stdout.isTTY !== true);
  const print = (line: string) => writeLine(stdout, line);
  return {
    surroundings,
    globals,
    json,
    glyphs: glyphsFor(environment, process.platform),
    paint: createPaint(stdout, globals.color),
    width: () => stdout.columns ?? (Number.parseInt(environment["COLUMNS"] ?? "", 10) || widthWithoutTerminal),
    print,
    result(value, lines) {
      if (json) print(JSON.stringify(value));
      else for (const line of lines()) print(line);
    },
    note(line) {
      if (!globals.quiet) writeLine(stderr, line);
    },
  };
}
