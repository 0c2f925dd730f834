import type { InboundRequest, InboundResult } from "@trunkline/core";
import { Webhook } from "standardwebhooks";
import { z } from "zod";

const bodySchema = z.object({
  type: z.literal("message"),
  data: z.object({
    peer: z.object({ kind: z.enum(["direct", "group", "channel"]), id: z.string().min(1) }),
    text: z.string().min(1),
    accountId: z.string().optional(),
    threadId: z.string().optional(),
    senderId: z.string().optional(),
  }),
});

/** Verifies signature and age, then reads the message; the webhook's id makes a repeat the same message. */
export function readWebhook(request: InboundRequest, secret: string): InboundResult {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  let verified: unknown;
  try {
    verified = new Webhook(secret).verify(request.body, headers);
  } catch {
    return { messages: [], response: { status: 401 } };
  }
  const parsed = bodySchema.safeParse(verified);
  if (!parsed.success) return { messages: [], response: { status: 400 } };
  const { peer, text, accountId, threadId, senderId } = parsed.data.data;
  return {
    messages: [
      {
        peer,
        text,
        idempotencyKey: headers["webhook-id"] ?? "",
        ...(accountId === undefined ? {} : { accountId }),
        ...(threadId === undefined ? {} : { threadId }),
        ...(senderId === undefined ? {} : { senderId }),
      },
    ],
    response: { status: 202 },
  };
}
