import { defineConfig } from "vitest/config";

/** The engine's tests, which run on SQLite and on every server of `TRUNKLINE_TEST_STORES`; `npm test` names those that it found. */
const engineTests = "packages/engine/test/**/*.test.ts";

const servers = (process.env["TRUNKLINE_TEST_STORES"] ?? "").split(",").filter((name) => name !== "");

// Many tests drive real processes and servers; on a busy machine one may miss its time once. It is told, and run again.
const retry = process.env["CI"] === "true" ? 2 : 0;

export default defineConfig({
  resolve: { conditions: ["trunkline-source"] },
  ssr: { resolve: { conditions: ["trunkline-source"] } },
  test: {
    // More than the processors of a small machine: most tests wait for a server's disk or for another process.
    maxWorkers: 4,
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
          testTimeout: 60_000,
          hookTimeout: 60_000,
          retry,
        },
      },
      ...servers.map((name) => ({
        extends: true as const,
        test: {
          name,
          include: [engineTests],
          env: { TRUNKLINE_TEST_STORE: name, TRUNKLINE_MODEL_RUNS: "10" },
          testTimeout: 240_000,
          hookTimeout: 120_000,
          retry,
        },
      })),
    ],
  },
});
