import { z } from "zod";
import { printable } from "../../terminal/printable.ts";
import type { CommandDefinition } from "../command-definition.ts";
import { readAbout } from "../read-about.ts";
import { countFlag } from "../read-flags.ts";

const statusSchema = z.object({ text: z.string(), details: z.unknown() });

/** `sessions status`. */
export const sessionsStatusCommand: CommandDefinition = {
  path: ["sessions", "status"],
  arguments: "<session>",
  summary: "State, model, usage, tasks and route of one session",
  flags: [{ flags: "--since <stateVersion>", description: "also what happened after this version of its state" }],
  examples: [
    { line: "sessions status main", description: "how the main session is" },
    { line: "sessions status main --since 12", description: "and what changed since version 12" },
  ],
  exitCodes: [0, 2, 3, 4, 7],
  run(context, { arguments: [session = ""], flags }) {
    const since = countFlag(flags, "since", { minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
    return readAbout(context, session, "session_status", since === undefined ? {} : { changesSince: since }, {
      value: (result) => statusSchema.parse(result).details,
      lines: (result) => printable(statusSchema.parse(result).text).trimEnd().split("\n"),
    });
  },
};
