/* What is wrong with the orders of a unit, in the words of the engine's check. */
import { formData, request, type Act, type Reasons, type Unit, type Weapon } from "./data.ts";
import { batteriesLeft, isPaid } from "./energy.ts";
import { notUnderstood, notUnderstoodText, placeAt, walk, type Walk } from "./courses.ts";
import { bears, hexesAround, movesBetween, range } from "./hexes.ts";
import { readLine, type DoLine } from "./lines.ts";
import { type Fault } from "./optional.ts";
import { fieldOf, isStandingCourse, isStandingOrder, optionOf, type UnitPlan } from "./plan.ts";

/** The impulse in which each weapon is used, by verb and weapon. */
export type Used = Map<string, number>;

/** Return why something cannot be done because a standing cost is not paid (B3.0). */
function whyUnpaid(unit: UnitPlan, { unpaid }: { unpaid: Reasons }): string {
  if (!unit.block.energy) return "";
  const id = Object.keys(unpaid || {}).find((one) => optionOf(unit, fieldOf(unit, one)!).warn);
  return id ? unpaid[id] : "";
}

/** Return why a weapon cannot be used with the energy that the form gives it. */
export function whyUnready(unit: UnitPlan, weapon: Weapon): string {
  if (weapon.idle || !unit.block.energy) return weapon.idle;
  const unpaid = whyUnpaid(unit, weapon);
  if (unpaid) return unpaid;
  const field = fieldOf(unit, weapon.name);
  const ready = field ? optionOf(unit, field).uses : weapon.cost && charge(unit) >= weapon.cost;
  return ready ? "" : weapon.needs;
}

/** Return the points in the phaser capacitor. */
function charge(unit: UnitPlan): number {
  const field = fieldOf(unit, "PHASERS");
  if (!field) return 0;
  const option = optionOf(unit, field);
  return (option.text ? option.capacitor : field.capacitor) || 0;
}

/** Return how many hexes a unit can have moved by the end of an impulse; unknown speeds count as the greatest one. */
export function stepsBy(unit: Unit, impulse: number): number {
  const speed = unit.still ? 0 : request.speeds_known || unit.sure ? unit.speed : formData.top;
  const moved = (unit.sure || "move") in request.over ? 1 : 0;
  return movesBetween(speed, request.first + moved, impulse);
}

/** Return why a weapon cannot reach a target in an impulse, wherever the target may be by then. */
export function whyOutOfReach(found: Walk, weapon: Weapon, target: Unit, impulse: number): string {
  if (impulse > found.until || weapon.verb !== "FIRE") return "";
  const place = placeAt(found, impulse);
  const steps = stepsBy(target, impulse);
  const gap = range(place.hex, target.hex);
  const nearest = Math.max(0, gap - steps);
  const farthest = gap + steps;
  if (nearest > weapon.most)
    return "range " + nearest + " at best, its maximum is " + weapon.most + " (E1.3)";
  if (farthest < weapon.least)
    return "range " + farthest + " at most, its minimum is " + weapon.least + " (E4.14)";
  if (steps > formData.far || gap <= steps) return "";
  const comesIntoArc = hexesAround(target.hex, steps).some(
    (hex) => range(target.hex, hex) <= steps && bears(weapon, place.hex, place.facing, hex),
  );
  return comesIntoArc ? "" : "it cannot come into the arc " + weapon.arc + " by then (D2.0)";
}

/**
 * Return why a DO line is refused, or "".
 *
 * `used` holds the weapons that earlier lines use; those of this line are added.
 */
export function judge(unit: UnitPlan, found: Walk, text: string, used: Used): string {
  const line = readLine(text);
  if (!line) return "";
  const { impulse } = line;
  if (impulse !== null && (impulse < request.first || impulse > request.through))
    return (
      "impulse " +
      impulse +
      " is not among " +
      request.first +
      " to " +
      request.through +
      " (C1.41)"
    );
  const act = unit.block.acts?.find(
    (one) => one.text === line.act.toUpperCase() || one.text === line.act,
  );
  return (act && whyNotAct(unit, act)) || judgeShot(unit, found, line, used);
}

/** Return why an activity is refused with the energy that the form gives it. */
function whyNotAct(unit: UnitPlan, act: Act): string {
  if (!unit.block.energy) return "";
  const paid = act.by.some((id) => isPaid(unit, id));
  if (act.needs && !paid) return act.needs;
  if (act.spoiled && paid) return act.spoiled;
  return whyUnpaid(unit, act) || act.drained[Math.max(0, Math.floor(batteriesLeft(unit)))] || "";
}

/** Return why a line that uses weapons is refused; a line for one of several may use those that are not. */
function judgeShot(unit: UnitPlan, found: Walk, line: DoLine, used: Used): string {
  const complaints = [];
  let able = 0;
  for (const name of line.weapons || []) {
    const weapon = unit.block.weapons.find((one) => one.name === name);
    if (!weapon) continue;
    const why = whyNotUsed(unit, weapon, line) || whyNotNow(found, weapon, line, used);
    if (why) complaints.push(why);
    else able++;
  }
  return complaints.length && !(line.one && able) ? complaints[0] : "";
}

const targetOf = (line: DoLine) =>
  formData.units.find((one) => one.name.toUpperCase() === line.target!.toUpperCase());

/** Return why a weapon cannot be used as a line says, whatever the course. */
function whyNotUsed(unit: UnitPlan, weapon: Weapon, line: DoLine): string {
  const target = targetOf(line);
  const { name, verb, idle, closed } = weapon;
  const why =
    verb !== line.verb
      ? name + ": " + verb + " it"
      : line.reserve
        ? idle
        : whyUnready(unit, weapon);
  return (
    why ||
    (line.impulse !== null && closed?.[line.impulse]) ||
    (target && weapon.not[target.name]) ||
    ""
  );
}

/** Return why a weapon cannot be used in the impulse of a line: it has no reach, or is used already. */
function whyNotNow(found: Walk, weapon: Weapon, line: DoLine, used: Used): string {
  const { name } = weapon;
  const { impulse } = line;
  if (impulse === null || line.one) return "";
  const target = targetOf(line);
  const why = target && whyOutOfReach(found, weapon, target, impulse);
  if (why) return name + ": " + why;
  if (line.condition) return "";
  const key = line.verb + name;
  if (used.has(key))
    return name + " is used in impulse " + used.get(key) + " already; once a turn (E1.5)";
  used.set(key, impulse);
  return "";
}

/** Return the weapons that the DO lines of a unit use. */
export function weaponsUsed(unit: UnitPlan): Used {
  const used: Used = new Map();
  const found = walk(unit);
  for (const text of unit.do) judge(unit, found, text, used);
  return used;
}

/** Return what is wrong with the plot and the DO lines of a unit. */
export function courseFaults(unit: UnitPlan): Fault[] {
  const found: Fault[] = [];
  const course = walk(unit);
  const used: Used = new Map();
  if (notUnderstood(unit)) found.push({ step: "plot", text: notUnderstoodText(unit) });
  const stands = isStandingCourse(unit);
  if (course.fault)
    found.push({
      step: "plot",
      stands,
      text: stands ? "your earlier plot: " + course.fault.text : course.fault.text,
    });
  unit.do.forEach((text, n) => {
    const why = judge(unit, course, text, used);
    const isOld = isStandingOrder(unit, text);
    if (why)
      found.push({
        ...{ step: "do", n, stands: isOld },
        text: isOld ? "“" + text + "”, an earlier order: " + why : why,
      });
  });
  return found;
}
