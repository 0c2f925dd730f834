// Runs the demo in its own process until an agent is inside its runner for one kind of run, says so, and stays there
// until it is killed. Arguments: agent id, run kind.
import process from "node:process";
import { createCommandContext } from "../src/cli/command-context.ts";
import { readGlobalFlags } from "../src/cli/global-flags.ts";
import { createDemoProgress } from "../src/demo/demo-progress.ts";
import { createDemoScreen } from "../src/demo/demo-screen.ts";
import { documentsToRead } from "../src/demo/documents-to-read.ts";
import { createNarrator } from "../src/demo/narrate-event.ts";
import { playDemo } from "../src/demo/play-demo.ts";
import { createQuietDemoRunner } from "../src/demo/quiet-demo-runner.ts";
import { createConsoleDeliverer } from "../src/runtime/console-deliverer.ts";
import { readLocalSetup } from "../src/runtime/local-setup.ts";
import { openLocal } from "../src/runtime/open-local.ts";
import { processSurroundings } from "../src/terminal/surroundings.ts";

const [, , agentId, kind] = process.argv;
const workingDirectory = process.cwd();
const context = createCommandContext(processSurroundings(), readGlobalFlags({ demo: true, json: true }, {}));
const setup = readLocalSetup(context);
const agents = createQuietDemoRunner(workingDirectory);
const local = await openLocal(setup, {
  policy: "own",
  creates: true,
  deliverers: [createConsoleDeliverer(() => undefined)],
  runner: {
    id: "mortal",
    run(request) {
      const { agentId: agent, spawnedBy } = request.session;
      const hangs = agent === agentId && request.run.kind === kind && spawnedBy === undefined;
      if (!hangs) return agents.run(request);
      context.print(JSON.stringify({ type: "inside" }));
      return new Promise(() => undefined);
    },
  },
});
await playDemo({
  local,
  screen: createDemoScreen(context, createDemoProgress().describe),
  narrator: createNarrator(),
  question: "What must never be lost in a crash?",
  found: await documentsToRead({ limit: 12, workingDirectory }),
  storeName: setup.databaseName,
});
