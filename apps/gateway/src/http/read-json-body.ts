import { TrunklineError } from "@trunkline/core";
import type { Context } from "hono";

/** The JSON of a request's body; an empty body is `{}`. Anything else throws `invalid_input`. */
export async function readJsonBody(context: Context): Promise<unknown> {
  const text = await context.req.text();
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new TrunklineError("invalid_input", "the body is not JSON", { cause: error });
  }
}
