import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts"],
    coverage: {
      reporter: ["text-summary"],
      // What draws nothing and asks no browser is tested here, the rest in the tests of the pages.
      include: [
        "src/board/box.ts",
        "src/film/{beams,frames,geometry}.ts",
        "src/form/model/**",
        "src/geometry/**",
      ],
      exclude: ["**/*.test.ts", "**/testing.ts"],
      thresholds: { lines: 90, statements: 90, functions: 90, branches: 90 },
    },
  },
});
