/* The boxes of a display as paths of SVG, drawn as by the program when it made the page (pbem/reports/map/ssd.py). */

import type { DisplayBlock } from "../generated/displays.ts";
import type { ShipState } from "./ship_states.ts";

const PITCH = 10;
const SIZE = 8;

/** Whether a box or a weapon is left, was lost in the impulse shown, or before. */
export type Condition = "left" | "new" | "old";

/** The paths of a display, by the classes of their elements, and the texts of its labels. */
export interface DrawnBoxes {
  paths: Record<"left" | "new" | "newcross" | "old" | "oldcross", string>;
  labels: string[];
  /** Whether a box was lost in the impulse. */
  struck: boolean;
}

type Place = [x: number, y: number];

/** Return the paths of a display. `before` is its state at the beginning of the impulse. */
export function drawnBoxes(
  blocks: readonly DisplayBlock[],
  now: ShipState,
  before: ShipState,
): DrawnBoxes {
  const places: Record<Condition, Place[]> = { left: [], new: [], old: [] };
  for (const [name, x, y, columns, start] of blocks)
    for (let box = 0; box < start; box++) {
      const place: Place = [x + PITCH * (box % columns), y + PITCH * Math.floor(box / columns)];
      places[boxCondition(box, now.boxes.get(name), before.boxes.get(name))].push(place);
    }
  return {
    paths: {
      left: rows(places.left),
      new: outlines(places.new),
      newcross: crosses(places.new, true),
      old: outlines(places.old),
      oldcross: crosses(places.old, false),
    },
    labels: blocks.map(([name, , , , start]) => label(name, now.boxes.get(name) ?? 0, start)),
    struck: places.new.length > 0,
  };
}

function boxCondition(box: number, now = 0, before = 0): Condition {
  if (box < now) return "left";
  return box < before ? "new" : "old";
}

/** Return whether a weapon is left, was lost in the impulse, or before. */
export function weaponCondition(weapon: string, now: ShipState, before: ShipState): Condition {
  if (!now.out.has(weapon)) return "left";
  return before.out.has(weapon) ? "old" : "new";
}

function label(name: string, left: number, start: number): string {
  return `${/^warp (left|right)$/.test(name) ? "warp" : name} ${left}/${start}`;
}

/** Return each row of adjacent boxes as one line through their centres. */
function rows(places: readonly Place[]): string {
  const lines: [number, number, number][] = [];
  for (const [x, y] of places) {
    const last = lines.at(-1);
    if (last && last[1] === y && last[0] + PITCH * last[2] === x) last[2]++;
    else lines.push([x, y, 1]);
  }
  return lines.map(([x, y, count]) => `M${x - 1} ${y + SIZE / 2}h${PITCH * count}`).join("");
}

const outlines = (places: readonly Place[]) =>
  places.map(([x, y]) => `M${x} ${y}h${SIZE}v${SIZE}h-${SIZE}z`).join("");

function crosses(places: readonly Place[], both: boolean): string {
  const back = both ? `m0-${SIZE}l-${SIZE} ${SIZE}` : "";
  return places.map(([x, y]) => `M${x} ${y}l${SIZE} ${SIZE}${back}`).join("");
}
