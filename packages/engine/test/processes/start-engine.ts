import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { EngineCommand, EngineLogEntry, EngineOrder } from "./engine-process.ts";

const program = fileURLToPath(new URL("./engine-process.ts", import.meta.url));

export interface EngineProcess {
  readonly child: ChildProcess;
  tell(command: EngineCommand): void;
}

/** Starts an engine in a process of its own and waits until it works; killed at the test's end. */
export async function startEngine(order: EngineOrder): Promise<EngineProcess> {
  const child = spawn(process.execPath, ["--conditions=trunkline-source", program, JSON.stringify(order)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`the engine's process ended with ${code}`))),
  ]);
  return { child, tell: (command) => void child.send(command) };
}

/** The log that the processes of a test write to; goes with the test. */
export function engineLog(): { readonly path: string; entries(): readonly EngineLogEntry[] } {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-processes-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, "log");
  return {
    path,
    entries() {
      const lines = readFileSync(path, { encoding: "utf8", flag: "a+" }).split("\n");
      return lines.slice(0, -1).map((line): EngineLogEntry => JSON.parse(line));
    },
  };
}
