import { z } from "zod";
import { agentIdSchema, nameSchema } from "./names.ts";

/** `models`: which models may be asked for, what reaches them, and what they cost. */
export const modelsSettingsSchema = z.strictObject({
  /** Model names or globs (`openai/*`); unset allows every known model. */
  allow: z.array(nameSchema).optional(),
  /** Read by the runner, not by core. */
  providers: z.record(nameSchema, z.record(z.string(), z.unknown())).prefault({}),
  /** Per million tokens, in one currency of the operator's choice. */
  prices: z
    .record(
      nameSchema,
      z.strictObject({ inputPerMillion: z.number().nonnegative(), outputPerMillion: z.number().nonnegative() }),
    )
    .prefault({}),
});

/** `acp`: external agents that children may run on; each agent's own settings are read by the ACP runner. */
export const acpSettingsSchema = z.strictObject({
  enabled: z.boolean().default(false),
  /** Unset allows every id of `agents`. */
  allowedAgents: z.array(z.union([z.literal("*"), agentIdSchema])).optional(),
  defaultAgent: agentIdSchema.optional(),
  agents: z.record(agentIdSchema, z.record(z.string(), z.unknown())).prefault({}),
});
