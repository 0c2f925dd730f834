import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Snapshot, takeSnapshot } from "../invariants/snapshot.ts";
import { openPlace, type StorePlace } from "../stores/store-place.ts";
import { takeDatabase } from "../stores/test-databases.ts";
import { type LogEntry, readCrashLog } from "./crash-log.ts";
import type { ScenarioName } from "./scenarios.ts";
import type { WorkerOrder } from "./worker.ts";

export interface CrashCase {
  readonly scenario: ScenarioName;
  /** Left out: nothing is killed. */
  readonly killAt?: { readonly point: string; readonly hit: number };
  /** How many processes start at once after the crash. */
  readonly successors: 0 | 1 | 2;
}

/** What a case has left behind. */
export interface CrashResult {
  /** The rows at the moment of the crash. */
  readonly atCrash: Snapshot | undefined;
  readonly after: Snapshot;
  readonly log: readonly LogEntry[];
  /** How many log entries there were at the crash. */
  readonly logAtCrash: number;
}

const workerPath = fileURLToPath(new URL("./worker.ts", import.meta.url));
const compileCache = mkdtempSync(join(tmpdir(), "trunkline-compiled-"));
process.on("exit", () => rmSync(compileCache, { recursive: true, force: true }));

/** Runs the processes of a case, one after the other, and reads what they left. */
export async function runCase({ scenario, killAt, successors }: CrashCase): Promise<CrashResult> {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-crash-"));
  const { place, release } = await takeDatabase();
  try {
    const order: WorkerOrder = { place, log: join(directory, "log"), scenario };
    await runWorker({ ...order, ...(killAt ? { killAt } : {}) }, killAt ? "SIGKILL" : null);
    const atCrash = killAt ? await readRows(place) : undefined;
    const logAtCrash = readCrashLog(order.log).length;
    await Promise.all(Array.from({ length: successors }, () => runWorker(order, null)));
    return { atCrash, after: await readRows(place), log: readCrashLog(order.log), logAtCrash };
  } finally {
    await release();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Rejects unless the process ends in the expected way: by that signal, or well. */
function runWorker(order: WorkerOrder, signal: NodeJS.Signals | null): Promise<void> {
  const child = spawn(process.execPath, ["--conditions=trunkline-source", workerPath, JSON.stringify(order)], {
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (data) => {
    errors += String(data);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, killedBy) => {
      if (killedBy === signal && (signal !== null || code === 0)) resolve();
      else reject(new Error(`the process ended with ${killedBy ?? code}: ${errors}`));
    });
  });
}

async function readRows(place: StorePlace): Promise<Snapshot> {
  await using store = await openPlace(place);
  return await takeSnapshot(store);
}
