/* The step that sets the speed of a unit without an energy form. */
import type { UnitPlan } from "./model/plan.ts";
import { element, type Option } from "./dom.ts";
import { card, idOf, line, list } from "./fields.ts";
import { refresh } from "./listen.ts";

/** Return the card for the speed of a unit. */
export function speedStep(unit: UnitPlan, number: number): HTMLElement {
  const { top, now, fixed } = unit.block.speeds!;
  const id = idOf(unit) + "-speed";
  if (fixed) {
    const text = unit.block.name + " moves at speed " + now + " in this scenario.";
    return card(number, "Speed", element("p", {}, text));
  }
  const pairs: Option[] = [["", "unchanged: " + now]];
  for (let speed = 0; speed <= top; speed++) pairs.push([speed, speed]);
  const set = (value: string) => {
    unit.speed = value === "" ? null : Number(value);
    refresh();
  };
  return card(
    number,
    "Speed",
    line(
      {},
      element("label", { for: id }, "Hexes this turn"),
      list(id, {}, pairs, unit.speed === null ? "" : unit.speed, set),
    ),
  );
}
