import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createSqliteStore } from "@trunkline/store-sqlite";
import { expect, test, vi } from "vitest";
import { listDemoSessions } from "../src/demo/demo-records.ts";
import { setOlderSchemaAside } from "../src/demo/set-aside.ts";
import { writeDocuments } from "./documents-folder.ts";
import { collect, type JsonLine, jsonLines, runProgram, startProgram, temporaryFolder } from "./run-program.ts";

// Whole processes are started here, and the machine may be busy.
vi.setConfig({ testTimeout: 120_000 });

const of = (lines: readonly JsonLine[], type: string) => lines.filter((line) => line["type"] === type);
const only = (lines: readonly JsonLine[], type: string): JsonLine => {
  const [line, ...others] = of(lines, type);
  if (line === undefined || others.length > 0) throw new Error(`${others.length + 1} lines of type ${type}`);
  return line;
};

async function demo(directory: string, ...args: readonly string[]) {
  const run = await runProgram(["demo", ...args], { directory });
  const lines = jsonLines(run.stdout);
  return { ...run, lines, summary: lines.at(-1) ?? {} };
}

test("the demo answers from the files through spawn, yield, exchange, announce and outbox, and says each step once", async () => {
  await using folder = await temporaryFolder();
  await writeDocuments(folder.path, { count: 5, paragraphs: 4 });
  const { exitCode, stderr, lines, summary } = await demo(folder.path);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(lines[0]).toMatchObject({ type: "header", run: 1, documents: 5, total: 5, place: "docs/" });
  expect(only(lines, "run_queued")).toMatchObject({ who: "you", text: '"What must never be lost in a crash?"' });
  expect(of(lines, "spawn")).toHaveLength(5);
  expect(only(lines, "yield")).toMatchObject({ who: "coordinator", text: "waits for 5 readers" });
  expect(of(lines, "child_settled").map(({ text }) => text)).toHaveLength(5);
  expect(only(lines, "resume")).toMatchObject({ text: "5 of 5 results, each once" });
  expect(only(lines, "send")).toMatchObject({ text: '"Shorten to 60 words, keep sources."' });
  expect(of(lines, "run_ended").map(({ who, verb }) => `${String(who)} ${String(verb)}`)).toEqual([
    "editor open",
    "editor reply",
    "coordinator reply",
    "editor settled",
    "editor announce",
  ]);
  expect(only(lines, "delivery_changed")).toMatchObject({ who: "outbox", verb: "delivered" });
  expect(summary).toMatchObject({
    type: "summary",
    ok: true,
    run: 1,
    completions: 5,
    readers: 5,
    delivered: 1,
    pending: 0,
    answer: expect.stringMatching(/^Nothing of importance number \d+ is ever lost .* \(document-\d\.md:\d+\)/),
  });
  expect(summary["sessions"]).toHaveLength(7);
});

test("the answer keeps to sixty words besides its sources, and every source names a real line", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "notes"));
  const long = Array.from({ length: 12 }, (_, index) => `keyword clause ${index} that goes on for a while`).join(", ");
  await writeFile(join(folder.path, "notes", "a.md"), `# A\n\nThe keyword is here: ${long.slice(0, 250)}.\n`);
  await writeFile(join(folder.path, "notes", "b.txt"), `\n\nAnother keyword: ${long.slice(0, 240)}.\n`);
  const { exitCode, summary } = await demo(folder.path, "notes", "--question", "Where is the keyword clause?");
  const answer = String(summary["answer"]);
  expect(exitCode).toBe(0);
  expect(
    answer
      .replace(/\([^()]+:\d+\)/g, "")
      .trim()
      .split(/\s+/).length,
  ).toBeLessThanOrEqual(61);
  expect(answer).toMatch(/\((a\.md:3|b\.txt:3)\)/);
});

test("as text the demo shows the timeline, the answer, the tree and three commands that work", async () => {
  await using folder = await temporaryFolder();
  await writeDocuments(folder.path, { count: 5, paragraphs: 4 });
  const { exitCode, stdout } = await runProgram(["demo", "--text"], { directory: folder.path });
  expect(exitCode).toBe(0);
  expect(stdout).not.toContain("\u001b");
  expect(stdout).toMatch(/^ Trunkline demo {3}5 documents in docs\/ {3}store \.trunkline\/demo\.db {3}run 1\n/);
  expect(stdout).toContain("small deterministic programs, not models");
  expect(stdout).toMatch(/^ {3}TIME {2}WHO {10}WHAT +SESSION +TOOK$/m);
  expect(stdout).toMatch(/^ {2}\d\.\d{3} {2}you {10}› message {4}"What must never be lost in a crash\?" +main$/m);
  expect(stdout).toMatch(
    / {2}coordinator {2}\+ spawn {6}(5 readers accepted|a reader for document-1\.md) +main +\d+ ms$/m,
  );
  expect(stdout).toMatch(/^ Answer {3}Nothing of importance/m);
  expect(stdout).toMatch(/^ agent:main:main +○ idle +3 +\d+$/m);
  expect(stdout).toMatch(/5 of 5 completions recorded once, 1 message\s+delivered, 0 pending/);
  const next = [...stdout.matchAll(/npx trunkline (sessions|send) (.*?)(?: {2}|$)/gm)].map(
    ([, word, rest]) => `${word} ${rest}`,
  );
  expect(next).toEqual([
    "sessions list --tree --demo",
    "sessions history main --demo",
    'send editor "Shorter" --wait 30 --demo',
  ]);
  const tree = await runProgram(["sessions", "list", "--tree", "--demo", "--text"], { directory: folder.path });
  expect(tree.stdout).toMatch(/├─ document-\d\.md/);
  const history = await runProgram(["sessions", "history", "main", "--demo"], { directory: folder.path });
  expect(JSON.parse(history.stdout)).toMatchObject({ sessionKey: "agent:main:main" });
  const send = await runProgram(["send", "editor", "Shorter", "--wait", "30", "--demo"], { directory: folder.path });
  expect({ exitCode: send.exitCode, result: JSON.parse(send.stdout) }).toMatchObject({
    exitCode: 0,
    result: {
      status: "ok",
      sessionKey: "agent:editor:console:channel:demo",
      reply: expect.stringContaining("(document-"),
    },
  });
});

