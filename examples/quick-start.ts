import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createScriptedRunner } from "@trunkline/testkit"; // stands in for a model

const store = await createSqliteStore({ path: "trunkline.db" });
const runners = createScriptedRunner(({ session }) => (session.spawnedBy ? "3 invoices are open." : "Noted."));
const config = { agents: { list: [{ id: "main", default: true }] }, tools: { profile: "coding" } };
const trunkline = await createTrunkline({ store, runners, deliverers: [], config });
await trunkline.start();
const caller = { sessionKey: "agent:main:main" }; // set by your code, never by the model
const child = await trunkline.callTool(caller, "sessions_spawn", { task: "Count the open invoices" });
console.log(child, await trunkline.callTool(caller, "subagents", { action: "wait", timeoutSeconds: 10 }));
console.log(await trunkline.callTool(caller, "sessions_history", { sessionKey: "current" })); // holds the child's result, once
await trunkline.stop();
await store.close();
