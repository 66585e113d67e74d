/* Courses on the map, and plotting by clicks. */
import { fieldValues } from "./model/builders.ts";
import {
  addCode,
  endOf,
  flownCodes,
  hexesLeft,
  placeAt,
  plotByClick,
  reach,
  replot,
  stepTo,
  walk,
  type Walk,
} from "./model/courses.ts";
import { request } from "./model/data.ts";
import { isSpeedChosen } from "./model/energy.ts";
import {
  bears,
  centre,
  FACINGS,
  hexAt,
  hexesAround,
  outline,
  plotCodes,
  range,
} from "./model/hexes.ts";
import { optional } from "./model/optional.ts";
import { now, plan, type Course, type UnitPlan } from "./model/plan.ts";
import { aim, type Aim } from "./aim.ts";
import { byId, svgElement } from "./dom.ts";
import { host } from "./host.ts";
import { refresh } from "./listen.ts";
import { chart } from "./view.ts";

/** The layers of the drawing, from below to above. */
export const layers = {} as Record<"reach" | "other" | "next" | "course", SVGGElement>;

/** Add the layers to the map, and let clicks and keys plot courses. */
export function prepareMap(): void {
  layers.reach = svgElement("g", { class: "reach" });
  layers.other = svgElement("g", { class: "courses" });
  layers.next = svgElement("g", { class: "next" });
  layers.course = svgElement("g", { class: "courses" });
  chart.insertBefore(layers.reach, chart.querySelector(".no"));
  const firstCounter = chart.querySelector(".counter");
  for (const layer of [layers.other, layers.next, layers.course])
    chart.insertBefore(layer, firstCounter);
  chart.setAttribute("tabindex", "0");
  chart.setAttribute("aria-describedby", "map-hint");
  if (!host) chart.addEventListener("click", hearClick);
  chart.addEventListener("keydown", hearKey);
}

/** Return the course that clicks on the map draw. */
const drawnCourse = (): Course =>
  (fieldValues.helmed !== "mine" && optional.enemies?.sketch()) || now();

const isSketch = (course: Course) => course.veil !== undefined;

/** Draw a path through points. */
const pathOf = (hexes: { hex: string }[]) =>
  "M" + hexes.map(({ hex }) => centre(hex).join(" ")).join("L");

/** Draw a course on a layer; `kind` is its class, and sketches that are only compared have no points. */
export function drawCourse(found: Walk, layer: SVGGElement, kind: string): void {
  const { path, straight } = found;
  const end = endOf(found);
  if (path.length > 1)
    layer.append(svgElement("path", { class: "course " + kind, d: pathOf(path) }));
  if (straight.length)
    layer.append(
      svgElement("path", { class: "course rest " + kind, d: pathOf([end, ...straight]) }),
    );
  for (const place of kind.endsWith("alt") ? [] : path.slice(1)) {
    const [x, y] = centre(place.hex);
    const title =
      "impulse " + place.impulse + ": " + place.code + " to " + place.hex + place.facing;
    layer.append(
      svgElement(
        "g",
        {},
        svgElement("circle", { class: "pt", cx: x, cy: y, r: 9 }),
        svgElement("text", { class: "ptno", x, y: y + 4 }, place.impulse),
        svgElement("title", {}, title),
      ),
    );
  }
  if (path.length < 2) return;
  const [x, y] = centre(end.hex);
  const turn = 60 * FACINGS.indexOf(end.facing);
  layer.append(
    svgElement("path", {
      ...{ class: "bow " + kind, d: "M0-24 6-12-6-12Z" },
      transform: "translate(" + x + " " + y + ") rotate(" + turn + ")",
    }),
  );
}

/** Return the codes that lead to each neighbouring hex. */
function nextHexes(course: Course, found: Walk): Map<string, string[]> {
  const next = new Map<string, string[]>();
  if (hexesLeft(found) <= 0 || found.fault || course.course) return next;
  for (const code of plotCodes()) {
    const { hex, refused, left } = stepTo(course, endOf(found), code, flownCodes(found));
    if (!refused && !left) next.set(hex, [...(next.get(hex) || []), code]);
  }
  return next;
}

/**
 * Draw where a unit can still get.
 *
 * The course that is being drawn gets the impulses, and the codes of the next hexes.
 */
