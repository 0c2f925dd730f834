import { oneLine, printable } from "../../terminal/printable.ts";
import { writeLine } from "../../terminal/surroundings.ts";
import type { CommandContext } from "../command-context.ts";
import type { CommandDefinition, CommandInput } from "../command-definition.ts";
import { CommandError } from "../command-error.ts";
import { type ExitCode, exitCodeForResult } from "../exit-code.ts";
import { failureLines, fixFor } from "../failure.ts";
import { isSet, textFlag } from "../read-flags.ts";
import { readStdin } from "../read-stdin.ts";
import { refusalOf } from "../report-result.ts";
import { sendAsOperator } from "../send-as-operator.ts";
import { sendAsSession } from "../send-as-session.ts";

/** What is sent, and how long its reply is waited for. */
export interface SendRequest {
  readonly target: string;
  readonly text: string;
  /** 0 = the reply is not waited for. */
  readonly waitSeconds: number;
  readonly watch: boolean;
  readonly idempotencyKey?: string;
}

/** Prints what became of a message, before the work that it began has come to its end. */
export type ReportResult = (result: object) => ExitCode;

const longestWaitSeconds = 3_600;

/** `send`. */
export const sendCommand: CommandDefinition = {
  path: ["send"],
  arguments: "<target> <text>",
  summary: "Send to a key, label or agent, wait for the reply",
  flags: [
    { flags: "--wait <seconds>", description: "how long to wait for the reply; default 30" },
    { flags: "--no-wait", description: "return as soon as the message is stored" },
    { flags: "--watch", description: "with --as or --url: be told of changes of the target" },
    { flags: "--key <key>", description: "idempotency key: the same message is sent once" },
  ],
  examples: [
    { line: 'send editor "Ready?"', description: "your message; - for stdin" },
    { line: 'send editor "Ready?" --as agent:main:main', description: "the same from another session" },
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 7, 130],
  async run(context, input) {
    const request = await readRequest(context, input);
    const actsAsSession = context.globals.as !== undefined || context.globals.url !== undefined;
    return (actsAsSession ? sendAsSession : sendAsOperator)(context, request, (result) => report(context, result));
  },
};

async function readRequest(context: CommandContext, { arguments: given, flags }: CommandInput): Promise<SendRequest> {
  const [target = "", text = ""] = given;
  const body = text === "-" ? await readStdin(context.surroundings.stdin) : text;
  if (body.trim() === "") {
    throw new CommandError("invalid_input", "the text is blank", {
      fix: 'Give one, e.g. npx trunkline send main "Hello", or - to read it from stdin',
      path: "<text>",
    });
  }
  const watch = isSet(flags, "watch");
  if (watch && context.globals.as === undefined && context.globals.url === undefined) {
    throw new CommandError("invalid_input", "--watch needs a session that watches", {
      fix: "Name it with --as, e.g. --as agent:main:main",
      path: "--watch",
    });
  }
  const key = textFlag(flags, "key");
  return {
    target,
    text: body,
    waitSeconds: readWait(flags),
    watch,
    ...(key === undefined ? {} : { idempotencyKey: key }),
  };
}

function readWait(flags: Readonly<Record<string, unknown>>): number {
  if (flags["wait"] === false) return 0;
  const text = textFlag(flags, "wait") ?? "30";
  const seconds = /^\d{1,4}$/u.test(text) ? Number(text) : Number.NaN;
  if (seconds <= longestWaitSeconds) return seconds;
  throw new CommandError("invalid_input", `--wait takes whole seconds, at most ${longestWaitSeconds}`, {
    fix: "Give them, e.g. --wait 60, or use --no-wait",
    path: "--wait",
  });
}

function report(context: CommandContext, result: object): ExitCode {
  const refusal = refusalOf(result);
  if (context.json || refusal === undefined) {
    context.result(result, () => replyLines(context, result));
    return exitCodeForResult(result);
  }
  const lines = failureLines({ ...refusal, fix: fixForRefusal(refusal.code, result) });
  for (const line of lines) writeLine(context.surroundings.stderr, line);
  return exitCodeForResult(result);
}

function fixForRefusal(code: string, result: object): string {
  if (!("runId" in result) || !("sessionKey" in result)) return fixFor(code);
  return `The message is stored; see what came of it: npx trunkline sessions history ${oneLine(String(result.sessionKey))}`;
}

function replyLines(context: CommandContext, result: object): readonly string[] {
  if ("reply" in result) return printable(String(result.reply)).split("\n");
  const status = "status" in result ? result.status : "";
  return [context.paint("dim", status === "accepted" ? "stored; the reply is not waited for" : "no reply")];
}
