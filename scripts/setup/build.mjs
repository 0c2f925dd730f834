import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { root, runQuietly } from "./process.mjs";
import { SetupFailure } from "./report.mjs";
import { stamp } from "./stamp.mjs";

const built = stamp("build");

/** Builds every package with turbo; skipped when no source changed since the last build. */
export const build = {
  title: "build",
  isDone: () => everyOutputExists() && built.matches(sources()),
  async run() {
    const before = sources();
    const { exitCode, output } = await runQuietly("turbo", ["run", "build", "--output-logs=errors-only"]);
    if (exitCode !== 0) {
      throw new SetupFailure("build_failed", `The packages do not build (exit code ${exitCode})`, {
        fix: "Correct the first error above, then run the command again; by hand: npm run build",
        output,
      });
    }
    built.write(before);
  },
};

function workspaceFolders() {
  return ["packages", "apps"].flatMap((parent) =>
    readdirSync(join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(join(root, parent, entry.name, "package.json")))
      .map((entry) => join(parent, entry.name)),
  );
}

function everyOutputExists() {
  return workspaceFolders().every(
    (folder) => !existsSync(join(root, folder, "src")) || existsSync(join(root, folder, "dist")),
  );
}

/** One line for each file that a build reads: path, size and time of the last change. */
function sources() {
  return workspaceFolders()
    .flatMap((folder) => filesBelow(folder))
    .sort();
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return ["dist", "node_modules", "test", ".turbo"].includes(entry.name) ? [] : filesBelow(path);
    const { size, mtimeMs } = statSync(join(root, path));
    return [`${path} ${size} ${mtimeMs}`];
  });
}
