/* Draws a frame into a map: `map.svg.j2` has drawn all that any frame needs. */

import { type Grid, type Point, distance, parseHex } from "../geometry/hex.ts";
import type { ReplayData } from "./data.ts";
import { all, svgElement } from "./dom.ts";
import { createGlide } from "./glide.ts";
import type { FullFrame, Timeline } from "./frames.ts";
import {
  type CounterShape,
  type LabelShape,
  type Place,
  centreAt,
  labelAt,
  parseSlots,
  placeOf,
  sharedHexes,
  shieldWidth,
  turnedTo,
} from "./geometry.ts";

const ANCHORS = ["start", "middle", "end"];
const BEFORE: Record<string, number> = { start: 0, middle: 0.5, end: 1 };

/** A counter of a unit on the map; `turn` is the rotation in which it is drawn now. */
export interface Counter extends CounterShape {
  g: SVGGElement;
  unit: string;
  turn: number | null;
  sides: SVGLineElement[];
  name: SVGElement;
}

export interface Label extends LabelShape {
  text: SVGTextElement;
  unit: string;
  dy: number;
}

interface Track {
  path: SVGPathElement;
  points: string[];
  beads: { bead: SVGElement; k: number }[];
  unit: string;
  ring: SVGElement | null;
}

/** A line of fire, or the number of points beside it. */
export interface Shot {
  line: SVGElement;
  k: number;
  hit: boolean;
}

interface RangeLine {
  g: SVGGElement;
  line: SVGLineElement;
  text: SVGTextElement;
}

/**
 * Return a function that changes an attribute of an element.
 *
 * It leaves alone what an element has already, because a step of a fleet changes little.
 */
function createPen() {
  const drawn = new WeakMap<Element, Map<string, unknown>>();
  return (element: SVGElement, name: string, value: string | number | boolean | null) => {
    let known = drawn.get(element);
    if (!known) drawn.set(element, (known = new Map()));
    if (known.get(name) === value) return;
    known.set(name, value);
    if (typeof value === "boolean") element.classList.toggle(name, value);
    else if (name === "text") element.textContent = String(value);
    else if (value === null) element.removeAttribute(name);
    else element.setAttribute(name, String(value));
  };
}

function readCounter(g: SVGGElement): Counter {
  return {
    g,
    unit: g.dataset.unit!,
    size: Number(g.dataset.size) / 100,
    turn: null,
    sides: all(g, "line"),
    name: g.querySelector<SVGElement>("title")!,
    slots: parseSlots(g.dataset.slots ?? ""),
  };
}

function readLabel(text: SVGTextElement): Label {
  const { unit, x, y } = text.dataset;
  return {
    text,
    unit: unit!,
    dx: Number(text.getAttribute("x")) - Number(x),
    dy: Number(text.getAttribute("y")) - Number(y),
    before: BEFORE[text.getAttribute("text-anchor")!],
    wide: 0,
  };
}

function readTrack(g: SVGGElement, timeline: Timeline): Track {
  const unit = g.dataset.unit!;
  const path = g.querySelector<SVGPathElement>(".way")!;
  return {
    path,
    unit,
    points: path.getAttribute("d")!.slice(1).split("L"),
    beads: all<SVGElement>(g, "[data-impulse]").map((bead) => {
      return { bead, k: timeline.movedAt(unit, Number(bead.dataset.impulse)) };
    }),
    ring: g.querySelector<SVGElement>(".start"),
  };
}

function readRange(g: SVGGElement): RangeLine {
  return { g, line: g.querySelector("line")!, text: g.querySelector("text")! };
}

function readShot(line: SVGElement, timeline: Timeline): Shot {
  const { turn, impulse, step } = line.dataset;
  const k = timeline.find(turn ? Number(turn) : undefined, Number(impulse), step!);
  return { line, k: Math.max(0, k), hit: line.matches(".hit") };
}

/** A map on which frames are drawn. */
export interface Drawing {
  readonly map: SVGSVGElement;
  readonly grid: Grid;
  readonly timeline: Timeline;
  readonly counters: readonly Counter[];
  readonly labels: readonly Label[];
  readonly shots: readonly Shot[];
  draw(k: number): void;
  /** Draw the ranges from one unit to all others, or none if it is empty. */
  measureFrom(unit: string): void;
  /** Return the unit from which ranges are drawn, or an empty text. */
  measured(): string;
  /** Return the place of a counter in a frame, or null while it is not on the map. */
  placeIn(counter: Counter, k: number): Place | null;
  /** Return where the name beside a counter at `x` is; its width is measured when it is first seen. */
  labelAt(label: Label, x: number): { x: number; before: number };
}

/**
 * Return the drawing of a map. Its first frame is drawn later.
 *
 * With `centresLast` the last frame shows a unit that is alone in the middle of its hex. Otherwise frames keep units
 * apart that share a hex at any time, as lines of fire, tracks and names of the map do.
 */
