import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createScriptedRunner } from "@trunkline/testkit";
import { createTelegramDeliverer } from "../src/index.ts";
import { botToken } from "./bot-token.ts";

// A process that posts one answer; it is killed while Telegram has the message and has not answered.
const [path = "", apiRoot = ""] = process.argv.slice(2);
const trunkline = await createTrunkline({
  store: await createSqliteStore({ path }),
  runners: createScriptedRunner(() => "The answer."),
  deliverers: [createTelegramDeliverer({ botToken, apiRoot })],
  config: {},
});
await trunkline.start();
await trunkline.receive({ channel: "telegram", peer: { kind: "group", id: "-1001" }, text: "hi" });
setInterval(() => undefined, 1000);
