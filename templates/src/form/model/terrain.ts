/* Planets and asteroids in a line of fire (P2.0, P3.0). Only forms whose map has any need this part. */
import { cube } from "../../geometry/directions.ts";
import { mapData } from "./data.ts";

/** Where a line enters a hex, as a part of its length, and whether it only runs along an edge. */
interface Passage {
  low: number;
  edge: boolean;
}

/** Return how a line passes a hex, or nothing if it does not. As `line` in pbem/rules/hexes.py. */
function passage(from: number[], to: number[], hex: string): Passage | false {
  const here = cube(hex, mapData.lower);
  let low = 0;
  let high = 1;
  let edge = false;
  for (const [one, two] of [
    [0, 1],
    [1, 2],
    [2, 0],
  ]) {
    const offset = from[one] - here[one] - from[two] + here[two];
    const slope = to[one] - from[one] - to[two] + from[two];
    if (!slope) {
      if (Math.abs(offset) > 1) return false;
      edge = Math.abs(offset) === 1;
      continue;
    }
    const ends = [(-1 - offset) / slope, (1 - offset) / slope];
    low = Math.max(low, Math.min(...ends));
    high = Math.min(high, Math.max(...ends));
  }
  return low < high && { low, edge };
}

/** Return how many of these hexes a line meets; two along whose common edge it runs count once. */
function countOnLine(from: string, to: string, hexes: string[]): number {
  if (from === to) return Number(hexes.includes(from));
  const [start, end] = [from, to].map((hex) => cube(hex, mapData.lower));
  const found = hexes.map((hex) => passage(start, end, hex)).filter((one) => one !== false);
  const along = found.filter((one) => one.edge).map((one) => one.low);
  return found.length - along.length + along.filter((low, n) => along.indexOf(low) < n).length;
}

/** Return what terrain between two hexes adds to the die; -1 if a planet blocks the line of fire. */
export function terrainBetween(from: string, to: string): number {
  if (countOnLine(from, to, Object.keys(mapData.closed))) return -1;
  const count = countOnLine(from, to, mapData.rocks || []);
  return Math.max(
    0,
    ...(mapData.adds || []).filter(([least]) => count >= least).map(([, added]) => added),
  );
}
