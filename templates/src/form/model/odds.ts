/*
 * What weapons may score along a course (D1.4, D6.123, E1.0, G13.0, P3.0).
 *
 * For each way in which cloaks, a missing lock-on, asteroids and small drones change a shot the engine made a table of
 * chances. Here they are only looked up.
 */
import {
  formData,
  request,
  type Chances,
  type CloakStretch,
  type Unit,
  type Weapon,
} from "./data.ts";
import { placeAt, walk, type Place, type Walk } from "./courses.ts";
import { isPaid } from "./energy.ts";
import { bears, facedShields, FACINGS, isOnMap, movesBetween, neighbour, range } from "./hexes.ts";
import { stepsBy, whyUnready } from "./judging.ts";
import { sum } from "./numbers.ts";
import { optional } from "./optional.ts";
import { type Course, type UnitPlan } from "./plan.ts";
import type { Sketch } from "./sketches.ts";

const NO_CLOAK: CloakStretch = [0, 1, 0, 0];

/** Return how the cloak of a unit works in an impulse. */
export function cloakOf(course: Course, impulse: number): CloakStretch {
  const ways = course.block.veils || [];
  const way =
    course.veil !== undefined
      ? ways[course.veil]
      : ways.find(
          ({ paid }) =>
            paid === undefined || !course.block.energy || paid === isPaid(course, "CLOAK"),
        );
  return way?.at.find(([last]) => impulse <= last) || NO_CLOAK;
}

/** Return how the cloak of a target works: as it is sketched, or as is most likely. */
function cloakOfTarget(unit: Unit, impulse: number): CloakStretch {
  const sketch = optional.enemies?.sketch();
  if (sketch && sketch.block.name === unit.name) return cloakOf(sketch, impulse);
  const known = formData.foes.find((one) => one.name === unit.name)?.veils?.[0];
  return known?.at.find(([last]) => impulse <= last) || NO_CLOAK;
}

/** Return the faces of the die with which a weapon hits, and the points of all six faces. */
function scored(
  weapon: Chances,
  blind: number | undefined,
  far: number,
  cloak: CloakStretch,
  added: number,
): number[] {
  const key = Math.max(cloak[1], blind || 1) + " " + cloak[2] + " " + added;
  return (key === "1 0 0" ? weapon.table : weapon.tables[key])?.[far] || [0, 0];
}

const terrainBetween = (from: string, to: string) => optional.terrain?.(from, to) || 0;

export type Spot = { hex: string; facing: string };

/** Return where a target is in each impulse, if that is known: by a sketch, or because it never turns. */
function knownPlaces(unit: Unit): ((impulse: number) => Spot) | null {
  const sketch = optional.enemies?.sketch();
  if (sketch && sketch.block.name === unit.name && sketch.codes.length) {
    const course = walk(sketch);
    return (impulse) => placeAt(course, impulse);
  }
  if (!unit.straight) return null;
  const first = request.first + (unit.sure! in request.over ? 1 : 0);
  return (impulse) => {
    let { hex } = unit;
    for (let n = movesBetween(unit.speed, first, impulse); n > 0; n--)
      hex = neighbour(hex, FACINGS.indexOf(unit.facing));
    return { hex, facing: unit.facing };
  };
}

/** Return whether the step of direct fire in an impulse is over. */
const isFireOver = (impulse: number) => impulse === request.first && "fire" in request.over;

/** What several weapons may do to a target in one impulse. */
export interface ShotRow {
  impulse: number;
  place: Place;
  range: number;
  /** The ranges that the target can make of it, as text; empty if there is only one. */
  ranges: string;
  /** The number of weapons that bear and have the range. */
  able: number;
  /** Faces of the die with which the best weapon hits, and the points of all faces of all weapons. */
  chance: number;
  points: number;
  why: string;
  shields: number[];
}

/** A table of shots against a target, along the course of a unit. */
export interface ShotTable {
  rows: ShotRow[];
  best: number;
  stands: Spot;
  /** Whether it is known where the target will be. */
  known: boolean;
  /** The last impulse for which both places can be told. */
  until: number;
  placeOfTarget(impulse: number): Spot;
}

/**
 * Return what weapons may do to a target in each impulse in which something changes.
 * `supposed` says where the target will be, if its course is not known.
 */
export function shotTable(
  unit: UnitPlan,
  course: Walk,
  weapons: Weapon[],
  target: Unit,
  supposed: ((impulse: number) => Spot) | null = null,
): ShotTable {
  const stands = { hex: target.hexes[0] || target.hex, facing: target.facing };
  const known = knownPlaces(target) || supposed;
  const placeOfTarget = known || (() => stands);
  const rows: ShotRow[] = [];
  let until = Math.min(request.through, Math.max(request.first, course.until));
  let last = "";
  for (let impulse = request.first; impulse <= until; impulse++) {
    const place = placeAt(course, impulse);
    const spot = placeOfTarget(impulse);
    if (!isOnMap(spot.hex)) {
      until = impulse - 1;
      break;
    }
    const cloaks = [cloakOf(unit, impulse), cloakOfTarget(target, impulse)];
    const open = weapons.filter((weapon) => !weapon.closed?.[impulse]);
    const names = open.map(({ name }) => name);
    const now = [place.hex + place.facing, spot.hex + spot.facing, ...cloaks, ...names].join();
    if (now === last) continue;
    last = now;
    const steps = known ? 0 : stepsBy(target, impulse);
    rows.push({ impulse, place, ...shotsAt(unit, open, target, place, spot, cloaks, steps) });
  }
  const best = Math.max(...rows.map((row) => row.points));
  return { rows, best, stands, known: Boolean(known), until, placeOfTarget };
}

