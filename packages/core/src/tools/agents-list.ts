import { z } from "zod";
import { errorResultSchema, forbiddenResultSchema } from "./result-codes.ts";
import { defineTool } from "./tool-definition.ts";

/** The agents that a requester's `sessions_spawn` accepts, its own first. */
export const agentsListResultSchema = z.strictObject({
  requester: z.string(),
  allowAny: z.boolean(),
  agents: z.array(
    z.strictObject({
      id: z.string(),
      name: z.exactOptional(z.string()),
      configured: z.boolean(),
      model: z.exactOptional(z.string()),
    }),
  ),
});

export const agentsListTool = defineTool({
  name: "agents_list",
  description: "List the agent ids that you may pass to sessions_spawn, your own first.",
  inputSchema: z.strictObject({}),
  outputSchema: z.union([agentsListResultSchema, errorResultSchema, forbiddenResultSchema]),
});
