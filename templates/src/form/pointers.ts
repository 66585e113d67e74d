/* Pointers at the edge of the map to enemies that it does not show. */
import { formData, type Unit } from "./model/data.ts";
import { optional } from "./model/optional.ts";
import { now } from "./model/plan.ts";
import { byId, element } from "./dom.ts";

interface Pointer {
  mark: HTMLButtonElement;
  names: string[];
  title: string;
  text: string;
  range: number;
}

/** Return the range of a unit from the ship whose orders are written; 0 if it is not known. */
function rangeOf(unit: Unit): number {
  const name = now()?.block.name;
  const me = formData.units.find((one) => one.name === name);
  return optional.courses && me?.hex ? optional.courses.range(me.hex, unit.hex) : 0;
}

export const isFighting = ({ kind }: Unit) => kind === "ship" || kind === "monster";

const isKnownRange = () =>
  Boolean(optional.courses && formData.units.find(({ name }) => name === now()?.block.name)?.hex);

/** The map as the pointers at its edge need it. */
export interface Sight {
  box: HTMLElement;
  /** Height of the lower part of the box that something covers, in pixels. */
  covered: number;
  /** Where units are in the drawing. */
  places: Iterable<[name: string, point: number[]]>;
  /** Return where a point of the drawing is, in pixels from the upper left corner of the box. */
  pixelOf(point: number[]): number[];
  centreOn(point: number[]): void;
}

/** Return the pointer to a unit at a point of the drawing; nothing if the map shows it. */
function pointerTo(sight: Sight, unit: Unit, point: number[]): Pointer | null {
  const { box } = sight;
  const [width, height] = [box.clientWidth, box.clientHeight - sight.covered];
  const edge = box.getBoundingClientRect();
  const card = byId("beyond").parentElement!.getBoundingClientRect();
  const [x, y] = sight.pixelOf(point);
  if (x > 0 && x < width && y > 0 && y < height) return null;
  const range = rangeOf(unit);
  const away = isKnownRange() ? " " + range : "";
  const title =
    unit.name + (away && ": range" + away) + ", outside the map section. Click to see it";
  const text = unit.name + away;
  const arrow = element("span", { "aria-hidden": "true" }, "➤");
  const turn = Math.round((Math.atan2(y - height / 2, x - width / 2) * 180) / Math.PI);
  arrow.style.transform = "rotate(" + turn + "deg)";
  const onclick = () => sight.centreOn(point);
  const mark = element("button", { type: "button", title, onclick }, arrow, text);
  const left = Math.min(width, Math.max(0, x)) + edge.left - card.left;
  const top = Math.min(height - 16, Math.max(16, y)) + edge.top - card.top;
  mark.style.setProperty("--x", left + "px");
  mark.style.setProperty("--y", top + "px");
  mark.style.setProperty("--part", String(Math.min(1, Math.max(0, x / width))));
  return { mark, names: [unit.name], title, text, range };
}

/** Show pointers to the enemies that the map does not show. */
export function pointOut(sight: Sight): void {
  const { clientWidth, clientHeight } = sight.box;
  const found: Pointer[] = [];
  for (const [name, point] of clientWidth && clientHeight ? sight.places : []) {
    const unit = formData.units.find((one) => one.name === name && one.enemy && isFighting(one));
    const pointer = unit && pointerTo(sight, unit, point);
    if (pointer) found.push(pointer);
  }
  found.sort((one, other) => one.range - other.range);
  byId("beyond").replaceChildren(...found.map(({ mark }) => mark));
  joinCovered(found);
}

/**
 * Join pointers that would cover each other: the nearest stands for all of them and says how many they are.
 *
 * That makes its text longer, so the search begins anew.
 */
function joinCovered(pointers: Pointer[]): void {
  for (let n = 0; n < pointers.length; n++) {
    const at = pointers[n].mark.getBoundingClientRect();
    const under = pointers.slice(0, n).find(({ mark }) => {
      const other = mark.getBoundingClientRect();
      return (
        at.left < other.right &&
        other.left < at.right &&
        at.top < other.bottom &&
        other.top < at.bottom
      );
    });
    if (!under) continue;
    const [gone] = pointers.splice(n, 1);
    gone.mark.remove();
    under.names.push(...gone.names);
    const others = under.names.slice(1);
    under.mark.lastChild!.nodeValue = under.text + ", " + others.length + " more";
    under.mark.title = under.title + "; there too: " + others.join(", ");
    n = 0;
  }
}
