import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export interface StoreProcess {
  readonly child: ChildProcess;
  /** Ids of the commits that it said were done. */
  readonly acknowledged: string[];
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
}

/**
 * Starts processes of a program that calls `workOnStore`; `from` is the `import.meta.url` of a file next to it. They are
 * killed at the test's end.
 */
export function processStarter(from: string) {
  const program = fileURLToPath(new URL("./store-process.ts", from));
  return (url: string, ...work: readonly (string | number)[]): StoreProcess => startProcess(program, url, work);
}

function startProcess(program: string, url: string, work: readonly (string | number)[]): StoreProcess {
  const child = spawn(process.execPath, ["--conditions=trunkline-source", program, url, ...work.map(String)]);
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
