import type { Decision } from "@trunkline/core";
import { oneLine } from "../terminal/printable.ts";
import type { CommandContext } from "./command-context.ts";

/** The steps of a decision, one a line: what each said, and the setting that it follows. */
export function trailLines({ glyphs, paint }: CommandContext, { trail }: Decision): readonly string[] {
  return trail.map(({ step, allowed, setting, value }) => {
    const sign = allowed ? paint("good", `${glyphs.done} yes`) : paint("bad", `${glyphs.failed} no`);
    const given = value === undefined ? "" : ` = ${JSON.stringify(value)}`;
    return `  ${sign}  ${oneLine(`${step}${setting === undefined ? "" : ` (${setting}${given})`}`)}`;
  });
}
