/* The step that plots a course. */
import {
  addCode,
  codesText,
  endOf,
  flownCodes,
  hexesLeft,
  movementTable,
  notUnderstood,
  notUnderstoodText,
  readCodes,
  replot,
  stepTo,
  takeTyped,
  walk,
  type Walk,
} from "./model/courses.ts";
import { speedOf } from "./model/energy.ts";
import { plotCodes } from "./model/hexes.ts";
import type { UnitPlan } from "./model/plan.ts";
import { button, element, valueIn, type Child } from "./dom.ts";
import { lineList } from "./adding.ts";
import { card, checkbox, CODE_BOX, complaint, fold, idOf, line, remark } from "./fields.ts";
import { refresh } from "./listen.ts";
import { steerBuilder } from "./steering.ts";

const CODE_NAMES: Record<string, string> = {
  F: "ahead",
  L: "turn left",
  R: "turn right",
  SL: "slip left",
  SR: "slip right",
};

/** Return the card in which the course of a unit is plotted. */
export function plotStep(unit: UnitPlan, number: number): HTMLElement {
  const id = idOf(unit);
  const found = walk(unit);
  const setLeave = (ticked: boolean) => {
    unit.leave = ticked;
    refresh();
  };
  const script = Boolean(unit.block.script);
  return card(
    number,
    "Plot",
    remark(movementText(unit, found)),
    unit.course ? courseLine(unit) : codeList(unit, found),
    complaint(found.fault?.text),
    codeButtons(unit, found),
    line({}, element("label", { for: id + "-codes" }, "Typed"), codeBox(unit)),
    notUnderstood(unit) && complaint(notUnderstoodText(unit), { id: id + "-codes-why" }),
    unit.block.may_leave &&
      line(
        {},
        checkbox(id + "-leave", "LEAVE MAP: the ship may fly off the map", unit.leave, setLeave),
      ),
    !script &&
      fold(
        id + "-steering",
        unit.steer.length > 0,
        "Steer by a unit, or react",
        steerBuilder(unit),
      ),
    !script && lineList(unit, "steer"),
  );
}

/** Return when the unit moves, and when it may turn. */
function movementText(unit: UnitPlan, found: Walk): string {
  const { mode, slips } = movementTable(unit);
  const straight = Math.floor(endOf(found).state / slips);
  const moves = found.due.length
    ? ": moves on impulse " + found.due.join(", ")
    : ": no move in these impulses";
  const turn =
    straight >= mode ? "may turn now." : straight + " of " + mode + " hexes flown straight.";
  return "Speed " + speedOf(unit) + moves + ". Turn mode " + mode + ": " + turn;
}

/** Return the COURSE order of a text that was loaded, which the form only can take away. */
function courseLine(unit: UnitPlan): HTMLElement {
  const takeAway = () => {
    unit.course = "";
    refresh();
  };
  return line(
    {},
    element("span", { class: "mono" }, "COURSE " + unit.course),
    button(idOf(unit) + "-course-x", takeAway, {}, "Remove the course"),
  );
}

/** Return the plotted codes with their impulses, and what follows. */
function codeList(unit: UnitPlan, found: Walk): HTMLElement {
  const { due, fault } = found;
  const left = hexesLeft(found);
  const item = (kind: string, code: string, words: string) =>
    element("li", { class: kind }, code, element("small", {}, words));
  const items = unit.codes.map((code, n) =>
    item(
      fault && n === fault.n ? "bad" : n >= due.length ? "more" : "",
      code,
      n < due.length ? "imp " + due[n] : "spare",
    ),
  );
  if (left > 0 && !fault)
    items.push(
      unit.codes.length
        ? item("more", "+" + left + " ahead", "straight on")
        : item("more", left + " hexes", "straight on, if you plot nothing"),
    );
  return element("ol", { class: "codes", "aria-label": "Codes plotted" }, items);
}

/** Return a button for each plot code, and buttons that take codes back. */
function codeButtons(unit: UnitPlan, found: Walk): HTMLElement {
  const id = idOf(unit);
  const codeButton = (code: string): Child => {
    const next =
      hexesLeft(found) > 0 && !found.fault
        ? stepTo(unit, endOf(found), code, flownCodes(found))
        : {
            hex: "",
            facing: "",
            refused: found.fault ? "correct the plot first" : "all hexes are plotted",
          };
    const add = () => {
      addCode(unit, code);
      refresh();
    };
    return button(
      id + "-code-" + code,
      add,
      {
        disabled: Boolean(next.refused) || Boolean(unit.course),
        title: next.refused || (next.hex || "off the map") + next.facing,
      },
      code,
      element("small", {}, CODE_NAMES[code]),
    );
  };
  const undo = () => {
    replot(unit, unit.codes.slice(0, -1));
    refresh();
  };
  const clear = () => {
    unit.codes = [];
    unit.typed = null;
    refresh();
  };
  const isEmpty = !unit.codes.length;
  return element(
    "div",
    { class: "keys" },
    plotCodes().map(codeButton),
    button(id + "-undo", undo, { disabled: isEmpty }, "Undo", element("small", {}, "last")),
    button(
      id + "-clear",
      clear,
      { disabled: isEmpty && unit.typed === null },
      "Clear",
      element("small", {}, "all"),
    ),
  );
}

/** Return the box in which codes are typed. */
function codeBox(unit: UnitPlan): HTMLElement {
  const id = idOf(unit) + "-codes";
  const isWrong = Boolean(notUnderstood(unit));
  return element("input", {
    ...{ ...CODE_BOX, id, "aria-label": "Plot codes", disabled: Boolean(unit.course) },
    value: unit.typed ?? codesText(unit.codes),
    "aria-invalid": isWrong ? "true" : null,
    "aria-describedby": isWrong ? id + "-why" : null,
    oninput: (event) => {
      unit.typed = valueIn(event);
      unit.codes = readCodes(unit.typed).codes;
      refresh();
    },
    onchange: () => {
      if (unit.typed !== null) takeTyped(unit);
      refresh();
    },
  });
}
