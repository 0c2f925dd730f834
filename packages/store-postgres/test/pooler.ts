import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { test } from "vitest";
import { serverUrl } from "./databases.ts";

/** A PgBouncer in transaction mode, in front of every database of the test server. */
export interface Pooler {
  /** The URL of the same database through the pooler. */
  through(url: string): string;
  /** Ends the pooler at once, as a crash does, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The program that is found, which may lie where only the path of root leads. */
const program = ["pgbouncer", "/usr/sbin/pgbouncer", "/usr/local/sbin/pgbouncer"].find(
  (path) => spawnSync(path, ["--version"]).status === 0,
);

/** Whether there is a PgBouncer. Where there is none, nothing is run, which is an error under CI and told elsewhere. */
export function poolerIsInstalled(): boolean {
  if (program !== undefined) return true;
  const message =
    "NOT RUN: no pgbouncer on this machine. Install the package pgbouncer, or put its program in the PATH.";
  // The set-up of the tests could not fetch it here; it has said so, and the gate goes on without it.
  const known = process.env["TRUNKLINE_WITHOUT_PGBOUNCER"] !== undefined;
  if (process.env["CI"] === "true" && !known) throw new Error(message);
  console.error(message);
  test.skip(message);
  return false;
}

/** `settings` are lines of the section `pgbouncer`, next to those that every test needs. */
export async function startPooler(settings: Readonly<Record<string, string | number>> = {}): Promise<Pooler> {
  const folder = await mkdtemp(join(tmpdir(), "trunkline-pooler-"));
  const file = join(folder, "pgbouncer.ini");
  const port = await freePort();
  await writeFile(file, configuration(port, settings), { mode: 0o600 });
  let running = await startProgram(file, port);
  return {
    through(url) {
      const pooled = new URL(url);
      pooled.hostname = "127.0.0.1";
      pooled.port = String(port);
      return pooled.href;
    },
    async restart() {
      await end(running);
      running = await startProgram(file, port);
    },
    async stop() {
      await end(running);
      await rm(folder, { recursive: true });
    },
  };
}

function configuration(port: number, settings: Readonly<Record<string, string | number>>): string {
  const { hostname, port: serverPort, username, password } = new URL(serverUrl);
  const login = [`host=${hostname}`, `port=${serverPort || 5432}`, `user=${decodeURIComponent(username)}`];
  if (password !== "") login.push(`password='${decodeURIComponent(password).replaceAll("'", "''")}'`);
  const all = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "any",
    pool_mode: "transaction",
    // It refuses to work as root, and changes to this user.
    ...(process.getuid?.() === 0 ? { user: "nobody" } : {}),
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  return ["[databases]", `* = ${login.join(" ")}`, "[pgbouncer]", ...lines, ""].join("\n");
}

async function startProgram(file: string, port: number): Promise<ChildProcess> {
  const child = spawn(program ?? "pgbouncer", [file], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log = `${log}${chunk}`.slice(-4000);
  });
  for (let tries = 0; tries < 200; tries++) {
    if (child.exitCode !== null) break;
    if (await answers(port)) return child;
    await sleep(25);
  }
  child.kill("SIGKILL");
  throw new Error(`pgbouncer did not start:\n${log}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** Its own database of the pooler answers without the server. */
async function answers(port: number): Promise<boolean> {
  const client = new Client({ host: "127.0.0.1", port, database: "pgbouncer", user: "pgbouncer" });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port is free");
  await new Promise((resolve) => server.close(resolve));
  return address.port;
}
