/* The part of the map that is shown: a close-up that follows the fight, zoom, and dragging by hand. */

import type { Drawing, Label } from "./draw.ts";
import {
  type Box,
  type Span,
  between,
  centreAt,
  shows,
  spansOf,
  stretch,
  zoomed,
} from "./geometry.ts";

/** Room in drawing units round units, and round their names. */
const EDGE = 85;
const AIR = 15;
/** Height in drawing units of the fight of a turn up to which a film begins with the close-up. */
const TALL = 1300;
/** Pixels for a drawing unit: so few at least on a narrow screen, and so many at most. */
const READABLE = 0.75;
const CLOSEST = 1.5;
/** Width in pixels below which the map scrolls rather than be too small to read. */
const NARROW = 600;
/** How much larger than needed a close-up may be before it moves. */
const LOOSE = 1.6;
/** Least height of a close-up, and least width after zooming, in drawing units. */
const LEAST_HEIGHT = 420;
const LEAST_WIDTH = 180;
const GLIDE_TIME = 350;

export interface Camera {
  readonly isClose: boolean;
  closeUp(yes: boolean, k: number): void;
  /** Keep what matters in a frame in sight, unless the reader moved the map. */
  follow(k: number): void;
  zoom(by: number): void;
}

/**
 * Return the camera of a map.
 *
 * `mine` is the unit in the middle of a map that scrolls; `signal` ends what the camera listens to.
 */
export function createCamera(drawing: Drawing, mine: string, signal: AbortSignal): FilmCamera {
  const camera = new FilmCamera(drawing, mine);
  camera.listen(signal);
  return camera;
}

export class FilmCamera implements Camera {
  readonly #whole: Box;
  readonly #frame: HTMLElement;
  /** The share of the screen's height that a map may take, as in report.css. */
  readonly #highest = innerWidth < NARROW ? 0.8 : 0.72;
  readonly #glide = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : GLIDE_TIME;
  #box: Box;
  #gliding = 0;
  #byHand = false;
  #held: [number, number] | null = null;

  constructor(
    readonly drawing: Drawing,
    readonly mine: string,
  ) {
    const [left, top, width, height] = drawing.map.getAttribute("viewBox")!.split(" ").map(Number);
    this.#box = this.#whole = [left, top, width, height];
    this.#frame = drawing.map.parentElement!;
  }

  get isClose(): boolean {
    return this.drawing.map.classList.contains("close");
  }

  /** Return whether the fight of all frames is so small that the film begins with the close-up. */
  get beginsClose(): boolean {
    const spans = this.#spans(0, this.drawing.timeline.last);
    return !spans || spans[1][1] - spans[1][0] < TALL;
  }

  closeUp(yes: boolean, k: number): void {
    this.#byHand = false;
    this.drawing.map.classList.toggle("close", yes);
    this.#look(yes ? this.#wanted(k) : this.#whole);
    this.#fit(k);
  }