function drawReach(course: Course, found: Walk, isDrawn: boolean): void {
  const attributes = { class: isSketch(course) ? "his" : "" };
  const next = isDrawn ? nextHexes(course, found) : new Map<string, string[]>();
  const impulses = request.through - request.first + 1;
  for (const [hex, { impulse }] of reach(course, found)) {
    if (next.has(hex)) continue;
    const [x, y] = centre(hex);
    const opacity = (0.3 - (0.22 * (impulse - request.first)) / impulses).toFixed(3);
    layers.reach.append(
      svgElement(
        "g",
        { ...attributes, "data-hex": hex },
        svgElement("path", { d: outline(hex), "fill-opacity": opacity }),
        isDrawn && svgElement("text", { x, y: y + 17 }, impulse),
      ),
    );
  }
  for (const [hex, codes] of next) {
    const [x, y] = centre(hex);
    const title = codes.join(" or ") + ": " + hex + " in impulse " + found.due[flownCodes(found)];
    layers.next.append(
      svgElement(
        "g",
        { ...attributes, "data-hex": hex },
        svgElement("path", { d: outline(hex, 0.93) }),
        svgElement("text", { x, y: y + 5 }, codes.join(" ")),
        svgElement("title", {}, title),
      ),
    );
  }
}

/** Draw where the unit can get whose course is not drawn. The game page would be covered by that of an enemy. */
function drawOtherReach(course: Course): void {
  if (!(host && isSketch(course))) drawReach(course, walk(course), false);
}

/** Draw everything that the form adds to the map. */
export function drawMap(): void {
  const unit = now();
  for (const layer of Object.values(layers)) layer.replaceChildren();
  byId("map-hint").textContent = "";
  if (plan.keepsOrders || !unit?.block.helm) return;
  const found = walk(unit);
  const sketch = optional.enemies?.sketch();
  const drawn = drawnCourse();
  const isOwn = drawn === unit;
  const drawnWalk = isOwn ? found : walk(drawn);
  if (sketch) drawOtherReach(isOwn ? sketch : unit);
  drawReach(drawn, drawnWalk, true);
  for (const other of plan.units)
    if (other !== unit && other.block.helm) drawCourse(walk(other), layers.other, "other");
  drawCourse(found, layers.course, "");
  if (sketch) optional.enemies!.draw(unit, sketch);
  const [x, y] = centre(unit.block.hex);
  layers.course.append(svgElement("circle", { class: "me", cx: x, cy: y, r: 27 }));
  if (aim) drawAim(aim, placeAt(found, aim.impulse));
  byId("map-hint").textContent = hint(unit, drawn, drawnWalk);
}

/** Draw what weapons are aimed at, and what all of them bear on, a little beyond the target. */
function drawAim(
  { targetHex, weapons }: Aim,
  { hex, facing }: { hex: string; facing: string },
): void {
  const far = Math.max(6, range(hex, targetHex) + 2);
  const isInArc = (other: string) => {
    const gap = range(hex, other);
    return (
      gap > 0 &&
      gap <= far &&
      weapons.every((one) => gap >= one.least && gap <= one.most && bears(one, hex, facing, other))
    );
  };
  const inside = weapons.length ? hexesAround(hex, far).filter(isInArc) : [];
  const d = inside.map((other) => outline(other, 0.96)).join("");
  if (d) layers.reach.prepend(svgElement("path", { class: "inarc", d }));
  const [x1, y1] = centre(hex);
  const [x2, y2] = centre(targetHex);
  layers.course.append(
    svgElement("line", { class: "aim", x1, y1, x2, y2 }),
    svgElement("circle", { class: "over2", cx: x2, cy: y2, r: 25 }),
  );
}

/** Return what a click on the map does now. */
function hint(unit: UnitPlan, drawn: Course, found: Walk): string {
  const left = hexesLeft(found);
  const count = left + " of " + found.due.length + " hexes left";
  const press = matchMedia("(pointer: coarse)").matches ? "Tap" : "Click";
  const { name } = drawn.block;
  if (drawn !== unit)
    return left > 0
      ? press + " where " + name + " may fly: " + count + ". The sketch is not sent."
      : name + "’s hexes are all sketched.";
  if (unit.course) return "Your plot is a COURSE. Remove it to plot by clicking.";
  if (!isSpeedChosen(unit))
    return "Choose the speed of " + name + " under ENERGY first: none is set yet.";
  if (!found.due.length) return name + " does not move in these impulses.";
  return left > 0
    ? press +
        " a hex to fly there: " +
        count +
        ". The number is the impulse. Choose the last hex again to slip instead of turning."
    : "All " + found.due.length + " hexes are plotted.";
}

function hearClick(event: MouseEvent): void {
  const course = drawnCourse();
  if (plan.keepsOrders || !course?.block.helm) return;
  const screen = chart.getScreenCTM()!.inverse();
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(screen);
  if (plotByClick(course, hexAt(x, y))) refresh();
}

/** Let arrow keys plot codes; with Shift they slip. */
function hearKey(event: KeyboardEvent): void {
  const codes: Record<string, string> = {
    ArrowUp: "F",
    ArrowLeft: event.shiftKey ? "SL" : "L",
    ArrowRight: event.shiftKey ? "SR" : "R",
    Backspace: "back",
    ArrowDown: "back",
  };
  const code = codes[event.key];
  if (!code || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  const course = drawnCourse();
  if (code === "back") replot(course, course.codes.slice(0, -1));
  else addCode(course, code);
  refresh();
}
