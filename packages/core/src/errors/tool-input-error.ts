import { TrunklineError } from "./trunkline-error.ts";

/** Wrong arguments or an unknown tool: `callTool` rejects with it, code `invalid_input`, `path` names the argument. */
export class ToolInputError extends TrunklineError {
  override readonly name = "ToolInputError";
  readonly tool: string;

  constructor(tool: string, message: string, options: { readonly path?: string; readonly fix?: string } = {}) {
    super("invalid_input", message, options);
    this.tool = tool;
  }

  static override isInstance(value: unknown): value is ToolInputError {
    return TrunklineError.isInstance(value) && value.name === "ToolInputError";
  }
}
