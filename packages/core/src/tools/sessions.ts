import { z } from "zod";
import { thinkingLevels } from "../config/names.ts";
import {
  maxLabelLength,
  maxReferenceLength,
  optionalText,
  requiredText,
  sessionReferenceDescription,
} from "./parameters.ts";
import { errorResultSchema, forbiddenResultSchema } from "./result-codes.ts";
import { defineTool } from "./tool-definition.ts";

const patchFields = ["label", "pinned", "archived", "model", "thinking", "goal"] as const;

export const sessionsTool = defineTool({
  name: "sessions",
  description: [
    "Change your own session or one that you started.",
    'Action "patch" sets label, pinned, archived, model, thinking or goal (null clears one);',
    '"reset" starts it over with an empty transcript; "delete" removes it; "unwatch" ends your watch on a session.',
    "expectedSessionId makes sure that it is still the session you mean.",
  ].join(" "),
  inputSchema: z
    .strictObject({
      action: z.enum(["patch", "reset", "delete", "unwatch"]),
      sessionKey: requiredText(maxReferenceLength).describe(sessionReferenceDescription),
      expectedSessionId: optionalText(maxReferenceLength).describe(
        "Refuse when the session has another sessionId by now.",
      ),
      label: requiredText(maxLabelLength).nullable().optional(),
      pinned: z.boolean().optional(),
      archived: z.boolean().optional(),
      model: z.string().max(1000).nullable().optional().describe('null or "default" goes back to the agent\'s model.'),
      thinking: z
        .string()
        .max(1000)
        .nullable()
        .optional()
        .describe(`One of ${thinkingLevels.join(", ")}; null or "default" goes back to the agent's.`),
      goal: requiredText(4000).nullable().optional(),
    })
    .superRefine((input, context) => {
      const given = patchFields.filter((field) => input[field] !== undefined);
      if (input.action === "patch" && given.length === 0) {
        context.addIssue({
          code: "custom",
          path: ["action"],
          message: `action "patch" needs one of ${patchFields.join(", ")}`,
        });
      }
      const stray = input.action === "patch" ? undefined : given[0];
      if (stray !== undefined) {
        context.addIssue({
          code: "custom",
          path: [stray],
          message: `is set with action "patch", not "${input.action}"`,
        });
      }
    }),
  outputSchema: z.discriminatedUnion("status", [
    z.strictObject({
      status: z.literal("ok"),
      sessionKey: z.string(),
      /** The id after the change: a reset gives a new one. */
      sessionId: z.string(),
      changed: z.array(z.enum([...patchFields, "transcript", "deleted", "watch"])),
    }),
    errorResultSchema,
    forbiddenResultSchema,
  ]),
});
