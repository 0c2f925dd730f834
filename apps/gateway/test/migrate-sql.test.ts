import { expect, test } from "vitest";
import { runInProcess, temporaryFolder } from "./run-program.ts";

test("migrate sql prints each dialect's schema, and names the dialects where it knows none of the name", async () => {
  await using folder = await temporaryFolder();
  const run = (dialect: string) => runInProcess(["migrate", "sql", "--dialect", dialect], { directory: folder.path });
  for (const dialect of ["sqlite", "postgres", "mysql"]) {
    const { exitCode, stdout } = await run(dialect);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ dialect, sql: expect.stringContaining("create table if not exists") });
  }
  const { exitCode, stderr } = await run("oracle");
  expect(exitCode).toBe(2);
  expect(JSON.parse(stderr).error).toMatchObject({ code: "invalid_input", path: "--dialect" });
});
