import { z } from "zod";
import { thinkingLevels } from "../config/names.ts";
import {
  maxIdempotencyKeyLength,
  maxLabelLength,
  maxReferenceLength,
  optionalAgentId,
  optionalText,
  requiredText,
  wholeNumberParameter,
} from "./parameters.ts";
import { errorResultSchema, forbiddenResultSchema } from "./result-codes.ts";
import { defineTool } from "./tool-definition.ts";

export const sessionsSpawnTool = defineTool({
  name: "sessions_spawn",
  description: [
    "Start a sub-agent in a session of its own and return at once; its result comes to you when it ends, exactly once.",
    "Put everything it needs into task: it does not see this conversation unless context is fork.",
    "Call sessions_yield afterwards when you need the results before you go on; do not poll for them.",
    "agents_list shows the agent ids you may use; without agentId the child runs as your own agent.",
  ].join(" "),
  inputSchema: z
    .strictObject({
      task: requiredText().describe("What the child is to do, complete in itself."),
      label: optionalText(maxLabelLength).describe("A short name for the child."),
      agentId: optionalAgentId().describe("An id of agents_list; default your own agent."),
      runtime: z.enum(["subagent", "acp"]).default("subagent").describe("acp runs an external agent."),
      model: optionalText().describe('A model for the child; "default" is the agent\'s.'),
      thinking: optionalText().describe(`One of ${thinkingLevels.join(", ")}, or "default".`),
      runTimeoutSeconds: wholeNumberParameter({ minimum: 0 })
        .optional()
        .describe("Stop the child after so many seconds; 0 = no limit."),
      thread: z.boolean().default(false).describe("Bind the child to a thread of this chat."),
      mode: z
        .enum(["run", "session"])
        .optional()
        .describe(
          "session keeps answering in its thread (needs thread: true, and is then the default); run ends after the task.",
        ),
      cleanup: z
        .enum(["keep", "delete"])
        .default("keep")
        .describe("delete removes the child once its result has arrived."),
      sandbox: z
        .enum(["inherit", "require"])
        .default("inherit")
        .describe("require refuses to start without a sandbox."),
      context: z
        .enum(["isolated", "fork"])
        .optional()
        .describe("fork starts the child from a copy of this conversation; default isolated, except in threads."),
      resumeSessionId: optionalText(maxReferenceLength).describe("acp only: go on with an earlier session of yours."),
      streamTo: z.literal("parent").optional().describe("acp only: relay progress to this session."),
      idempotencyKey: optionalText(maxIdempotencyKeyLength).describe(
        "The same key with the same arguments never starts a second child.",
      ),
    })
    .superRefine((input, context) => {
      const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
      if (input.mode === "session" && !input.thread) refuse("mode", '"session" needs thread: true');
      if (input.cleanup === "delete" && spawnMode(input) === "session") {
        refuse("cleanup", 'must be "keep" for a child in mode session');
      }
      if (input.runtime === "acp") return;
      if (input.resumeSessionId !== undefined) refuse("resumeSessionId", 'needs runtime: "acp"');
      if (input.streamTo !== undefined) refuse("streamTo", 'needs runtime: "acp"');
    }),
  outputSchema: z.discriminatedUnion("status", [
    z.strictObject({
      status: z.literal("accepted"),
      runId: z.string(),
      childSessionKey: z.string(),
      context: z.enum(["isolated", "fork"]),
      model: z.exactOptional(z.string()),
      note: z.exactOptional(z.string()),
    }),
    errorResultSchema,
    forbiddenResultSchema,
  ]),
});

/** The mode a spawn asks for: a child bound to a thread stays a session unless told to be a run. */
export function spawnMode(input: {
  readonly mode?: "run" | "session" | undefined;
  readonly thread: boolean;
}): "run" | "session" {
  return input.mode ?? (input.thread ? "session" : "run");
}
