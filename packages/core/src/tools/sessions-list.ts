import { z } from "zod";
import { sessionKinds } from "../keys/classify.ts";
import {
  maxLabelLength,
  optionalAgentId,
  optionalList,
  optionalText,
  wholeNumberParameter,
  wholeNumberWithDefault,
} from "./parameters.ts";
import { errorResultSchema, forbiddenResultSchema } from "./result-codes.ts";
import { sessionRowSchema, visibilityReportSchema } from "./session-row.ts";
import { defineTool } from "./tool-definition.ts";

export const sessionsListTool = defineTool({
  name: "sessions_list",
  description: [
    "List the sessions you may see, pinned first, then the most recently active.",
    "Use it to find the key of a session before you read it or send to it. Your own session is always listed.",
    "Follow nextCursor to page through all of them; visibility tells you when some sessions are out of your reach.",
  ].join(" "),
  inputSchema: z
    .strictObject({
      kinds: optionalList(z.enum(sessionKinds)).describe("Only these kinds."),
      limit: wholeNumberWithDefault({ minimum: 1, cap: 200 }, 50).describe("How many rows; default 50, at most 200."),
      offset: wholeNumberParameter({ minimum: 0 }).optional().describe("Rows to skip. Use cursor for long walks."),
      cursor: optionalText().describe("The nextCursor of the page before; not together with offset."),
      activeMinutes: wholeNumberParameter({ minimum: 1 })
        .optional()
        .describe("Only sessions active in the last N minutes."),
      messageLimit: wholeNumberWithDefault({ minimum: 0, cap: 20 }, 0).describe(
        "Also return the last N messages of each session; default 0, at most 20.",
      ),
      label: optionalText(maxLabelLength).describe("Only sessions with exactly this label."),
      agentId: optionalAgentId().describe("Only sessions of exactly this agent."),
      search: optionalText().describe("Part of a key, label, display name, sessionId or model; case does not matter."),
      archived: z.boolean().default(false).describe("true lists only archived sessions."),
      pinned: z.boolean().optional().describe("Only pinned (true) or only other (false) sessions."),
      includeDerivedTitles: z.boolean().default(false).describe("Add a short title to each row."),
      includeLastMessage: z.boolean().default(false).describe("Add a preview of the last message to each row."),
    })
    .refine(({ offset, cursor }) => offset === undefined || cursor === undefined, {
      error: "use offset or cursor, not both",
      path: ["cursor"],
    }),
  outputSchema: z.union([
    z.strictObject({
      count: z.int(),
      sessions: z.array(sessionRowSchema),
      hasMore: z.boolean(),
      nextOffset: z.exactOptional(z.int()),
      nextCursor: z.exactOptional(z.string()),
      visibility: z.exactOptional(visibilityReportSchema),
    }),
    errorResultSchema,
    forbiddenResultSchema,
  ]),
});
