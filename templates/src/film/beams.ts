/* What the effects of a film draw, as pure functions: beams of a shot, and the side of a ship that is struck. */

import type { Point } from "../geometry/hex.ts";

export type Weapon = "phaser" | "photon" | "disruptor" | "fusion" | "other";

export interface Beam {
  weapon: Weapon;
  hit: boolean;
  /** Time in milliseconds after the first beam. */
  delay: number;
  /** Where it comes from and where it ends: at a shield of its target, or beside and behind its target. */
  from: Point;
  to: Point;
}

const WEAPONS: Record<string, Weapon> = {
  p: "phaser",
  t: "photon",
  d: "disruptor",
  f: "fusion",
};

/** Time between two beams of a shot, and at most between its first and its last. */
const BETWEEN = 90;
const ALL = 450;
/** Distance from the centre of a ship to its shields. */
const SHIELD = 25;
/** How far a beam that misses passes beside its target, and how far it goes on. */
const BESIDE = 20;
const BEHIND = 60;
/** Distance between beams that hit side by side. */
const APART = 5;

/** Return the length and the direction of the way from one point to another. */
function way(from: Point, to: Point): { length: number; x: number; y: number } {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy);
  return length ? { length, x: dx / length, y: dy / length } : { length: 0, x: 0, y: -1 };
}

/** Return the point from which a line comes to a ship's shields; `size` is the size of the ship's counter. */
export function shieldPoint(from: Point, target: Point, size = 1): Point {
  const { length, x, y } = way(from, target);
  const before = Math.min(length / 2, SHIELD * size);
  return { x: target.x - x * before, y: target.y - y * before };
}

/**
 * Return the beams of a shot: one for each letter of `arms`, which are those of `data-arms` in the map.
 *
 * A small letter is a miss. With `most` beams there are none for further letters.
 */
export function beamsOf(
  arms: string,
  from: Point,
  target: Point,
  { size = 1, most = Infinity } = {},
): Beam[] {
  const letters = [...arms].slice(0, most);
  const step = Math.min(BETWEEN, ALL / Math.max(1, letters.length - 1));
  const { x, y } = way(from, target);
  const end = shieldPoint(from, target, size);
  return letters.map((letter, n) => {
    const hit = letter !== letter.toLowerCase();
    const side = n % 2 ? 1 : -1;
    const aside = hit ? (n - (letters.length - 1) / 2) * APART : side * (BESIDE + n * APART) * size;
    const on = hit ? 0 : BEHIND;
    const base = hit ? end : target;
    return {
      weapon: WEAPONS[letter.toLowerCase()] ?? "other",
      hit,
      delay: n * step,
      from,
      to: { x: base.x + x * on - y * aside, y: base.y + y * on + x * aside },
    };
  });
}

/** Return the number (from 0) of the side of a ship that faces a point; `turn` is the ship's rotation in degrees. */
export function facingSide(ship: Point, turn: number, from: Point): number {
  const angle = (Math.atan2(from.x - ship.x, ship.y - from.y) * 180) / Math.PI;
  return ((Math.round((angle - turn) / 60) % 6) + 6) % 6;
}

/** Return the numbers (from 0) of the shields that lost boxes, with the boxes that each lost. */
export function lostBoxes(
  before: readonly number[] | undefined,
  now: readonly number[] | undefined,
): Map<number, number> {
  const lost = new Map<number, number>();
  now?.forEach((boxes, n) => {
    const less = (before?.[n] ?? boxes) - boxes;
    if (less > 0) lost.set(n, less);
  });
  return lost;
}

/** Return the entry whose place is nearest to a point and at most `most` away. */
export function nearest<T>(
  places: Iterable<readonly [T, Point | null]>,
  point: Point,
  most: number,
): T | null {
  let best: T | null = null;
  let least = most;
  for (const [value, place] of places) {
    if (!place) continue;
    const away = Math.hypot(place.x - point.x, place.y - point.y);
    if (away > least) continue;
    [best, least] = [value, away];
  }
  return best;
}
