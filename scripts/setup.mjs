// Entry of `npm run demo` and `npm test`. Plain JavaScript that starts on Node 20, the oldest Node this repository
// accepts for set-up; everything after the set-up runs under the Node that the repository brings.
import { databases } from "./services.mjs";
import { build } from "./setup/build.mjs";
import { packages } from "./setup/packages.mjs";
import { runUnderRepositoryNode } from "./setup/process.mjs";
import { createReport, SetupFailure } from "./setup/report.mjs";

/** A step is `{title, isDone(), run()}`; what `run` returns is added to the environment of the command. */
const commands = {
  demo: { title: "demo", steps: [packages, build], program: ["apps/gateway/bin/trunkline.js", "demo"] },
  test: { title: "tests", steps: [packages, build, databases], program: ["node_modules/vitest/vitest.mjs", "run"] },
};

async function main([name, ...args]) {
  const command = commands[name];
  if (command === undefined) {
    throw new SetupFailure("unknown_command", `There is no command "${name ?? ""}"`, {
      fix: `Use one of: ${Object.keys(commands).join(", ")}`,
    });
  }
  if (Number.parseInt(process.versions.node, 10) < 20) {
    throw new SetupFailure("node_too_old", `Node ${process.versions.node} cannot set this repository up`, {
      fix: "Install Node 20 or newer (the repository then brings its own Node 24), and run the command again",
    });
  }
  const report = createReport(command.steps.length + 1);
  const environment = {};
  for (const [index, step] of command.steps.entries()) {
    if (step.isDone()) continue;
    const finish = report.start(index + 1, step.title);
    Object.assign(environment, await step.run());
    finish();
  }
  report.last(command.title);
  return runUnderRepositoryNode([...command.program, ...args], environment);
}

main(process.argv.slice(2)).then(
  (exitCode) => process.exit(exitCode),
  (error) => {
    if (!(error instanceof SetupFailure)) throw error;
    error.print();
    process.exit(1);
  },
);
