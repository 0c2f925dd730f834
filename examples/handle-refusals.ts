import { ToolInputError } from "@trunkline/core";
import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createScriptedRunner } from "@trunkline/testkit"; // stands in for a model

await using store = await createSqliteStore({ path: ":memory:" });
const config = { agents: { list: [{ id: "main", default: true }, { id: "editor" }] } };
await using trunkline = await createTrunkline({
  store,
  runners: createScriptedRunner(() => ""),
  deliverers: [],
  config,
});
const caller = { sessionKey: "agent:main:main" };

// A refusal is a value with a code; nothing was written.
const refused = await trunkline.callTool(caller, "sessions_spawn", { task: "Shorten it", agentId: "editor" });
if (refused.status === "forbidden" || refused.status === "error") console.log(refused.code, "-", refused.error);

// Wrong arguments are a mistake of the calling program, and are thrown.
try {
  await trunkline.callTool(caller, "sessions_history", { sessionKey: "main", limit: -1 });
} catch (error) {
  if (!ToolInputError.isInstance(error)) throw error;
  console.log(error.code, "-", error.path);
}
