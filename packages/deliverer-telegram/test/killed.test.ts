import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createScriptedRunner } from "@trunkline/testkit";
import { expect, onTestFinished, test } from "vitest";
import { createTelegramDeliverer } from "../src/index.ts";
import { botToken } from "./bot-token.ts";
import { startBotApi } from "./fake-bot-api.ts";

test("killed after Telegram took the message and before that was recorded: unknown, and never posted again", {
  timeout: 60_000,
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-telegram-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, "trunkline.db");
  const { server, posted } = await startBotApi();
  onTestFinished(() => server.close());
  // It takes the message, and its answer comes only after the process is gone.
  server.answer({
    status: 200,
    delayMs: 60_000,
    json: { ok: true, result: { message_id: 1, date: 1, chat: { id: -1001, type: "supergroup" } } },
  });
  const worker = spawn(
    process.execPath,
    ["--conditions=trunkline-source", join(import.meta.dirname, "posting-worker.ts"), path, server.url],
    { stdio: "inherit" },
  );
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const gone = new Promise((resolve) => worker.once("exit", resolve));
  worker.kill("SIGKILL");
  await gone;
  server.answer();

  const store = await createSqliteStore({ path });
  const telegram = createTelegramDeliverer({ botToken, apiRoot: server.url });
  const trunkline = await createTrunkline({
    store,
    runners: createScriptedRunner(() => "never"),
    deliverers: [telegram],
    config: {},
  });
  const states: string[] = [];
  trunkline.events.subscribe({ types: ["delivery_changed"] }, ({ delivery }) => states.push(delivery?.state ?? ""));
  await trunkline.start();
  await trunkline.waitForIdle({ timeoutMs: 30_000 });
  await trunkline.stop();
  await store.close();
  expect(states).toEqual(["unknown"]);
  expect(server.requests).toHaveLength(1);
  expect(posted).toEqual([]);
});
