// A process of its own, in plain JavaScript so that stripping types is not measured: opens the store at the path given,
// answers one call, settles and then idles for some milliseconds, and prints what that took as JSON.
import { createTrunkline } from "@trunkline/engine";
import { createSqliteStore } from "@trunkline/store-sqlite";

const [path = "", settleMs = "0", idleMs = "0"] = process.argv.slice(2);
const start = performance.now();
const store = await createSqliteStore({ path });
const trunkline = await createTrunkline({
  store,
  runners: { id: "instant", run: async () => ({ text: "done" }) },
  deliverers: [],
  config: { tools: { sessions: { visibility: "all" } } },
});
await trunkline.start();
await trunkline.callTool({ sessionKey: "agent:main:main" }, "sessions_list", { limit: 100 });
const answeredMs = performance.now() - start;
const sinceStartMs = performance.now();
const rssMb = process.memoryUsage.rss() / 1_000_000;
await new Promise((resolve) => setTimeout(resolve, Number(settleMs)));
const cpu = process.cpuUsage();
await new Promise((resolve) => setTimeout(resolve, Number(idleMs)));
const { user, system } = process.cpuUsage(cpu);
const idleCpuPercent = (user + system) / 10 / Math.max(Number(idleMs), 1);
console.log(JSON.stringify({ answeredMs, sinceStartMs, rssMb, idleCpuPercent }));
await trunkline.stop();
await store.close();
