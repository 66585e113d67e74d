/* The summary above the tabs of the rail: shields, speed and damage of my ship and of an enemy, and their range. */

import type { Reach } from "../film/data.ts";
import { element, svgElement } from "../film/dom.ts";
import type { FullFrame } from "../film/frames.ts";
import { numberAt, type Shield, shieldsOf, shieldWords, sidePath } from "./ring.ts";
import type { ShipState, ShipStates } from "./ship_states.ts";

const SVG = "http://www.w3.org/2000/svg";

export class Status {
  #mine = "";
  #theirs = "";
  #frame: number | null = null;
  #painted = "";

  /** `frames` are the frames of the film in full; they hold the ranges. */
  constructor(
    readonly states: ShipStates,
    readonly frames: readonly FullFrame[],
    readonly box: HTMLElement,
  ) {
    [this.#mine, this.#theirs] = firstPair(states, frames.at(-1));
    this.#paint();
  }

  /** Show a ship of mine and an enemy. An empty name leaves the ship that is shown. */
  select(mine: string, theirs: string): void {
    if (mine) this.#mine = mine;
    if (theirs) this.#theirs = theirs;
    this.#paint();
  }

  /** Show both ships as they are after a frame. */
  show(k: number): void {
    this.#frame = k;
    this.#paint();
  }

  /** Show both ships as they are now. */
  showEnd(): void {
    this.#frame = null;
    this.#paint();
  }

  #paint(): void {
    const { box } = this;
    const wanted = [this.#mine, this.#theirs, this.#frame].join("\n");
    if (wanted === this.#painted) return;
    this.#painted = wanted;
    box.hidden = !this.states.ships.has(this.#mine) && !this.states.ships.has(this.#theirs);
    if (box.hidden) return;
    const k = this.#frame ?? this.frames.length - 1;
    const reach = rangeBetween(this.frames[k], this.#mine, this.#theirs);
    const [own, its] = reach ? [reach[3], reach[4]] : [[], []];
    box.replaceChildren(
      this.#half(this.#mine, "mine", own),
      element("span", reach ? String(reach[2]) : "", "range"),
      this.#half(this.#theirs, "theirs", its),
    );
    if (reach) box.children[1].prepend(element("small", "range"));
  }

  #half(unit: string, whose: string, facing: readonly number[]): HTMLElement {
    const ship = this.states.ships.get(unit);
    const k = this.#frame ?? Infinity;
    const now = this.states.at(unit, k);
    const before = this.#frame === null ? now : this.states.beforeImpulse(unit, k);
    const half = element("div", "", `half ${whose}`);
    half.append(element("b", unit));
    half.firstElementChild!.setAttribute("title", unit);
    if (!ship || !now || !before) return half;
    half.classList.add(`s${ship.place}`);
    const shields = shieldsOf(ship, now, before);
    half.append(ring(shields, facing, ship.place), facts(now, before));
    half.append(element("span", shieldWords(shields), "unseen"));
    return half;
  }
}

function facts(now: ShipState, before: ShipState): HTMLElement {
  const list = element("span", "", "facts");
  const damage = element("i", String(now.internals), now.internals ? "lost" : "");
  damage.classList.toggle("hit", now.internals > before.internals);
  damage.append(element("small", now.internals === 1 ? " internal" : " internals"));
  const speed = element("i", now.gone || String(now.speed), now.gone ? "gone" : "");
  if (!now.gone) speed.prepend(element("small", "speed "));
  list.append(speed, damage);
  return list;
}

function ring(shields: readonly Shield[], facing: readonly number[], place: number): SVGElement {
  const drawing = document.createElementNS(SVG, "svg");
  const add = (tag: "path" | "text" | "use", attributes: Record<string, string | number>) =>
    drawing.appendChild(svgElement(drawing, tag, attributes));
  drawing.setAttribute("viewBox", "-33 -29 66 58");
  drawing.setAttribute("class", "ring");
  drawing.setAttribute("aria-hidden", "true");
  add("use", { href: `#shape-${place}`, transform: "scale(.3)" });
  for (const shield of shields) {
    const { number, left, share, hit } = shield;
    const name = `${left ? "" : "down"} ${hit ? "hit" : ""}`.trim();
    const width = rounded(2 + 3 * share);
    const opacity = left ? rounded(0.4 + 0.6 * share) : 1;
    const d = sidePath(number);
    if (facing.includes(number)) add("path", { d, class: "faces" });
    add("path", { d, class: name, "stroke-width": width, "stroke-opacity": opacity });
    const [x, y] = numberAt(number);
    add("text", { x, y, class: name }).textContent = String(left);
  }
  return drawing;
}

const rounded = (value: number) => Math.round(value * 100) / 100;

/** Return the range between two units in a frame, with the shields of the first unit first; null if it is not known. */
export function rangeBetween(
  frame: FullFrame | undefined,
  mine: string,
  theirs: string,
): Reach | null {
  for (const [unit, other, range, own, its] of frame?.reach ?? []) {
    if (unit === mine && other === theirs) return [unit, other, range, own, its];
    if (unit === theirs && other === mine) return [other, unit, range, its, own];
  }
  return null;
}

/** Return the ships to show at first: a ship of the reader, and the nearest enemy ship. */
export function firstPair(
  states: ShipStates,
  frame: FullFrame | undefined,
): [mine: string, theirs: string] {
  const names = [...states.ships.keys()];
  const flying = names.filter((name) => !states.atEnd(name)?.gone);
  const first = (belongs: (name: string) => boolean) => flying.find(belongs) ?? names.find(belongs);
  const isMine = (name: string) => states.ships.get(name)!.mine;
  const mine = first(isMine) ?? first(() => true) ?? "";
  const place = states.ships.get(mine)?.place;
  const reached = (frame?.reach ?? [])
    .filter(([unit, other]) => unit === mine || other === mine)
    .map(([unit, other, range]) => ({ name: unit === mine ? other : unit, range }))
    .filter(({ name }) => states.ships.has(name) && !isMine(name))
    .sort((a, b) => a.range - b.range);
  const enemy = (name: string) => states.ships.get(name)!.place !== place && !isMine(name);
  return [mine, reached[0]?.name ?? first(enemy) ?? ""];
}
