import { defineConfig } from "vitest/config";

const engineTests = (files: string): string => `packages/engine/test/${files}.test.ts`;

/** The engine's tests that run on every server of `TRUNKLINE_TEST_STORES` as well; `npm test` names those that it found. */
const onEveryStore = [
  "decide",
  "{send,yield,outbox,watch,runs,processes}/*",
  "spawn/{cleanup,completions,contention,fork,limits,nested,threads,time-limit}",
].map(engineTests);

const servers = (process.env["TRUNKLINE_TEST_STORES"] ?? "").split(",").filter((name) => name !== "");

// Many tests drive real processes and servers; on a busy machine one may miss its time once. It is told, and run again.
const retry = process.env["CI"] === "true" ? 2 : 0;

export default defineConfig({
  resolve: { conditions: ["trunkline-source"] },
  ssr: { resolve: { conditions: ["trunkline-source"] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "main",
          include: [
            "packages/config/*.test.ts",
            "packages/*/test/**/*.test.ts",
            "apps/*/test/**/*.test.ts",
            "examples/test/**/*.test.ts",
          ],
          testTimeout: 20_000,
          hookTimeout: 30_000,
          retry,
        },
      },
      ...servers.map((name) => ({
        extends: true as const,
        test: {
          name,
          // A death at every fault point takes minutes on a server: the gate walks it on one.
          include: name === "postgres" ? [...onEveryStore, engineTests("crash/*")] : onEveryStore,
          env: { TRUNKLINE_TEST_STORE: name, TRUNKLINE_MODEL_RUNS: "10" },
          testTimeout: 90_000,
          hookTimeout: 60_000,
          retry,
        },
      })),
    ],
  },
});
