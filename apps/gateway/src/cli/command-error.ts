/** Codes of this program's own errors, beside those of results and of `TrunklineError`. */
export type CommandErrorCode =
  | "ambiguous"
  | "gateway_unauthorized"
  | "gateway_unreachable"
  | "internal_error"
  | "invalid_config"
  | "invalid_input"
  | "not_found";

export interface CommandErrorOptions {
  /** The second line: what to do, best a command that works when pasted. */
  readonly fix: string;
  /** The flag, argument or setting at fault. */
  readonly path?: string;
  readonly file?: string;
  /** Counted from 1. */
  readonly line?: number;
  readonly column?: number;
  readonly cause?: unknown;
}

/** An error of the command line program, already in its two lines: what happened, what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code: CommandErrorCode;
  readonly options: CommandErrorOptions;

  constructor(code: CommandErrorCode, message: string, options: CommandErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.options = options;
  }
}
