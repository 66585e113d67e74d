/* What is wrong with the form, impossible by now, not added, not chosen at all, or worth a note. */
import { loose, hasLooseLine } from "./builders.ts";
import { request } from "./data.ts";
import { balance, speedOf, unusedPower } from "./energy.ts";
import { counted, numberText } from "./numbers.ts";
import { optional } from "./optional.ts";
import { hasNoEnergy, hasNoOrders, plan, type OrderList, type UnitPlan } from "./plan.ts";
import { faultsOf } from "./text.ts";

/** A line that is chosen and not added; `list` is missing for a text that was pasted and not loaded. */
export interface LooseOrder {
  id: string;
  text: string;
  unit?: UnitPlan;
  list?: OrderList;
  why?: string;
}

/** The state of the whole form. */
export interface Outlook {
  faults: string[];
  /** Orders from before that are impossible by now: they may be sent, and are not carried out. */
  impossible: string[];
  loose: LooseOrder[];
  /** Units for which nothing is chosen. */
  bare: UnitPlan[];
  notes: string[];
}

/** Return a sentence about a unit, with its name if there are several. */
export const about = (unit: UnitPlan, text: string) =>
  plan.units.length > 1 ? unit.block.name + ": " + text : text;

/** Return whether nothing is chosen for a unit. */
function isUntouched(unit: UnitPlan): boolean {
  const { energy, speeds } = unit.block;
  if (energy) return hasNoEnergy(unit);
  return hasNoOrders(unit) && !(speeds?.fixed && request.form === "EAF");
}

/** Return what happens to a unit for which nothing is chosen. */
export function nothingChosen(unit: UnitPlan): string {
  if (!unit.block.energy)
    return about(
      unit,
      "nothing is chosen yet; it " +
        (speedOf(unit)
          ? "flies straight on and does nothing else"
          : "stays where it is and does nothing"),
    );
  if (!hasNoOrders(unit) || hasLooseLine(unit))
    return about(unit, "no energy is given to anything: speed 0, and nothing is armed");
  const result =
    request.form === "EAF"
      ? "without energy it has speed 0 and arms nothing"
      : "it stays where it is and arms nothing";
  return about(unit, "nothing is chosen yet; " + result);
}

/** Return the state of the whole form; `pasted` is whether a text was pasted and not loaded. */
export function outlook(pasted = false): Outlook {
  const found: Outlook = { faults: [], impossible: [], loose: [], bare: [], notes: [] };
  if (plan.keepsOrders) return found;
  for (const unit of plan.units) lookAt(unit, found);
  for (const [id, [number, list, text, why]] of Object.entries(loose)) {
    const unit = plan.units[number];
    if (unit) found.loose.push({ id, unit, list, text, why });
  }
  if (pasted) found.loose.push({ id: "load", text: "" });
  return found;
}

/** Add what is wrong with one unit, not chosen, or worth a note. */
function lookAt(unit: UnitPlan, found: Outlook): void {
  for (const fault of faultsOf(unit))
    found[fault.stands ? "impossible" : "faults"].push(about(unit, fault.text));
  if (isUntouched(unit) && !unit.meant && (unit.block.energy || !hasLooseLine(unit)))
    found.bare.push(unit);
  else if (unit.block.energy && unusedPower(unit)) found.notes.push(about(unit, unusedText(unit)));
  const spare = optional.courses?.spareCodes(unit);
  if (spare) found.notes.push(about(unit, spareText(unit, spare)));
}

const unusedText = (unit: UnitPlan) =>
  counted(numberText(unusedPower(unit)), "point") +
  " of " +
  numberText(balance(unit).made) +
  " unused: unspent power is lost at the end of the turn, except in batteries (B3.0)";

const spareText = (unit: UnitPlan, spare: number) =>
  "the last " +
  counted(spare, "code") +
  " of the plot " +
  (spare === 1 ? "is" : "are") +
  " more than its hexes at speed " +
  speedOf(unit);
