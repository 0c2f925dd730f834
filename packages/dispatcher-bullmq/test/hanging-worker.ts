import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createScriptedRunner } from "@trunkline/testkit";
import { createBullmqDispatcher } from "../src/index.ts";

// A process that gets stuck inside its runner; it prints the run's id once the runner was called, and is then killed.
const [path = "", queue = "", url = ""] = process.argv.slice(2);
const runner = createScriptedRunner(({ run }) => {
  console.log(run.id);
  return new Promise<string>(() => undefined);
});
const trunkline = await createTrunkline({
  store: await createSqliteStore({ path }),
  runners: runner,
  deliverers: [],
  dispatcher: createBullmqDispatcher({ url, queue, stalledAfterMs: 1000 }),
  config: { agents: { list: [{ id: "main", default: true }] } },
});
await trunkline.start();
await trunkline.submit({ sessionKey: "agent:main:main", text: "hello" });
setInterval(() => undefined, 1000);
