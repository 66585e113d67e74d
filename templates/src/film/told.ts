/* What the report tells of a frame: the sentences of its impulse, and which frames have any. */

import { all, element } from "./dom.ts";
import type { FullFrame, Timeline } from "./frames.ts";

/** A frame whose step told more than moves; `rolled` says whether dice decided something. */
export interface ToldFrame {
  k: number;
  rolled: boolean;
}

/** Return the part of a report about the impulse of a frame. */
function impulseOf(root: ParentNode, timeline: Timeline, k: number): Element | null {
  const id = `t${timeline.turn(k)}.i${timeline.frames[k].impulse}`;
  return root.querySelector(`#${CSS.escape(id)}`);
}

/** Return the frames in which something happened besides moves. */
export function toldFrames(root: ParentNode, timeline: Timeline): ToldFrame[] {
  const found: ToldFrame[] = [];
  for (let k = 1; k <= timeline.last; k++) {
    const [turn, impulse, step] = [timeline.turn(k), timeline.frames[k].impulse, timeline.step(k)];
    const part = impulseOf(root, timeline, k);
    const acts = part && all(part, ".acts[data-step]").find((one) => one.dataset.step === step);
    if (acts && timeline.find(turn, impulse, step) === k)
      found.push({ k, rolled: Boolean(acts.querySelector(".die")) });
  }
  return found;
}

/** Return list items with all that was told so far in the impulse of a frame, its own step last. */
export function toldItems(root: ParentNode, timeline: Timeline, k: number): HTMLLIElement[] {
  const part = impulseOf(root, timeline, k);
  const steps = timeline.stepsUpTo(k);
  const items: HTMLLIElement[] = [];
  for (const told of part ? all(part, "[data-step]") : []) {
    const step = told.dataset.step!;
    if (!steps.has(step)) continue;
    const name = step === timeline.step(k) ? "" : "past";
    if (told.matches(".moves")) items.push(element("li", told.textContent!, name));
    else for (const line of told.children) items.push(toldItem(line, name));
  }
  if (!items.length)
    items.push(element("li", k ? "Nothing happened." : "The turn begins.", "past"));
  return items;
}

function toldItem(line: Element, className: string): HTMLLIElement {
  const item = element("li", "", className);
  for (const die of all(line, ".die"))
    item.append(element("span", die.lastChild!.textContent!, "die"), " ");
  item.append(...line.querySelector(".what")!.cloneNode(true).childNodes);
  return item;
}

const shields = (numbers: readonly number[]) => numbers.map((n) => `#${n}`).join("/");

/** Return the ranges of a frame in words. */
export function rangesTold(frame: FullFrame): string {
  return frame.reach
    .map(([unit, other, range, own, its]) => {
      const facing = [shields(own), shields(its)].filter(Boolean).join(" to ");
      return `${unit} – ${other} ${range}` + (facing && ` (${facing})`);
    })
    .join("; ");
}
