/* The orders of the selected ship so far, each with a button that takes it back. */

import { button, element, type Child } from "../form/dom.ts";
import { refresh } from "../form/listen.ts";
import { codesText, replot, walk } from "../form/model/courses.ts";
import { courseFaults } from "../form/model/judging.ts";
import { type OrderList, plan, type UnitPlan } from "../form/model/plan.ts";

interface Line {
  id: string;
  text: string;
  why: string;
  remove(): void;
}

/** Return the list of the orders of a unit. */
export function ordersList(unit: UnitPlan | undefined): Child {
  if (!unit || plan.keepsOrders) return "";
  const lines = unit.block.helm ? [...courseLines(unit), ...lists(unit)] : [];
  return element(
    "section",
    { class: "card sofar", "aria-label": `Orders of ${unit.block.name}`, key: "sofar" },
    element("h2", {}, `Orders of ${unit.block.name}`),
    lines.length
      ? element("ul", {}, lines.map(item))
      : element(
          "p",
          { class: "soft" },
          unit.block.helm
            ? "None yet. Click a hex to fly there, or click an enemy to fire at it."
            : "None except the energy form.",
        ),
  );
}

const item = (line: Line): HTMLElement =>
  element(
    "li",
    { key: line.id },
    element("code", {}, line.text),
    button(
      `${line.id}-off`,
      line.remove,
      { "aria-label": `Remove: ${line.text}`, title: "Remove (Delete)" },
      "×",
    ),
    line.why ? element("p", { class: "err" }, line.why) : "",
  );

function courseLines(unit: UnitPlan): Line[] {
  const fault = courseFaults(unit).find((one) => one.step === "plot");
  const text = unit.course || codesText(unit.codes) || unit.typed || "";
  if (!text) return [];
  const { path, due } = walk(unit);
  const done = unit.codes.length ? `  (${path.length - 1} of ${due.length} hexes)` : "";
  const remove = () => {
    replot(unit, []);
    unit.course = "";
    unit.typed = null;
    refresh();
  };
  return [{ id: "sofar-course", text: `Course ${text}${done}`, why: fault?.text ?? "", remove }];
}

/** The lists of lines, with the word before each line. */
const LISTS: readonly [OrderList, string][] = [
  ["steer", "Steer: "],
  ["do", ""],
  ["breaks", "Stop if "],
  ["damage", "If hit: "],
];

function lists(unit: UnitPlan): Line[] {
  const faults = courseFaults(unit);
  return LISTS.flatMap(([list, word]) =>
    unit[list].map((text, n) => ({
      id: `sofar-${list}-${n}`,
      text: word + text,
      why: (list === "do" && faults.find((one) => one.step === "do" && one.n === n)?.text) || "",
      remove: () => {
        unit[list].splice(n, 1);
        refresh();
      },
    })),
  );
}
