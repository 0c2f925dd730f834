import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export interface Writer {
  readonly child: ChildProcess;
  /** Ids of the commits that it said were done. */
  readonly acknowledged: string[];
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
}

/** Starts a process that writes to the store at `path`; killed at the test's end. */
export function startWriter(path: string, session: string, count: number): Writer {
  const program = fileURLToPath(new URL("./writer-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=trunkline-source", program, path, session, String(count)]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const acknowledged: string[] = [];
  let partial = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const lines = (partial + chunk.toString()).split("\n");
    partial = lines.pop() ?? "";
    acknowledged.push(...lines);
  });
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = new Promise<{ code: number | null; errors: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, errors }));
  });
  return { child, acknowledged, ended };
}
