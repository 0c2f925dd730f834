import { z } from "zod";
import { sessionKinds } from "../keys/classify.ts";
import { childDeliverySchema, outcomeSchema } from "./child-row.ts";
import { routeSchema } from "./message-schema.ts";
import {
  maxReferenceLength,
  optionalText,
  sessionReferenceDescription,
  textWithDefault,
  wholeNumberParameter,
} from "./parameters.ts";
import { errorResultSchema, forbiddenResultSchema } from "./result-codes.ts";
import { defineTool } from "./tool-definition.ts";

const routePartsSchema = routeSchema.extend({ to: z.exactOptional(z.string()) });

/** One entry of a session's state log; never a message text. */
export const stateEventSchema = z.strictObject({
  version: z.int(),
  kind: z.enum([
    "created",
    "human_direct_message",
    "goal_changed",
    "child_spawned",
    "run_completed",
    "run_failed",
    "compacted",
    "reset",
    "archived",
  ]),
  actor: z.strictObject({ type: z.enum(["human", "agent", "system"]), id: z.exactOptional(z.string()) }),
  at: z.number(),
  outcome: z.exactOptional(z.string()),
  childSessionKey: z.exactOptional(z.string()),
});

/** What `session_status` knows about a session; times are milliseconds since 1970. */
export const sessionDetailsSchema = z.strictObject({
  sessionKey: z.string(),
  sessionId: z.string(),
  agentId: z.string(),
  kind: z.enum(sessionKinds),
  label: z.exactOptional(z.string()),
  usage: z.strictObject({
    inputTokens: z.exactOptional(z.number()),
    outputTokens: z.exactOptional(z.number()),
    totalTokens: z.exactOptional(z.number()),
    contextTokens: z.exactOptional(z.number()),
    costUsd: z.exactOptional(z.number()),
  }),
  model: z.strictObject({
    effective: z.exactOptional(z.string()),
    override: z.exactOptional(z.string()),
    agentDefault: z.exactOptional(z.string()),
  }),
  thinking: z.exactOptional(z.string()),
  time: z.strictObject({ now: z.string(), timeZone: z.string() }),
  run: z.strictObject({
    status: z.enum(["idle", "queued", "running", "yielded"]),
    runId: z.exactOptional(z.string()),
    startedAt: z.exactOptional(z.number()),
    abortedLastRun: z.exactOptional(z.boolean()),
  }),
  goal: z.exactOptional(z.string()),
  tasks: z.array(
    z.strictObject({
      runId: z.string(),
      childSessionKey: z.string(),
      label: z.exactOptional(z.string()),
      task: z.string(),
      status: z.enum(["queued", "running", "yielded", "ended"]),
      outcome: z.exactOptional(outcomeSchema),
      delivery: z.exactOptional(childDeliverySchema),
    }),
  ),
  route: z.exactOptional(
    z.strictObject({
      origin: z.exactOptional(routePartsSchema),
      active: z.exactOptional(routePartsSchema),
      deliveryContext: z.exactOptional(routePartsSchema),
    }),
  ),
  stateVersion: z.int(),
  stateChanges: z.exactOptional(
    z.strictObject({ events: z.array(stateEventSchema), truncated: z.boolean(), historyGap: z.boolean() }),
  ),
});

export const sessionStatusTool = defineTool({
  name: "session_status",
  description: [
    "Show the state of a session: what runs, which model, tokens used, goal, tasks and where its replies go.",
    "changesSince lists what happened after a state version that you saw before.",
    'model changes the model of your own session or of a session you started; "default" goes back to the agent\'s.',
  ].join(" "),
  inputSchema: z.strictObject({
    sessionKey: textWithDefault("current", maxReferenceLength).describe(
      `${sessionReferenceDescription} Default current.`,
    ),
    model: optionalText().describe('Set the model; "default" clears your setting.'),
    changesSince: wholeNumberParameter({ minimum: 0 })
      .optional()
      .describe("Also list the changes after this stateVersion."),
  }),
  outputSchema: z.union([
    z.strictObject({ text: z.string(), details: sessionDetailsSchema }),
    errorResultSchema,
    forbiddenResultSchema,
  ]),
});
