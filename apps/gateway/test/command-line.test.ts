import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { commandGroups, commands } from "../src/cli/commands.ts";
import { commandHelp, groupHelp } from "../src/cli/help-text.ts";
import { runInProcess, runProgram, temporaryFolder } from "./run-program.ts";

// Whole processes are started here, and the machine may be busy.
vi.setConfig({ testTimeout: 120_000 });

async function failure(args: readonly string[], directory: string, run: typeof runProgram = runInProcess) {
  const { exitCode, stdout, stderr } = await run([...args, "--text"], { directory });
  expect(stdout).toBe("");
  const lines = stderr.trimEnd().split("\n");
  const [error = "", fix = ""] = lines.filter((line) => !line.startsWith("via "));
  expect(lines.filter((line) => !line.startsWith("via "))).toHaveLength(2);
  expect(error).toMatch(/^error {2}[a-z_]+ +\S/);
  expect(fix).toMatch(/^ {2}fix {2}\S/);
  return { exitCode, code: error.split(/ +/)[1], error, fix };
}

test("every help fits on 24 lines of 100 columns and names usage, examples, exit codes", () => {
  const helps = [
    ...commands.map(commandHelp),
    groupHelp(undefined, commands, commandGroups),
    ...commandGroups.map((group) => groupHelp(group, commands, commandGroups)),
  ];
  for (const help of helps) {
    const lines = help.split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
    expect(help).toMatch(/^Usage {2}trunkline/);
    expect(help).toContain("  npx trunkline ");
    expect(help).toContain("\nExit ");
    expect(help).not.toContain("...");
  }
});

test("--help of the program, a group and a command goes to stdout and exits 0", async () => {
  await using folder = await temporaryFolder();
  const help = await runProgram(["--help"], { directory: folder.path });
  expect(help).toMatchObject({ exitCode: 0, stderr: "", stdout: `${groupHelp(undefined, commands, commandGroups)}\n` });
  const group = await runInProcess(["sessions"], { directory: folder.path });
  expect(group.exitCode).toBe(0);
  expect(group.stdout).toMatch(/^Usage {2}trunkline sessions <command>/);
  const command = await runInProcess(["sessions", "list", "--help"], { directory: folder.path });
  expect(command.stdout).toMatch(/^Usage {2}trunkline sessions list \[flags\]/);
});

test("--version names the program, Node and the schema", async () => {
  await using folder = await temporaryFolder();
  const { exitCode, stdout } = await runProgram(["--version"], { directory: folder.path });
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    cli: expect.stringMatching(/^\d+\.\d+\.\d+/),
    node: process.versions.node,
    schema: expect.any(Number),
  });
});

test("wrong usage exits 2 and its second line names the nearest word or the help", async () => {
  await using folder = await temporaryFolder();
  const cases: readonly (readonly [args: readonly string[], error: RegExp, fix: RegExp])[] = [
    [["sesions"], /there is no command "sesions"/, /npx trunkline sessions$/],
    [["sessions", "lst"], /there is no command "sessions lst"/, /npx trunkline sessions list$/],
    [["sessions", "list", "--lable", "x"], /no flag --lable/, /Did you mean --label\?/],
    [["sessions", "list", "--limit", "many"], /--limit takes a whole number/, /--limit 20/],
    [["sessions", "list", "--limit", "0"], /--limit takes a whole number from 1/, /--limit 20/],
    [["sessions", "list", "--active", "soon"], /--active takes a time span/, /60m/],
    [["sessions", "list", "--kind", "groups"], /--kind does not know "groups"/, /main, group/],
    [["sessions", "history"], /needs <session>/, /sessions history --help/],
    [["send", "main"], /needs <text>/, /send --help/],
    [["send", "main", "two", "words"], /too many arguments/, /send --help/],
    [["send", "main", "  "], /the text is blank/, /- to read it from stdin/],
    [["send", "main", "hello", "--wait", "forever"], /--wait takes whole seconds/, /--no-wait/],
    [["send", "main", "hello", "--watch"], /--watch needs a session/, /--as agent:main:main/],
    [["tools", "--why", "sesions_send"], /there is no tool "sesions_send"/, /Did you mean "sessions_send"\?/],
    [["tools", "--as", "not a key"], /not a key/, /./],
    [["demo", "no-such-folder"], /there is no folder "no-such-folder"/, /npx trunkline demo docs/],
    [["demo", "--limit", "1000"], /--limit takes a whole number from 1 to 100/, /--limit 20/],
    [["serve", "--port", "99999"], /--port takes a whole number/, /--port 4748/],
    [["serve", "--host", "0.0.0.0"], /can be reached from other machines; nothing was started/, /--host 127.0.0.1$/],
    [["serve", "--demo", "--config", "x.json5"], /--demo and --config exclude each other/, /Leave one/],
    [["sessions", "list", "--url", "ftp://me@host"], /--url is no plain http address/, /TRUNKLINE_TOKEN/],
    [["sessions", "list", "--url", "http://127.0.0.1:1"], /a token is needed/, /TRUNKLINE_TOKEN/],
  ];
  for (const [args, error, fix] of cases) {
    const result = await failure(args, folder.path);
    expect(result, args.join(" ")).toMatchObject({ exitCode: 2 });
    expect(result.error, args.join(" ")).toMatch(error);
    expect(result.fix, args.join(" ")).toMatch(fix);
  }
});

