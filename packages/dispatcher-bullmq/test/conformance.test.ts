import { spawn } from "node:child_process";
import { join } from "node:path";
import { testDispatcher } from "@trunkline/testkit";
import { Queue } from "bullmq";
import { test } from "vitest";
import { createBullmqDispatcher } from "../src/index.ts";
import { redisAnswers, url } from "./redis.ts";

if (await redisAnswers()) {
  testDispatcher({
    name: "bullmq",
    harness() {
      const queue = `trunkline-test-${crypto.randomUUID()}`;
      const obliterate = async () => {
        const bare = new Queue(queue, { connection: { url } });
        await bare.obliterate({ force: true });
        await bare.close();
      };
      return {
        open: () => createBullmqDispatcher({ url, queue, stalledAfterMs: 1000 }),
        wipe: obliterate,
        dispose: obliterate,
        dieWhileTaking: () => killedTaker(queue),
      };
    },
  });
} else {
  test.skip("there is no Redis here", () => undefined);
}

/** A real process that takes one offer and is killed while it works on it. */
async function killedTaker(queue: string): Promise<void> {
  const script = join(import.meta.dirname, "stuck-process.ts");
  const child = spawn(process.execPath, ["--conditions=trunkline-source", script, queue, url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}
