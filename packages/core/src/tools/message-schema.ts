import { z } from "zod";

const provenanceSchema = z.strictObject({
  kind: z.enum([
    "human",
    "channel",
    "cron",
    "hook",
    "node",
    "operator",
    "inter_session",
    "subagent_task",
    "subagent_completion",
    "resume",
    "notice",
    "interrupted",
    "delivery_failed",
    "compaction",
  ]),
  sourceSessionKey: z.exactOptional(z.string()),
  sourceTool: z.exactOptional(z.string()),
  sourceChannel: z.exactOptional(z.string()),
  senderId: z.exactOptional(z.string()),
  chainId: z.exactOptional(z.string()),
  hop: z.exactOptional(z.int()),
  runId: z.exactOptional(z.string()),
  detail: z.exactOptional(z.string()),
});

const viewBlockSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({ type: z.literal("toolCall"), id: z.string(), name: z.string(), arguments: z.unknown() }),
  z.strictObject({
    type: z.literal("image"),
    omitted: z.literal(true),
    bytes: z.int().min(0),
    mimeType: z.exactOptional(z.string()),
  }),
]);

/** A message as another session may read it: after the view. Times are milliseconds since 1970. */
export const viewMessageSchema = z.strictObject({
  seq: z.int(),
  id: z.string(),
  role: z.enum(["user", "assistant", "toolResult", "system"]),
  content: z.union([z.string(), z.array(viewBlockSchema)]),
  timestamp: z.number(),
  provenance: z.exactOptional(provenanceSchema),
  runId: z.exactOptional(z.string()),
  toolCallId: z.exactOptional(z.string()),
  isError: z.exactOptional(z.boolean()),
  pending: z.exactOptional(z.literal(true)),
  unreadable: z.exactOptional(z.literal(true)),
});

/** Where a text leaves to. */
export const routeSchema = z.strictObject({
  channel: z.string(),
  to: z.string(),
  accountId: z.exactOptional(z.string()),
  threadId: z.exactOptional(z.string()),
});
