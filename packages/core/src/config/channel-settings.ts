import { z } from "zod";
import { agentIdSchema, channelIdSchema, nameSchema, wholeNumber } from "./names.ts";
import { toolPolicySchema } from "./tools-settings.ts";

/** One entry of `bindings`: which agent answers where; the most specific match wins, then the first. */
export const bindingSchema = z.strictObject({
  agentId: agentIdSchema,
  match: z.strictObject({
    channel: channelIdSchema,
    accountId: nameSchema.optional(),
    peer: z.strictObject({ kind: z.enum(["direct", "group", "channel"]), id: nameSchema }).optional(),
  }),
});

/** `threadBindings`: whether children may be bound to channel threads, and what such a child starts from. */
export const threadBindingsSettingsSchema = z.strictObject({
  enabled: z.boolean().default(true),
  defaultSpawnContext: z.enum(["fork", "isolated"]).default("fork"),
});

const queueModeSchema = z.enum(["followup", "collect", "steer"]);

/** `messages`: what happens to a message that arrives while a run is going. */
export const messagesSettingsSchema = z.strictObject({
  queue: z
    .strictObject({
      mode: queueModeSchema.default("followup"),
      debounceMs: wholeNumber(0).default(500),
      /** How many texts may wait; over it the oldest are merged into one, none is dropped. */
      cap: wholeNumber(1).default(20),
      byChannel: z.record(channelIdSchema, queueModeSchema).prefault({}),
    })
    .prefault({}),
});

/** One entry of `channels`: who owns it, what its groups may use, and the deliverer's own settings. */
export const channelSettingsSchema = z.strictObject({
  owners: z.array(nameSchema).prefault([]),
  groups: z.record(nameSchema, z.strictObject({ tools: toolPolicySchema.optional() })).prefault({}),
  settings: z.record(z.string(), z.unknown()).prefault({}),
});

/** `channels`: by channel id. */
export const channelsSettingsSchema = z.record(channelIdSchema, channelSettingsSchema);
