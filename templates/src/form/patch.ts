/*
 * Drawing a part of the page anew.
 *
 * A part is built from what is chosen and compared with what is on the page; only differences are changed. So a
 * field in which the player types, a button that is pressed and a list that is scrolled stay the same elements.
 */
import { append, element, keyOf, takeHandlers, type Child } from "./dom.ts";

/** The box that is being ticked: it is ticked before its click is heard, and the plan does not know it yet. */
let switched: EventTarget | null = null;

/** Note the box that is being ticked, so that its tick stays. */
export function setSwitched(target: EventTarget | null): void {
  switched = target;
}

/** Return by what a node is recognised: its id or key, or else the id of the first field inside. */
function nameOf(node: Node): string {
  if (!(node instanceof Element)) return "";
  if (node.id || keyOf(node)) return node.id || keyOf(node);
  const inside = node.querySelector("[id]");
  return inside ? "with " + inside.id : "";
}

/** Return whether an attribute is not the form's: the player opens and closes folds. */
const isHeld = (live: Element, name: string) =>
  name === "style" || (name === "open" && live.nodeName === "DETAILS");

/** Make a node equal to a fresh one of the same kind. */
function patch(live: Node, fresh: Node): void {
  if (!(live instanceof Element && fresh instanceof Element)) {
    if (live.nodeValue !== fresh.nodeValue) live.nodeValue = fresh.nodeValue;
    return;
  }
  takeHandlers(live, fresh);
  for (const { name } of [...live.attributes])
    if (!isHeld(live, name) && !fresh.hasAttribute(name)) live.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (!isHeld(live, name) && live.getAttribute(name) !== value) live.setAttribute(name, value);
  const [style, wanted] = [live, fresh].map((one) => (one as HTMLElement).style);
  if (style.cssText !== wanted.cssText) style.cssText = wanted.cssText;
  if (live.nodeName === "TEXTAREA" || live.nodeName === "INPUT")
    patchField(live as HTMLInputElement, fresh as HTMLInputElement);
  else {
    const place = (fresh as HTMLSelectElement).selectedIndex;
    fill(live, fresh);
    const list = live as HTMLSelectElement;
    if (live.nodeName === "SELECT" && list.selectedIndex !== place) list.selectedIndex = place;
  }
}

function patchField(live: HTMLInputElement, fresh: HTMLInputElement): void {
  if (live !== switched && live.checked !== fresh.checked) live.checked = fresh.checked;
  if (live.type !== "checkbox" && live.value !== fresh.value) live.value = fresh.value;
}

/** Make the inside of an element equal to the inside of a fresh one. */
function fill(live: Element, fresh: Element): void {
  const wanted = [...fresh.childNodes];
  const names = wanted.map(nameOf);
  const kept = new Map<string, Node>();
  for (const child of live.childNodes) {
    const name = nameOf(child);
    if (name && names.includes(name)) kept.set(name, child);
  }
  let place: ChildNode | null = live.firstChild;
  const removeOne = () => {
    const gone = place!;
    place = gone.nextSibling;
    gone.remove();
  };
  for (const [n, child] of wanted.entries()) {
    const found = names[n] ? kept.get(names[n]) : place && !nameOf(place) ? place : null;
    if (!found || found.nodeName !== child.nodeName) {
      live.insertBefore(child, place);
      continue;
    }
    while (place && place !== found && !kept.has(nameOf(place))) removeOne();
    if (place !== found) live.insertBefore(found, place);
    else place = place.nextSibling;
    patch(found, child);
  }
  while (place) removeOne();
}

/** Draw the inside of an element anew. */
export const draw = (root: Element, ...children: Child[]) =>
  fill(root, append(element("div"), children));
