/* Bundles the scripts of the pages: one file in built/ for each page. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import ts from "typescript";

/* Emails carry lines of at most 998 characters unchanged; a mail program may put some in front. */
const LONGEST_LINE = 700;
/* Pages travel by email, whose lines are short and in ASCII. */
const travelling = { minify: true, charset: "ascii", lineLimit: LONGEST_LINE };
/* The proof page is read by people who check it. */
const readable = { minify: false, charset: "utf8" };

const pages = {
  "form-energy": { entry: "src/form/form_energy.ts", ...travelling },
  "form-full": { entry: "src/form/form_full.ts", ...travelling },
  "form-full-alone": { entry: "src/form/form_full_alone.ts", ...travelling },
  "form-orders": { entry: "src/form/form_orders.ts", ...travelling },
  "form-orders-alone": { entry: "src/form/form_orders_alone.ts", ...travelling },
  game: { entry: "src/game/main.ts", minify: true },
  in: { entry: "src/play/in.ts", minify: true },
  proof: { entry: "src/proof/main.ts", ...readable },
  report: { entry: "src/film/report.ts", ...travelling },
  watch: { entry: "src/game/watch.ts", minify: true },
  whole: { entry: "src/film/whole.ts", ...travelling },
};

/* Returns a script with line breaks after commas, where lines are too long: esbuild breaks no long expression. */
function inShortLines(script) {
  if (script.split("\n").every((line) => line.length <= LONGEST_LINE)) return script;
  const source = ts.createSourceFile("script.js", script, ts.ScriptTarget.Latest, true);
  const ends = [];
  const visit = (node) => {
    if (node.kind === ts.SyntaxKind.CommaToken) ends.push(node.end);
    node.getChildren(source).forEach(visit);
  };
  visit(source);
  let short = "";
  let done = 0;
  for (const [n, end] of ends.entries()) {
    const begun = Math.max(done, script.lastIndexOf("\n", end - 1) + 1);
    if ((ends[n + 1] ?? script.length) - begun <= LONGEST_LINE) continue;
    const breaks = script.slice(end, ends[n + 1]).indexOf("\n");
    if (breaks >= 0 && end + breaks - begun <= LONGEST_LINE) continue;
    short += script.slice(done, end) + "\n";
    done = end;
  }
  return short + script.slice(done);
}

for (const [name, { entry, ...how }] of Object.entries(pages)) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: "iife",
    target: ["chrome131", "firefox133", "safari18"],
    legalComments: "none",
    logLevel: "warning",
    absWorkingDir: import.meta.dirname,
    write: false,
    ...how,
  });
  const script = how.lineLimit ? inShortLines(outputFiles[0].text) : outputFiles[0].text;
  await writeFile(join(import.meta.dirname, "built", `${name}.js`), script);
}
