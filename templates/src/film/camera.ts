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
  isClose(): boolean;
  /** Return whether the fight of all frames is so small that the film begins with the close-up. */
  beginsClose(): boolean;
  closeUp(yes: boolean, k: number): void;
  /** Keep what matters in a frame in sight, unless the reader moved the map. */
  follow(k: number): void;
  zoom(by: number): void;
  /** Call a function when the close-up is turned on or off. */
  onCloseUp(listener: (yes: boolean) => void): void;
}

/**
 * Return the camera of a map.
 *
 * `mine` is the unit in the middle of a map that scrolls. The camera obeys the mouse until `signal` is aborted.
 */
export function createCamera(drawing: Drawing, mine: string, signal: AbortSignal): Camera {
  const { map, grid, timeline, counters, labels } = drawing;
  const frame = map.parentElement!;
  const whole = map.getAttribute("viewBox")!.split(" ").map(Number) as unknown as Box;
  // The share of the screen's height that a map may take, as in report.css.
  const highest = innerWidth < NARROW ? 0.8 : 0.72;
  const glide = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : GLIDE_TIME;
  // Asking for the width makes the browser lay the page out: not in every picture of the film.
  let width = frame.clientWidth;
  const watcher = new ResizeObserver(() => {
    width = frame.clientWidth;
  });
  watcher.observe(frame);
  let box = whole;
  let gliding = 0;
  let byHand = false;
  let told: (yes: boolean) => void = () => {};
  let held: [number, number] | null = null;

  const isClose = () => map.classList.contains("close");

  function look(to: Box, smooth = false): void {
    cancelAnimationFrame(gliding);
    const from = box;
    const begun = performance.now();
    box = to;
    const step = (time: number) => {
      const part = smooth && glide ? Math.min(1, Math.max(0, (time - begun) / glide)) : 1;
      map.setAttribute("viewBox", between(from, to, part).join(" "));
      if (part < 1) gliding = requestAnimationFrame(step);
    };
    step(begun);
  }

  /** Return the spans of all units in a frame and of those that moved up to another frame. */
  function spans(from: number, to: number): [Span, Span] | null {
    const frames = [timeline.full[from], ...timeline.frames.slice(from + 1, to + 1)];
    const places = frames.flatMap((one) => Object.values(one.at ?? {}));
    return spansOf(places.flatMap((at) => centreAt(grid, at) ?? []));
  }

  /** Return from where to where the name of a unit reaches in a frame, or null if it is not on the map. */
  function nameIn(k: number, label: Label): Span | null {
    const middle = centreAt(grid, timeline.full[k].at[label.unit]);
    if (!middle) return null;
    const { x, before } = drawing.labelAt(label, middle.x);
    const left = x - before * label.wide;
    return [left - AIR, left + label.wide + AIR];
  }

  /** Return from where to where units and their names reach in a frame. */
  function named(k: number, [low, high]: Span): Span {
    const names = labels.flatMap((label) => nameIn(k, label) ?? []);
    return [Math.min(low - EDGE, ...names), Math.max(high + EDGE, ...names)];
  }

  /**
   * Return the part of the map that matters in a frame.
   *
   * It holds all units and what moved in the impulse. It is never so small that ships in one hex fill the screen.
   */
  function wanted(k: number): Box {
    const found = spans(Math.max(0, timeline.begins(k) - 1), k);
    if (!found) return whole;
    const [top, high] = stretch(found[1], EDGE, LEAST_HEIGHT, whole[3]);
    const units = Math.max(high / (highest * innerHeight), 1 / CLOSEST);
    const [left, wide] = stretch(named(k, found[0]), 0, units * width, whole[2]);
    return [left, top, wide, high];
  }

  /** Let the map scroll on a narrow screen rather than be too small to read, no wider than it is drawn. */
  function fit(k: number): void {
    map.style.minWidth = "";
    const scale = Math.min(READABLE, (highest * innerHeight) / box[3]);
    const fits = box[2] * scale <= 1.2 * width;
    if (!isClose() || width >= NARROW || fits) return;
    map.style.minWidth = `${Math.round(box[2] * scale)}px`;
    const counter = counters.find(({ unit }) => unit === mine);
    const middle = counter && drawing.placeIn(counter, k);
    if (middle) frame.scrollLeft = (middle.x - box[0]) * scale - width / 2;
  }

  function zoom(by: number, x = 0.5, y = 0.5): void {
    map.classList.add("close");
    byHand = true;
    look(zoomed(box, by, [LEAST_WIDTH, whole[2]], x, y));
  }

  function drag({ clientX, clientY }: PointerEvent): void {
    if (!held) return;
    const [dx, dy] = [held[0] - clientX, held[1] - clientY];
    if (Math.hypot(dx, dy) < 4 && !map.classList.contains("held")) return;
    map.classList.add("held");
    byHand = true;
    const scale = box[2] / map.clientWidth;
    look([box[0] + dx * scale, box[1] + dy * scale, box[2], box[3]]);
    held = [clientX, clientY];
  }

  // Browsers report pinching as a wheel with Ctrl.
  const wheel = (event: WheelEvent) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const { left, top, width, height } = map.getBoundingClientRect();
    const [x, y] = [(event.clientX - left) / width, (event.clientY - top) / height];
    zoom(Math.exp(event.deltaY / 300), x, y);
  };
  const press = ({ pointerType, button, clientX, clientY }: PointerEvent) => {
    if (pointerType === "mouse" && button === 0 && isClose()) held = [clientX, clientY];
  };
  const release = () => {
    held = null;
    setTimeout(() => map.classList.remove("held"));
  };
  const reset = () => {
    map.classList.remove("close", "held");
    map.style.minWidth = "";
    look(whole);
  };
  map.addEventListener("wheel", wheel, { passive: false, signal });
  map.addEventListener("pointerdown", press, { signal });
  addEventListener("pointermove", drag, { signal });
  addEventListener("pointerup", release, { signal });
  signal.addEventListener("abort", () => {
    watcher.disconnect();
    reset();
  });

  return {
    isClose,
    zoom,
    onCloseUp(listener) {
      told = listener;
    },
    beginsClose() {
      const found = spans(0, timeline.last);
      return !found || found[1][1] - found[1][0] < TALL;
    },
    closeUp(yes, k) {
      byHand = false;
      width = frame.clientWidth;
      map.classList.toggle("close", yes);
      look(yes ? wanted(k) : whole);
      fit(k);
      told(yes);
    },
    follow(k) {
      if (!isClose() || byHand) return;
      const need = wanted(k);
      if (shows(box, need, [AIR, EDGE / 2], LOOSE)) return;
      look(need, true);
      fit(k);
    },
  };
}