  follow(k: number): void {
    if (!this.isClose || this.#byHand) return;
    const need = this.#wanted(k);
    if (shows(this.#box, need, [AIR, EDGE / 2], LOOSE)) return;
    this.#look(need, true);
    this.#fit(k);
  }

  zoom(by: number, x = 0.5, y = 0.5): void {
    this.drawing.map.classList.add("close");
    this.#byHand = true;
    this.#look(zoomed(this.#box, by, [LEAST_WIDTH, this.#whole[2]], x, y));
  }

  /** Listen to the wheel with Ctrl, which is how browsers report pinching, and to dragging with the mouse. */
  listen(signal: AbortSignal): void {
    const { map } = this.drawing;
    signal.addEventListener("abort", () => this.#reset());
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const { left, top, width, height } = map.getBoundingClientRect();
      const by = Math.exp(event.deltaY / 300);
      this.zoom(by, (event.clientX - left) / width, (event.clientY - top) / height);
    };
    const down = (event: PointerEvent) => {
      const held = event.pointerType === "mouse" && event.button === 0 && this.isClose;
      if (held) this.#held = [event.clientX, event.clientY];
    };
    const up = () => {
      this.#held = null;
      setTimeout(() => map.classList.remove("held"));
    };
    map.addEventListener("wheel", wheel, { passive: false, signal });
    map.addEventListener("pointerdown", down, { signal });
    addEventListener("pointermove", (event) => this.#drag(event), { signal });
    addEventListener("pointerup", up, { signal });
  }

  #reset(): void {
    const { map } = this.drawing;
    map.classList.remove("close", "held");
    map.style.minWidth = "";
    this.#look(this.#whole);
  }

  #drag({ clientX, clientY }: PointerEvent): void {
    if (!this.#held) return;
    const { map } = this.drawing;
    const box = this.#box;
    const [dx, dy] = [this.#held[0] - clientX, this.#held[1] - clientY];
    if (Math.hypot(dx, dy) < 4 && !map.classList.contains("held")) return;
    map.classList.add("held");
    this.#byHand = true;
    const scale = box[2] / map.clientWidth;
    this.#look([box[0] + dx * scale, box[1] + dy * scale, box[2], box[3]]);
    this.#held = [clientX, clientY];
  }

  /** Return the spans of all units in a frame and of those that moved up to another frame. */
  #spans(from: number, to: number): [Span, Span] | null {
    const { grid, timeline } = this.drawing;
    const frames = [timeline.full[from], ...timeline.frames.slice(from + 1, to + 1)];
    const places = frames.flatMap((frame) => Object.values(frame.at ?? {}));
    return spansOf(places.flatMap((at) => centreAt(grid, at) ?? []));
  }

  /** Return from where to where the names beside units reach in a frame. */
  #named(k: number, [low, high]: Span): Span {
    let [from, to] = [low - EDGE, high + EDGE];
    for (const label of this.drawing.labels) {
      const span = this.#nameIn(k, label);
      if (span) [from, to] = [Math.min(from, span[0] - AIR), Math.max(to, span[1] + AIR)];
    }
    return [from, to];
  }

  #nameIn(k: number, label: Label): Span | null {
    const { grid, timeline } = this.drawing;
    const middle = centreAt(grid, timeline.full[k].at[label.unit]);
    if (!middle) return null;
    const { x, before } = this.drawing.labelAt(label, middle.x);
    const left = x - before * label.wide;
    return [left, left + label.wide];
  }

  /**
   * Return the part of the map that matters in a frame.
   *
   * It holds all units and what moved in the impulse. It is never so small that ships in one hex fill the screen.
   */
  #wanted(k: number): Box {
    const [, , width, height] = this.#whole;
    const spans = this.#spans(Math.max(0, this.drawing.timeline.begins(k) - 1), k);
    if (!spans) return this.#whole;
    const [top, high] = stretch(spans[1], EDGE, LEAST_HEIGHT, height);
    const units = Math.max(high / (this.#highest * innerHeight), 1 / CLOSEST);
    const least = units * this.#frame.clientWidth;
    const [left, wide] = stretch(this.#named(k, spans[0]), 0, least, width);
    return [left, top, wide, high];
  }

  #look(to: Box, smooth = false): void {
    cancelAnimationFrame(this.#gliding);
    const from = this.#box;
    const begun = performance.now();
    this.#box = to;
    const step = (time: number) => {
      const moving = smooth && this.#glide > 0;
      const part = moving ? Math.min(1, Math.max(0, (time - begun) / this.#glide)) : 1;
      this.drawing.map.setAttribute("viewBox", between(from, to, part).join(" "));
      if (part < 1) this.#gliding = requestAnimationFrame(step);
    };
    step(begun);
  }

  /** Let the map scroll on a narrow screen rather than be too small to read, no wider than it is drawn. */
  #fit(k: number): void {
    const { map, counters, timeline } = this.drawing;
    const box = this.#box;
    const frame = this.#frame;
    map.style.minWidth = "";
    const scale = Math.min(READABLE, (this.#highest * innerHeight) / box[3]);
    const fits = box[2] * scale <= 1.2 * frame.clientWidth;
    if (!this.isClose || frame.clientWidth >= NARROW || fits) return;
    map.style.minWidth = `${Math.round(box[2] * scale)}px`;
    const mine = counters.find((counter) => counter.unit === this.mine);
    const middle = mine && this.drawing.placeIn(mine, timeline.full[k]);
    if (middle) frame.scrollLeft = (middle.x - box[0]) * scale - frame.clientWidth / 2;
  }
}
