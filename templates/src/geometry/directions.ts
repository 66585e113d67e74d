/*
 * Directions, ranges and bearings on a map of hexes (C1.2, D1.4), as in pbem/rules/hexes.py.
 *
 * Every other column is half a hex lower than its neighbours.
 */
import { distance, hexName, parseHex } from "./hex.ts";

/** The columns that are half a hex lower: 0 for even ones, 1 for odd ones. */
export type Lower = number;

/** The six directions, clockwise; a unit with facing A faces the top of the map. */
export const FACINGS = "ABCDEF";
/** The bearing of a hex from itself; the others are from 0 to 23. */
export const SAME_HEX = 24;

/** The steps in each direction, in columns and slants (see `slantOf`). */
const STEPS = [
  [0, -1],
  [1, -1],
  [1, 0],
  [0, 1],
  [-1, 1],
  [-1, 0],
];

/** Return how many rows lower a line of hexes in direction C is in a column than in column 0. */
const fallen = (column: number, lower: Lower) => Math.floor((column + 1 - lower) / 2);

/** Return the third cube coordinate of a hex; the first one is its column, and the sum of all three is 0. */
export function slantOf(hex: string, lower: Lower): number {
  const { column, row } = parseHex(hex);
  return row - fallen(column, lower);
}

/** Return the cube coordinates of a hex. */
export function cube(hex: string, lower: Lower): [number, number, number] {
  const { column } = parseHex(hex);
  const slant = slantOf(hex, lower);
  return [column, -column - slant, slant];
}

/** Return the next hex in a direction from 0 (A) to 5 (F). */
export function neighbour(hex: string, direction: number, lower: Lower): string {
  const [columns, slants] = STEPS[direction];
  const column = parseHex(hex).column + columns;
  return hexName({ column, row: slantOf(hex, lower) + slants + fallen(column, lower) });
}

/** Return how far two hexes are apart: in columns and in slants. */
const difference = (from: string, to: string, lower: Lower) => [
  parseHex(to).column - parseHex(from).column,
  slantOf(to, lower) - slantOf(from, lower),
];

/** Return the range between two hexes. */
export const range = (from: string, to: string, lower: Lower): number =>
  distance(parseHex(from), parseHex(to), lower);

/**
 * Return the bearing of a hex from another one, from 0 to 23, or 24 for the same hex.
 *
 * Each of the six rows of hexes, clockwise from A, has four numbers: on the row, nearer to this row than to the next,
 * halfway between both, and nearer to the next.
 */
export function bearing(from: string, to: string, lower: Lower): number {
  const [columns, slants] = difference(from, to, lower);
  for (const [row, [rowColumns, rowSlants]] of STEPS.entries()) {
    const [nextColumns, nextSlants] = STEPS[(row + 1) % 6];
    /* The way there is so many steps along this row and so many along the next one. */
    const along = columns * nextSlants - slants * nextColumns;
    const across = rowColumns * slants - rowSlants * columns;
    if (along > 0 && across >= 0) return 4 * row + (across && 2 + Math.sign(across - along));
  }
  return SAME_HEX;
}