function shotsAt(
  unit: UnitPlan,
  weapons: Weapon[],
  target: Unit,
  place: Place,
  spot: Spot,
  [own, his]: CloakStretch[],
  steps: number,
): Omit<ShotRow, "impulse" | "place"> {
  const far = range(place.hex, spot.hex);
  const added = terrainBetween(place.hex, spot.hex);
  const bearing = weapons.filter((weapon) => bears(weapon, place.hex, place.facing, spot.hex));
  const hits = bearing
    .map((weapon) => {
      const small = (target.kind === "drone" && weapon.small) || 0;
      return scored(weapon, unit.block.blind, far, his, added + small);
    })
    .filter(([faces]) => added >= 0 && !own[3] && faces > 0);
  const away = !bearing.length ? "arc" : added < 0 ? "planet" : "range";
  const reason = own[3] ? "cloak" : !weapons.length ? "not now" : away;
  return {
    range: far,
    ranges: steps ? Math.max(0, far - steps) + "–" + (far + steps) : "",
    able: hits.length,
    chance: Math.max(0, ...hits.map(([faces]) => faces)),
    points: sum(hits, ([, points]) => points),
    why: hits.length ? "" : ", " + reason,
    shields: facedShields(spot, place.hex),
  };
}

/** Return a sum of the points of all six faces of dice as a mean to one decimal. */
export const meanPoints = (points: number) => (Math.floor((points * 20 + 6) / 12) / 10).toFixed(1);

/** What two ships may do to each other in one impulse. */
export interface DuelRow {
  impulse: number;
  me: Place;
  his: Place;
  range: number;
  /** Points of all faces of the dice, mine and his; and the numbers of weapons that can score them. */
  out: number;
  back: number;
  fires: number;
  answers: number;
  /** The numbers of his shields that I hit, and of mine that he hits. */
  hits: number[];
  hurts: number[];
}

/** Return what an own ship and a sketched enemy may do to each other, in each impulse in which something changes. */
export function duelTable(unit: UnitPlan, sketch: Sketch): DuelRow[] {
  const courses = [walk(unit), walk(sketch)];
  const weapons = unit.block.weapons.filter((one) => one.verb === "FIRE" && !whyUnready(unit, one));
  const rows: DuelRow[] = [];
  let last = "";
  for (let impulse = request.first; impulse <= request.through; impulse++) {
    if (rows.length && impulse > courses[0].until) break;
    const [me, his] = courses.map((course) => placeAt(course, impulse));
    const [mine, hidden] = [cloakOf(unit, impulse), cloakOf(sketch, impulse)];
    const open = weapons.filter((weapon) => !weapon.closed?.[impulse]);
    const answering = isFireOver(impulse) ? [] : sketch.weapons;
    const names = [...open.map(({ name }) => name), answering.length];
    const now = [me.hex + me.facing, his.hex + his.facing, mine, hidden, ...names].join();
    if (now === last) continue;
    last = now;
    const out = salvo(open, unit.block.blind, [mine, hidden], me, his);
    const back = salvo(answering, sketch.block.blind, [hidden, mine], his, me);
    rows.push({
      ...{ impulse, me, his, range: range(me.hex, his.hex) },
      ...{ out: out.points, back: back.points, fires: out.count, answers: back.count },
      hits: facedShields(his, me.hex),
      hurts: facedShields(me, his.hex),
    });
  }
  return rows;
}

/** Return the points of all weapons that can score from one place at another, and the number of these weapons. */
function salvo(
  weapons: (Chances & { n?: number })[],
  blind: number | undefined,
  [own, other]: CloakStretch[],
  from: Place,
  to: Place,
): { points: number; count: number } {
  const far = range(from.hex, to.hex);
  const added = terrainBetween(from.hex, to.hex);
  const found = { points: 0, count: 0 };
  for (const weapon of added < 0 || own[3] ? [] : weapons) {
    const [faces, points] = scored(weapon, blind, far, other, added);
    if (!faces || !bears(weapon, from.hex, from.facing, to.hex)) continue;
    found.points += (weapon.n || 1) * points;
    found.count += weapon.n || 1;
  }
  return found;
}

/** Return the row of an impulse, or the one before it. */
export const rowAt = (rows: DuelRow[], impulse: number): DuelRow =>
  rows.findLast((row) => row.impulse <= impulse) || rows[0];

/** Return the row that is best for me. */
export const bestRow = (rows: DuelRow[]): DuelRow =>
  rows.reduce((best, row) => (row.out - row.back > best.out - best.back ? row : best), rows[0]);
