/* Making a line of orders, adding it, and the lists of lines. */
import { clearBuilder, loose, touched } from "./model/builders.ts";
import { enterLine, plan, type OrderList, type UnitPlan } from "./model/plan.ts";
import { button, byId, element, valueIn, type Child } from "./dom.ts";
import { complaint, idOf, line } from "./fields.ts";
import { refresh } from "./listen.ts";

/** What the lines of a list are called. */
const NAMES: Record<OrderList, string> = {
  do: "order",
  breaks: "break",
  damage: "damage choice",
  steer: "line of the plot",
  rest: "entry",
};

/** Say something below the buttons. */
export const tell = (text: string) => {
  byId("said").textContent = text;
};

/** Return a function that notes that a builder is being used, and draws the page. */
export const touch = (id: string) => () => {
  touched[id] = true;
  refresh();
};

/** Add a line to the orders, and empty its builder. */
export function addLine(id: string, unit: UnitPlan, list: OrderList, text: string): void {
  enterLine(unit, list, text);
  clearBuilder(id);
  refresh();
}

/** Leave a line that was made out of the orders. */
export function dropLine(id: string): void {
  clearBuilder(id);
  refresh();
}

/** Return the end of a builder: its line, the button that adds it, and what is wrong or not done yet. */
export function adder(
  id: string,
  unit: UnitPlan,
  list: OrderList,
  text: string,
  why: string,
  { label = "Add this " + NAMES[list], main = false } = {},
): Child {
  const waits = Boolean(touched[id]) && !unit[list].includes(text);
  if (waits) loose[id] = [plan.units.indexOf(unit), list, text, why];
  else delete loose[id];
  const add = () => {
    if (why) tell(why);
    else addLine(id, unit, list, text);
  };
  return [
    line(
      { id: id + "-make" },
      element("code", { class: "mono" }, text),
      button(
        id + "-add",
        add,
        { class: main ? "main" : "", "data-add": true, "aria-disabled": why ? "true" : null },
        label,
      ),
      waits && button(id + "-leave", () => dropLine(id), {}, "Discard it"),
    ),
    waits && element("p", { class: "warn", id: id + "-loose" }, "Not added to your orders yet."),
    complaint(why, { id: id + "-why" }),
  ];
}

/** What is said of a line of a list: why it is wrong, or that it is in force from before although it is. */
export interface LineVerdict {
  why: string;
  stands?: boolean;
}

/** Return the lines of a list, each with buttons that move it and take it away. */
export function lineList(
  unit: UnitPlan,
  list: OrderList,
  judgeLine: (text: string) => LineVerdict = () => ({ why: "" }),
): Child {
  const lines = unit[list];
  if (!lines.length) return "";
  const id = idOf(unit) + "-" + list + "-";
  return element(
    "ul",
    { class: "list", id: id + "list" },
    lines.map((text, n) =>
      lineItem(id + n, lines, n, NAMES[list] + " " + (n + 1), judgeLine(text)),
    ),
  );
}

function lineItem(
  id: string,
  lines: string[],
  n: number,
  label: string,
  { why, stands = false }: LineVerdict,
): HTMLElement {
  const text = lines[n];
  const moveUp = () => {
    [lines[n], lines[n - 1]] = [lines[n - 1], text];
    refresh();
  };
  const takeAway = () => {
    lines.splice(n, 1);
    refresh();
  };
  const isWrong = Boolean(why) && !stands;
  return element(
    "li",
    { id: id + "-item" },
    element(
      "div",
      { class: "row", id: id + "-row" },
      element("textarea", {
        ...{ id, rows: 1, class: "mono", "aria-label": label, spellcheck: "false", value: text },
        "aria-invalid": isWrong ? "true" : null,
        oninput: (event) => {
          lines[n] = valueIn(event);
          refresh();
        },
      }),
      lines.length > 1 &&
        button(id + "-up", moveUp, { disabled: n === 0, "aria-label": "Up: " + text }, "↑"),
      button(id + "-x", takeAway, { "aria-label": "Remove: " + text }, "✕"),
    ),
    why &&
      element(
        "p",
        { class: isWrong ? "err" : "tiny" },
        (stands ? "From earlier orders: " : "") + why,
      ),
  );
}
