import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts"],
    coverage: {
      // What draws nothing and asks no browser is tested here, the rest in the tests of the pages.
      include: ["src/film/{beams,frames,geometry}.ts", "src/geometry/hex.ts"],
      reporter: ["text"],
      thresholds: { lines: 90, branches: 90, functions: 90, statements: 90 },
    },
  },
});
