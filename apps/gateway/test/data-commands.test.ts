import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { createCommandContext } from "../src/cli/command-context.ts";
import { readGlobalFlags } from "../src/cli/global-flags.ts";
import { readLocalSetup } from "../src/runtime/local-setup.ts";
import { startGateway } from "../src/runtime/start-gateway.ts";
import { writeDocuments } from "./documents-folder.ts";
import { runInProcess, runProgram, temporaryFolder } from "./run-program.ts";

vi.setConfig({ testTimeout: 120_000 });

const twoAgents = `{
  agents: { list: [{ id: "main", default: true }, { id: "editor" }] },
  tools: { sessions: { visibility: "agent" } },
}`;

async function run(
  directory: string,
  args: readonly string[],
  options: { input?: string; environment?: Record<string, string> } = {},
) {
  const { exitCode, stdout, stderr } = await runInProcess(args, { directory, ...options });
  return { exitCode, stderr, result: stdout === "" ? undefined : JSON.parse(stdout) };
}

test("an empty store lists nothing, makes nothing, and exits 0", async () => {
  await using folder = await temporaryFolder();
  const empty = { exitCode: 0, result: { items: [], hasMore: false }, stderr: "via .trunkline/trunkline.db\n" };
  expect(await run(folder.path, ["sessions", "list"])).toEqual(empty);
  expect(await run(folder.path, ["sessions", "list"])).toEqual(empty);
  expect(await run(folder.path, ["sessions", "list", "--quiet"])).toMatchObject({ stderr: "" });
});

test("a message of the operator's is submitted as a human's, waited for, and read back by label, key and agent", async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "trunkline.json5"), twoAgents);
  const sent = await run(folder.path, ["send", "editor", "-"], { input: "From a pipe\n" });
  expect(sent).toMatchObject({
    exitCode: 0,
    result: { status: "ok", runId: expect.any(String), sessionKey: "agent:editor:main" },
    stderr: expect.stringContaining("no model: agents answer nothing"),
  });
  for (const name of ["editor", "agent:editor:main", "AGENT:editor:main"]) {
    const history = await run(folder.path, ["sessions", "history", name]);
    expect(history).toMatchObject({ exitCode: 0, result: { sessionKey: "agent:editor:main" } });
    expect(history.result.messages[0]).toMatchObject({ content: "From a pipe\n", provenance: { kind: "human" } });
  }
  const { result } = await run(folder.path, ["sessions", "list", "--agent", "editor"]);
  expect(result.items.map(({ key }: { key: string }) => key)).toEqual(["agent:editor:main"]);
  const status = await run(folder.path, ["sessions", "status", "editor", "--since", "0"]);
  expect(status).toMatchObject({
    exitCode: 0,
    result: { sessionKey: "agent:editor:main", stateVersion: expect.any(Number) },
  });
  expect(status.result.stateChanges.events.length).toBeGreaterThan(0);
});

test("the same key sends once, another text for it is a conflict that exits 2", async () => {
  await using folder = await temporaryFolder();
  const first = await run(folder.path, ["send", "main", "Hello", "--key", "k1", "--no-wait"]);
  const again = await run(folder.path, ["send", "main", "Hello", "--key", "k1", "--no-wait"]);
  expect(first).toMatchObject({ exitCode: 0, result: { status: "accepted" } });
  expect(again.result).toEqual(first.result);
  const other = await run(folder.path, ["send", "main", "Goodbye", "--key", "k1", "--no-wait"]);
  expect(other).toMatchObject({ exitCode: 2, result: undefined });
  expect(other.stderr).toContain('"code":"conflict"');
});

test("what is not there exits 3 and is not made", async () => {
  await using folder = await temporaryFolder();
  for (const args of [
    ["sessions", "history", "agent:main:telegram:group:-1001"],
    ["sessions", "status", "nobody"],
    ["send", "nobody", "hello"],
  ]) {
    const { exitCode, result, stderr } = await run(folder.path, args);
    expect({ args, exitCode, result }).toEqual({ args, exitCode: 3, result: undefined });
    expect(stderr).toContain('"code":"not_found"');
  }
  const asSession = await run(folder.path, ["sessions", "history", "nobody", "--as", "agent:main:main"]);
  expect(asSession).toMatchObject({ exitCode: 3, result: { status: "error", code: "not_found" } });
  expect((await run(folder.path, ["sessions", "list", "--search", "group"])).result.items).toEqual([]);
});

test("--as gives the tool's result unchanged; a refusal is a result and exits 4", async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "trunkline.json5"), twoAgents);
  const list = await run(folder.path, ["sessions", "list", "--as", "agent:main:main"]);
  expect(list).toMatchObject({
    exitCode: 0,
    result: { count: 1, sessions: [{ key: "agent:main:main" }], hasMore: false },
  });
  const refused = await run(folder.path, ["send", "agent:editor:main", "hello", "--as", "agent:main:main"]);
  expect(refused).toMatchObject({ exitCode: 4, result: { status: "forbidden", code: "agent_scope" } });
  const text = await runInProcess(["send", "agent:editor:main", "hello", "--as", "agent:main:main", "--text"], {
    directory: folder.path,
  });
  expect(text).toMatchObject({
    exitCode: 4,
    stdout: "",
    stderr: expect.stringMatching(/^error {2}agent_scope .*\n {2}fix {2}\S/m),
  });
});

