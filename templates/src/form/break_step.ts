/* The step for breaks and for choices of damage. */
import { fieldValues } from "./model/builders.ts";
import { vocabulary } from "./model/data.ts";
import type { UnitPlan } from "./model/plan.ts";
import { element, type Child, type Option } from "./dom.ts";
import { adder, lineList, touch } from "./adding.ts";
import { conditions } from "./conditions.ts";
import { card, choice, idOf, remark } from "./fields.ts";

/** Return the card for breaks and for choices of damage. */
export function breakStep(unit: UnitPlan, number: number): HTMLElement {
  const id = idOf(unit) + "-break";
  const { parts, text, wrong } = conditions(id, unit, false, touch(id));
  return card(
    number,
    "Breaks and damage",
    element("h3", {}, "Stop and ask me, as soon as"),
    element(
      "div",
      { class: "build", id: id + "-build" },
      parts,
      adder(id, unit, "breaks", text, wrong[0] || ""),
    ),
    lineList(unit, "breaks"),
    damageChoice(unit),
  );
}

/** Return the builder of choices of damage (D4.223); empty if the ship has none. */
function damageChoice(unit: UnitPlan): Child {
  const boxes = unit.block.damage || {};
  const kinds = Object.keys(boxes);
  if (!kinds.length) return "";
  const id = idOf(unit) + "-dam";
  const again = touch(id);
  const small = (word: string): Option => [word, word.toLowerCase()];
  const kindList = choice(id, "Kind of damage", kinds.map(small), kinds[0], again);
  const names = boxes[String(fieldValues[id])];
  const pairs = names.map((name): Option => [name, name]);
  const boxList = choice(id + "-box", "Box", pairs, names[0], again);
  const { places } = vocabulary;
  const placeList = choice(id + "-place", "Place", places.map(small), places[0], again);
  const text = [id, id + "-box", id + "-place"].map((one) => fieldValues[one]).join(" ");
  return [
    element("h3", {}, "When I am hit and may choose which box is lost"),
    element(
      "div",
      { class: "build", id: id + "-build" },
      element(
        "div",
        { class: "line", id: id + "-line" },
        ...["of", kindList, "damage takes", boxList, placeList],
      ),
      adder(id, unit, "damage", text, "", { label: "Add this choice" }),
      remark("Where you make no choice, the default procedure applies (D4.223)."),
    ),
    lineList(unit, "damage"),
  ];
}
