import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryNode, root, runQuietly } from "./process.mjs";
import { SetupFailure } from "./report.mjs";
import { stamp } from "./stamp.mjs";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const installed = stamp("packages");
const input = () => [
  process.platform,
  process.arch,
  ...["pnpm-lock.yaml", "pnpm-workspace.yaml"].map((file) => readFileSync(join(root, file), "utf8")),
];

/** Installs exactly what the lockfile says, with the pnpm version that package.json pins. */
export const packages = {
  title: `node ${Number.parseInt(manifest.devDependencies.node, 10)} and packages`,
  isDone: () => existsSync(repositoryNode) && installed.matches(input()),
  async run() {
    const pnpm = manifest.packageManager;
    // `npm run -s` hands its own log level down, which would hide the reason of a failure.
    const environment = { CI: "true", npm_config_loglevel: "warn" };
    const { exitCode, output } = await runQuietly("npx", ["-y", pnpm, "install", "--frozen-lockfile"], environment);
    if (exitCode !== 0) {
      throw new SetupFailure("install_failed", `${pnpm} could not install the packages (exit code ${exitCode})`, {
        fix: `Check the network and the free disk space, then run the command again; by hand: npx -y ${pnpm} install`,
        output,
      });
    }
    installed.write(input());
  },
};
