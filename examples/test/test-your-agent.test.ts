import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createFakeClock, createRecordingDeliverer, createScriptedRunner } from "@trunkline/testkit";
import { expect, test } from "vitest";

test("the recommendation reaches the chat exactly once", async () => {
  await using store = await createSqliteStore({ path: ":memory:" });
  const runner = createScriptedRunner(async ({ prompt, session, tools }) => {
    if (session.spawnedBy) return "Draft B is shorter.";
    if (prompt.includes("Draft B is shorter.")) return "Use draft B."; // resumed with the child's completion
    await tools.find(({ name }) => name === "sessions_spawn")?.call({ task: "Compare the drafts" });
    await tools.find(({ name }) => name === "sessions_yield")?.call({});
    return "";
  });
  const chat = createRecordingDeliverer({ channel: "telegram", maxTextLength: 4096 });
  const config = { agents: { list: [{ id: "main", default: true }] }, tools: { profile: "coding" } };
  const clock = createFakeClock();
  await using trunkline = await createTrunkline({ store, runners: runner, deliverers: [chat], clock, config });
  await trunkline.start();
  await trunkline.receive({ channel: "telegram", peer: { kind: "direct", id: "42" }, text: "Which draft?" });
  await trunkline.waitForIdle({ timeoutMs: 5_000 });
  expect(chat.sent.map(({ text }) => text)).toEqual(["Use draft B."]);
});
