/* The hexes that a line of fire meets, as `line` in pbem/rules/hexes.py. */
import { cube, type Lower } from "./directions.ts";

/** Where a line enters a hex, as a part of its length, and whether it only runs along an edge. */
interface Passage {
  low: number;
  edge: boolean;
}

/** Return how a line passes a hex, or nothing if it does not. */
function passage(from: number[], to: number[], here: number[]): Passage | false {
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
export function countOnLine(from: string, to: string, hexes: string[], lower: Lower): number {
  if (from === to) return Number(hexes.includes(from));
  const [start, end] = [cube(from, lower), cube(to, lower)];
  const found = hexes
    .map((hex) => passage(start, end, cube(hex, lower)))
    .filter((one) => one !== false);
  const along = found.filter(({ edge }) => edge).map(({ low }) => low);
  return found.length - along.length + along.filter((low, n) => along.indexOf(low) < n).length;
}
