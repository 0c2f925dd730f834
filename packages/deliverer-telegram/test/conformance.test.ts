import { createFakePlatformServer, testDeliverer } from "@trunkline/testkit";
import { createTelegramDeliverer } from "../src/index.ts";
import { botToken } from "./bot-token.ts";

let messageId = 0;
const failed = (error_code: number, description: string, parameters = {}) => ({
  status: error_code,
  json: { ok: false, error_code, description, parameters },
});

testDeliverer({
  name: "telegram",
  route: { channel: "telegram", to: "-1001", threadId: "7" },
  secret: botToken,
  secretInPath: true,
  createServer: () =>
    createFakePlatformServer({
      routes: {
        "POST /bot:token/sendMessage": () => ({
          status: 200,
          json: { ok: true, result: { message_id: ++messageId, date: 1, chat: { id: -1001, type: "supergroup" } } },
        }),
        "POST /bot:token/createForumTopic": () => ({
          status: 200,
          json: { ok: true, result: { message_thread_id: 7, name: "t", icon_color: 1 } },
        }),
      },
    }),
  create: (server) => createTelegramDeliverer({ botToken, apiRoot: server.url }),
  createWithoutSecret: (server) => createTelegramDeliverer({ botToken: "", apiRoot: server.url }),
  answers: {
    rateLimited: { ...failed(429, "Too Many Requests", { retry_after: 7 }), waitMs: 7000 },
    refusedRecipient: failed(403, "Forbidden: bot was blocked by the user"),
    serverError: failed(502, "Bad Gateway"),
  },
});
