/* Fields, cards and folds of the form. */
import { host } from "./host.ts";
import { fieldValue, fieldValues } from "./model/builders.ts";
import { plan, type Course, type UnitPlan } from "./model/plan.ts";
import {
  element,
  isTicked,
  options,
  valueIn,
  type Attributes,
  type Child,
  type Option,
} from "./dom.ts";

/** Return the beginning of the ids of a unit's fields. */
export const idOf = (unit: Course) => "u" + plan.units.indexOf(unit as UnitPlan);

/** Return a part that the player opens and closes; `open` says how it is at first. */
export const fold = (id: string, open: boolean, title: string, ...children: Child[]) =>
  element(
    "details",
    {
      ...{ class: "more", id, open: fieldValue(id + "-open", open) },
      ontoggle: (event) => {
        fieldValues[id + "-open"] = (event.target as HTMLDetailsElement).open;
      },
    },
    element("summary", { id: id + "-sum" }, title),
    children,
  );

/** Return a card of the form; inside another page it is folded, because that page shows what matters on its board. */
export const card = (number: number | string, title: string, ...children: Child[]) =>
  host
    ? element(
        "section",
        { class: "card step-card", "aria-label": title, key: "card " + title, tabindex: -1 },
        fold("card-" + title.toLowerCase().replace(/\W+/g, "-"), false, title, children),
      )
    : element(
        "section",
        { class: "card step-card", "aria-label": title, key: "card " + title, tabindex: -1 },
        element("h2", {}, element("span", { class: "n", "aria-hidden": "true" }, number), title),
        children,
      );

/** Return a list whose value is kept by its id. */
export function choice(
  id: string,
  label: string,
  pairs: Option[],
  first: string | number,
  again: () => void,
): HTMLSelectElement {
  const now = String(fieldValue(id, first));
  if (pairs.length && !pairs.some(([value]) => String(value) === now))
    fieldValues[id] = pairs[0][0];
  return element(
    "select",
    {
      ...{ id, "aria-label": label },
      onchange: (event) => {
        fieldValues[id] = valueIn(event);
        again();
      },
    },
    options(pairs, fieldValue(id, first)),
  );
}

/** Return a list that sets a value of the plan. */
export const list = (
  id: string,
  attributes: Attributes,
  pairs: Option[],
  now: unknown,
  set: (value: string) => void,
) =>
  element(
    "select",
    { id, ...attributes, onchange: (event) => set(valueIn(event)) },
    options(pairs, now),
  );

/** Return a box to tick, with its label. */
export const checkbox = (
  id: string,
  label: Child,
  checked: boolean,
  set: (ticked: boolean) => void,
  attributes: Attributes = {},
) =>
  element(
    "label",
    {},
    element("input", {
      ...{ type: "checkbox", id, checked, ...attributes },
      onchange: (event) => set(isTicked(event)),
    }),
    label,
  );

/** Return a box to tick whose value is kept by its id. */
export const tick = (id: string, label: string, again: () => void) =>
  checkbox(id, label, fieldValue<boolean>(id, false), (ticked) => {
    fieldValues[id] = ticked;
    again();
  });

/** Return why the text in a box for a number is no number that an order can have, or "". */
export function whyNoNumber(id: string): string {
  const text = String(fieldValues[id]);
  if (/^\s*\d{1,2}\s*$/.test(text)) return "";
  return "write a whole number from 0 to 99" + (text.trim() ? ", not “" + text + "”" : "");
}

/** Return the number in a box as orders write it; "?" if it is none. */
export const numberIn = (id: string) => (whyNoNumber(id) ? "?" : String(Number(fieldValues[id])));

/** Return a box for a number, whose value is kept by its id. */
export function numberBox(id: string, label: string, first: number, again: () => void) {
  const value = fieldValue<string | number>(id, first);
  return element("input", {
    ...{ id, type: "text", class: "number", inputmode: "numeric", autocomplete: "off" },
    ...{
      maxlength: 6,
      "aria-label": label,
      "aria-invalid": whyNoNumber(id) ? "true" : null,
      value,
    },
    oninput: (event) => {
      fieldValues[id] = valueIn(event);
      again();
    },
  });
}

/** Return the attributes of a box for plot codes. */
export const CODE_BOX: Attributes = {
  ...{ class: "wide", placeholder: "2F R F SL", spellcheck: "false", autocomplete: "off" },
  autocapitalize: "characters",
};

/** Return a line of the form. */
export const line = (attributes: Attributes, ...children: Child[]) =>
  element("p", { class: "line", ...attributes }, ...children);

/** Return a remark in small print. */
export const remark = (...children: Child[]) => element("p", { class: "tiny" }, ...children);

/** Return a complaint, or nothing if there is none. */
export const complaint = (why: string | undefined, attributes: Attributes = {}) =>
  why ? element("p", { class: "err", ...attributes }, why) : "";
