/* The sketched courses of an enemy on the map, and what both ships fire at each other. */
import { endOf, walk } from "./model/courses.ts";
import { centre } from "./model/hexes.ts";
import { rounded } from "./model/numbers.ts";
import { duelTable, meanPoints } from "./model/odds.ts";
import type { UnitPlan } from "./model/plan.ts";
import { allSketches, type Sketch } from "./model/sketches.ts";
import { svgElement } from "./dom.ts";
import { drawCourse, layers } from "./drawing.ts";
import { watchedRow } from "./what_if.ts";

/**
 * Draw the sketches: the one that is being drawn, and the others thinner, each with its letter.
 *
 * At the impulse that the player looks at, arrows show the points to be expected both ways.
 */
export function drawSketches(unit: UnitPlan, sketch: Sketch): void {
  const { me, his, range, out, back, fires, answers } = watchedRow(duelTable(unit, sketch));
  const sketches = allSketches();
  for (const one of sketches) {
    const found = walk(one);
    drawCourse(found, layers.course, one.id === sketch.id ? "his" : "his alt");
    if (sketches.length < 2 || found.path.length < 2) continue;
    const [x, y] = centre(endOf(found).hex);
    layers.course.append(svgElement("text", { class: "gapno", x: x + 20, y: y + 24 }, one.letter));
  }
  const mine = centre(me.hex);
  const enemy = centre(his.hex);
  const [[x1, y1], [x2, y2]] = [mine, enemy];
  layers.course.append(
    svgElement("line", { class: "gap", x1, y1, x2, y2 }),
    svgElement("circle", { class: "me", cx: x1, cy: y1, r: 22 }),
    svgElement("circle", { class: "me his", cx: x2, cy: y2, r: 22 }),
    svgElement("text", { class: "gapno", x: (x1 + x2) / 2, y: (y1 + y2) / 2 + 5 }, range),
  );
  if (fires) drawVolley(mine, enemy, meanPoints(out), "");
  if (answers) drawVolley(enemy, mine, meanPoints(back), "his");
}

/** Draw an arrow with points, beside the line between two ships. */
function drawVolley([x1, y1]: number[], [x2, y2]: number[], points: string, kind: string): void {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (!(length > 40)) return;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const at = (along: number, beside: number) =>
    [x1 + dx * along - dy * beside, y1 + dy * along + dx * beside].map(rounded);
  const path = (...places: [along: number, beside: number][]) =>
    "M" + places.map((place) => at(...place).join(" ")).join("L");
  const [x, y] = at(length * 0.3, 20);
  const tip = path([length - 22, 8], [length - 34, 2], [length - 34, 14]) + "Z";
  layers.course.append(
    svgElement("path", { class: "volley " + kind, d: path([24, 8], [length - 30, 8]) }),
    svgElement("path", { class: "tip " + kind, d: tip }),
    svgElement("text", { class: "gapno score " + kind, x, y: y + 5 }, points),
  );
}