test("the operator reads every session whatever the policy of the agents is", async () => {
  await using folder = await temporaryFolder();
  await writeFile(
    join(folder.path, "trunkline.json5"),
    `{ agents: { defaults: { sandbox: { mode: "all" } }, list: [{ id: "main", tools: { deny: ["*"] } }, { id: "editor" }] },
       tools: { profile: "minimal", sessions: { visibility: "self" } } }`,
  );
  for (const agent of ["main", "editor"]) await run(folder.path, ["send", agent, `hello ${agent}`]);
  const { result } = await run(folder.path, ["sessions", "list"]);
  expect(result.items).toHaveLength(2);
  expect((await run(folder.path, ["sessions", "history", "main"])).result.messages[0].content).toBe("hello main");
  expect((await run(folder.path, ["sessions", "history", "editor", "--as", "agent:main:main"])).exitCode).toBe(4);
});

test("a wait that runs out exits 5, and what was begun goes on in the next command", async () => {
  await using folder = await temporaryFolder();
  await writeDocuments(folder.path, { count: 3, paragraphs: 2 });
  expect((await runProgram(["demo"], { directory: folder.path })).exitCode).toBe(0);
  await writeDocuments(folder.path, { count: 12, paragraphs: 6_000 });
  const sent = await runProgram(["send", "main", "What is lost?", "--wait", "1", "--demo"], { directory: folder.path });
  expect({ exitCode: sent.exitCode, result: JSON.parse(sent.stdout) }).toMatchObject({
    exitCode: 5,
    result: { status: "timeout", runId: expect.any(String), sessionKey: "agent:main:main" },
  });
  const next = await runProgram(["demo"], { directory: folder.path });
  expect(next.exitCode).toBe(0);
});

test("--url asks a gateway as its token's session, and says what is wrong with address or token", async () => {
  await using folder = await temporaryFolder();
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const context = createCommandContext(
    { ...streams, environment: {}, workingDirectory: folder.path },
    readGlobalFlags({}, {}),
  );
  const gateway = await startGateway(context, readLocalSetup(context), { host: "127.0.0.1", port: 0 });
  const { url, token = "" } = gateway.facts;
  const environment = { TRUNKLINE_TOKEN: token };
  await using elsewhere = await temporaryFolder();
  const ask = (args: readonly string[], tokens = environment) =>
    run(elsewhere.path, [...args, "--url", url], { environment: tokens });
  expect(await ask(["sessions", "list"])).toMatchObject({
    exitCode: 0,
    stderr: `via ${url}\n`,
    result: { count: 1, sessions: [{ key: "agent:main:main" }] },
  });
  expect(await ask(["sessions", "history", "main"])).toMatchObject({
    exitCode: 0,
    result: { sessionKey: "agent:main:main" },
  });
  expect(await ask(["sessions", "history", "nobody"])).toMatchObject({ exitCode: 3, result: { code: "not_found" } });
  expect(await ask(["send", "main", "hello", "--no-wait"])).toMatchObject({
    exitCode: 0,
    result: { status: "accepted" },
  });
  expect((await ask(["tools"])).result.tools).toHaveLength(10);
  expect(await ask(["sessions", "list"], { TRUNKLINE_TOKEN: "tl_other" })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('"code":"gateway_unauthorized"'),
  });
  await gateway.stop();
  expect(await ask(["sessions", "list"])).toMatchObject({
    exitCode: 7,
    stderr: expect.stringContaining('"code":"gateway_unreachable"'),
  });
});

test("tools names what removed each tool and explains one", async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "trunkline.json5"), '{ tools: { profile: "messaging", deny: ["sessions_send"] } }');
  const { result } = await run(folder.path, ["tools"]);
  expect(result.tools).toEqual(["sessions_list", "sessions_history", "session_status"]);
  expect(result.removed).toContainEqual({ name: "sessions_send", layer: "global", setting: "tools" });
  const why = await run(folder.path, ["tools", "--why", "sessions_spawn"]);
  expect(why).toMatchObject({ exitCode: 0, result: { allowed: false, code: "tool_not_allowed" } });
  const text = await runInProcess(["tools", "--text"], { directory: folder.path });
  expect(text.stdout).toMatch(/^STATE {2}TOOL +REMOVED BY\nyes {4}sessions_list\n/);
});

test("a Node that is too old is told in one line which one is needed", async () => {
  const bin = fileURLToPath(new URL("../bin/trunkline.js", import.meta.url));
  const pretend = `data:text/javascript,${encodeURIComponent(
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } });',
  )}`;
  const old = promisify(execFile)(process.execPath, ["--import", pretend, bin, "demo"]);
  await expect(old).rejects.toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^trunkline needs Node 22\.12 or newer; this is Node 20\.19\.0\. [^\n]+\n$/),
  });
});