test("run again, it asks anew as run 2 and opens no second session for the editor", async () => {
  await using folder = await temporaryFolder();
  await writeDocuments(folder.path, { count: 2, paragraphs: 2 });
  const first = await demo(folder.path);
  const second = await demo(folder.path);
  expect([first.exitCode, second.exitCode]).toEqual([0, 0]);
  expect(second.lines[0]).toMatchObject({ type: "header", run: 2 });
  expect(second.lines[0]).not.toHaveProperty("resuming");
  expect(second.summary).toMatchObject({ ok: true, run: 2, completions: 2, delivered: 1, pending: 0 });
  const editors = (second.summary["sessions"] as readonly JsonLine[]).filter(({ label }) => label === "editor");
  expect(editors).toHaveLength(1);
});

test("more documents than the limit are said so, and the largest are read", async () => {
  await using folder = await temporaryFolder();
  await writeDocuments(folder.path, { count: 4, paragraphs: 2 });
  await writeFile(join(folder.path, "docs", "tiny.md"), "Nothing is ever lost in a crash here.\n");
  const { lines } = await demo(folder.path, "--limit", "4");
  expect(lines[0]).toMatchObject({ documents: 4, total: 5 });
  expect(of(lines, "spawn").some(({ text }) => String(text).includes("tiny.md"))).toBe(false);
});

test("a file that holds no text is read as empty, and the others answer", async () => {
  await using folder = await temporaryFolder();
  await writeDocuments(folder.path, { count: 2, paragraphs: 2 });
  await writeFile(join(folder.path, "docs", "bytes.txt"), Buffer.from([0xff, 0xfe, 0x00, 0x1b, 0x5b]));
  const { exitCode, lines, summary } = await demo(folder.path);
  expect({ exitCode, completions: summary["completions"] }).toEqual({ exitCode: 0, completions: 3 });
  expect(of(lines, "child_settled").map(({ text }) => text)).toContain("bytes.txt: 0 sentences, 0 kept");
});

test("without a folder and without docs/ it reads the README files that came with the packages", async () => {
  await using folder = await temporaryFolder();
  const { exitCode, lines } = await demo(folder.path, "--question", "What is the store?");
  expect(exitCode).toBe(0);
  expect(lines[0]).toMatchObject({ place: "the packages" });
  expect(of(lines, "spawn").map(({ text }) => text)).toContain("a reader for gateway/README.md");
});

test("a database of an older schema is set aside under a new name with its side files, any other stays", async () => {
  await using folder = await temporaryFolder();
  const database = join(folder.path, "demo.db");
  const older = () => Promise.resolve({ current: 1, latest: 2 });
  expect(await setOlderSchemaAside(database, older)).toBeUndefined();
  for (const round of [1, 2]) {
    await writeFile(database, `database ${round}`);
    await writeFile(`${database}-wal`, `log ${round}`);
    await setOlderSchemaAside(database, older);
  }
  expect(await readdir(folder.path)).toEqual([
    "demo-schema-1-2.db",
    "demo-schema-1-2.db-wal",
    "demo-schema-1.db",
    "demo-schema-1.db-wal",
  ]);
  await writeFile(database, "");
  expect(await setOlderSchemaAside(database)).toBeUndefined();
});

test("Ctrl-C stops it with 130, and the next run goes on", async () => {
  await using folder = await temporaryFolder();
  await writeDocuments(folder.path, { count: 6, paragraphs: 3_000 });
  const child = startProgram(["demo"], { directory: folder.path });
  child.stdout?.once("data", () => child.kill("SIGINT"));
  const stopped = await collect(child);
  expect(stopped).toMatchObject({ exitCode: 130 });
  expect(stopped.stderr).toContain("Stopped, nothing lost. Run it again to go on.");
  const { exitCode, summary } = await demo(folder.path);
  expect({ exitCode, ok: summary["ok"], delivered: summary["delivered"] }).toEqual({
    exitCode: 0,
    ok: true,
    delivered: 1,
  });
  await using store = await createSqliteStore({ path: join(folder.path, ".trunkline", "demo.db") });
  expect((await listDemoSessions(store)).filter(({ activeRunId }) => activeRunId !== null)).toEqual([]);
});
