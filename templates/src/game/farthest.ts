/* How far a ship gets in the turn at the speed of its energy form, while no course can be plotted yet. */

import type { Board } from "../board/board.ts";
import { svgElement } from "../film/dom.ts";
import { mapData } from "../form/model/data.ts";
import { speedOf } from "../form/model/energy.ts";
import type { UnitPlan } from "../form/model/plan.ts";
import { parseHex } from "../geometry/hex.ts";
import { byId } from "./page.ts";

/** The six directions, in columns and halves of rows. */
const DIRECTIONS = [
  [0, -2],
  [1, -1],
  [1, 1],
  [0, 2],
  [-1, 1],
  [-1, -1],
];

/** Draw the edge of the hexes that the selected ship can reach at most; nothing where courses are plotted. */
export function paintFarthest(board: Board, unit: UnitPlan | undefined): void {
  const { map, grid } = board;
  const old = map.querySelector(".farthest");
  const hex = unit?.block.hex;
  if (mapData || !grid || !hex || !unit.block.energy) return old?.remove();
  const { x, y } = board.centre(parseHex(hex));
  const reach = speedOf(unit) + 0.5;
  const corners = DIRECTIONS.map(
    ([columns, halves]) =>
      `${x + reach * columns * grid.across},${y + (reach * halves * grid.down) / 2}`,
  );
  byId("map-hint").textContent =
    "You will plot the course after speeds are announced. " +
    `${unit.block.name} gets no farther than the dashed line in this turn.`;
  const edge = old ?? svgElement(map, "polygon", { class: "farthest" });
  edge.setAttribute("points", corners.join(" "));
  if (!old) map.querySelector(".counter")?.before(edge);
}
