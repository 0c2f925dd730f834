import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type McpEndpoint, startMcpEndpoint } from "./mcp-endpoint.ts";
import { suiteTools } from "./suite-tools.ts";

const program = fileURLToPath(
  new URL("../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);
const page = new URL("../../../docs/mcp.md", import.meta.url);

/** Scenarios, or checks of one, that docs/mcp.md says do not apply. */
interface Exception {
  readonly scenario: string;
  readonly checks: readonly string[];
}

interface FailedCheck {
  readonly scenario: string;
  readonly check: string;
}

let endpoint: McpEndpoint;
let exceptions: readonly Exception[];
const failed: FailedCheck[] = [];

beforeAll(async () => {
  exceptions = readExceptions(await readFile(page, "utf8"));
  endpoint = await startMcpEndpoint({
    progressIntervalMs: 20,
    authenticate: () => ({ sessionKey: "agent:main:main" }),
    beside: suiteTools,
  });
});
afterAll(() => endpoint[Symbol.asyncDispose]());

describe.each(["2026-07-28", "2025-11-25"])("the requirements of %s", (revision) => {
  test("hold, but for the scenarios and checks that docs/mcp.md names", { timeout: 120_000 }, async () => {
    const { scenarios, failures } = await runSuite(revision);
    failed.push(...failures);
    expect(scenarios.length).toBeGreaterThan(30);
    expect(scenarios).toEqual(expect.arrayContaining(["tools-list", "tools-call-error", "dns-rebinding-protection"]));
    expect(failures.filter((failure) => !exceptions.some((exception) => covers(exception, failure)))).toEqual([]);
    expect(endpoint.errors).toEqual([]);
  });
});

test("docs/mcp.md excuses nothing that passes", () => {
  const stale = exceptions.flatMap(({ scenario, checks }) =>
    (checks.length === 0 ? [undefined] : checks)
      .filter((check) => !failed.some((failure) => covers({ scenario, checks: check ? [check] : [] }, failure)))
      .map((check) => [scenario, check]),
  );
  expect(exceptions.length).toBeGreaterThan(15);
  expect(stale).toEqual([]);
});

function covers({ scenario, checks }: Exception, failure: FailedCheck): boolean {
  const isNamed = scenario.endsWith("*")
    ? failure.scenario.startsWith(scenario.slice(0, -1))
    : failure.scenario === scenario;
  return isNamed && (checks.length === 0 || checks.includes(failure.check));
}

function readExceptions(text: string): readonly Exception[] {
  const section = /<!-- conformance -->(.*)<!-- \/conformance -->/su.exec(text)?.[1] ?? "";
  return [...section.matchAll(/^\| (`[^|]+) \|/gmu)].flatMap(([, cell = ""]): readonly Exception[] => {
    const [first = "", ...rest] = [...cell.matchAll(/`([^`]+)`/gu)].map(([, name = ""]) => name);
    if (cell.includes("`: `")) return [{ scenario: first, checks: rest }];
    return [first, ...rest].map((scenario) => ({ scenario, checks: [] }));
  });
}

async function runSuite(revision: string) {
  const folder = await mkdtemp(join(tmpdir(), "trunkline-mcp-"));
  try {
    const args = ["server", "--url", endpoint.url.href, "--requirements", revision, "-o", folder];
    // It ends with 1 when anything failed; what did is in its files.
    await promisify(execFile)(process.execPath, [program, ...args], { cwd: folder }).catch(
      (error: { code: unknown }) => {
        if (error.code !== 1) throw error;
      },
    );
    const runs = (await readdir(folder)).map((name) => ({ name, scenario: scenarioOf(name) }));
    const failures = await Promise.all(
      runs.map(async ({ name, scenario }) => {
        const checks: readonly { readonly id: string; readonly status: string }[] = JSON.parse(
          await readFile(join(folder, name, "checks.json"), "utf8"),
        );
        return checks.filter(({ status }) => status === "FAILURE").map(({ id }) => ({ scenario, check: id }));
      }),
    );
    return { scenarios: runs.map(({ scenario }) => scenario), failures: failures.flat() };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function scenarioOf(folder: string): string {
  return folder.replace(/^server-/u, "").replace(/-\d{4}-\d\d-\d\dT.*$/u, "");
}
