/*
 * Making parts of the page.
 *
 * Text is always text: no name of a ship becomes markup. What a part does when it is clicked or changed is not
 * added as a listener but kept beside it, and looked up by one listener for the whole document (see listen.ts).
 * So a part that is drawn anew (see patch.ts) can stay the same element.
 */

export type Handler = (event: Event) => void;
export type Child = Node | string | number | false | null | undefined | Child[];
export type Attributes = Record<string, string | number | boolean | Handler | null | undefined>;

/** What each element does, by type of event. */
const handlers = new WeakMap<EventTarget, Record<string, Handler>>();
/** The names by which elements without an id are recognised when the page is drawn anew. */
const keys = new WeakMap<Node, string>();

export const byId = <T extends HTMLElement = HTMLElement>(id: string) =>
  document.getElementById(id) as T;

/** Return what an element does on a type of event. */
export const handlerOf = (target: EventTarget, type: string): Handler | undefined =>
  handlers.get(target)?.[type];

/** Return the key of an element. */
export const keyOf = (node: Node) => keys.get(node) || "";

/** Let an element do what another one does. */
export function takeHandlers(live: Node, fresh: Node): void {
  const taken = handlers.get(fresh);
  if (taken) handlers.set(live, taken);
  else handlers.delete(live);
  keys.set(live, keyOf(fresh));
}

/** Let an element do something on a type of event. */
export function handle(target: EventTarget, type: string, handler: Handler): void {
  handlers.set(target, { ...handlers.get(target), [type]: handler });
}

/** Append children to an element; empty ones are left out. */
export function append<T extends Element>(element: T, children: Child[]): T {
  for (const child of children.flat(9) as Child[])
    if (child || child === 0) element.append(child as Node);
  return element;
}

function setAttributes<T extends Element>(element: T, attributes: Attributes): T {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") handle(element, name.slice(2), value);
    else if (name === "value") (element as unknown as HTMLInputElement).value = String(value);
    else if (name === "checked") (element as unknown as HTMLInputElement).checked = true;
    else if (name === "key") keys.set(element, String(value));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  return element;
}

/** Return a new element; attributes such as `onclick` are handlers. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return setAttributes(append(document.createElement(tag), children), attributes);
}

/** Return a new element of a drawing. */
export function svgElement<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  return append(setAttributes(made, attributes), children) as SVGElementTagNameMap[K];
}

/** Return a button that does something when it is pressed. */
export const button = (
  id: string,
  onclick: () => void,
  attributes: Attributes,
  ...children: Child[]
) => element("button", { type: "button", id, onclick, ...attributes }, ...children);

/** A choice of a list: value, words, and whether it cannot be chosen. */
export type Option = [value: string | number, words: string | number, disabled?: boolean];

/** Return the options of a list, with one of them chosen. */
export const options = (pairs: Option[], now: unknown) =>
  pairs.map(([value, words, disabled]) =>
    element("option", { value, selected: String(value) === String(now), disabled }, words),
  );

/** Return the value of the field that an event is about. */
export const valueIn = (event: Event) => (event.target as HTMLInputElement).value;

/** Return whether the box that an event is about is ticked. */
export const isTicked = (event: Event) => (event.target as HTMLInputElement).checked;
