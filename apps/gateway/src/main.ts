import process from "node:process";
import { runCli } from "./cli/run-cli.ts";
import { processSurroundings } from "./terminal/surroundings.ts";

// A reader that closes the pipe early (`trunkline … | head`) has all it wanted.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

const exitCode = await runCli(process.argv.slice(2), processSurroundings());
for (const stream of [process.stdout, process.stderr]) {
  await new Promise<void>((resolve) => stream.write("", () => resolve()));
}
// A finished command ends, whatever timer is still set somewhere.
process.exit(exitCode);
