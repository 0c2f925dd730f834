// Packs every published package and looks at what an installing project would get: publint for the manifest and the
// files, "are the types wrong" for the declarations. Our packages are ES modules only.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { publishedPackages, root } from "./workspace.mjs";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "trunkline-packages-"));
let failed = 0;
try {
  for (const { name, directory } of publishedPackages()) {
    const problems = await problemsOf(directory);
    console.log(problems.length === 0 ? `ok      ${name}` : `FAILED  ${name}\n${problems.join("\n")}`);
    if (problems.length > 0) failed += 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

async function problemsOf(directory) {
  const target = mkdtempSync(join(folder, "pack-"));
  await run("pnpm", ["pack", "--pack-destination", target], { cwd: directory });
  const tarball = join(
    target,
    readdirSync(target).find((file) => file.endsWith(".tgz")),
  );
  const checks = await Promise.all([
    outputOfFailure("publint", ["run", tarball, "--strict", "--level", "warning"]),
    outputOfFailure("attw", [tarball, "--profile", "esm-only", "--no-emoji", "--no-color", "--format", "ascii"]),
  ]);
  return checks.filter((output) => output !== undefined);
}

async function outputOfFailure(program, args) {
  try {
    await run(program, args, { cwd: root });
    return undefined;
  } catch (error) {
    return `${program}: ${error.stdout ?? ""}${error.stderr ?? error.message}`;
  }
}
