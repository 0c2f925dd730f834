import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

async function outputOf(example: string): Promise<string> {
  const script = fileURLToPath(new URL(`../${example}`, import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), "trunkline-example-"));
  try {
    const { stdout } = await run(process.execPath, ["--conditions=trunkline-source", script], { cwd: folder });
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const times = (text: string, part: string) => text.split(part).length - 1;

test("quick-start.ts prints a history that holds the child's result once", async () => {
  const output = await outputOf("quick-start.ts");
  const history = output.slice(output.lastIndexOf("sessionKey: 'agent:main:main'"));
  expect(output).toContain("status: 'accepted'");
  expect(times(history, "3 invoices are open.")).toBe(1);
});

test("spawn-and-yield.ts prints the answer of the resumed run", async () => {
  const output = await outputOf("spawn-and-yield.ts");
  expect(output).toContain("status: 'ok'");
  expect(output).toContain("Take draft B: it is a third as long.");
});

test("talk-between-agents.ts prints the first reply and one post", async () => {
  const output = await outputOf("talk-between-agents.ts");
  expect(output).toContain("reply: '97 words. May I cut the second point?'");
  expect(times(output, "telegram -1001: The text is 60 words now.")).toBe(1);
});

test("ask.ts prints the events, the answer and the session tools", async () => {
  const output = await outputOf("ask.ts");
  expect(output).toContain("run_ended");
  expect(output).toContain("reply: 'Your order is on its way.'");
  expect(output).toContain("sessions_spawn");
});

test("configure.ts prints a list without the denied tool", async () => {
  const output = await outputOf("configure.ts");
  expect(output).toContain("sessions_list");
  expect(output).not.toContain("sessions_spawn");
});

test("handle-refusals.ts prints both codes", async () => {
  expect(await outputOf("handle-refusals.ts")).toMatch(/^agent_not_allowed - .+\ninvalid_input - limit\n$/);
});

test("core-alone.ts prints the key's parts, clean text and a masked token", async () => {
  const output = await outputOf("core-alone.ts");
  expect(output).toContain("'telegram'");
  expect(output).toContain("\nThe total is 42.\n");
  expect(output).toMatch(/redacted: true/);
});

test("open-store.ts prints where the data lies and a schema that is up to date", async () => {
  const output = await outputOf("open-store.ts");
  expect(output).toContain("example.db");
  const [, current, latest] = output.match(/current: (\d+), latest: (\d+)/) ?? [];
  expect(current).toBe(latest);
  expect(Number(latest)).toBeGreaterThan(0);
});
