/* The film of a whole game: where turns begin on the slider, and the ways of units in the turn shown. */

import { centreAt } from "./geometry.ts";
import { all, svgElement } from "./dom.ts";
import type { Frame } from "./data.ts";
import type { Film } from "./film.ts";
import type { Timeline } from "./frames.ts";

interface Way {
  line: SVGPathElement;
  unit: string;
}

/** Mark the turns on the slider, and draw the ways of units in the turn shown. */
export function showTurns(film: Film, bar: ParentNode): void {
  const marks = all<HTMLAnchorElement>(bar, "#replay-turns a");
  placeMarks(marks, film.timeline);
  const traces = new Traces(film);
  const ways = addWays(film);
  const show = (k: number) => {
    const turn = film.timeline.turn(k);
    for (const mark of marks) mark.classList.toggle("on", Number(mark.dataset.turn) === turn);
    traces.show(turn);
    for (const { line, unit } of ways) line.setAttribute("d", wayOf(film, unit, k));
  };
  film.onFrame(show);
  show(film.current);
}

function placeMarks(marks: readonly HTMLAnchorElement[], timeline: Timeline): void {
  for (const mark of marks) {
    const turn = Number(mark.dataset.turn);
    const k = timeline.frames.findIndex((_, n) => timeline.turn(n) === turn);
    mark.style.left = `${(100 * k) / timeline.last}%`;
    mark.href = `#${timeline.anchor(k)}`;
  }
}

/** The wrecks of small units, such as drones: in later turns there is nothing left to look at. */
class Traces {
  readonly #went = new Map<string, number>();
  readonly #marks: SVGElement[];

  constructor(film: Film) {
    const { map } = film.drawing;
    const small = new Set(all(map, ".label.seeker").map((label) => label.dataset.unit!));
    film.timeline.frames.forEach((frame, k) => {
      for (const unit of Object.keys(frame.gone ?? {}))
        if (small.has(unit)) this.#went.set(unit, film.timeline.turn(k));
    });
    const marks = all<SVGElement>(map, ".lost, .label.seeker");
    this.#marks = marks.filter((mark) => this.#went.has(mark.dataset.unit!));
  }

  show(turn: number): void {
    for (const mark of this.#marks)
      mark.classList.toggle("bygone", this.#went.get(mark.dataset.unit!)! < turn);
  }
}

function addWays(film: Film): Way[] {
  const { counters } = film.drawing;
  return counters.map(({ g, unit }) => {
    const side = /\bs\d\b/.exec(g.getAttribute("class")!)![0];
    const line = svgElement(g, "path", { class: `way ${side}` });
    counters[0].g.before(line);
    return { line, unit };
  });
}

const changed = (frame: Frame, what: "at" | "gone", unit: string) =>
  Object.hasOwn(frame[what] ?? {}, unit) ? frame[what]![unit] : undefined;

/** Return the path of a unit in the turn of a frame up to that frame; empty if it did not move. */
function wayOf(film: Film, unit: string, k: number): string {
  const { timeline, drawing } = film;
  const turn = timeline.turn(k);
  let points: string[] = [];
  let here: string | null = null;
  timeline.frames.slice(0, k + 1).forEach((frame, n) => {
    const shown = timeline.turn(n) === turn;
    if (shown && !points.length && here) points.push(here);
    const at = changed(frame, "at", unit);
    if (at) {
      const middle = centreAt(drawing.grid, at);
      here = middle && `${middle.x} ${middle.y}`;
    }
    if (changed(frame, "gone", unit) !== undefined) [here, points] = [null, []];
    if (shown && here && points.at(-1) !== here) points.push(here);
  });
  return points.length > 1 ? `M${points.join("L")}` : "";
}
