import type { Deliverer, Runner } from "@trunkline/core";
import { createEngine } from "../../src/create-trunkline.ts";
import type { TrunklineEvent } from "../../src/events/trunkline-event.ts";
import { openPlace, type StorePlace } from "../stores/store-place.ts";
import { openCrashLog } from "./crash-log.ts";
import { fastClock } from "./fast-clock.ts";
import type { Scenario } from "./scenario.ts";
import { type ScenarioName, scenarios } from "./scenarios.ts";

/** What one process of a case gets as its argument. */
export interface WorkerOrder {
  readonly place: StorePlace;
  readonly log: string;
  readonly scenario: ScenarioName;
  /** Dies when it comes to this point for the nth time. */
  readonly killAt?: { readonly point: string; readonly hit: number };
}

const idleWithinMs = 20_000;

const order: WorkerOrder = JSON.parse(process.argv[2] ?? "");
const scenario: Scenario = scenarios[order.scenario];
const log = openCrashLog(order.log);
const hits = new Map<string, number>();

/** A boundary is reached: noted, and, if it is the one, the end of this process. */
function reach(point: string): void {
  const hit = (hits.get(point) ?? 0) + 1;
  hits.set(point, hit);
  log.write({ what: "hit", point });
  if (order.killAt?.point !== point || order.killAt.hit !== hit) return;
  log.write({ what: "killed", point });
  process.kill(process.pid, "SIGKILL");
}

const runner: Runner = {
  id: "scripted",
  ...(scenario.steers ? { steers: true } : {}),
  async run(request) {
    const { id, kind } = request.run;
    log.write({ what: "ran", runId: id, kind, prompt: request.prompt });
    reach(`runner.during ${kind}`);
    return scenario.play(request, reach);
  },
};

const deliverer: Deliverer = {
  channel: "telegram",
  capabilities: { maxTextLength: 4096, ...scenario.channel },
  async send({ text }, { idempotencyKey }) {
    log.write({ what: "sent", key: idempotencyKey, text });
    return { messageIds: [`message of ${idempotencyKey}`] };
  },
  async createThread({ route }) {
    log.write({ what: "thread" });
    return { ...route, threadId: "9" };
  },
};

const store = await openPlace(order.place);
const trunkline = await createEngine(
  {
    store,
    runners: runner,
    deliverers: [deliverer],
    clock: fastClock,
    config: {
      agents: { list: [{ id: "a", default: true }, { id: "b" }], ...scenario.config?.agents },
      tools: { sessions: { visibility: "all" }, agentToAgent: { enabled: true }, ...scenario.config?.tools },
      session: { ...scenario.config?.session },
      messages: { ...scenario.config?.messages },
    },
  },
  { faultPoint: reach },
);

const events: TrunklineEvent[] = [];
trunkline.events.subscribe({}, (event) => events.push(event));

async function seen(matches: (event: TrunklineEvent) => boolean): Promise<boolean> {
  for (let look = 0; look < 1000; look++) {
    if (events.some(matches)) return true;
    if (look % 20 === 19 && (await isIdle())) return events.some(matches);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return false;
}

async function isIdle(): Promise<boolean> {
  return trunkline.waitForIdle({ timeoutMs: 0 }).then(
    () => true,
    () => false,
  );
}

/** Waits until nothing is going on, and no job and no text waits for its time. */
async function rest(): Promise<void> {
  while (true) {
    await trunkline.waitForIdle({ timeoutMs: idleWithinMs });
    const [jobs, texts] = await store.read([
      { find: "job", index: "due", equals: [], limit: 1 },
      { find: "delivery", index: "due", equals: ["pending"], limit: 1 },
    ]);
    if (jobs.length + texts.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

await trunkline.start();
await scenario.begin({ trunkline, seen, admitted: (name, runId) => log.write({ what: "admitted", name, runId }) });
await rest();
log.write({ what: "idle" });
await trunkline.stop();
await store.close();
