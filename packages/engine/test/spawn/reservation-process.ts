import { createTrunkline } from "@trunkline/engine";
import { createScriptedRunner } from "@trunkline/testkit";
import { openPlace } from "../stores/store-place.ts";

/** One process of the reservation test: spawns as often as it is told, at the same moment as the other, and tells how many were accepted. */
const [place = "", count = "0", startAt = "0"] = process.argv.slice(2);
const store = await openPlace(JSON.parse(place));
const trunkline = await createTrunkline({
  store,
  runners: createScriptedRunner(() => ""),
  deliverers: [],
  config: { agents: { list: [{ id: "a" }] } },
});
await new Promise((resolve) => setTimeout(resolve, Math.max(0, Number(startAt) - Date.now())));
const results = await Promise.all(
  Array.from({ length: Number(count) }, (_, index) =>
    trunkline.callTool({ sessionKey: "agent:a:main" }, "sessions_spawn", { task: `part ${index}` }),
  ),
);
await store.close();
console.log(JSON.stringify(results.map((result) => ("code" in result ? result.code : result.status))));
