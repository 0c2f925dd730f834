import { appendFileSync } from "node:fs";
import { createTrunkline } from "@trunkline/engine";
import { createScriptedRunner } from "@trunkline/testkit";
import { createBullmqDispatcher } from "../../../dispatcher-bullmq/src/index.ts";
import { openPlace, type StorePlace } from "../stores/store-place.ts";

/** What an engine in a process of its own gets as its argument. */
export interface EngineOrder {
  readonly place: StorePlace;
  /** Every call of the runner and its end are written here. */
  readonly log: string;
  /** How long a run takes; default 0. */
  readonly runMs?: number;
  /** Runs come through BullMQ instead of being looked for in the store. */
  readonly queue?: { readonly url: string; readonly name: string };
}

/** One line of the log, in the order in which things happened over all processes. */
export type EngineLogEntry = { readonly pid: number; readonly runId: string; readonly sessionKey: string } & (
  | { readonly what: "began"; readonly kind: string; readonly prompt: string }
  | { readonly what: "ended" }
);

/** What the process does when it is told to. */
export interface EngineCommand {
  readonly sessionKey: string;
  readonly text: string;
}

// A task of its own for a child; everything else is answered with one word.
const spawnsAChild = "spawn a child";

const order: EngineOrder = JSON.parse(process.argv[2] ?? "");
const write = (entry: EngineLogEntry) => appendFileSync(order.log, `${JSON.stringify(entry)}\n`);

const runner = createScriptedRunner(async ({ run, session, prompt, tools }) => {
  const about = { pid: process.pid, runId: run.id, sessionKey: session.key };
  write({ ...about, what: "began", kind: run.kind, prompt });
  await new Promise((resolve) => setTimeout(resolve, order.runMs ?? 0));
  if (prompt.startsWith(spawnsAChild)) {
    await tools.find(({ name }) => name === "sessions_spawn")?.call({ task: `the child of ${session.key}` });
  }
  write({ ...about, what: "ended" });
  return run.kind === "child_announce" ? "ANNOUNCE_SKIP" : "done";
});
const trunkline = await createTrunkline({
  store: await openPlace(order.place),
  runners: runner,
  deliverers: [],
  config: {
    agents: { list: [{ id: "a", default: true }] },
    tools: { sessions: { visibility: "all" } },
  },
  ...(order.queue ? { dispatcher: createBullmqDispatcher({ url: order.queue.url, queue: order.queue.name }) } : {}),
});
await trunkline.start();
process.on("message", (command: EngineCommand) => void trunkline.submit(command));
process.send?.("started");
