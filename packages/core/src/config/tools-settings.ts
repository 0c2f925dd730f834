import { z } from "zod";
import { nameSchema } from "./names.ts";

/** The named sets of tools; unset means all of them. */
export const toolProfiles = ["minimal", "messaging", "coding", "full"] as const;

export type ToolProfile = (typeof toolProfiles)[number];

const toolListSchema = z.array(nameSchema);

/** Names, globs (`sessions_*`) or `group:sessions`; without `allow` nothing is narrowed, `deny` wins. */
export const allowDenySchema = z.strictObject({
  allow: toolListSchema.optional(),
  deny: toolListSchema.optional(),
});

const toolPolicyShape = {
  profile: z.enum(toolProfiles).optional(),
  alsoAllow: toolListSchema.optional(),
  allow: toolListSchema.optional(),
  deny: toolListSchema.optional(),
};

const oneAllowList = (policy: { readonly allow?: unknown; readonly alsoAllow?: unknown }) =>
  policy.allow === undefined || policy.alsoAllow === undefined;

const oneAllowListProblem = {
  error: '"allow" replaces what "alsoAllow" adds to; use one of them',
  path: ["alsoAllow"],
};

/** The tool policy of an agent, a provider or a group. */
export const toolPolicySchema = z.strictObject(toolPolicyShape).refine(oneAllowList, oneAllowListProblem);

/** `tools`: who gets which tools, and which sessions they reach. */
export const toolsSettingsSchema = z
  .strictObject({
    ...toolPolicyShape,
    /** Key: a provider (`openai`) or a whole model name (`openai/gpt-5`). */
    byProvider: z.record(nameSchema, toolPolicySchema).prefault({}),
    sessions: z.strictObject({ visibility: z.enum(["self", "tree", "agent", "all"]).default("tree") }).prefault({}),
    agentToAgent: z
      .strictObject({ enabled: z.boolean().default(false), allow: z.array(z.string()).optional() })
      .prefault({}),
    sandbox: z.strictObject({ tools: allowDenySchema.prefault({}) }).prefault({}),
    subagents: z.strictObject({ tools: allowDenySchema.prefault({}) }).prefault({}),
  })
  .refine(oneAllowList, oneAllowListProblem);
