import { formatPath, TrunklineError } from "@trunkline/core";
import { z } from "zod";

const text = z.string().refine((value) => value.trim() !== "", { error: "must not be blank" });
const optionalText = z.string().optional();

/** Shapes of what a host passes in; strict, so that a misspelt field is an error and not silence. */
export const callerSchema = z.strictObject({
  sessionKey: z.string(),
  agentId: optionalText,
  sandboxed: z.boolean().optional(),
  runId: optionalText,
});

export const receivedMessageSchema = z.strictObject({
  channel: text,
  peer: z.strictObject({ kind: z.enum(["direct", "group", "channel"]), id: text }),
  accountId: optionalText,
  threadId: optionalText,
  senderId: optionalText,
  isOwner: z.boolean().optional(),
  text,
  idempotencyKey: optionalText,
});

export const submissionSchema = z.strictObject({
  sessionKey: z.string(),
  agentId: optionalText,
  text,
  actor: z.enum(["human", "system"]).optional(),
  deliver: z.boolean().optional(),
  idempotencyKey: optionalText,
});

export const sessionPatchSchema = z.strictObject({
  label: text.max(256).nullish(),
  pinned: z.boolean().nullish(),
  archived: z.boolean().nullish(),
  model: z.string().max(1000).nullish(),
  thinking: z.string().max(1000).nullish(),
  goal: text.max(4000).nullish(),
  sendPolicy: z.enum(["allow", "deny", "inherit"]).nullish(),
});

/** Throws `invalid_input` with the path of the first fault; `what` names the call. */
export function checkHostInput(schema: z.ZodType, value: unknown, what: string): void {
  const parsed = schema.safeParse(value);
  if (parsed.success) return;
  const issue = parsed.error.issues[0];
  const unknown = issue?.code === "unrecognized_keys" ? (issue.keys[0] ?? "") : undefined;
  const path = formatPath([...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])]);
  const problem = unknown === undefined ? (issue?.message ?? "wrong input") : `there is no "${unknown}"`;
  throw new TrunklineError("invalid_input", `${what}: ${path === "" ? "" : `${path}: `}${problem}`, {
    fix: `See the documentation of ${what} for its fields.`,
    ...(path === "" ? {} : { path }),
  });
}
