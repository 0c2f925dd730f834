import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runInProcess, runProgram, temporaryFolder } from "./run-program.ts";

// Whole processes are started here, and the machine may be busy.
vi.setConfig({ testTimeout: 120_000 });

const twoAgents = `{
  agents: { list: [{ id: "main", default: true }, { id: "editor" }] },
  tools: { sessions: { visibility: "agent" } },
}`;

async function folderWithTwoAgents() {
  const folder = await temporaryFolder();
  await writeFile(join(folder.path, "trunkline.json5"), twoAgents);
  await runInProcess(["send", "editor", "Hello"], { directory: folder.path });
  await runInProcess(["send", "main", "Hello"], { directory: folder.path });
  return folder;
}

test("explain prints the decision with its trail and exits 4 when access is refused, 0 when it is allowed", async () => {
  await using folder = await folderWithTwoAgents();
  const refused = await runProgram(["explain", "main", "read", "editor"], { directory: folder.path });
  expect(refused).toMatchObject({ exitCode: 4, stderr: "via .trunkline/trunkline.db\n" });
  expect(JSON.parse(refused.stdout)).toMatchObject({
    allowed: false,
    code: "agent_scope",
    reason: expect.any(String),
    trail: expect.arrayContaining([{ step: "own session", allowed: false }]),
  });
  const allowed = await runProgram(["explain", "agent:main:main", "send", "current"], { directory: folder.path });
  expect(allowed.exitCode).toBe(0);
  expect(JSON.parse(allowed.stdout)).toMatchObject({ allowed: true, reason: "its own session" });
});

test("explain as text is a sentence, then one line for each step with its setting and value", async () => {
  await using folder = await folderWithTwoAgents();
  const { exitCode, stdout } = await runInProcess(["explain", "main", "read", "editor", "--text"], {
    directory: folder.path,
  });
  const [first = "", ...steps] = stdout.trimEnd().split("\n");
  expect(exitCode).toBe(4);
  expect(first).toMatch(/^Refused \(agent_scope\): /);
  for (const step of steps) expect(step).toMatch(/^ {2}(?:✓ yes|✗ no) {2}\S/);
  expect(stdout).toContain('tools.sessions.visibility = "agent"');
});

test("main and current are the caller's own, as they are for its tools", async () => {
  await using folder = await folderWithTwoAgents();
  const own = await runInProcess(["explain", "editor", "read", "main"], { directory: folder.path });
  expect(own).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("its own session") });
});

test("explain makes no session for a name that fits nothing: exit 3", async () => {
  await using folder = await folderWithTwoAgents();
  const list = () => runInProcess(["sessions", "list"], { directory: folder.path });
  const before = await list();
  for (const args of [
    ["nobody", "read", "main"],
    ["main", "read", "agent:main:telegram:group:42"],
  ]) {
    const { exitCode, stdout, stderr } = await runInProcess(["explain", ...args], { directory: folder.path });
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: "" });
    expect(stderr).toContain('"code":"not_found"');
  }
  expect((await list()).stdout).toBe(before.stdout);
});

test("explain refuses an unknown action, --as and --url, and says what to type", async () => {
  await using folder = await temporaryFolder();
  for (const [args, message] of [
    [["explain", "main", "sned", "main"], 'does not know the action "sned"'],
    [["explain", "main", "read", "main", "--as", "agent:main:main"], "not as --as"],
    [["explain", "main", "read", "main", "--url", "http://127.0.0.1:1"], "a gateway does not explain"],
  ] as const) {
    const { exitCode, stdout, stderr } = await runInProcess(args, { directory: folder.path });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(message.replaceAll('"', '\\"'));
    expect(stderr).toContain("npx trunkline explain main");
  }
});

const secret = `gh${"p_"}${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
const notes = `<thinking>Nobody reads this.</thinking>Ready.\nThe token is ${secret}.\nThe end.\n`;

test("redact cleans what the program reads on stdin as a reader would see it", async () => {
  await using folder = await temporaryFolder();
  const { exitCode, stdout, stderr } = await runProgram(["redact"], { directory: folder.path, input: notes });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const { text, redacted, ...more } = JSON.parse(stdout);
  expect({ redacted, more }).toEqual({ redacted: true, more: {} });
  expect(text).toMatch(/^Ready\.\nThe token is ghp_a1…\w{4}\.\nThe end\.\n$/);
  const plain = await runProgram(["redact", "--text"], { directory: folder.path, input: notes });
  expect(plain.stdout).toBe(text);
});

test("redact leaves clean text alone and needs no configuration", async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "trunkline.json5"), "{ broken");
  const clean = await runInProcess(["redact"], { directory: folder.path, input: "const KEY = 5;\n" });
  expect(JSON.parse(clean.stdout)).toEqual({ text: "const KEY = 5;\n", redacted: false });
  const empty = await runInProcess(["redact", "--text"], { directory: folder.path, input: "" });
  expect(empty).toMatchObject({ exitCode: 0, stdout: "" });
});

test("redact --report says how much went and which lines hold a mask, never what was there", async () => {
  await using folder = await temporaryFolder();
  const json = await runProgram(["redact", "--report"], { directory: folder.path, input: notes });
  expect(JSON.parse(json.stdout)).toMatchObject({ report: { removedCharacters: 39, maskedLines: [2] } });
  const text = await runInProcess(["redact", "--report", "--text"], { directory: folder.path, input: notes });
  expect(text.stderr).toBe("removed  39 characters\nmasked   line 2\n");
  for (const output of [json.stdout, text.stdout, text.stderr]) expect(output).not.toContain(secret);
});