test("the program itself exits with the code of the error", async () => {
  await using folder = await temporaryFolder();
  expect(await failure(["sesions"], folder.path, runProgram)).toMatchObject({ exitCode: 2, code: "invalid_input" });
});

test("in JSON mode an error is one line on stderr and stdout stays empty", async () => {
  await using folder = await temporaryFolder();
  const { exitCode, stdout, stderr } = await runInProcess(["sessions", "list", "--limit", "x"], {
    directory: folder.path,
  });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: "invalid_input",
      message: "--limit takes a whole number from 1 to 200",
      fix: "Give it one, e.g. --limit 20",
      path: "--limit",
    },
  });
});

test("a broken configuration exits 2 with line and column, for every command that reads it", async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "trunkline.json5"), "{\n  session: { agentToAgent: { maxPingPongTurn: 3 } },\n}\n");
  for (const args of [["serve"], ["sessions", "list"], ["send", "main", "hello"], ["tools"], ["migrate", "up"]]) {
    const result = await failure(args, folder.path);
    expect(result).toMatchObject({ exitCode: 2, code: "invalid_config" });
    expect(result.error).toContain('trunkline.json5:2:30  session.agentToAgent has no setting "maxPingPongTurn"');
    expect(result.fix).toContain('Did you mean "maxPingPongTurns"?');
  }
  await writeFile(join(folder.path, "trunkline.json5"), "{ session: ");
  expect(await failure(["tools"], folder.path)).toMatchObject({ exitCode: 2, code: "invalid_config" });
});

test("a database path that cannot be opened exits 7 and leaves what is there alone", async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "file"), "not a folder");
  await mkdir(join(folder.path, "folder.db"));
  for (const path of ["file/trunkline.db", "folder.db"]) {
    await writeFile(join(folder.path, "trunkline.json5"), `{ store: { url: "sqlite:${path}" } }`);
    expect(await failure(["sessions", "list"], folder.path, runProgram)).toMatchObject({
      exitCode: 7,
      code: "store_unavailable",
    });
    expect(await failure(["serve", "--port", "0"], folder.path)).toMatchObject({
      exitCode: 7,
      code: "store_unavailable",
    });
  }
});

test("a taken port exits 7, before the store and the token are touched", async () => {
  await using folder = await temporaryFolder();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = other.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const result = await failure(["serve", "--port", String(port)], folder.path, runProgram);
  other.close();
  expect(result).toMatchObject({ exitCode: 7, code: "gateway_port_taken" });
  expect(result.error).toContain(`127.0.0.1:${port} is in use; nothing was started and the store was not touched`);
  expect(result.fix).toContain(`npx trunkline serve --port ${port + 1}`);
  const { stdout } = await runInProcess(["migrate", "status"], { directory: folder.path });
  expect(JSON.parse(stdout)).toMatchObject({ current: 0 });
});

test("--demo without a demo database says how to make one", async () => {
  await using folder = await temporaryFolder();
  const result = await failure(["sessions", "list", "--demo"], folder.path);
  expect(result).toMatchObject({ exitCode: 7, code: "store_unavailable" });
  expect(result.fix).toContain("npx trunkline demo");
});

test("migrate status exits 6 until migrate up was run", async () => {
  await using folder = await temporaryFolder();
  const before = await runInProcess(["migrate", "status"], { directory: folder.path });
  expect(before.exitCode).toBe(6);
  const { latest } = JSON.parse(before.stdout);
  expect(JSON.parse(before.stdout)).toEqual({ current: 0, latest, pending: latest });
  const up = await runInProcess(["migrate", "up"], { directory: folder.path });
  expect({ exitCode: up.exitCode, state: JSON.parse(up.stdout) }).toEqual({
    exitCode: 0,
    state: { current: latest, latest, pending: 0 },
  });
  expect((await runInProcess(["migrate", "status"], { directory: folder.path })).exitCode).toBe(0);
});

test("an unexpected error names no more than its kind, and --verbose shows its stack", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "trunkline.json5"));
  const result = await runInProcess(["tools", "--text"], { directory: folder.path });
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toContain("cannot be read (EISDIR)");
  expect(result.stderr).not.toContain("at ");
  const verbose = await runInProcess(["tools", "--text", "--verbose"], { directory: folder.path });
  expect(verbose.stderr).toContain("    at ");
});
