import { type LocalSetup, readLocalSetup } from "../runtime/local-setup.ts";
import type { LocalTrunkline } from "../runtime/open-local.ts";
import { oneLine } from "../terminal/printable.ts";
import type { CommandContext } from "./command-context.ts";

/** An engine of this process that can execute runs; what it posts to the console channel appears on stderr. */
export interface DeliveringLocal extends LocalTrunkline {
  readonly setup: LocalSetup;
  /** Lets what the demo's agents began come to its end, for at most so long. */
  settle(timeoutMs: number): Promise<void>;
  /** Lets the runs of this process end, then closes. */
  finish(): Promise<void>;
}

const drainMs = 600_000;

/** Opens the configured store, or the demo's with its agents. */
export async function openDeliveringLocal(context: CommandContext): Promise<DeliveringLocal> {
  const [{ openLocal }, { createConsoleDeliverer }] = await Promise.all([
    import("../runtime/open-local.ts"),
    import("../runtime/console-deliverer.ts"),
  ]);
  const setup = readLocalSetup(context);
  const console = createConsoleDeliverer(({ text }) => context.note(`console  ${oneLine(text)}`));
  const runner = setup.isDemo ? await demoRunner(context) : await modelRunner(setup);
  const local = await openLocal(setup, {
    policy: "own",
    deliverers: [console, ...(await channelDeliverers(setup))],
    ...(runner ? { runner } : {}),
  });
  context.note(`via ${setup.databaseName}${runner ? "" : ", no model: agents answer nothing"}`);
  return {
    ...local,
    setup,
    async settle(timeoutMs) {
      if (!setup.isDemo || timeoutMs <= 0) return;
      await local.trunkline.waitForIdle({ timeoutMs }).catch(() => context.note("some of the work goes on later"));
    },
    finish: () => local.close(drainMs),
  };
}

async function demoRunner({ surroundings }: CommandContext) {
  const { createQuietDemoRunner } = await import("../demo/quiet-demo-runner.ts");
  return createQuietDemoRunner(surroundings.workingDirectory);
}

async function modelRunner({ loaded }: LocalSetup) {
  if (Object.keys(loaded.config.models.providers).length === 0) return undefined;
  const { createModelRunner } = await import("../models/create-model-runner.ts");
  return createModelRunner(loaded.config);
}

async function channelDeliverers({ loaded }: LocalSetup) {
  if (Object.keys(loaded.config.channels).length === 0) return [];
  const { createChannelDeliverers } = await import("../channels/create-channel-deliverers.ts");
  return createChannelDeliverers(loaded.config);
}
