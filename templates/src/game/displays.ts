/* The displays of the ships in the rail: in the film their boxes are crossed as hits fall. */

import { all, element, svgElement } from "../film/dom.ts";
import { type DrawnBoxes, drawnBoxes, weaponCondition } from "./ssd.ts";
import type { ShipState, ShipStates } from "./ship_states.ts";

/** For how many milliseconds the display of a ship is highlighted after a hit. */
const STRUCK_TIME = 600;

type PathName = keyof DrawnBoxes["paths"];

export class Displays {
  readonly #all: ShipDisplay[];

  /** Find the displays under a root: elements with the class `ssd` and the name of the ship in `data-unit`. */
  constructor(states: ShipStates, root: ParentNode) {
    const found = all(root, ".ssd[data-unit]");
    this.#all = found.flatMap((box) => {
      const unit = box.dataset.unit!;
      return states.ships.has(unit) ? [new ShipDisplay(states, unit, box)] : [];
    });
  }

  /** Show all displays as they are after a frame, and highlight those that this frame changed. */
  show(k: number): void {
    const struck = this.#all.filter((display) => display.show(k));
    struck[0]?.bringIntoSight();
  }

  /** Show all displays as the page came: after the last frame, with what was lost in the turn. */
  showEnd(): void {
    for (const display of this.#all) display.showEnd();
  }
}

class ShipDisplay {
  readonly #paths: Record<PathName, SVGElement>;
  readonly #labels: Element[];
  readonly #mounts: Map<string, [box: Element, name: Element]>;
  readonly #weapons: Map<string, Element>;
  readonly #internals: Element | null;
  readonly #chip: HTMLElement | null;
  readonly #end: () => void;
  #shown: ShipState | null;
  /** The state before the impulse shown; null if the display is as the page came. */
  #before: ShipState | null = null;
  #timer = 0;

  constructor(
    readonly states: ShipStates,
    readonly unit: string,
    readonly box: HTMLElement,
  ) {
    const drawing = box.querySelector<SVGSVGElement>(".display")!;
    this.#paths = pathsOf(drawing);
    this.#labels = all<Element>(drawing, "text:not(.mount)");
    const names = all<Element>(drawing, "text.mount");
    const boxes = all<Element>(drawing, "rect.mount");
    this.#mounts = new Map(names.map((name, n) => [name.textContent!, [boxes[n], name]]));
    const weapons = all(box, ".weapons li");
    this.#weapons = new Map(weapons.map((item) => [item.querySelector("b")!.textContent!, item]));
    this.#internals = box.querySelector(".internals");
    this.#chip = box.querySelector<HTMLElement>(".chip.lost");
    this.#shown = states.atEnd(unit);
    this.#end = this.#kept();
  }

  /** Show a frame. The result is whether the ship lost anything that was not shown before. */
  show(k: number): boolean {
    const now = this.states.at(this.unit, k);
    const before = this.states.beforeImpulse(this.unit, k);
    const same = now === this.#shown;
    if (same && before === this.#before) return false;
    [this.#shown, this.#before] = [now, before];
    this.box.hidden = !now;
    if (!now || !before) return false;
    const drawn = drawnBoxes(this.states.ships.get(this.unit)!.blocks, now, before);
    for (const name of Object.keys(this.#paths) as PathName[])
      set(this.#paths[name], "d", drawn.paths[name]);
    this.#labels.forEach((text, n) => setText(text, drawn.labels[n]));
    const lost = this.#showWeapons(now, before);
    if (this.#internals) setText(this.#internals, internals(now.internals));
    if (this.#chip) {
      setText(this.#chip, now.gone);
      this.#chip.hidden = !now.gone;
    }
    const struck = !same && (drawn.struck || lost);
    if (struck) this.#highlight();
    return struck;
  }

  showEnd(): void {
    [this.#shown, this.#before] = [this.states.atEnd(this.unit), null];
    clearTimeout(this.#timer);
    this.box.classList.remove("struck");
    this.#end();
  }

  bringIntoSight(): void {
    this.box.scrollIntoView({ block: "nearest" });
  }

  /** Show which weapons work. The result is whether one was lost in the impulse. */
  #showWeapons(now: ShipState, before: ShipState): boolean {
    let lost = false;
    for (const [name, mount] of this.#mounts) {
      const condition = weaponCondition(name, now, before);
      for (const part of mount) set(part, "class", `mount ${condition}`);
      lost ||= condition === "new";
    }
    for (const [name, item] of this.#weapons) {
      const condition = weaponCondition(name, now, before);
      set(item, "class", { left: "", new: "out now", old: "out" }[condition]);
      const words = now.words.get(name);
      item.replaceChildren(element("b", name), words ? ` ${words}` : "");
    }
    return lost;
  }

  #highlight(): void {
    clearTimeout(this.#timer);
    this.box.classList.add("struck");
    const ends = () => this.box.classList.remove("struck");
    this.#timer = window.setTimeout(ends, STRUCK_TIME);
  }

  /** Return a function that shows the display as it is now. */
  #kept(): () => void {
    const paths = Object.entries(this.#paths).map(([, path]) => [path, path.getAttribute("d")!]);
    const weapons = [...[...this.#mounts.values()].flat(), ...this.#weapons.values()];
    const classes = weapons.map((part) => [part, part.getAttribute("class") ?? ""] as const);
    const changing = [...this.#labels, ...this.#weapons.values(), this.#internals, this.#chip];
    const texts = changing.flatMap((part) => (part ? [[part, [...part.childNodes]] as const] : []));
    const { hidden } = this.#chip ?? { hidden: true };
    return () => {
      this.box.hidden = false;
      for (const [path, d] of paths as [Element, string][]) set(path, "d", d);
      for (const [part, name] of classes) set(part, "class", name);
      for (const [part, nodes] of texts) part.replaceChildren(...nodes);
      if (this.#chip) this.#chip.hidden = hidden;
    };
  }
}

/** Return the paths of a drawing. Paths of lost boxes are added if nothing is lost yet. */
function pathsOf(drawing: SVGSVGElement): Record<PathName, SVGElement> {
  const left = drawing.querySelector<SVGElement>(".left path")!;
  let last: Element = drawing.querySelector("use")!;
  const found = (name: PathName) => {
    const path =
      drawing.querySelector<SVGElement>(`path.${name}`) ??
      svgElement(drawing, "path", { class: name, d: "" });
    last.after(path);
    last = path;
    return path;
  };
  const [old, oldcross] = [found("old"), found("oldcross")];
  const [fresh, newcross] = [found("new"), found("newcross")];
  return { left, old, oldcross, new: fresh, newcross };
}

function internals(number: number): string {
  return number ? `, ${number} ${number === 1 ? "internal" : "internals"}` : "";
}

function set(part: Element, name: string, value: string): void {
  if (part.getAttribute(name) !== value) part.setAttribute(name, value);
}

function setText(part: Element, text: string): void {
  if (part.textContent !== text) part.textContent = text;
}
