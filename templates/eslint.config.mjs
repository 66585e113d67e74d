import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["built", "coverage", "node_modules"] },
  ...tseslint.configs.recommended,
  {
    rules: {
      complexity: ["error", 15],
      eqeqeq: "error",
      "max-len": ["error", { code: 120 }],
      "no-var": "error",
      "one-var": ["error", "never"],
      "prefer-const": ["error", { destructuring: "all" }],
    },
  },
);
