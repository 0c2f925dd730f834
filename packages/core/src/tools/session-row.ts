import { z } from "zod";
import { sessionKinds } from "../keys/classify.ts";
import { routeSchema, viewMessageSchema } from "./message-schema.ts";

/** Which sessions a listing covers, when it does not cover every one. */
export const visibilityReportSchema = z.strictObject({
  mode: z.enum(["self", "tree", "agent", "all"]),
  restricted: z.literal(true),
  warning: z.string(),
});

/** One session as `sessions_list` shows it; times are milliseconds since 1970. */
export const sessionRowSchema = z.strictObject({
  key: z.string(),
  sessionId: z.string(),
  agentId: z.string(),
  kind: z.enum(sessionKinds),
  channel: z.string(),
  label: z.exactOptional(z.string()),
  displayName: z.exactOptional(z.string()),
  updatedAt: z.number(),
  createdAt: z.number(),
  model: z.exactOptional(z.string()),
  contextTokens: z.exactOptional(z.number()),
  totalTokens: z.exactOptional(z.number()),
  thinkingLevel: z.exactOptional(z.string()),
  verboseLevel: z.exactOptional(z.string()),
  systemSent: z.exactOptional(z.boolean()),
  abortedLastRun: z.exactOptional(z.boolean()),
  sendPolicy: z.exactOptional(z.enum(["allow", "deny"])),
  goal: z.exactOptional(z.string()),
  pinned: z.boolean(),
  archived: z.boolean(),
  spawnedBy: z.exactOptional(z.string()),
  status: z.enum(["idle", "queued", "running", "yielded"]),
  stateVersion: z.exactOptional(z.int()),
  lastChannel: z.exactOptional(z.string()),
  lastTo: z.exactOptional(z.string()),
  deliveryContext: z.exactOptional(routeSchema),
  transcriptPath: z.exactOptional(z.string()),
  derivedTitle: z.exactOptional(z.string()),
  lastMessagePreview: z.exactOptional(z.string()),
  messages: z.exactOptional(z.array(viewMessageSchema)),
  messagesOmitted: z.exactOptional(z.literal(true)),
});
