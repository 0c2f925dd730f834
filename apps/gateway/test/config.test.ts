import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CommandError } from "../src/cli/command-error.ts";
import { failureLines, toFailure } from "../src/cli/failure.ts";
import { findInJson5 } from "../src/config/json5-positions.ts";
import { defaultConfig, loadConfig } from "../src/config/load-config.ts";
import { displayLocation, storeLocation } from "../src/config/store-location.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "trunkline-config-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function load(source: string, environment: Record<string, string> = {}) {
  await writeFile(join(directory, "trunkline.json5"), source);
  return loadConfig({ directory, environment });
}

async function faultOf(source: string, environment: Record<string, string> = {}): Promise<readonly string[]> {
  try {
    await load(source, environment);
  } catch (error) {
    if (error instanceof CommandError) return failureLines(toFailure(error));
    throw error;
  }
  throw new Error("the configuration was accepted");
}

test("a setting is found by its path, quoted or not, behind comments, and in lists", () => {
  const source = [
    "// a comment with { braces }",
    "{",
    "  'session': { /* : */ mainKey: 'x', },",
    '  "agents": { list: [ { id: "main" }, { id: "editor", subagents: { allowAgents: ["*"] } } ] },',
    '  channels: { "my.channel": { groups: { "-100:1": { tools: {} } } } },',
    "}",
  ].join("\n");
  expect(findInJson5(source, "session.mainKey")).toEqual({ line: 3, column: 24 });
  expect(findInJson5(source, "agents.list[1].id")).toEqual({ line: 4, column: 41 });
  expect(findInJson5(source, "agents.list[1].subagents.allowAgents[0]")).toEqual({ line: 4, column: 82 });
  expect(findInJson5(source, "channels.my.channel.groups.-100:1.tools")).toEqual({ line: 5, column: 53 });
  expect(findInJson5(source, "session.missing")).toEqual({ line: 3, column: 3 });
  expect(findInJson5(source, "absent")).toBeUndefined();
});

test("without a file the defaults hold and the database lies in .trunkline", async () => {
  const empty = await mkdtemp(join(tmpdir(), "trunkline-config-"));
  const loaded = loadConfig({ directory: empty, environment: {} });
  expect(loaded.config.gateway).toEqual({ host: "127.0.0.1", port: 4747 });
  expect(storeLocation(loaded)).toEqual({ kind: "sqlite", path: join(empty, ".trunkline", "trunkline.db") });
  expect(loaded).not.toHaveProperty("file");
  await rm(empty, { recursive: true });
});

test("variables come from the environment, then from .env, then from the default", async () => {
  await writeFile(join(directory, ".env"), "NAME_A=from-file\nNAME_B=from-file\n");
  await writeFile(join(directory, "secret"), "from-secret-file\n");
  const { config, engineInput } = await load(
    '{ agents: { list: [{ id: "main", name: "\u0024{NAME_A} \u0024{NAME_B} \u0024{NAME_C:-default} \u0024{NAME_D}" }] }, gateway: { port: "\u0024{PORT:-4750}" } }',
    { NAME_A: "from-environment", NAME_D_FILE: join(directory, "secret") },
  );
  expect(config.agents.list[0]?.name).toBe("from-environment from-file default from-secret-file");
  expect(config.gateway.port).toBe(4750);
  expect(engineInput).not.toHaveProperty("gateway");
  await rm(join(directory, ".env"));
});

test("a variable that is not set is named with its place, and no value is shown", async () => {
  expect(await faultOf('{\n  store: { url: "\u0024{NO_SUCH_NAME}" },\n}')).toEqual([
    "error  invalid_config       trunkline.json5:2:12  the variable NO_SUCH_NAME is not set",
    "  fix  Set NO_SUCH_NAME in the environment or in .env, or give a default: \u0024{NO_SUCH_NAME:-value}",
  ]);
});

test("an unknown setting is named with line, column and the nearest known one", async () => {
  const lines = await faultOf("{\n  session: {\n    agentToAgent: { maxPingPongTurn: 3 },\n  },\n}");
  expect(lines[0]).toBe(
    'error  invalid_config       trunkline.json5:3:21  session.agentToAgent has no setting "maxPingPongTurn"',
  );
  expect(lines[1]).toContain('Did you mean "maxPingPongTurns"?');
});

test("a value of the wrong kind, also of the gateway's own sections, is named with its place", async () => {
  expect((await faultOf('{\n  gateway: { port: "many" },\n}'))[0]).toContain("trunkline.json5:2:14  gateway.port");
  expect((await faultOf("{ gateway: { prot: 1 } }"))[1]).toContain('Did you mean "port"?');
});

test("a text that is not JSON5 gives line and column", async () => {
  expect((await faultOf("{\n  session: {\n}"))[0]).toMatch(
    /^error {2}invalid_config {7}trunkline\.json5:3:2 {2}is not JSON5: invalid end of input$/,
  );
});

test("a file that was asked for must exist", () => {
  expect(() => loadConfig({ directory, environment: {}, file: "other.json5" })).toThrow("does not exist");
});

test("a database of an unknown kind is refused without showing its address", async () => {
  const secret = ["pass", "word"].join("");
  const loaded = await load('{ store: { url: "\u0024{DATABASE_URL}" } }', {
    DATABASE_URL: `oracle://me:${secret}@db/x`,
  });
  expect(() => storeLocation(loaded)).toThrow("store.url names a database that this gateway cannot open");
  try {
    storeLocation(loaded);
  } catch (error) {
    expect(failureLines(toFailure(error)).join("\n")).not.toContain(secret);
  }
});

test("a server's address is read by its scheme, and shown without user and password", () => {
  const located = (url: string) => {
    const loaded = defaultConfig("/tmp");
    return storeLocation({ ...loaded, config: { ...loaded.config, store: { url } } });
  };
  const postgres = located("postgres://ada:secret@db.example:5432/trunkline");
  expect(postgres.kind).toBe("postgres");
  expect(displayLocation(postgres, "/tmp")).toBe("postgres db.example:5432/trunkline");
  expect(located("mariadb://root@127.0.0.1/test")).toEqual({ kind: "mysql", url: "mysql://root@127.0.0.1/test" });
  expect(() => located("oracle://db.example/x")).toThrow("cannot open");
});
