import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["trunkline-source"] },
  ssr: { resolve: { conditions: ["trunkline-source"] } },
  test: {
    include: [
      "packages/config/*.test.ts",
      "packages/*/test/**/*.test.ts",
      "apps/*/test/**/*.test.ts",
      "examples/test/**/*.test.ts",
    ],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
