/* Bundles the scripts of the pages: one file in built/ for each page. */
import { build } from "esbuild";

/* Pages travel by email, whose lines are in ASCII and have at most 990 characters. esbuild breaks a line at the next
   place where it can, which is far behind the limit. */
const travelling = { minify: true, charset: "ascii", lineLimit: 200 };
/* The proof page is read by people who check it. */
const readable = { minify: false, charset: "utf8" };

const pages = {
  game: { entry: "src/game/main.ts", minify: true },
  report: { entry: "src/film/report.ts", ...travelling },
  whole: { entry: "src/film/whole.ts", ...travelling },
  "form-energy": { entry: "src/form/form_energy.ts", ...travelling },
  "form-full": { entry: "src/form/form_full.ts", ...travelling },
  "form-full-alone": { entry: "src/form/form_full_alone.ts", ...travelling },
  "form-orders": { entry: "src/form/form_orders.ts", ...travelling },
  "form-orders-alone": { entry: "src/form/form_orders_alone.ts", ...travelling },
  in: { entry: "src/play/in.ts", minify: true },
  proof: { entry: "src/proof/main.ts", ...readable },
};

for (const [name, { entry, ...how }] of Object.entries(pages)) {
  await build({
    entryPoints: [entry],
    outfile: `built/${name}.js`,
    bundle: true,
    format: "iife",
    target: ["chrome131", "firefox133", "safari18"],
    legalComments: "none",
    logLevel: "warning",
    absWorkingDir: import.meta.dirname,
    ...how,
  });
}
