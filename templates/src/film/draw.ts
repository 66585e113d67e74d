/* Draws a frame into a map: `map.svg.j2` has drawn all that any frame needs. */

import { type Grid, type Point, distance, parseHex } from "../geometry/hex.ts";
import type { ReplayData } from "./data.ts";
import { all, svgElement } from "./dom.ts";
import type { FullFrame, Timeline } from "./frames.ts";
import {
  type CounterShape,
  type LabelShape,
  type Place,
  centreAt,
  labelAt,
  parseSlots,
  placeOf,
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

/** Changes attributes; what an element has already is left alone, because a step of a fleet changes little. */
class Pen {
  readonly #drawn = new WeakMap<Element, Map<string, unknown>>();

  put(element: SVGElement, name: string, value: string | number | boolean | null): void {
    let known = this.#drawn.get(element);
    if (!known) this.#drawn.set(element, (known = new Map()));
    if (known.get(name) === value) return;
    known.set(name, value);
    if (typeof value === "boolean") element.classList.toggle(name, value);
    else if (name === "transform") element.style.transform = String(value);
    else if (name === "text") element.textContent = String(value);
    else if (value === null) element.removeAttribute(name);
    else element.setAttribute(name, String(value));
  }

  show(element: SVGElement, yes: boolean): void {
    this.put(element, "off", !yes);
  }
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

function readShot(line: SVGElement, timeline: Timeline): Shot {
  const { turn, impulse, step } = line.dataset;
  const k = timeline.find(turn ? Number(turn) : undefined, Number(impulse), step!);
  return { line, k: Math.max(0, k), hit: line.matches(".hit") };
}

export class Drawing {
  readonly counters: Counter[];
  readonly labels: Label[];
  readonly shots: Shot[];
  /** The unit from which ranges are drawn, or empty. */
  measured = "";
  /** Where each unit is in the frame that is drawn. */
  places = new Map<string, Place | null>();
  readonly #pen = new Pen();
  readonly #tracks: Track[];
  readonly #ranges: RangeLine[];
  readonly #lost: SVGElement[];
  readonly #links: SVGElement[];
  readonly #planets: [string, Point & { at: string }][] = [];
  readonly #width: number;

  constructor(
    readonly map: SVGSVGElement,
    readonly grid: Grid,
    readonly timeline: Timeline,
    planets: ReplayData["planets"],
  ) {
    this.counters = all<SVGGElement>(map, ".counter").map(readCounter);
    this.labels = all<SVGTextElement>(map, ".label[data-unit]").map(readLabel);
    this.shots = all<SVGElement>(map, ".shot, .hit").map((line) => readShot(line, timeline));
    this.#tracks = all<SVGGElement>(map, ".track").map((g) => readTrack(g, timeline));
    this.#ranges = all<SVGGElement>(map, ".span").map((g) => {
      return { g, line: g.querySelector("line")!, text: g.querySelector("text")! };
    });
    this.#lost = all<SVGElement>(map, ".lost");
    this.#links = all<SVGElement>(map, ".link");
    this.#width = Number(map.getAttribute("viewBox")!.split(" ")[2]);
    for (const [name, at] of Object.entries(planets)) {
      const middle = centreAt(grid, at);
      if (middle) this.#planets.push([name, { ...middle, at }]);
    }
  }

  draw(k: number): void {
    const now = this.timeline.full[k];
    this.places = new Map(this.counters.map((c) => [c.unit, this.placeIn(c, now)]));
    for (const counter of this.counters) this.#drawCounter(counter, now);
    for (const label of this.labels) this.#drawLabel(label, now);
    for (const track of this.#tracks) this.#drawTrack(track, k);
    this.#drawShots(k);
    for (const g of this.#lost) this.#pen.show(g, g.dataset.unit! in now.gone);
    for (const g of this.#links) this.#pen.show(g, k === this.timeline.last);
    for (const range of this.#ranges) this.#drawRange(range, now);
    this.#drawRulers();
  }

  /** Draw the ranges from one unit to all others, or none if it is empty. */
  measureFrom(unit: string): void {
    this.measured = unit;
    this.#drawRulers();
  }

  /** Return the place of a counter in a frame, or null while it is not on the map. */
  placeIn(counter: Counter, now: FullFrame): Place | null {
    return placeOf(this.grid, counter, now.at[counter.unit]);
  }

  /** Return where the name beside a counter at `x` is; its width is measured when it is first seen. */
  labelAt(label: Label, x: number): { x: number; before: number } {
    label.wide ||= label.text.getComputedTextLength();
    return labelAt(label, x, this.#width);
  }

  #drawCounter(counter: Counter, now: FullFrame): void {
    const place = this.places.get(counter.unit);
    const pen = this.#pen;
    pen.show(counter.g, Boolean(place));
    if (!place) {
      counter.turn = null;
      return;
    }
    const cloak = now.cloak[counter.unit];
    const turn = (counter.turn = turnedTo(counter.turn, place.turn));
    const { x, y, size, at } = place;
    pen.put(counter.g, "transform", `translate(${x}px, ${y}px) rotate(${turn}deg) scale(${size})`);
    pen.put(counter.g, "veiled", Boolean(cloak));
    pen.put(counter.name, "text", [counter.unit, at, cloak].filter(Boolean).join(", "));
    now.shields[counter.unit]?.forEach((left, n) => {
      const side = counter.sides[n];
      if (!side) return;
      const width = shieldWidth(left, Number(side.dataset.start));
      pen.put(side, "class", width ? "shield" : "down");
      pen.put(side, "stroke-width", width || null);
    });
  }

  #drawLabel(label: Label, now: FullFrame): void {
    const place = this.places.get(label.unit);
    this.#pen.show(label.text, Boolean(place) || label.unit in now.gone);
    this.#pen.put(label.text, "gone", !place);
    if (!place) return;
    const { x, before } = this.labelAt(label, place.x);
    this.#pen.put(label.text, "x", x);
    this.#pen.put(label.text, "y", place.y + label.dy);
    this.#pen.put(label.text, "text-anchor", ANCHORS[2 * before]);
  }

  #drawTrack(track: Track, k: number): void {
    const now = this.timeline.full[k];
    const seen = track.beads.filter((bead) => bead.k <= k).length;
    for (const { bead, k: from } of track.beads) this.#pen.show(bead, from <= k);
    this.#pen.put(track.path, "d", "M" + track.points.slice(0, 1 + seen).join("L"));
    if (track.ring) this.#pen.show(track.ring, track.unit in now.at || track.unit in now.gone);
  }

  /** Show the fire of the impulse so far. At the end all fire of the turn is shown, but no points before the last. */
  #drawShots(k: number): void {
    const { timeline } = this;
    const [turn, moment] = [timeline.turn(k), timeline.moment(k)];
    for (const shot of this.shots) {
      const now = shot.k <= k && timeline.moment(shot.k) === moment;
      const end = k === timeline.last && !shot.hit && timeline.turn(shot.k) === turn;
      this.#pen.show(shot.line, now || end);
    }
  }

  #drawRange({ g, line, text }: RangeLine, now: FullFrame): void {
    const { from, to } = g.dataset;
    const a = this.places.get(from!);
    const b = this.places.get(to!);
    const reach = now.reach.find(([unit, other]) => unit === from && other === to);
    const pen = this.#pen;
    pen.show(g, Boolean(a && b && reach));
    if (!a || !b || !reach) return;
    pen.put(line, "x1", a.x);
    pen.put(line, "y1", a.y);
    pen.put(line, "x2", b.x);
    pen.put(line, "y2", b.y);
    pen.put(text, "x", (a.x + b.x) / 2);
    pen.put(text, "y", (a.y + b.y) / 2 + 5);
    pen.put(text, "text", reach[2]);
  }

  #drawRulers(): void {
    const from = this.places.get(this.measured);
    this.map.querySelector("#map-rulers")?.replaceChildren(...(from ? this.#rulersFrom(from) : []));
    this.map.classList.toggle("ruled", Boolean(from));
  }

  /** Return lines with ranges from a place to all units and planets on the map. */
  #rulersFrom(from: Place): SVGElement[] {
    const lines: SVGElement[] = [];
    for (const [unit, to] of [...this.places, ...this.#planets]) {
      if (!to || unit === this.measured) continue;
      const text = svgElement(this.map, "text", {
        "data-to": unit,
        x: (from.x + 2 * to.x) / 3,
        y: (from.y + 2 * to.y) / 3 + 5,
      });
      const range = distance(parseHex(from.at), parseHex(to.at), this.grid.lower);
      text.textContent = String(range);
      lines.push(
        svgElement(this.map, "line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y }),
        text,
      );
    }
    return lines;
  }
}
