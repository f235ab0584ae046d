import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/build-cli.ts"],
    setupFiles: ["test/support/load-schema-engine.ts"],
    reporters: ["default"],
    testTimeout: 15_000,
    pool: "threads",
  },
});
