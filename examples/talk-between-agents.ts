// One agent asks another, answers its question in the exchange that follows, and the result reaches a chat.
import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createRecordingDeliverer, createScriptedRunner } from "@trunkline/testkit"; // stand in for a model and a chat

const runner = createScriptedRunner(({ prompt, run, session }) => {
  if (run.kind === "flow_announce") return "The text is 60 words now.";
  if (session.agentId === "main") return "Yes, cut the second point.";
  return prompt.includes("Yes, cut") ? "REPLY_SKIP" : "97 words. May I cut the second point?";
});
const chat = createRecordingDeliverer({ channel: "telegram", maxTextLength: 4096 });
const config = {
  agents: { list: [{ id: "main", default: true }, { id: "editor" }] },
  tools: { sessions: { visibility: "all" }, agentToAgent: { enabled: true, allow: ["main", "editor"] } },
};

await using store = await createSqliteStore({ path: ":memory:" });
await using trunkline = await createTrunkline({ store, runners: runner, deliverers: [chat], config });
await trunkline.start();

const editor = "agent:editor:telegram:group:-1001"; // the announce goes to the channel that this key names
await trunkline.submit({ sessionKey: editor, text: "You edit texts.", actor: "system" });
const request = { sessionKey: editor, message: "Shorten the report to 60 words" };
console.log(await trunkline.callTool({ sessionKey: "agent:main:main" }, "sessions_send", request)); // the first reply
await trunkline.waitForIdle({ timeoutMs: 10_000 }); // the exchange and its announce
console.log(chat.sent.map(({ route, text }) => `${route.channel} ${route.to}: ${text}`));
