import { z } from "zod";
import { childRowSchema } from "./child-row.ts";
import { maxReferenceLength, optionalList, optionalText, requiredText, wholeNumberWithDefault } from "./parameters.ts";
import { errorResultSchema, forbiddenResultSchema } from "./result-codes.ts";
import { defineTool } from "./tool-definition.ts";

export const subagentsTool = defineTool({
  name: "subagents",
  description: [
    "See and steer the sub-agents that you started, and theirs.",
    'Action "list" (default) shows the active and the recently ended ones; "cancel" stops one and its own children;',
    '"wait" waits until any or all of the named ones have ended, without taking their results away from you.',
  ].join(" "),
  inputSchema: z
    .strictObject({
      action: z.enum(["list", "cancel", "wait"]).default("list"),
      runId: optionalText(maxReferenceLength).describe('For "cancel": the runId of the child.'),
      childSessionKey: optionalText(maxReferenceLength).describe('For "cancel": the session key of the child.'),
      runIds: optionalList(requiredText(maxReferenceLength)).describe(
        'For "wait": which ones; default all your active children.',
      ),
      mode: z.enum(["all", "any"]).default("all").describe('For "wait": until all have ended, or any one.'),
      timeoutSeconds: wholeNumberWithDefault({ minimum: 0, maximum: 3600 }, 30).describe(
        'For "wait": how long; default 30.',
      ),
    })
    .refine(({ action, runId, childSessionKey }) => action !== "cancel" || (runId ?? childSessionKey) !== undefined, {
      error: 'action "cancel" needs runId or childSessionKey',
      path: ["runId"],
    }),
  outputSchema: z.union([
    z.strictObject({ active: z.array(childRowSchema), recent: z.array(childRowSchema) }),
    z.strictObject({ status: z.literal("ok"), cancelled: z.array(z.string()) }),
    z.strictObject({
      status: z.enum(["ok", "timeout"]),
      done: z.array(childRowSchema),
      pending: z.array(childRowSchema),
    }),
    errorResultSchema,
    forbiddenResultSchema,
  ]),
});
