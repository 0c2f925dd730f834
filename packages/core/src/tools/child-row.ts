import { z } from "zod";

/** How a child ended, told by the runtime. */
export const outcomeSchema = z.enum(["success", "error", "timeout", "cancelled", "interrupted", "unknown"]);

/** Where the posting of a child's result stands. */
export const childDeliverySchema = z.enum([
  "pending",
  "sending",
  "delivered",
  "skipped",
  "suppressed",
  "undeliverable",
  "failed",
  "unknown",
]);

/** One spawned child; times are milliseconds since 1970. */
export const childRowSchema = z.strictObject({
  runId: z.string(),
  childSessionKey: z.string(),
  label: z.exactOptional(z.string()),
  task: z.string(),
  status: z.enum(["queued", "running", "yielded", "ended"]),
  outcome: z.exactOptional(outcomeSchema),
  runtime: z.enum(["subagent", "acp"]),
  model: z.exactOptional(z.string()),
  startedAt: z.exactOptional(z.number()),
  endedAt: z.exactOptional(z.number()),
  tokens: z.exactOptional(z.strictObject({ input: z.number(), output: z.number(), total: z.number() })),
  delivery: z.exactOptional(childDeliverySchema),
});

/** A child that a turn waits for. */
export const pendingChildSchema = z.strictObject({
  runId: z.string(),
  childSessionKey: z.string(),
  label: z.exactOptional(z.string()),
  state: z.enum(["queued", "running", "yielded", "ended"]),
});
