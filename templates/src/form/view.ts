/*
 * What is seen of the map.
 *
 * The map is drawn so many pixels wide per unit of its drawing, in a box that scrolls. It opens on what matters: the
 * ship whose orders are written, and the units with which it may have to do.
 */
import { formData, mapData, type Unit } from "./model/data.ts";
import { optional } from "./model/optional.ts";
import { now } from "./model/plan.ts";
import { byId } from "./dom.ts";
import { host } from "./host.ts";
import { isFighting, pointOut } from "./pointers.ts";

type Point = number[];

/** The distance of two neighbouring hexes in the drawing. */
const HEX = 52;
/** The smallest scale at which hexes can be read, and the largest one at which the map opens. */
const LEGIBLE = 24 / HEX;
const LARGE = 1.15;
/** How many hexes are seen around the places that matter. */
const AROUND = 2.2;
/** The range in hexes within which enemies matter. */
const NEAR = 16;
/** How many hexes ahead of a ship matter. */
const AHEAD = 5;

/** The drawing of the map. */
export let chart: SVGSVGElement;
let sheet: DOMRect;
let scale = 0;
/** Whether the map shows what matters, and not all of it. */
let framed = false;

export const mapBox = () => byId("map-box");

const boxSize = () => [mapBox().clientWidth, mapBox().clientHeight];

/** Return the scale at which the whole map fits into the box. */
function wholeScale(): number {
  const [width, height] = boxSize();
  return Math.min(width / sheet.width, height ? height / sheet.height : Infinity);
}

function setScale(next: number): void {
  requestAnimationFrame(showPointers);
  scale = Math.min(2.4, Math.max(Math.min(wholeScale(), 1), next));
  chart.style.width = Math.floor(sheet.width * scale) + "px";
  chart.style.height = Math.floor(sheet.height * scale) + "px";
}

/** Return where a point of the drawing is on the screen. */
export function onScreen([x, y]: Point): Point {
  const { left, top } = chart.getBoundingClientRect();
  return [(x - sheet.x) * scale + left, (y - sheet.y) * scale + top];
}

/** Return the point of the drawing at a place on the screen. */
function onSheet(x: number, y: number): Point {
  const { left, top } = chart.getBoundingClientRect();
  return [(x - left) / scale + sheet.x, (y - top) / scale + sheet.y];
}

/** Bring a point of the drawing into the middle of the box. */
export function centreOn(point: Point): void {
  const box = mapBox();
  const { left, top } = box.getBoundingClientRect();
  box.scrollLeft += onScreen(point)[0] - left - box.clientWidth / 2;
  box.scrollTop += onScreen(point)[1] - top - box.clientHeight / 2;
}

/** Point at the edge of the box to the enemies that it does not show. */
function showPointers(): void {
  const box = mapBox();
  const { left, top } = box.getBoundingClientRect();
  pointOut({
    box,
    covered: 0,
    places: spots(),
    pixelOf(point) {
      const [x, y] = onScreen(point);
      return [x - left, y - top];
    },
    centreOn(point) {
      centreOn(point);
      showPointers();
    },
  });
}

/** Return the point of the drawing in the middle of the box. */
function middle(): Point {
  const box = mapBox();
  const { left, top } = box.getBoundingClientRect();
  return onSheet(left + box.clientWidth / 2, top + box.clientHeight / 2);
}

const counters = () => [...chart.querySelectorAll<SVGElement>(".counter")];

/** Return where units are in the drawing: by their counters, which are there without courses, too. */
export function spots(): Map<string, Point> {
  return new Map(
    counters().map((counter) => {
      const { x, y, width, height } = counter.getBoundingClientRect();
      return [counter.dataset.unit!, onSheet(x + width / 2, y + height / 2)];
    }),
  );
}

/**
 * Return groups of points to look at, the most first.
 *
 * These are: my ships with the enemies and seeking weapons near, or else the nearest enemy; the ship whose orders are
 * written with its nearest enemy; and that ship with the hexes that it can reach.
 */
function groupsThatMatter(): Point[][] {
  const places = spots();
  const unit = now();
  const me = unit && places.get(unit.block.name);
  const hexes = (a: Point, b: Point) => Math.hypot(a[0] - b[0], a[1] - b[1]) / HEX;
  const placeOf = ({ name }: Unit) => places.get(name)!;
  const known = formData.units.filter(({ name }) => places.has(name));
  const mine = known.filter((one) => one.mine);
  const enemies = known.filter((one) => one.enemy);
  const gap = (one: Unit) => Math.min(...mine.map((own) => hexes(placeOf(own), placeOf(one))));
  const byGap = enemies.slice().sort((a, b) => gap(a) - gap(b));
  const near = byGap.filter((one) => gap(one) <= NEAR);
  if (!near.some(isFighting)) near.push(...byGap.filter(isFighting).slice(0, 1));
  const groups = [[...mine, ...near].map(placeOf)];
  if (me && enemies.length) {
    const away = (one: Unit) => hexes(me, placeOf(one));
    const nearest = enemies.slice().sort((a, b) => away(a) - away(b))[0];
    groups.push([me, placeOf(nearest)]);
  }
  if (me) groups.push([...aroundOf(me), ...reachablePoints()]);
  return groups.filter((points) => points.length);
}

