/*
 * What if the enemy …: sketches of the course of an enemy.
 *
 * A sketch is no order. It is kept like the value of a field and never written into the text. Everything that asks
 * where a unit goes takes a sketch like an own unit. Of one enemy there may be several sketches, A to D, to be
 * compared.
 */
import { fieldValue, fieldValues } from "./builders.ts";
import { readCodes } from "./courses.ts";
import { formData, request, type EnemyWeapons, type Unit } from "./data.ts";
import { plan, type Course } from "./plan.ts";

export const LETTERS = "ABCD";
const PARTS = ["-codes", "-speed", "-veil"];

/** The sketched course of an enemy. */
export interface Sketch extends Course {
  id: string;
  letter: string;
  unit: Unit;
  weapons: EnemyWeapons[];
  veil: number;
}

/** Return the number of the enemy that the player looks at, or -1. */
export const chosenEnemy = (): number =>
  plan.keepsOrders ? -1 : formData.foes.findIndex((one) => one.name === fieldValues.foe);

const sketchId = (enemy: number, place: number) =>
  "foe" + enemy + (place ? LETTERS[place].toLowerCase() : "");

/** Return how many sketches of an enemy there are. */
const sketchCount = (enemy: number) => Number(fieldValues["foe" + enemy + "-many"] || 1);

/** Return the place of the sketch that is drawn. */
export const chosenSketch = (enemy: number) => Number(fieldValues["foe" + enemy + "-on"] || 0);

/** Draw another sketch of an enemy. */
export function chooseSketch(enemy: number, place: number): void {
  fieldValues["foe" + enemy + "-on"] = place;
}

function sketchAt(enemy: number, place: number): Sketch {
  const { name, hull, turned, slipped, veils, blind, guns } = formData.foes[enemy];
  const id = sketchId(enemy, place);
  const unit = formData.units.find((one) => one.name === name)!;
  const { hex, facing } = unit;
  const speed = Number(fieldValue(id + "-speed", unit.speed));
  return {
    ...{ id, letter: LETTERS[place], unit, weapons: guns },
    block: {
      ...{ name, kind: "ship", hex, facing, speed, veils, blind },
      helm: { ...formData.hulls[hull], turned, slipped },
      moved: "move" in request.over,
    },
    veil: Number(fieldValues[id + "-veil"] || 0),
    codes: readCodes(String(fieldValues[id + "-codes"] || "")).codes,
    ...{ fields: {}, speed: null, typed: null, steer: [], course: "", leave: false },
  };
}

/** Return the sketch that is drawn, or null. */
export function currentSketch(): Sketch | null {
  const enemy = chosenEnemy();
  return enemy < 0 ? null : sketchAt(enemy, chosenSketch(enemy));
}

/** Return all sketches of the enemy that the player looks at. */
export function allSketches(): Sketch[] {
  const enemy = chosenEnemy();
  return enemy < 0
    ? []
    : Array.from({ length: sketchCount(enemy) }, (_, place) => sketchAt(enemy, place));
}

/** Add a sketch, which begins as a copy of the one that is drawn. */
export function addSketch(enemy: number): void {
  const from = sketchId(enemy, chosenSketch(enemy));
  const count = sketchCount(enemy);
  for (const part of PARTS) fieldValues[sketchId(enemy, count) + part] = fieldValues[from + part];
  fieldValues["foe" + enemy + "-many"] = count + 1;
  chooseSketch(enemy, count);
}

/** Remove the sketch that is drawn; those after it move up. */
export function removeSketch(enemy: number): void {
  const count = sketchCount(enemy);
  for (let place = chosenSketch(enemy); place < count; place++)
    for (const part of PARTS) {
      const next = fieldValues[sketchId(enemy, place + 1) + part];
      if (place + 1 < count && next !== undefined)
        fieldValues[sketchId(enemy, place) + part] = next;
      else delete fieldValues[sketchId(enemy, place) + part];
    }
  fieldValues["foe" + enemy + "-many"] = count - 1;
  chooseSketch(enemy, Math.min(chosenSketch(enemy), count - 2));
}

/** Return whether the course of any enemy is sketched. */
export const hasSketches = () =>
  Object.keys(fieldValues).some((id) => /^foe\d+[b-d]?-codes$/.test(id) && fieldValues[id]);
