/* Shots as orders of a plan: which weapons are to be used at a target, in which impulse. */

import { readLine, weaponNames } from "../form/model/lines.ts";
import type { Unit, Weapon } from "../form/model/data.ts";
import type { UnitPlan } from "../form/model/plan.ts";

/** A line of orders that uses weapons at a target in one impulse. */
interface ShotLine {
  place: number;
  impulse: number;
  verb: string;
  weapons: string[];
}

/** Return the lines of a unit that use weapons at a target, each in one impulse and under no condition. */
function linesAt(unit: UnitPlan, target: Unit): ShotLine[] {
  return unit.do.flatMap((text, place) => {
    const line = readLine(text);
    if (!line?.verb || !line.weapons || line.impulse === null || line.condition || line.one)
      return [];
    if (line.target!.toUpperCase() !== target.name.toUpperCase()) return [];
    return [{ place, impulse: line.impulse, verb: line.verb, weapons: line.weapons }];
  });
}

const written = (line: ShotLine, target: Unit) =>
  `AT ${line.impulse} ${line.verb} ${weaponNames(line.weapons)} AT ${target.say}`;

/** Return the impulse in which a weapon is ordered to be used at a target; 0 if it is not. */
export const impulseOf = (unit: UnitPlan, target: Unit, weapon: Weapon): number =>
  linesAt(unit, target).find((line) => line.weapons.includes(weapon.name))?.impulse ?? 0;

/** Order a weapon to be used at a target in an impulse; weapons of one verb and impulse share a line. */
export function orderShot(unit: UnitPlan, target: Unit, weapon: Weapon, impulse: number): void {
  cancelShot(unit, target, weapon);
  const shares = (one: ShotLine) =>
    one.impulse === impulse && one.verb === weapon.verb && weapon.verb === "FIRE";
  const line = linesAt(unit, target).find(shares);
  if (line) {
    const order = unit.block.weapons.map((one) => one.name);
    const weapons = [...line.weapons, weapon.name];
    weapons.sort((a, b) => order.indexOf(a) - order.indexOf(b));
    unit.do[line.place] = written({ ...line, weapons }, target);
  } else
    unit.do.push(written({ place: 0, impulse, verb: weapon.verb, weapons: [weapon.name] }, target));
}

/** Take a weapon out of the orders against a target. */
export function cancelShot(unit: UnitPlan, target: Unit, weapon: Weapon): void {
  const line = linesAt(unit, target).find((one) => one.weapons.includes(weapon.name));
  if (!line) return;
  const weapons = line.weapons.filter((name) => name !== weapon.name);
  if (weapons.length) unit.do[line.place] = written({ ...line, weapons }, target);
  else unit.do.splice(line.place, 1);
}

/** Take back all orders against a target. Return whether there were any. */
export function cancelShots(unit: UnitPlan, target: Unit): boolean {
  const places = linesAt(unit, target).map((line) => line.place);
  unit.do = unit.do.filter((_, place) => !places.includes(place));
  return places.length > 0;
}

/** Return the weapons that an order uses in another way already, with the text of that order. */
export function otherUse(unit: UnitPlan, target: Unit, weapon: Weapon): string {
  const own = new Set(linesAt(unit, target).map((line) => line.place));
  const found = unit.do.find((text, place) => {
    const line = readLine(text);
    return !own.has(place) && line?.verb === weapon.verb && line.weapons?.includes(weapon.name);
  });
  return found ?? "";
}
