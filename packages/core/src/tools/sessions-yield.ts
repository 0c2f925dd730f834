import { z } from "zod";
import { pendingChildSchema } from "./child-row.ts";
import { optionalText } from "./parameters.ts";
import { errorResultSchema, forbiddenResultSchema } from "./result-codes.ts";
import { defineTool } from "./tool-definition.ts";

export const sessionsYieldTool = defineTool({
  name: "sessions_yield",
  description: [
    "End this turn and wait for the sub-agents you started in it. You are resumed once, with all their results.",
    "Call it as the last thing of the turn: what you write afterwards is no reply.",
    "With nothing to wait for it says nothing_pending and your turn goes on.",
  ].join(" "),
  inputSchema: z.strictObject({
    message: optionalText(4000).describe(
      "A private note to yourself, put before the results; at most 4000 characters.",
    ),
  }),
  outputSchema: z.discriminatedUnion("status", [
    z.strictObject({ status: z.literal("yielded"), pending: z.array(pendingChildSchema) }),
    z.strictObject({ status: z.literal("already_pending"), pending: z.array(pendingChildSchema) }),
    errorResultSchema,
    forbiddenResultSchema,
  ]),
});
