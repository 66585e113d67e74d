import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts"],
    coverage: {
      reporter: ["text-summary"],
      include: ["src/form/model/**", "src/geometry/**"],
      exclude: ["**/*.test.ts", "**/testing.ts"],
      thresholds: { lines: 90, statements: 90, functions: 90, branches: 90 },
    },
  },
});
