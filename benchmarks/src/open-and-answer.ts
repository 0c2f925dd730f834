import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { createScriptedRunner } from "@trunkline/testkit";
import { mainKey } from "./fixtures/seed.ts";

// A process of its own: opens the store at the path given, answers one call, idles, and prints what that took as JSON.
const [path = "", idleMs = "5000"] = process.argv.slice(2);
const start = performance.now();
const store = await createSqliteStore({ path });
const trunkline = await createTrunkline({
  store,
  runners: createScriptedRunner(() => "done"),
  deliverers: [],
  config: { tools: { sessions: { visibility: "all" } } },
});
await trunkline.start();
await trunkline.callTool({ sessionKey: mainKey }, "sessions_list", { limit: 100 });
const answeredMs = performance.now() - start;
const sinceStartMs = performance.now();
// What a start does once is over; what is left is what idling costs.
await new Promise((resolve) => setTimeout(resolve, 2000));
const cpu = process.cpuUsage();
await new Promise((resolve) => setTimeout(resolve, Number(idleMs)));
const { user, system } = process.cpuUsage(cpu);
const idleCpuPercent = (user + system) / 10 / Number(idleMs);
console.log(JSON.stringify({ answeredMs, sinceStartMs, rssMb: process.memoryUsage.rss() / 1_000_000, idleCpuPercent }));
await trunkline.stop();
await store.close();
