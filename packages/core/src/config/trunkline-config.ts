import { z } from "zod";
import { agentsSettingsSchema } from "./agents-settings.ts";
import {
  bindingSchema,
  channelsSettingsSchema,
  messagesSettingsSchema,
  threadBindingsSettingsSchema,
} from "./channel-settings.ts";
import { acpSettingsSchema, modelsSettingsSchema } from "./model-settings.ts";
import { sessionSettingsSchema } from "./session-settings.ts";
import { toolsSettingsSchema } from "./tools-settings.ts";

/** The whole configuration, strict; the gateway extends it with its own sections. */
export const trunklineConfigSchema = z.strictObject({
  session: sessionSettingsSchema.prefault({}),
  tools: toolsSettingsSchema.prefault({}),
  agents: agentsSettingsSchema.prefault({}),
  bindings: z.array(bindingSchema).prefault([]),
  threadBindings: threadBindingsSettingsSchema.prefault({}),
  messages: messagesSettingsSchema.prefault({}),
  acp: acpSettingsSchema.prefault({}),
  models: modelsSettingsSchema.prefault({}),
  channels: channelsSettingsSchema.prefault({}),
});

/** What `parseConfig` takes: every setting is optional. */
export type TrunklineConfigInput = DeepReadonly<z.input<typeof trunklineConfigSchema>>;

/** A checked configuration with every default applied. */
export type TrunklineConfig = DeepReadonly<z.output<typeof trunklineConfigSchema>>;

/** One checked entry of `agents.list`. */
export type AgentSettings = TrunklineConfig["agents"]["list"][number];

/** One checked tool policy: of an agent, a provider or a group. */
export type ToolPolicySettings = NonNullable<AgentSettings["tools"]>;

/** The same type with every property and array read-only. */
export type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }
    : Value;
