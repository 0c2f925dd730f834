import { spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const windows = process.platform === "win32";

/** The Node binary that the root's devDependency `node` installs. */
export const repositoryNode = join(root, "node_modules", "node", "bin", windows ? "node.exe" : "node");

/** Runs a program silently; resolves to its exit code and everything it printed. */
export function runQuietly(program, args, environment = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      env: childEnvironment(environment),
      shell: windows,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const collect = (chunk) => {
      output += chunk;
    };
    child.stdout.setEncoding("utf8").on("data", collect);
    child.stderr.setEncoding("utf8").on("data", collect);
    child.on("error", (error) => resolve({ exitCode: 127, output: `${output}${error.message}` }));
    child.on("close", (exitCode) => resolve({ exitCode: exitCode ?? 1, output }));
  });
}

/** Runs a script of this repository in the foreground under its own Node; resolves to the exit code. */
export function runUnderRepositoryNode(args, environment = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(repositoryNode, args, { cwd: root, env: childEnvironment(environment), stdio: "inherit" });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
      process.on(signal, () => {
        // A terminal sends Ctrl-C to the whole process group; passing it on would make it two.
        if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
      });
    }
    child.on("error", reject);
    child.on("exit", (exitCode, signal) => resolve(exitCode ?? 128 + (constants.signals[signal] ?? 0)));
  });
}

function childEnvironment(extra) {
  const environment = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", ...extra };
  const path = Object.keys(environment).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  environment[path] = [join(root, "node_modules", ".bin"), environment[path]].join(delimiter);
  return environment;
}
