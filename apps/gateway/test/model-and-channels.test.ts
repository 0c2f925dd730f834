import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { botToken } from "../../../packages/deliverer-telegram/test/bot-token.ts";
import { startBotApi, update } from "../../../packages/deliverer-telegram/test/fake-bot-api.ts";
import { startChatServer } from "../../../packages/runner-ai-sdk/test/openai-compatible-server.ts";
import { createCommandContext } from "../src/cli/command-context.ts";
import { readGlobalFlags } from "../src/cli/global-flags.ts";
import { readLocalSetup } from "../src/runtime/local-setup.ts";
import { startGateway } from "../src/runtime/start-gateway.ts";
import { runInProcess, temporaryFolder } from "./run-program.ts";

vi.setConfig({ testTimeout: 120_000 });

const secret = "a webhook secret";
const question = "What must never be lost in a crash?";
const usage = { inputTokens: 10, outputTokens: 2 };

interface Call {
  readonly id: string;
  readonly name: string;
  readonly argumentsText: string;
}
const call = (id: string, name: string, args: object): Call => ({ id, name, argumentsText: JSON.stringify(args) });

/** The demo's team, played by a model behind HTTP: two readers, a yield, an exchange with the editor, an announce. */
function playTeam(input: string): { readonly text?: string; readonly toolCalls?: readonly Call[] } {
  if (input.includes("You are agent editor")) return playEditor(input);
  if (input.includes("You are a sub-agent")) return { text: "An accepted message is never lost." };
  if (input.includes("turn 1 of")) return { text: "Yes, cut the second point." };
  if (!input.includes("Your sub-agents have finished")) {
    const read = (id: string, file: string) =>
      call(id, "sessions_spawn", { task: `Read ${file} for: ${question}`, label: file });
    if (!input.includes('"s2"')) return { toolCalls: [read("s1", "stores.md"), read("s2", "outbox.md")] };
    return { toolCalls: [call("y1", "sessions_yield", {})] };
  }
  if (input.includes('"e1"')) return { text: "The editor has it." };
  return {
    toolCalls: [
      call("e1", "sessions_send", {
        sessionKey: "agent:editor:telegram:group:-1001",
        message: "Shorten to 60 words, keep sources.",
      }),
    ],
  };
}

function playEditor(input: string): { readonly text: string } {
  if (input.includes("An exchange with another session is over"))
    return { text: "**Answer:** neither messages nor results." };
  if (input.includes("turn 2 of")) return { text: "REPLY_SKIP" };
  return { text: input.includes("Shorten to 60 words") ? "97 words: cut the second point?" : "NO_REPLY" };
}

/** How a configuration file names a variable of the environment. */
const variable = (name: string) => `$\{${name}}`;

/** A gateway with a model and a Telegram bot, both real servers on this machine. */
async function open() {
  const inputs: string[] = [];
  const model = await startChatServer({
    answer: async (input) => {
      inputs.push(input);
      return { text: "", toolCalls: [], usage, ...playTeam(input) };
    },
  });
  const { server, posted } = await startBotApi();
  const folder = await temporaryFolder();
  const config = {
    agents: { defaults: { model: "local/fake" }, list: [{ id: "main", default: true }, { id: "editor" }] },
    models: { providers: { local: { type: "openai-compatible", baseUrl: variable("OPENAI_BASE_URL") } } },
    tools: { sessions: { visibility: "all" }, agentToAgent: { enabled: true, allow: ["main", "editor"] } },
    session: { agentToAgent: { maxPingPongTurns: 2 } },
    bindings: [{ agentId: "editor", match: { channel: "telegram", peer: { kind: "group", id: "-1001" } } }],
    channels: {
      telegram: { settings: { botToken: variable("TELEGRAM_BOT_TOKEN"), webhookSecret: secret, apiRoot: server.url } },
    },
  };
  await writeFile(join(folder.path, "trunkline.json5"), JSON.stringify(config));
  const environment = { OPENAI_BASE_URL: model.url, TELEGRAM_BOT_TOKEN: botToken };
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const context = createCommandContext(
    { ...streams, environment, workingDirectory: folder.path },
    readGlobalFlags({}, {}),
  );
  const gateway = await startGateway(context, readLocalSetup(context), { host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    await gateway.stop();
    await Promise.all([model.close(), server.close(), folder[Symbol.asyncDispose]()]);
  });
  const headers = { authorization: `Bearer ${gateway.facts.token}`, "content-type": "application/json" };
  return { gateway, posted, inputs, folder, environment, headers };
}

async function webhook(url: string, body: object, token = secret): Promise<number> {
  const headers = { "x-telegram-bot-api-secret-token": token, "content-type": "application/json" };
  return (await fetch(`${url}/channels/telegram`, { method: "POST", headers, body: JSON.stringify(body) })).status;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600 && !(await holds()); tries++) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await holds()).toBe(true);
}

test("a model behind HTTP plays the demo's team: readers, yield, exchange, and the answer in the editor's chat, once", async () => {
  const { gateway, posted, inputs, headers } = await open();
  expect(gateway.facts).toMatchObject({ hasModel: true, channels: ["telegram"] });
  expect(await webhook(gateway.facts.url, update(1, "hello"))).toBe(200);
  await until(() => inputs.length === 1);
  const body = JSON.stringify({ text: question });
  const sent = await fetch(`${gateway.facts.url}/v1/messages`, { method: "POST", headers, body });
  expect(sent.status).toBe(202);
  await until(() => posted.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(posted).toEqual([
    { chat_id: "-1001", text: "<b>Answer:</b> neither messages nor results.", parse_mode: "HTML" },
  ]);
  const listed = await fetch(`${gateway.facts.url}/v1/tools/subagents`, { method: "POST", headers, body: "{}" });
  expect(await listed.json()).toMatchObject({ active: [], recent: [{ outcome: "success" }, { outcome: "success" }] });
});

test("a channel's webhook wants the vendor's secret, an unknown channel is not there, a repeated update is one message", async () => {
  const { gateway, inputs } = await open();
  const { url } = gateway.facts;
  expect(await webhook(url, update(1, "hi"), "guess")).toBe(401);
  expect((await fetch(`${url}/channels/slack`, { method: "POST", body: "{}" })).status).toBe(404);
  expect(await webhook(url, update(7, "hi"))).toBe(200);
  expect(await webhook(url, update(7, "hi"))).toBe(200);
  await until(() => inputs.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(inputs).toHaveLength(1);
});

test("wrong provider or channel settings are told with their path before anything starts", async () => {
  const wrong = [
    [
      { models: { providers: { x: { type: "oracle" } } }, agents: { defaults: { model: "x/y" } } },
      "models.providers.x.type",
    ],
    [{ channels: { telegram: { settings: { botTokn: "1" } } } }, "channels.telegram.settings"],
    [{ channels: { slack: { settings: { token: "1" } } } }, "channels.slack.settings"],
  ] as const;
  for (const [config, path] of wrong) {
    const folder = await temporaryFolder();
    await writeFile(join(folder.path, "trunkline.json5"), JSON.stringify(config));
    const { exitCode, stderr } = await runInProcess(["serve", "--port", "0"], { directory: folder.path });
    await folder[Symbol.asyncDispose]();
    expect(exitCode).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "invalid_config", path: expect.stringContaining(path) },
    });
  }
});
