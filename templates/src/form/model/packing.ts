/* All that is chosen as one text, so that the page can keep it between two visits. */
import {
  clearBuilders,
  fieldValues,
  joined,
  KEPT_BY_ID,
  loose,
  picked,
  touched,
} from "./builders.ts";
import { formData } from "./data.ts";
import { emptyUnit, plan, setPlan, type UnitPlan } from "./plan.ts";

/** The parts of a unit's plan, in the order in which they are kept. */
const PARTS = [
  ...(["fields", "rest", "speed", "at", "codes", "typed", "meant"] as const),
  ...(["course", "steer", "leave", "do", "breaks", "damage"] as const),
];

/** Return what is chosen; `typed` is a text that was pasted and not loaded. */
export function packedChoices(typed: string): string {
  const ticked = Object.entries(picked).map(([id, names]) => [id, [...names]] as const);
  return JSON.stringify({
    on: plan.keepsOrders,
    other: plan.otherBlocks,
    blocks: plan.units.map((unit) => PARTS.map((part) => unit[part])),
    touched,
    picked: Object.fromEntries(ticked.filter(([, names]) => names.length)),
    typed,
  });
}

/** Return everything that the page shows, as of now. */
export const packedForm = (typed: string): string =>
  JSON.stringify({
    ...{ format: 1, when: Date.now(), chosen: packedChoices(typed), at: plan.current },
    ...{ memory: fieldValues, joined, loose },
  });

/** Return the time at which a text was packed, or 0. */
export function packedAt(text: string): number {
  try {
    return JSON.parse(text).when || 0;
  } catch {
    return 0;
  }
}

/** Restore everything from a text of `packedForm`; return the pasted text. A text of another form is an error. */
export function unpackForm(text: string): string {
  const whole = JSON.parse(text);
  const held = JSON.parse(whole.chosen);
  if (whole.format !== 1 || held.blocks.length !== formData.blocks.length)
    throw new Error("another form");
  const units = formData.blocks.map((block, n): UnitPlan => {
    const kept = PARTS.map((part, place) => [part, held.blocks[n][place]]);
    return Object.assign(emptyUnit(block), Object.fromEntries(kept));
  });
  for (const unit of units) checkFields(unit);
  const last = Math.max(0, units.length - 1);
  setPlan({
    keepsOrders: Boolean(held.on),
    units,
    otherBlocks: held.other.map(String),
    current: Math.min(Math.max(0, Number(whole.at) || 0), last),
  });
  clearBuilders();
  for (const [name, kept] of Object.entries(KEPT_BY_ID))
    Object.assign(kept, name === "touched" ? held.touched : whole[name]);
  for (const id of Object.keys(picked)) delete picked[id];
  for (const [id, names] of Object.entries(held.picked as Record<string, string[]>))
    picked[id] = new Set(names);
  return held.typed;
}

/** Refuse a plan whose fields this form does not have. */
function checkFields(unit: UnitPlan): void {
  for (const [id, pick] of Object.entries(unit.fields))
    if (!unit.block.energy!.fields.find((field) => field.id === id)!.options[pick.opt])
      throw new Error("another form");
}
