import type { CommandContext } from "../cli/command-context.ts";
import { type ExitCode, exitCodes } from "../cli/exit-code.ts";
import { listenForInterruption } from "../cli/interruption.ts";
import { displayPath } from "../config/store-location.ts";
import { createConsoleDeliverer } from "../runtime/console-deliverer.ts";
import { answerWordLimit, editorKey } from "../runtime/demo-setup.ts";
import { readLocalSetup } from "../runtime/local-setup.ts";
import { openLocal } from "../runtime/open-local.ts";
import { writeLine } from "../terminal/surroundings.ts";
import { createDemoRunner } from "./agents/create-demo-runner.ts";
import { createDemoProgress } from "./demo-progress.ts";
import { createDemoScreen } from "./demo-screen.ts";
import type { DocumentsToRead } from "./documents-to-read.ts";
import { narrateCoordinator } from "./narrate-coordinator.ts";
import { createNarrator } from "./narrate-event.ts";
import { playDemo } from "./play-demo.ts";
import { setOlderSchemaAside } from "./set-aside.ts";

export interface DemoOptions {
  readonly question: string;
  readonly found: DocumentsToRead;
}

/** Runs the demo, or goes on with the one that an earlier process left; 0 when an answer was delivered. */
export async function runDemo(context: CommandContext, { question, found }: DemoOptions): Promise<ExitCode> {
  const { workingDirectory } = context.surroundings;
  const setup = readLocalSetup({ ...context, globals: { ...context.globals, demo: true } });
  if (setup.location.kind === "sqlite") await noteOlderSchema(context, setup.location.path);
  const progress = createDemoProgress();
  const narrator = createNarrator();
  const screen = createDemoScreen(context, progress.describe);
  const local = await openLocal(setup, {
    policy: "own",
    creates: true,
    // What reaches the channel is read from the outbox and printed below the timeline.
    deliverers: [createConsoleDeliverer(() => undefined)],
    runner: createDemoRunner({
      workingDirectory,
      wordLimit: answerWordLimit,
      editorKey,
      observer: narrateCoordinator(screen.entry),
      documents: () => Promise.resolve(found.documents),
    }),
  });
  using interruption = listenForInterruption();
  local.trunkline.events.subscribe({}, (event) => {
    progress.observe(event);
    const entry = narrator.tell(event);
    if (entry !== undefined) screen.entry(entry);
  });
  const played = playDemo({ local, screen, narrator, question, found, storeName: setup.databaseName });
  try {
    const summary = await Promise.race([played, interruption.happened.then(() => undefined)]);
    if (summary !== undefined) {
      screen.summary(summary);
      return summary.ok ? exitCodes.done : exitCodes.failed;
    }
    screen.close();
    await local.trunkline.stop();
    writeLine(context.surroundings.stderr, "Stopped, nothing lost. Run it again to go on.");
    return exitCodes.interrupted;
  } finally {
    played.catch(() => undefined);
    screen.close();
    await local.close();
  }
}

async function noteOlderSchema(context: CommandContext, databasePath: string): Promise<void> {
  const aside = await setOlderSchemaAside(databasePath);
  if (aside === undefined) return;
  const { path, schema, latest } = aside;
  const name = displayPath(path, context.surroundings.workingDirectory);
  context.note(`The demo database had schema ${schema}, this version writes ${latest}: it was set aside as ${name}`);
}