export function createDrawing(
  map: SVGSVGElement,
  grid: Grid,
  timeline: Timeline,
  planets: ReplayData["planets"],
  centresLast = false,
): Drawing {
  const put = createPen();
  const move = createGlide();
  const show = (element: SVGElement, yes: unknown) => put(element, "off", !yes);
  const counters = all<SVGGElement>(map, ".counter").map(readCounter);
  const labels = all<SVGTextElement>(map, ".label[data-unit]").map(readLabel);
  const shots = all<SVGElement>(map, ".shot, .hit").map((line) => readShot(line, timeline));
  const tracks = all<SVGGElement>(map, ".track").map((g) => readTrack(g, timeline));
  const ranges = all<SVGGElement>(map, ".span").map(readRange);
  const lost = all<SVGElement>(map, ".lost");
  const links = all<SVGElement>(map, ".link");
  const width = Number(map.getAttribute("viewBox")!.split(" ")[2]);
  let measured = "";
  const shared: Set<string>[] = [];
  let places = new Map<string, Place | null>();
  let now: FullFrame;

  function drawCounter(counter: Counter): void {
    const { g, unit, name, sides } = counter;
    const place = places.get(unit);
    const smooth = counter.turn !== null && map.classList.contains("live");
    show(g, place);
    counter.turn = place ? turnedTo(counter.turn, place.turn) : null;
    if (!place) return;
    const { x, y, size, at } = place;
    const cloak = now.cloak[unit];
    move(g, [x, y, counter.turn!, size], smooth);
    put(g, "veiled", Boolean(cloak));
    put(name, "text", [unit, at, cloak].filter(Boolean).join(", "));
    now.shields[unit]?.forEach((left, n) => {
      const side = sides[n];
      if (!side) return;
      const wide = shieldWidth(left, Number(side.dataset.start));
      put(side, "class", wide ? "shield" : "down");
      put(side, "stroke-width", wide || null);
    });
  }

  function nameAt(label: Label, x: number): { x: number; before: number } {
    label.wide ||= label.text.getComputedTextLength();
    return labelAt(label, x, width);
  }

  function drawLabel(label: Label): void {
    const { text, unit, dy } = label;
    const place = places.get(unit);
    show(text, place || unit in now.gone);
    put(text, "gone", !place);
    if (!place) return;
    const { x, before } = nameAt(label, place.x);
    put(text, "x", x);
    put(text, "y", place.y + dy);
    put(text, "text-anchor", ANCHORS[2 * before]);
  }

  function drawTrack({ path, points, beads, unit, ring }: Track, k: number): void {
    const seen = beads.filter((bead) => bead.k <= k).length;
    for (const { bead, k: from } of beads) show(bead, from <= k);
    put(path, "d", "M" + points.slice(0, 1 + seen).join("L"));
    if (ring) show(ring, unit in now.at || unit in now.gone);
  }

  /** Show the fire of the impulse so far. At the end all fire of the turn is shown, but no points before the last. */
  function drawShot({ line, k: from, hit }: Shot, k: number): void {
    const fired = from <= k && timeline.moment(from) === timeline.moment(k);
    const end = k === timeline.last && !hit && timeline.turn(from) === timeline.turn(k);
    show(line, fired || end);
  }

  function drawRange({ g, line, text }: RangeLine): void {
    const { from, to } = g.dataset;
    const a = places.get(from!);
    const b = places.get(to!);
    const reach = now.reach.find(([unit, other]) => unit === from && other === to);
    show(g, a && b && reach);
    if (!a || !b || !reach) return;
    put(line, "x1", a.x);
    put(line, "y1", a.y);
    put(line, "x2", b.x);
    put(line, "y2", b.y);
    put(text, "x", (a.x + b.x) / 2);
    put(text, "y", (a.y + b.y) / 2 + 5);
    put(text, "text", reach[2]);
  }

  function drawRulers(): void {
    const from = places.get(measured);
    const rulers = from ? rulersFrom(from) : [];
    map.querySelector("#map-rulers")?.replaceChildren(...rulers);
    map.classList.toggle("ruled", Boolean(from));
  }

  /** Return lines with ranges from a place to all units and planets on the map. */
  function rulersFrom(from: Place): SVGElement[] {
    const lines: SVGElement[] = [];
    const rule = (unit: string, to: Point & { at: string }) => {
      const [x, y] = [(from.x + 2 * to.x) / 3, (from.y + 2 * to.y) / 3 + 5];
      const text = svgElement(map, "text", { "data-to": unit, x, y });
      const range = distance(parseHex(from.at), parseHex(to.at), grid.lower);
      text.textContent = String(range);
      const ends = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
      lines.push(svgElement(map, "line", ends), text);
    };
    for (const [unit, to] of places) if (to && unit !== measured) rule(unit, to);
    for (const [name, at] of Object.entries(planets)) {
      const middle = centreAt(grid, at);
      if (middle) rule(name, { ...middle, at });
    }
    return lines;
  }

  /** Return the hexes that several counters share in a frame. */
  function sharedIn(k: number): Set<string> {
    const { at } = timeline.full[k];
    shared[k] ??= sharedHexes(counters.map(({ unit }) => at[unit]));
    return shared[k];
  }

  function placeIn(counter: Counter, k: number): Place | null {
    const at = timeline.full[k].at[counter.unit];
    const isAlone = centresLast && k === timeline.last && at && !sharedIn(k).has(at.slice(0, 4));
    return placeOf(grid, counter, at, !isAlone);
  }

  return {
    map,
    grid,
    timeline,
    counters,
    labels,
    shots,
    draw(k) {
      now = timeline.full[k];
      places = new Map(counters.map((counter) => [counter.unit, placeIn(counter, k)]));
      counters.forEach(drawCounter);
      labels.forEach(drawLabel);
      for (const track of tracks) drawTrack(track, k);
      for (const shot of shots) drawShot(shot, k);
      for (const g of lost) show(g, g.dataset.unit! in now.gone);
      for (const g of links) show(g, k === timeline.last);
      ranges.forEach(drawRange);
      drawRulers();
    },
    measureFrom(unit) {
      measured = unit;
      drawRulers();
    },
    measured: () => measured,
    placeIn,
    labelAt: nameAt,
  };
}
