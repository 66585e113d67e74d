/*
 * What stands in fields in which a line of orders is being made, before it is added.
 *
 * Each builder has an id, with which the names of its fields begin.
 */
import { plan, type OrderList, type UnitPlan } from "./plan.ts";

export type FieldValue = string | number | boolean;
/** A line that is made and not added: number of the unit, list, text, and why it cannot be added. */
export type LooseLine = [number, OrderList, string, string];

/** The values of fields, by id. */
export const fieldValues: Record<string, FieldValue> = {};
/** The first parts of conditions that have several, by builder. */
export const joined: Record<string, string> = {};
/** The builders that are being used. */
export const touched: Record<string, boolean> = {};
/** The weapons ticked in each builder of shots. */
export const picked: Record<string, Set<string>> = {};
/** The lines that are made and not added, by builder. */
export const loose: Record<string, LooseLine> = {};

/** The parts that are objects of plain values, by the name under which they are kept. */
export const KEPT_BY_ID = { memory: fieldValues, joined, touched, loose } as const;

/** Return the value of a field, which is `first` until the player changes it. */
export function fieldValue<T extends FieldValue>(id: string, first: T): T {
  if (fieldValues[id] === undefined) fieldValues[id] = first;
  return fieldValues[id] as T;
}

/** Empty a builder: its line is not wanted, or was added. */
export function clearBuilder(id: string): void {
  delete touched[id];
  delete loose[id];
  if (picked[id]) picked[id].clear();
  for (const part of Object.keys(joined)) if (part.startsWith(id)) joined[part] = "";
}

/** Empty all builders. */
export function clearBuilders(): void {
  for (const kept of Object.values(KEPT_BY_ID) as Record<string, unknown>[])
    for (const id of Object.keys(kept)) delete kept[id];
  for (const names of Object.values(picked)) names.clear();
}

/** Return whether a line is chosen for a unit that is not in its orders yet. */
export const hasLooseLine = (unit: UnitPlan): boolean =>
  Object.values(loose).some(([number]) => plan.units[number] === unit);
