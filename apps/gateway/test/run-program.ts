import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { runCli } from "../src/cli/run-cli.ts";

const program = fileURLToPath(new URL("../src/main.ts", import.meta.url));

export interface ProgramOptions {
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export interface ProgramRun {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder that is removed when the test's scope ends. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "trunkline-gateway-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Starts the real program from its sources, as its own process, without a terminal. */
export function startProgram(args: readonly string[], options: ProgramOptions): ChildProcess {
  const { LANG: _lang, LC_ALL: _lcAll, FORCE_COLOR: _colour, NO_COLOR: _noColour, ...inherited } = process.env;
  const environment = { ...inherited, LANG: "C.UTF-8", TRUNKLINE_URL: "", TRUNKLINE_TOKEN: "", ...options.environment };
  return spawn(process.execPath, ["--conditions=trunkline-source", program, ...args], {
    cwd: options.directory,
    env: environment,
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Runs the real program to its end. */
export async function runProgram(args: readonly string[], options: ProgramOptions): Promise<ProgramRun> {
  const child = startProgram(args, options);
  child.stdin?.end(options.input ?? "");
  return collect(child);
}

/** Runs a command line in this process, on the same code as the program, where no process is needed to prove the point. */
export async function runInProcess(args: readonly string[], options: ProgramOptions): Promise<ProgramRun> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  streams.stdin.end(options.input ?? "");
  const environment = { LANG: "C.UTF-8", ...options.environment };
  const exitCode = await runCli(args, { ...streams, environment, workingDirectory: options.directory });
  const read = (stream: PassThrough) => String(stream.read() ?? "");
  return { exitCode, signal: null, stdout: read(streams.stdout), stderr: read(streams.stderr) };
}

/** Gathers what a process prints until it ends. */
export function collect(child: ChildProcess): Promise<ProgramRun> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }));
  });
}

/** Resolves with the first JSON line of stdout that fits; rejects when the process ends before. */
export function waitForLine(child: ChildProcess, fits: (line: JsonLine) => boolean): Promise<JsonLine> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error("the process has no stdout");
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (text) => {
      const line = parseLine(text);
      if (fits(line)) resolve(line);
    });
    lines.on("close", () => reject(new Error("the process ended before the line came")));
  });
}

export type JsonLine = Readonly<Record<string, unknown>>;

/** The JSON lines of an output. */
export function jsonLines(output: string): readonly JsonLine[] {
  return output.trim().split("\n").map(parseLine);
}

function parseLine(text: string): JsonLine {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null) throw new Error(`not a JSON object: ${text}`);
  return { ...value };
}
