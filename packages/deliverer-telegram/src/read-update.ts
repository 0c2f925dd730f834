import { createHash, timingSafeEqual } from "node:crypto";
import type { InboundMessage, InboundRequest, InboundResult } from "@trunkline/core";
import { z } from "zod";

const updateSchema = z.object({
  update_id: z.int(),
  message: z
    .object({
      text: z.string().optional(),
      caption: z.string().optional(),
      is_topic_message: z.boolean().optional(),
      message_thread_id: z.int().optional(),
      chat: z.object({ id: z.int(), type: z.enum(["private", "group", "supergroup", "channel"]) }),
      from: z.object({ id: z.int(), is_bot: z.boolean().optional() }).optional(),
    })
    .optional(),
});

/** Checks the webhook's secret, then reads its update; what holds no text of a person is accepted and says nothing. */
export function readUpdate(request: InboundRequest, secret: string | undefined): InboundResult {
  const given = request.headers["x-telegram-bot-api-secret-token"] ?? "";
  if (secret === undefined || !isSame(given, secret)) return { messages: [], response: { status: 401 } };
  const update = updateSchema.safeParse(parseJson(request.body));
  if (!update.success) return { messages: [], response: { status: 400 } };
  const { update_id, message } = update.data;
  const text = message?.text ?? message?.caption ?? "";
  if (!message || text.trim() === "" || message.from?.is_bot) return { messages: [], response: { status: 200 } };
  const inbound: InboundMessage = {
    peer: { kind: kindOf(message.chat.type), id: String(message.chat.id) },
    text,
    // Telegram repeats an update until it is answered with 200; its id makes the repeat the same message.
    idempotencyKey: String(update_id),
    ...(message.from ? { senderId: String(message.from.id) } : {}),
    ...(message.is_topic_message && message.message_thread_id ? { threadId: String(message.message_thread_id) } : {}),
  };
  return { messages: [inbound], response: { status: 200 } };
}

function kindOf(type: "private" | "group" | "supergroup" | "channel"): InboundMessage["peer"]["kind"] {
  if (type === "private") return "direct";
  return type === "channel" ? "channel" : "group";
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
