import { z } from "zod";
import { agentIdSchema, nameSchema, thinkingLevelSchema, wholeNumber } from "./names.ts";
import { toolPolicySchema } from "./tools-settings.ts";

/** The sandbox modes of an agent: no session, every session, or every session but the main one. */
export const sandboxModes = ["off", "all", "non-main"] as const;

export type SandboxMode = (typeof sandboxModes)[number];

const allowAgentsSchema = z.array(z.union([z.literal("*"), agentIdSchema]));

/** Unset seconds and minutes are 0 = no limit and 0 = never, as the names say. */
const subagentsDefaultsSchema = z.strictObject({
  allowAgents: allowAgentsSchema.optional(),
  model: nameSchema.optional(),
  thinking: thinkingLevelSchema.optional(),
  maxSpawnDepth: z.int().min(1).max(5).default(1),
  maxChildrenPerAgent: wholeNumber(1).default(5),
  maxConcurrent: wholeNumber(1).default(8),
  runTimeoutSeconds: wholeNumber(0).default(0),
  archiveAfterMinutes: wholeNumber(0).default(60),
  forkMaxTokens: wholeNumber(0).default(100_000),
});

// `maxConcurrent` is the cap of one lane that all agents share, so no agent sets its own.
const subagentsOverrideSchema = z.strictObject({
  allowAgents: allowAgentsSchema.optional(),
  model: nameSchema.optional(),
  thinking: thinkingLevelSchema.optional(),
  maxSpawnDepth: z.int().min(1).max(5).optional(),
  maxChildrenPerAgent: wholeNumber(1).optional(),
  runTimeoutSeconds: wholeNumber(0).optional(),
  archiveAfterMinutes: wholeNumber(0).optional(),
  forkMaxTokens: wholeNumber(0).optional(),
});

/** One entry of `agents.list`; what it leaves out comes from `agents.defaults`. */
export const agentSettingsSchema = z.strictObject({
  id: agentIdSchema,
  name: nameSchema.optional(),
  default: z.boolean().optional(),
  model: nameSchema.optional(),
  thinking: thinkingLevelSchema.optional(),
  systemPrompt: z.string().optional(),
  tools: toolPolicySchema.optional(),
  sandbox: z.strictObject({ mode: z.enum(sandboxModes).optional() }).optional(),
  /** The key of the agent's runner in `createTrunkline({ runners })`. */
  runtime: nameSchema.optional(),
  subagents: subagentsOverrideSchema.optional(),
});

/** `agents`: the defaults and the list; without a list there is one agent, `main`. */
export const agentsSettingsSchema = z.strictObject({
  defaults: z
    .strictObject({
      model: nameSchema.optional(),
      thinking: thinkingLevelSchema.optional(),
      sandbox: z
        .strictObject({
          mode: z.enum(sandboxModes).default("off"),
          /** `all` lifts the clamp to `tree` of sandboxed callers; it never opens agent-to-agent. */
          sessionToolsVisibility: z.enum(["spawned", "all"]).default("spawned"),
        })
        .prefault({}),
      subagents: subagentsDefaultsSchema.prefault({}),
    })
    .prefault({}),
  list: z.array(agentSettingsSchema).prefault([]),
});
