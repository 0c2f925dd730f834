import { defineDeliverer } from "@trunkline/core";
import { Api } from "grammy";
import { z } from "zod";
import { readUpdate } from "./read-update.ts";
import { toDeliveryError } from "./to-delivery-error.ts";

const settings = z.strictObject({
  /** The token that BotFather gave. */
  botToken: z.string().min(1),
  /** What was given to `setWebhook` as `secret_token`; without it inbound requests are refused. */
  webhookSecret: z.string().min(1).optional(),
  /** Another Bot API server than Telegram's own. */
  apiRoot: z.url().optional(),
});

/** Posts to Telegram chats, groups and forum topics, and reads the bot's webhook. */
export const createTelegramDeliverer = defineDeliverer({
  channel: "telegram",
  config: settings,
  capabilities: { maxTextLength: 4096, threads: true, markdown: "telegram-html", idempotent: false },
  async send({ route, text }, { config, signal }) {
    try {
      const thread = route.threadId === undefined ? {} : { message_thread_id: Number(route.threadId) };
      const sent = await apiOf(config).sendMessage(route.to, text, { parse_mode: "HTML", ...thread }, asSignal(signal));
      return { messageIds: [String(sent.message_id)] };
    } catch (error) {
      throw toDeliveryError(error);
    }
  },
  async createThread({ route, title }, { config, signal }) {
    try {
      const topic = await apiOf(config).createForumTopic(route.to, title, {}, asSignal(signal));
      return { ...route, threadId: String(topic.message_thread_id) };
    } catch (error) {
      throw toDeliveryError(error);
    }
  },
  parseInbound: (request, { config }) => readUpdate(request, config.webhookSecret),
});

function apiOf({ botToken, apiRoot }: z.output<typeof settings>): Api {
  return new Api(botToken, apiRoot === undefined ? {} : { apiRoot });
}

type ApiSignal = Parameters<Api["getMe"]>[0];

// The client's type is that of an older polyfill; the platform's own signal is what it uses.
function asSignal(signal: AbortSignal): ApiSignal {
  return signal as ApiSignal;
}
