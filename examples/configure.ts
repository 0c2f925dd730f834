import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createScriptedRunner } from "@trunkline/testkit"; // stands in for a model

await using store = await createSqliteStore({ path: ":memory:" }); // a file name keeps the data
await using trunkline = await createTrunkline({
  store,
  runners: createScriptedRunner(() => "Noted."),
  deliverers: [],
  config: {
    agents: {
      list: [
        { id: "main", default: true },
        { id: "editor", tools: { deny: ["sessions_spawn"] } },
      ],
    },
    tools: { profile: "coding", sessions: { visibility: "tree" } },
    session: { dmScope: "per-channel-peer" }, // one session for each person on each channel
  },
});

const tools = await trunkline.listTools({ sessionKey: "agent:editor:main" });
console.log(tools.map(({ name }) => name).join(" ")); // everything of the profile but sessions_spawn
