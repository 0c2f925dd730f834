// A parent gives two drafts to two children, ends its turn, and answers when both have ended.
import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createScriptedRunner } from "@trunkline/testkit"; // stands in for a model

const runner = createScriptedRunner(async ({ prompt, session, tools }) => {
  if (session.spawnedBy) return prompt.includes("draft-a") ? "draft-a.md has 940 words." : "draft-b.md has 310 words.";
  if (prompt.includes("Status:")) return "Take draft B: it is a third as long."; // resumed with both results
  const call = (name: string, args: object) => tools.find((tool) => tool.name === name)?.call(args);
  await call("sessions_spawn", { task: "Measure draft-a.md", label: "draft a" });
  await call("sessions_spawn", { task: "Measure draft-b.md", label: "draft b" });
  await call("sessions_yield", {}); // ends this turn
  return "";
});

await using store = await createSqliteStore({ path: ":memory:" });
const config = { agents: { list: [{ id: "main", default: true }] }, tools: { profile: "coding" } };
await using trunkline = await createTrunkline({ store, runners: runner, deliverers: [], config });
await trunkline.start();

const question = { sessionKey: "agent:main:main", text: "Which draft?", actor: "human" } as const;
const { runId } = await trunkline.submit(question);
console.log(await trunkline.waitForRun(runId, { timeoutMs: 10_000 })); // waits through the yield
