import type { Logger } from "@trunkline/core";
import { pino } from "pino";
import type { CommandContext } from "../cli/command-context.ts";

const levels = ["debug", "info", "warn", "error", "silent"];

/** JSON lines on stderr: warnings and worse, everything with `--verbose`, or what `LOG_LEVEL` says. */
export function createLogger({ globals, surroundings }: CommandContext): Logger {
  const asked = surroundings.environment["LOG_LEVEL"] ?? "";
  const level = levels.includes(asked) ? asked : globals.verbose ? "debug" : "warn";
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
}
