import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

/** What the processes of one case write down, each entry on the disk before the process goes on. */
export type LogEntry = { readonly pid: number } & (
  | { readonly what: "hit"; readonly point: string }
  | { readonly what: "killed"; readonly point: string }
  | { readonly what: "admitted"; readonly name: string; readonly runId: string }
  | { readonly what: "ran"; readonly runId: string; readonly kind: string; readonly prompt: string }
  | { readonly what: "told"; readonly text: string }
  | { readonly what: "sent"; readonly key: string; readonly text: string }
  | { readonly what: "thread" }
  | { readonly what: "idle" }
);

type WithoutPid<T> = T extends unknown ? Omit<T, "pid"> : never;

export interface CrashLog {
  write(entry: WithoutPid<LogEntry>): void;
}

/** Opens the log of one case for appending; several processes write to it. */
export function openCrashLog(path: string): CrashLog {
  const file = openSync(path, "a");
  process.on("exit", () => closeSync(file));
  return {
    write(entry) {
      writeSync(file, `${JSON.stringify({ pid: process.pid, ...entry })}\n`);
      fsyncSync(file);
    },
  };
}

/** Every entry so far, in the order in which they were written. */
export function readCrashLog(path: string): readonly LogEntry[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line): LogEntry => JSON.parse(line));
}
