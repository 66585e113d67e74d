/* What if: the enemy's straight course at its announced speed, and what both sides may score in each impulse. */

import { element } from "../form/dom.ts";
import { refresh } from "../form/listen.ts";
import { fieldValues } from "../form/model/builders.ts";
import { formData, mapData, request, type Unit } from "../form/model/data.ts";
import { placeAt, walk } from "../form/model/courses.ts";
import { range } from "../form/model/hexes.ts";
import {
  bestRow,
  type DuelRow,
  duelTable,
  meanPoints,
  rowAt,
  type Spot,
} from "../form/model/odds.ts";
import { optional } from "../form/model/optional.ts";
import { now, plan } from "../form/model/plan.ts";
import type { Sketch } from "../form/model/sketches.ts";
import { draw } from "../form/patch.ts";
import { byId } from "./page.ts";

/** Name under which the form keeps the impulse that is looked at. */
const WATCHED = "foe-watch";

/** Look at an enemy's course; clicks on the map still plot the own course. */
export function watchEnemy(name: string): void {
  if (!formData.foes.some((foe) => foe.name === name)) return;
  fieldValues.foe = name;
  fieldValues.helmed = "mine";
}

/** Look at the nearest enemy ship, if the player has chosen none. */
export function watchNearest(): void {
  const unit = now();
  if (fieldValues.foe || !mapData || !unit?.block.hex) return;
  const known = formData.foes.map((foe) => formData.units.find((one) => one.name === foe.name)!);
  const far = (hex: string) => range(unit.block.hex, hex);
  const nearest = known.filter((one) => one?.hex).sort((a, b) => far(a.hex) - far(b.hex))[0];
  if (nearest) watchEnemy(nearest.name);
}

/** Return where an enemy will be on the course that is drawn for it; null if none is drawn. */
export function supposedPlaces(enemy: Unit): ((impulse: number) => Spot) | null {
  const sketch = optional.enemies?.sketch() ?? null;
  if (sketch?.block.name !== enemy.name) return null;
  const course = walk(sketch);
  return (impulse) => placeAt(course, impulse);
}

/** Look at this impulse: arrows on the map show it. */
export function watchImpulse(impulse: number): void {
  fieldValues[WATCHED] = impulse;
}

/** Draw the panel with the scrubber. It is called each time the plan is drawn. */
export function paintWhatIf(isHidden: boolean): void {
  const panel = byId("whatif");
  const unit = now();
  const sketch = optional.enemies?.sketch() ?? null;
  panel.hidden = isHidden || plan.keepsOrders || !sketch || !unit?.block.helm;
  if (panel.hidden || !sketch) return;
  const rows = duelTable(unit, sketch);
  if (!rows.length) {
    panel.hidden = true;
    return;
  }
  const watched = Number(fieldValues[WATCHED]) || bestRow(rows).impulse;
  const row = rowAt(rows, watched);
  draw(
    panel,
    element(
      "div",
      { class: "scrub" },
      element("label", { for: "whatif-at" }, `Impulse ${watched}`),
      element("input", {
        type: "range",
        id: "whatif-at",
        min: request.first,
        max: request.through,
        value: watched,
        "aria-label": "Impulse to look at",
        oninput: (event: Event) => {
          watchImpulse(Number((event.target as HTMLInputElement).value));
          refresh();
        },
      }),
      element("span", { class: "sum", id: "whatif-range" }, `range ${row.range}`),
    ),
    element("p", { class: "sums", id: "whatif-sums" }, ...sums(row, sketch)),
  );
}

function sums(row: DuelRow, sketch: Sketch): (HTMLElement | string)[] {
  const { name, speed } = sketch.block;
  const known = request.speeds_known ? `announced speed ${speed}` : `speed ${speed} as last turn`;
  const how = sketch.codes.length ? "on the course you drew" : "straight on";
  const mine = row.fires
    ? `${meanPoints(row.out)} on ${shieldsOf(row.hits, sketch.unit.shields)}`
    : "nothing";
  const shields = now().block.shields ?? [];
  const his = row.answers
    ? `${meanPoints(row.back)} on ${shieldsOf(row.hurts, shields)}`
    : "nothing";
  return [
    element("span", { class: "mine" }, "You score ", element("b", {}, mine)),
    ", ",
    element("span", { class: "his" }, `${name} `, element("b", {}, his)),
    element("small", { class: "soft" }, ` on average, if it flies ${how} at ${known}.`),
  ];
}

const shieldsOf = (numbers: readonly number[], boxes: readonly number[]): string =>
  numbers.map((n) => `#${n}${boxes.length ? ` (${boxes[n - 1]})` : ""}`).join(" or ") ||
  "no shield";
