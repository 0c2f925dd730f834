import type { z } from "zod";

/** One entry of the tool table. `inputSchema` is a strict object; `outputSchema` covers every result, refusals included. */
export interface ToolDefinition<
  Name extends string = string,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  readonly name: Name;
  /** Written for the model that is offered the tool. */
  readonly description: string;
  readonly inputSchema: Input;
  readonly outputSchema: Output;
}

/** Keeps the exact types of a definition. */
export function defineTool<const Name extends string, Input extends z.ZodType, Output extends z.ZodType>(
  definition: ToolDefinition<Name, Input, Output>,
): ToolDefinition<Name, Input, Output> {
  return definition;
}
