/* Whether the orders can be sent, and what is open. */
import { nothingChosen, outlook, type LooseOrder, type Outlook } from "./model/outlook.ts";
import { plan, type UnitPlan } from "./model/plan.ts";
import { addLine, dropLine } from "./adding.ts";
import { button, byId, element, type Child } from "./dom.ts";
import { line } from "./fields.ts";
import { refresh } from "./listen.ts";

/** The greatest number of faults that are listed. */
const MOST_FAULTS = 6;

/** Return the state of the whole form, with a text that was pasted and not loaded. */
export const formOutlook = () =>
  outlook(Boolean(byId<HTMLTextAreaElement>("load-text").value.trim()));

/** Return the class of the verdict, and its parts. */
export function verdict(): [state: string, ...parts: Child[]] {
  if (plan.keepsOrders) return ["good", "✓ Ready to send: your orders so far stay as they are."];
  const found = formOutlook();
  const parts = [
    faultList(found.faults),
    impossibleList(found),
    looseList(found.loose),
    bareList(found),
  ].filter(Boolean);
  const state = found.faults.length ? "bad" : parts.length ? "open" : "good";
  if (state === "good") parts.push(element("p", {}, "✓ Ready to send."));
  const notes = found.notes.map((note) => element("li", {}, note));
  if (notes.length) parts.push(element("ul", { class: "notes" }, notes));
  return [state, ...parts];
}

function faultList(faults: string[]): Child {
  const count = faults.length;
  if (!count) return "";
  const these = count === 1 ? "this fault" : "these " + count + " faults";
  const more = count - MOST_FAULTS;
  return [
    element("p", {}, "Correct " + these + " before you send it:"),
    element(
      "ul",
      {},
      faults.slice(0, MOST_FAULTS).map((fault) => element("li", {}, fault)),
      more > 0 && element("li", {}, "and " + more + " more"),
    ),
  ];
}

/** Return what happens to orders from before that are impossible by now. */
function impossibleList({ faults, impossible }: Outlook): Child {
  if (!impossible.length) return "";
  const head = faults.length ? "" : "You can send this plan. ";
  return [
    element(
      "p",
      { class: "loose" },
      head +
        (impossible.length === 1
          ? "This earlier order is no longer possible. It will not be carried out, and the report will say so:"
          : "These earlier orders are no longer possible. They will not be carried out, and the report will say so:"),
    ),
    element(
      "ul",
      { class: "loose" },
      impossible.map((text) => element("li", {}, text)),
    ),
  ];
}

function looseList(loose: LooseOrder[]): Child {
  if (!loose.length) return "";
  return [
    element("p", { class: "loose" }, "Not added yet:"),
    element("ul", { class: "loose", id: "loose" }, loose.map(looseItem)),
  ];
}

function looseItem({ id, unit, list, text, why }: LooseOrder): HTMLElement {
  if (!unit || !list)
    return element("li", {}, "the text in the box below: put it into the form, or empty the box");
  return element(
    "li",
    { id: "loose-" + id },
    plan.units.length > 1 && unit.block.name + ": ",
    element("code", { class: "mono" }, text),
    " ",
    why
      ? element("span", { class: "tiny" }, why + " ")
      : button("put-" + id, () => addLine(id, unit, list, text), {}, "Add"),
    button("drop-" + id, () => dropLine(id), {}, "Discard it"),
  );
}

/** Return what happens to the units for which nothing is chosen. */
function bareList({ bare, loose }: Outlook): Child {
  if (!bare.length) return "";
  const isOnly = plan.units.length === 1;
  const isAll = bare.length === plan.units.length;
  const only = nothingChosen(bare[0]).replace(/^./, (letter) => letter.toUpperCase()) + ".";
  const head = isOnly
    ? only
    : isAll && !loose.length
      ? "Nothing is chosen yet:"
      : "Not chosen yet:";
  const item = (unit: UnitPlan) => element("li", {}, nothingChosen(unit));
  const setMeant = () => {
    for (const unit of bare) unit.meant = true;
    refresh();
  };
  return [
    element("p", { class: "loose" }, head),
    !isOnly && element("ul", { class: "loose" }, bare.map(item)),
    line({}, button("meant", setMeant, {}, "Yes, this is what I want")),
  ];
}
