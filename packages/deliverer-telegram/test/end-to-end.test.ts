import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createFakeClock, createScriptedRunner, type PlatformResponse, type ScriptedHandler } from "@trunkline/testkit";
import { expect, onTestFinished, test } from "vitest";
import { createTelegramDeliverer } from "../src/index.ts";
import { botToken } from "./bot-token.ts";
import { readHtml, startBotApi, update } from "./fake-bot-api.ts";

const secret = "a webhook secret";

/** Telegram's webhook in, an installation, and the Bot API out. */
async function open(handler: ScriptedHandler, answers: (PlatformResponse | undefined)[] = []) {
  const { server, posted } = await startBotApi(answers);
  const telegram = createTelegramDeliverer({ botToken, apiRoot: server.url, webhookSecret: secret });
  const store = await createSqliteStore({ path: ":memory:" });
  const clock = createFakeClock();
  const trunkline = await createTrunkline({
    store,
    runners: createScriptedRunner(handler),
    deliverers: [telegram],
    clock,
    config: { agents: { list: [{ id: "main", default: true }] } },
  });
  await trunkline.start();
  onTestFinished(async () => {
    await trunkline.stop({ drainMs: 0 });
    await store.close();
    await server.close();
  });
  async function webhook(body: unknown, token = secret): Promise<number | undefined> {
    const headers = { "x-telegram-bot-api-secret-token": token };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const result = await telegram.parseInbound?.({ method: "POST", path: "/channels/telegram", headers, body: text });
    for (const message of result?.messages ?? []) await trunkline.receive({ channel: "telegram", ...message });
    return result?.response?.status;
  }
  const settle = () => trunkline.waitForIdle({ timeoutMs: 20_000 });
  return { trunkline, clock, posted, webhook, settle };
}

const topic = { is_topic_message: true, message_thread_id: 9 };

test("a question in a topic runs a sub-agent, and the answer is posted in that chat and topic, once", async () => {
  const { webhook, settle, posted } = await open(async ({ prompt, session, tools }) => {
    if (session.spawnedBy) return "**3** invoices";
    if (prompt.includes("invoices")) return "Three invoices are open: `a < b`.";
    await tools.find(({ name }) => name === "sessions_spawn")?.call({ task: "count" });
    await tools.find(({ name }) => name === "sessions_yield")?.call({});
    return "";
  });
  expect(await webhook(update(1, "How many?", topic))).toBe(200);
  expect(await webhook(update(1, "How many?", topic))).toBe(200);
  await settle();
  expect(posted).toEqual([
    {
      chat_id: "-1001",
      message_thread_id: 9,
      text: "Three invoices are open: <code>a &lt; b</code>.",
      parse_mode: "HTML",
    },
  ]);
});

test("a completion that nobody waited for is posted to the topic that the work was asked in", async () => {
  const { webhook, settle, posted } = await open(async ({ session, run, tools }) => {
    if (session.spawnedBy) return run.kind === "child_announce" ? "3 open" : "counted";
    await tools.find(({ name }) => name === "sessions_spawn")?.call({ task: "count" });
    return "I am on it.";
  });
  await webhook(update(1, "How many?", topic));
  await settle();
  expect(posted.map(({ message_thread_id }) => message_thread_id)).toEqual([9, 9]);
  expect(posted[0]?.text).toBe("I am on it.");
  expect(readHtml(posted[1]?.text ?? "")).toContain("Result: 3 open");
});

test("a long answer is cut into messages that Telegram accepts, each tag closed and each entity whole", async () => {
  const answer = `# Report\n\n${"**Bold & <odd>** words, `code`. ".repeat(400)}\n\n\`\`\`ts\n${"if (a < b && c > d) {}\n".repeat(300)}\`\`\``;
  const { webhook, settle, posted } = await open(() => answer);
  await webhook(update(1, "report"));
  await settle();
  expect(posted.length).toBeGreaterThan(3);
  const shown = posted.map(({ text }) => readHtml(text) ?? "").join("\n");
  expect(shown.split("if (a < b && c > d) {}").length - 1).toBe(300);
});

test("429 is waited out, 502 is tried again, and the answer is posted once", async () => {
  const failed = (error_code: number, parameters = {}) => ({
    status: error_code,
    json: { ok: false, error_code, description: "no", parameters },
  });
  const { webhook, clock, posted } = await open(() => "Hello.", [failed(429, { retry_after: 40 }), failed(502)]);
  await webhook(update(1, "hi"));
  for (let minute = 0; minute < 4 && posted.length === 0; minute++) {
    await clock.advance(60_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(posted.map(({ text }) => text)).toEqual(["Hello."]);
});

test("an answer that cannot be read is not sent again: the delivery is unknown", async () => {
  const { webhook, settle, posted, trunkline } = await open(() => "Hello.", [{ status: 200, text: "<html>not JSON" }]);
  const states: string[] = [];
  trunkline.events.subscribe({ types: ["delivery_changed"] }, ({ delivery }) => states.push(delivery?.state ?? ""));
  await webhook(update(1, "hi"));
  await settle();
  expect(states.at(-1)).toBe("unknown");
  expect(posted).toEqual([]);
});

test("a chat that has blocked the bot fails at once, and the session is told", async () => {
  const blocked = {
    status: 403,
    json: { ok: false, error_code: 403, description: "Forbidden: bot was blocked by the user" },
  };
  const { webhook, settle, trunkline } = await open(() => "Hello.", [blocked]);
  await webhook(update(1, "hi"));
  await settle();
  const read = await trunkline.callTool({ sessionKey: "agent:main:telegram:group:-1001" }, "sessions_history", {
    sessionKey: "current",
  });
  expect("messages" in read && read.messages.at(-1)).toMatchObject({
    role: "system",
    provenance: { kind: "delivery_failed" },
  });
});

test("without the right secret, with a malformed body or without a person's text nothing comes in", async () => {
  const { webhook, settle, posted } = await open(() => "Hello.");
  expect(await webhook(update(1, "hi"), "guess")).toBe(401);
  expect(await webhook("{not json")).toBe(400);
  expect(await webhook({ update_id: 3, message: { chat: { id: 1, type: "private" } } })).toBe(200);
  expect(await webhook(update(4, "from a bot", { from: { id: 7, is_bot: true } }))).toBe(200);
  await settle();
  expect(posted).toEqual([]);
});