const aroundOf = ([x, y]: Point): Point[] =>
  [-AHEAD * HEX, AHEAD * HEX].flatMap((away) => [
    [x + away, y],
    [x, y + away],
  ]);

const reachablePoints = (): Point[] =>
  optional.courses && now().block.helm
    ? optional.courses.reachableHexes(now()).map(optional.courses.centre)
    : [];

/** Note whether the map shows what matters, and say on the button what it would do. */
function setFramed(on: boolean): void {
  framed = on;
  const home = byId("zoom-home");
  home.textContent = on ? "All" : "Near";
  home.title = on ? "The whole map" : "My ships, and the units they can affect or be affected by";
}

/** Show what matters. */
export function frame(): void {
  if (host) return host.frame();
  const [width, height] = boxSize();
  setFramed(true);
  if (!width || !height) return;
  setScale(wholeScale());
  /* Without courses nobody has to hit a hex: all that matters goes before hexes that can be read. */
  showFirst(groupsThatMatter(), mapData ? undefined : wholeScale());
}

/** Show these hexes, with the map as large as can be. */
export function seePlaces(hexes: string[]): void {
  if (host) return host.seePlaces(hexes);
  setFramed(false);
  showFirst([hexes.map(optional.courses!.centre)], wholeScale());
}

/** Return whether these hexes are on the part of the map that is shown. */
export function isInSight(hexes: string[]): boolean {
  if (host) return host.isInSight(hexes);
  const { left, right, top, bottom } = mapBox().getBoundingClientRect();
  return hexes.every((hex) => {
    const [x, y] = onScreen(optional.courses!.centre(hex));
    return x > left && x < right && y > top && y < bottom;
  });
}

/** Make the map as large as can be with the first of these groups in sight for which it can be read. */
function showFirst(groups: Point[][], least = Math.min(LARGE, 1.5 * LEGIBLE)): void {
  const [width, height] = boxSize();
  for (const [n, points] of groups.entries()) {
    const [left, right] = span(
      points.map((point) => point[0]),
      sheet.x,
      sheet.width,
    );
    const [top, bottom] = span(
      points.map((point) => point[1]),
      sheet.y,
      sheet.height,
    );
    const wanted = Math.min(LARGE, width / (right - left), height / (bottom - top));
    if (wanted < least && n < groups.length - 1) continue;
    setScale(Math.max(wanted, least));
    const mine = wanted < least && now() && spots().get(now().block.name);
    centreOn(mine || [(left + right) / 2, (top + bottom) / 2]);
    return;
  }
}

/** Return from where to where the map has to be seen, for these coordinates. */
function span(coordinates: number[], low: number, size: number): number[] {
  const margin = AROUND * HEX;
  return [
    Math.max(low, Math.min(...coordinates) - margin),
    Math.min(low + size, Math.max(...coordinates) + margin),
  ];
}

/** Bring the unit whose orders are written into sight, if it is not. */
export function showCurrent(): void {
  if (host) return host.showCurrent();
  const name = now()?.block.name;
  const counter = counters().find(({ dataset }) => dataset.unit === name);
  if (!counter) return;
  const at = counter.getBoundingClientRect();
  const box = mapBox().getBoundingClientRect();
  const isOutside =
    at.left < box.left || at.right > box.right || at.top < box.top || at.bottom > box.bottom;
  if (isOutside) centreOn(spots().get(name)!);
}

function zoomBy(factor: number): void {
  const here = middle();
  setScale(scale * factor);
  centreOn(here);
}

/** Find the map in the page, and let its buttons work. */
export function prepareView(): void {
  chart = document.querySelector<SVGSVGElement>("#map-box .map")!;
  sheet = chart.viewBox.baseVal as DOMRect;
  if (host) return;
  let width = 0;
  mapBox().addEventListener("scroll", () => requestAnimationFrame(showPointers), { passive: true });
  byId("zoom-in").addEventListener("click", () => zoomBy(1.35));
  byId("zoom-out").addEventListener("click", () => {
    zoomBy(1 / 1.35);
    if (scale <= wholeScale()) setFramed(false);
  });
  byId("zoom-home").addEventListener("click", () => {
    if (!framed) {
      frame();
      return;
    }
    setScale(wholeScale());
    setFramed(false);
  });
  addEventListener("resize", () => {
    const [wide] = boxSize();
    if (wide !== width) frame();
    width = wide;
  });
}
