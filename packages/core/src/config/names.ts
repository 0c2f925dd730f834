import { z } from "zod";
import { isAgentId } from "../keys/session-key.ts";

/** The thinking levels a model can be asked for. */
export const thinkingLevels = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;

export type ThinkingLevel = (typeof thinkingLevels)[number];

export const thinkingLevelSchema = z.enum(thinkingLevels);

/** A name that holds more than white space. */
export const nameSchema = z.string().refine((text) => text.trim() !== "", "must not be blank");

/** An agent id; upper case is folded, as in session keys. */
export const agentIdSchema = z
  .string()
  .transform((id) => id.trim().toLowerCase())
  .refine(isAgentId, 'must be 1 to 64 of a-z, 0-9, "_" and "-", the first a letter or digit');

/** A channel id as it stands in session keys: lower case, without ":". */
export const channelIdSchema = z
  .string()
  .transform((id) => id.trim().toLowerCase())
  .refine((id) => id !== "" && !id.includes(":"), 'must be a channel id without ":"');

/** A whole number from `minimum` up. */
export function wholeNumber(minimum: number) {
  return z.int().min(minimum);
}
