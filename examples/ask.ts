import type { Runner } from "@trunkline/core";
import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";

// 1. A runner answers one turn. Here stands a program; a real one calls a model with the same request.
const runner: Runner = {
  id: "shop",
  async run({ prompt, session, tools }) {
    if (session.spawnedBy) return { text: "Order 17 left the warehouse this morning." };
    if (prompt.includes("left the warehouse")) return { text: "Your order is on its way." };
    await tools.find(({ name }) => name === "sessions_spawn")?.call({ task: "Where is order 17?" });
    await tools.find(({ name }) => name === "sessions_yield")?.call({}); // this turn ends; the next one has the result
    return {};
  },
};

// 2. Wire a store, the runner and a configuration.
await using store = await createSqliteStore({ path: ":memory:" }); // a file name keeps it
const config = { agents: { list: [{ id: "main", default: true }] }, tools: { profile: "coding" } };
await using trunkline = await createTrunkline({ store, runners: runner, deliverers: [], config });
await trunkline.start();

// 3. Watch what happens.
trunkline.events.subscribe({}, (event) => console.log(event.type, event.sessionKey));

// 4. Ask as a person in a chat would, and wait for the answer.
const { runId } = await trunkline.receive({
  channel: "webchat",
  peer: { kind: "direct", id: "ada" },
  text: "Where is my order?",
});
if (runId !== undefined) console.log(await trunkline.waitForRun(runId, { timeoutMs: 10_000 }));

// 5. Or keep your own loop, and give it the tools of a session.
const caller = { sessionKey: "agent:main:main" };
console.log((await trunkline.listTools(caller)).map(({ name }) => name));
console.log(await trunkline.callTool(caller, "sessions_list", { limit: 5 }));
