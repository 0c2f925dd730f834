import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { writeDocuments } from "./documents-folder.ts";
import { collect, jsonLines, runProgram, temporaryFolder, waitForLine } from "./run-program.ts";

vi.setConfig({ testTimeout: 120_000 });

const mortalDemo = fileURLToPath(new URL("./mortal-demo.ts", import.meta.url));

/** Kills the demo while an agent is inside its runner for a kind of run, and runs the demo again. */
async function killInside(directory: string, agentId: string, kind: string) {
  await writeDocuments(directory, { count: 5, paragraphs: 3 });
  const args = ["--conditions=trunkline-source", mortalDemo, agentId, kind];
  const child = spawn(process.execPath, args, { cwd: directory, stdio: ["ignore", "pipe", "inherit"] });
  const ended = collect(child);
  await waitForLine(child, ({ type }) => type === "inside");
  child.kill("SIGKILL");
  await ended;
  const { exitCode, stdout } = await runProgram(["demo"], { directory });
  const lines = jsonLines(stdout);
  const [header = {}] = lines;
  const again = lines.findIndex(({ type }) => type === "asked_again");
  return { exitCode, lines, header, summary: lines.at(-1) ?? {}, again, after: again < 0 ? [] : lines.slice(again) };
}

test("the coordinator inside its first turn: the line says so, and the question is asked anew as run 2", async () => {
  await using folder = await temporaryFolder();
  const { exitCode, lines, header, summary, after } = await killInside(folder.path, "main", "inbound");
  expect(header).toMatchObject({ run: 1, resuming: "its question was waiting" });
  expect(lines).toContainEqual(
    expect.objectContaining({
      who: "coordinator",
      verb: "stopped",
      text: "interrupted inside its runner, not run again",
    }),
  );
  expect(after[0]).toMatchObject({ text: "run 1 was interrupted and has no answer: asked anew as run 2" });
  expect(after.filter(({ type }) => type === "spawn")).toHaveLength(5);
  expect({ exitCode, summary }).toMatchObject({ exitCode: 0, summary: { ok: true, run: 2, delivered: 1, pending: 0 } });
});

test("the coordinator inside its resume: run 2 reads nothing again, the finished results are used", async () => {
  await using folder = await temporaryFolder();
  const { exitCode, lines, summary, after } = await killInside(folder.path, "main", "resume");
  expect(lines).toContainEqual(expect.objectContaining({ who: "coordinator", verb: "stopped" }));
  expect(after.filter(({ type }) => type === "spawn" || type === "child_settled")).toEqual([]);
  expect(after).toContainEqual(expect.objectContaining({ text: "0 documents to read, 5 read before" }));
  expect(after).toContainEqual(expect.objectContaining({ verb: "resume", text: "5 of 5 results, each once" }));
  expect({ exitCode, summary }).toMatchObject({
    exitCode: 0,
    summary: { ok: true, run: 2, delivered: 1, completions: 5, readers: 5 },
  });
  expect(String(summary["answer"])).toContain("(document-");
});

test.each(["send", "flow_announce"])(
  "the editor inside its %s run: the line says so, run 2 asks anew and reads nothing again",
  async (kind) => {
    await using folder = await temporaryFolder();
    const { exitCode, lines, summary, after } = await killInside(folder.path, "editor", kind);
    expect(lines).toContainEqual(expect.objectContaining({ who: "editor", verb: "stopped" }));
    expect(after.filter(({ type }) => type === "spawn")).toEqual([]);
    expect({ exitCode, summary }).toMatchObject({
      exitCode: 0,
      summary: { ok: true, run: 2, delivered: 1, pending: 0 },
    });
  },
);

test.each([
  ["main", "coordinator"],
  ["editor", "editor"],
])(
  "%s inside a turn of the exchange: the exchange ends there and run 1 still announces an answer",
  async (agentId, who) => {
    await using folder = await temporaryFolder();
    const { exitCode, lines, summary, again } = await killInside(folder.path, agentId, "turn");
    expect(lines).toContainEqual(expect.objectContaining({ who, verb: "stopped" }));
    expect({ exitCode, again, summary }).toMatchObject({
      exitCode: 0,
      again: -1,
      summary: { ok: true, run: 1, delivered: 1 },
    });
    expect(String(summary["answer"])).toContain("(document-");
  },
);
