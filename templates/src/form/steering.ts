/* The builder of lines that steer by a unit, react, or order a tactical maneuver. */
import { fieldValues } from "./model/builders.ts";
import { otherUnits } from "./model/courses.ts";
import { request, vocabulary } from "./model/data.ts";
import { plotCodes } from "./model/hexes.ts";
import type { UnitPlan } from "./model/plan.ts";
import { element, type Child, type Option } from "./dom.ts";
import { adder, touch } from "./adding.ts";
import { conditions, fillIn, whyNoIt } from "./conditions.ts";
import { choice, idOf, numberBox, numberIn, whyNoNumber } from "./fields.ts";

/** A line in the making. `more` are fields that stand below the others. */
interface LineInTheMaking {
  parts: Child[];
  more: Child;
  text: string;
  wrong: string[];
}

/** Return the builder of lines of the plot. */
export function steerBuilder(unit: UnitPlan): HTMLElement {
  const id = idOf(unit) + "-steer";
  const again = touch(id);
  const pilots = otherUnits(unit).length ? vocabulary.pilots : [];
  const kinds: Option[] = pilots.map(({ show }, n) => ["p" + n, show]);
  kinds.push(["r", "replace the next code, when …"]);
  if (unit.block.tac) kinds.push(["t", "tactical maneuver"]);
  const kindList = choice(id, "How to steer", kinds, kinds[0][0], again);
  const kind = String(fieldValues[id]);
  const make = { t: tacticalManeuver, r: reaction }[kind] || pilotLine;
  const { parts, more, text, wrong } = make(id, unit, again);
  return element(
    "div",
    { class: "build" },
    element("div", { class: "line" }, kindList, parts),
    more,
    adder(id, unit, "steer", text, wrong.find(Boolean) || "", { label: "Add" }),
  );
}

function tacticalManeuver(id: string, unit: UnitPlan, again: () => void): LineInTheMaking {
  const ways: Option[] = [
    ["L", "left"],
    ["R", "right"],
  ];
  const times: Option[] = [
    ["at", "in impulse …"],
    ["if", "when …"],
  ];
  const parts: Child[] = [
    choice(id + "-way", "Turn", ways, "R", again),
    choice(id + "-when", "When", times, "at", again),
  ];
  const turn = "TAC " + fieldValues[id + "-way"];
  if (fieldValues[id + "-when"] === "if") {
    const when = conditions(id + "-if", unit, true, again);
    return {
      parts,
      more: when.parts,
      wrong: when.wrong,
      text: "IF " + when.text + " THEN " + turn,
    };
  }
  const impulse = id + "-imp";
  parts.push(numberBox(impulse, "impulse", request.first, again));
  const text = turn + " AT " + numberIn(impulse);
  return { parts, more: "", wrong: [whyNoNumber(impulse)], text };
}

function reaction(id: string, unit: UnitPlan, again: () => void): LineInTheMaking {
  const when = conditions(id + "-if", unit, true, again);
  const codes = plotCodes().map((code): Option => [code, code]);
  return {
    parts: [choice(id + "-code", "Code", codes, "R", again)],
    more: when.parts,
    wrong: when.wrong,
    text: "IF " + when.text + " THEN " + fieldValues[id + "-code"],
  };
}

function pilotLine(id: string, unit: UnitPlan, again: () => void): LineInTheMaking {
  const choices: Option[] = [
    ["", "always"],
    ["IF", "while …"],
  ];
  const always = choice(id + "-while", "Always, or while", choices, "", again);
  const hasCondition = Boolean(fieldValues[id + "-while"]);
  const names = [...(hasCondition ? ["IT"] : []), ...otherUnits(unit)];
  const pilot = vocabulary.pilots[Number(String(fieldValues[id]).slice(1))];
  const { parts, wrong, text } = fillIn(id, pilot.text, unit, names, again);
  parts.push(always);
  if (!hasCondition) return { parts, more: "", wrong, text };
  const when = conditions(id + "-if", unit, true, again);
  return {
    parts,
    more: when.parts,
    wrong: [...wrong, ...when.wrong, whyNoIt(text, when.text)],
    text: text + " IF " + when.text,
  };
}
