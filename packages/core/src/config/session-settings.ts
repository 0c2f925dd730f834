import { z } from "zod";
import { channelIdSchema, nameSchema, wholeNumber } from "./names.ts";

const resetModeSchema = z.enum(["none", "daily", "idle"]);
const atHourSchema = z.int().min(0).max(23);

const resetOverrideSchema = z.strictObject({
  mode: resetModeSchema.optional(),
  atHour: atHourSchema.optional(),
  idleMinutes: wholeNumber(1).optional(),
});

/** `session.sendPolicy`: which chats may be posted to; any matching deny wins over any matching allow. */
export const sendPolicySchema = z.strictObject({
  rules: z
    .array(
      z.strictObject({
        match: z
          .strictObject({
            channel: channelIdSchema.optional(),
            chatType: z.enum(["direct", "group", "channel"]).optional(),
            keyPrefix: nameSchema.optional(),
          })
          .prefault({}),
        action: z.enum(["allow", "deny"]),
      }),
    )
    .prefault([]),
  default: z.enum(["allow", "deny"]).default("allow"),
});

/** `session`: how messages find sessions, how sessions talk, and when they are reset or pruned. */
export const sessionSettingsSchema = z.strictObject({
  scope: z.enum(["per-sender", "global"]).default("per-sender"),
  mainKey: z
    .string()
    .transform((key) => key.trim().toLowerCase())
    .refine((key) => key !== "" && !key.includes(":") && !key.startsWith("node-"), {
      error: 'must be one key segment: not empty, without ":", not starting with "node-"',
    })
    .prefault("main"),
  dmScope: z.enum(["main", "per-peer", "per-channel-peer", "per-account-channel-peer"]).default("main"),
  /** Person's name → the ids that are this person, each `channel:peer` or `peer`. */
  identityLinks: z.record(nameSchema, z.array(nameSchema)).prefault({}),
  groupScope: z.enum(["per-group", "main"]).default("per-group"),
  agentToAgent: z
    .strictObject({
      maxPingPongTurns: z.int().min(0).max(20).default(5),
      maxHops: wholeNumber(0).default(8),
    })
    .prefault({}),
  sendPolicy: sendPolicySchema.prefault({}),
  reset: z
    .strictObject({
      mode: resetModeSchema.default("none"),
      atHour: atHourSchema.default(4),
      idleMinutes: wholeNumber(1).default(60),
    })
    .prefault({}),
  resetByType: z
    .strictObject({
      direct: resetOverrideSchema.optional(),
      group: resetOverrideSchema.optional(),
      thread: resetOverrideSchema.optional(),
    })
    .prefault({}),
  resetByChannel: z.record(channelIdSchema, resetOverrideSchema).prefault({}),
  maintenance: z
    .strictObject({
      mode: z.enum(["off", "on"]).default("off"),
      /** Days without activity after which a session may go. */
      pruneAfter: wholeNumber(1).default(30),
      maxEntries: wholeNumber(1).default(5000),
    })
    .prefault({}),
});
