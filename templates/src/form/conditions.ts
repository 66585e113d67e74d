/* Fields in which the player fills in a text of the language: conditions, and ways to steer. */
import { fieldValue, fieldValues, joined } from "./model/builders.ts";
import { vocabulary } from "./model/data.ts";
import { isOnMap } from "./model/hexes.ts";
import type { UnitPlan } from "./model/plan.ts";
import { button, element, valueIn, type Child, type Option } from "./dom.ts";
import { choice, numberBox, numberIn, whyNoNumber } from "./fields.ts";

/** A text that is being filled in: its fields, the text they make, and what is wrong with it. */
export interface FilledIn {
  parts: Child[];
  text: string;
  wrong: string[];
}

/** What screen readers say of a blank whose own name says little. */
const BLANKS: Record<string, string> = {
  op: "at least, at most or exactly",
  n: "number",
  m: "up to which number",
  launched: "what it launches",
  fired: "what it fires",
};

/** Return the words that a blank may be filled with, if it has a list of them. */
function wordsFor(blank: string, unit: UnitPlan, names: string[]): string[] | undefined {
  switch (blank) {
    case "unit":
      return names;
    case "op":
      return vocabulary.operators;
    case "arc":
      return vocabulary.arcs;
    case "shield":
      return ["#1", "#2", "#3", "#4", "#5", "#6"];
    case "launched":
    case "fired":
      return vocabulary[blank];
    case "weapon":
      return (unit.block.weapons || []).map(({ name }) => name);
    default:
      return undefined;
  }
}

/** Return fields for the blanks of a template; `names` are the units that it may name. */
export function fillIn(
  id: string,
  template: string,
  unit: UnitPlan,
  names: string[],
  again: () => void,
): FilledIn {
  const parts: Child[] = [];
  const wrong: string[] = [];
  const text = template.replace(/\{(\w+)\}/g, (_, blank: string) => {
    const fieldId = id + "-" + blank;
    const label = BLANKS[blank] || blank;
    const words = wordsFor(blank, unit, names);
    if (words) {
      const isKind = blank === "launched" || blank === "fired";
      const shown = (word: string) => (isKind ? word.trim().toLowerCase() || "anything" : word);
      const pairs = words.map((word): Option => [word, shown(word)]);
      parts.push(choice(fieldId, label, pairs, blank === "arc" ? "FA" : words[0], again));
      return String(fieldValues[fieldId]);
    }
    if (blank === "hex") return hexBox(fieldId, unit, parts, wrong, again);
    parts.push(numberBox(fieldId, label, blank === "m" ? 8 : 4, again));
    if (whyNoNumber(fieldId)) wrong.push(whyNoNumber(fieldId));
    return numberIn(fieldId);
  });
  const inOrder = (_: string, a: string, b: string) =>
    Math.min(Number(a), Number(b)) + " TO " + Math.max(Number(a), Number(b));
  return { parts, wrong, text: text.replace(/(\d+) TO (\d+)$/, inOrder) };
}

/** Add a box for a hex; return the hex, or "?" if it is none of the map. */
function hexBox(
  id: string,
  unit: UnitPlan,
  parts: Child[],
  wrong: string[],
  again: () => void,
): string {
  const value = fieldValue<string>(id, unit.block.hex);
  const good = /^\s*\d{4}\s*$/.test(value) && isOnMap(value.trim());
  parts.push(
    element("input", {
      ...{ id, size: 5, maxlength: 6, autocomplete: "off", inputmode: "numeric" },
      ...{ "aria-label": "hex", "aria-invalid": good ? null : "true", value },
      oninput: (event) => {
        fieldValues[id] = valueIn(event);
        again();
      },
    }),
  );
  if (!good) wrong.push("“" + value + "” is not a hex of the map; write it like " + unit.block.hex);
  return good ? value.trim() : "?";
}

/** Return fields for one condition. Orders may use all kinds; breaks only those that everybody sees. */
function oneCondition(id: string, unit: UnitPlan, isOrder: boolean, again: () => void): FilledIn {
  const { names } = unit.block;
  const kinds = vocabulary.conditions
    .filter((kind) => isOrder || kind.public)
    .filter(({ text }) => !text.includes("{unit}") || names.length);
  const pairs = kinds.map(({ show }, n): Option => [n, show]);
  const kind = choice(id + "-kind", "Condition", pairs, 0, again);
  const template = kinds[Number(fieldValues[id + "-kind"])].text;
  const { parts, wrong, text } = fillIn(id, template, unit, names, again);
  const not = fieldValue<string>(id + "-not", "") ? "NOT " : "";
  const choices: Option[] = [
    ["", "if"],
    ["not", "if not:"],
  ];
  return {
    parts: [choice(id + "-not", "True or not", choices, "", again), kind, ...parts],
    wrong,
    text: not + text,
  };
}

/** Return fields for a condition of any number of parts; each new part is joined to those before it. */
export function conditions(
  id: string,
  unit: UnitPlan,
  isOrder: boolean,
  again: () => void,
): FilledIn {
  const one = oneCondition(id, unit, isOrder, again);
  const before = joined[id] || "";
  const whole = before
    ? before + " " + fieldValue<string>(id + "-join", "AND") + " " + one.text
    : one.text;
  const beginAnew = () => {
    joined[id] = "";
    again();
  };
  const addAnother = () => {
    if (one.wrong.length) return;
    joined[id] = before && fieldValues[id + "-join"] === "OR" ? "(" + whole + ")" : whole;
    again();
  };
  const joins: Option[] = [
    ["AND", "and"],
    ["OR", "or"],
  ];
  return {
    text: whole,
    wrong: one.wrong,
    parts: [
      before &&
        element(
          "p",
          { class: "line", id: id + "-before" },
          element("span", { class: "mono" }, before),
          button(id + "-less", beginAnew, {}, "Start again"),
        ),
      element(
        "div",
        { class: "line", id: id + "-line" },
        before && choice(id + "-join", "And, or", joins, "AND", again),
        one.parts,
        button(
          id + "-more",
          addAnother,
          { title: "Add another condition to this one" },
          "and / or …",
        ),
      ),
    ],
  };
}

/** Return a pattern for the words beside the unit of a condition. */
const wordsBesideUnit = () =>
  (vocabulary.conditions || [])
    .map(({ text }) => /([A-Z]+) \{unit\}|^\{unit\} ([A-Z]+)/.exec(text))
    .filter((found) => found !== null)
    .map((found) => found[1] || found[2])
    .join("|");

/** Return why IT in an order would mean nobody: its condition names no unit of another. */
export function whyNoIt(text: string, condition: string): string {
  if (!/\bIT\b/.test(text)) return "";
  const ofOthers = condition.replace(/\bME\b[^&]*|\bNOT .*/g, "");
  return new RegExp("\\b(?:" + wordsBesideUnit() + ")\\b").test(ofOthers)
    ? ""
    : "IT means the unit of the condition, but this condition names no unit";
}
