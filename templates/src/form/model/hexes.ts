/* Hexes of the form's map: where they are, what bears on them, and how they are drawn. */
import {
  bearing as bearingOnGrid,
  FACINGS,
  neighbour as neighbourOnGrid,
  range as rangeOnGrid,
  SAME_HEX,
} from "../../geometry/directions.ts";
import { hexName, parseHex } from "../../geometry/hex.ts";
import { formData, mapData, type Chances } from "./data.ts";

export { FACINGS };

/** Return the plot codes. */
export const plotCodes = () => Object.keys(mapData.codes);

/** Return whether a hex is on the map. */
export function isOnMap(hex: string): boolean {
  const { column, row } = parseHex(hex);
  const { first, last } = mapData;
  return column >= first[0] && column <= last[0] && row >= first[1] && row <= last[1];
}

/** Return the hexes of the map within a range of a hex, and a few more. */
export function hexesAround(hex: string, range: number): string[] {
  const { column, row } = parseHex(hex);
  const { first, last } = mapData;
  const found = [];
  for (let c = Math.max(first[0], column - range); c <= Math.min(last[0], column + range); c++)
    for (let r = Math.max(first[1], row - range - 1); r <= Math.min(last[1], row + range + 1); r++)
      found.push(hexName({ column: c, row: r }));
  return found;
}

/** Return the next hex in a direction from 0 (A) to 5 (F). */
export const neighbour = (hex: string, direction: number) =>
  neighbourOnGrid(hex, direction, mapData.lower);

/** Return the range between two hexes. */
export const range = (from: string, to: string) => rangeOnGrid(from, to, mapData.lower);

/** Return the bearing of a hex from another one, from 0 to 23, or 24 for the same hex. */
export const bearing = (from: string, to: string) => bearingOnGrid(from, to, mapData.lower);

/** Return the bearing as seen from a unit with this facing; -1 for its own hex. */
function seenFrom(hex: string, facing: string, other: string): number {
  const way = bearing(hex, other);
  return way >= SAME_HEX ? -1 : (way - 4 * FACINGS.indexOf(facing) + 24) % 24;
}

/** Return whether a weapon of a unit bears on a hex (D2.0). */
export function bears(weapon: Chances, hex: string, facing: string, other: string): boolean {
  const way = seenFrom(hex, facing, other);
  return way < 0 || mapData.arcs[way].some((arc) => weapon.arcs.includes(arc));
}

/** Return the numbers of the shields of a unit that face a hex. */
export function facedShields(unit: { hex: string; facing: string }, from: string): number[] {
  const way = unit.facing ? seenFrom(unit.hex, unit.facing, from) : -1;
  return way < 0 ? [] : mapData.shields[way];
}

/** Return the centre of a hex in the drawing of the map. */
export function centre(hex: string): number[] {
  const { column, row } = parseHex(hex);
  const [halfWidth, halfHeight, columnStep, rowStep, margin] = mapData.units;
  return [
    margin + halfWidth + columnStep * (column - mapData.drawn[0]),
    margin +
      halfHeight +
      rowStep * (row - mapData.drawn[1]) +
      (column % 2 === mapData.lower ? halfHeight : 0),
  ];
}

/** Return the hex of the map that holds a point of the drawing, or "". */
export function hexAt(x: number, y: number): string {
  const [halfWidth, halfHeight, columnStep, rowStep, margin] = mapData.units;
  const column = Math.round((x - margin - halfWidth) / columnStep) + mapData.drawn[0];
  const row = Math.round((y - margin - halfHeight) / rowStep) + mapData.drawn[1];
  let nearest = "";
  let gap = 32;
  for (let c = Math.max(0, column - 1); c <= column + 1; c++)
    for (let r = Math.max(0, row - 1); r <= row + 1; r++) {
      const hex = hexName({ column: c, row: r });
      const [cx, cy] = centre(hex);
      const away = Math.hypot(x - cx, y - cy);
      if (isOnMap(hex) && away < gap) [nearest, gap] = [hex, away];
    }
  return nearest;
}

const CORNERS = [
  [-30, 0],
  [-15, -26],
  [15, -26],
  [30, 0],
  [15, 26],
  [-15, 26],
];

/** Return the outline of a hex as the path of a drawing. */
export function outline(hex: string, scale = 1): string {
  const [x, y] = centre(hex);
  return "M" + CORNERS.map(([dx, dy]) => x + dx * scale + " " + (y + dy * scale)).join("L") + "Z";
}

/** Return whether a unit moves in an impulse at a speed (C1.44). */
export const movesIn = (speed: number, impulse: number): boolean =>
  formData.impulses[Math.min(speed, formData.impulses.length - 1)][impulse - 1] === "1";

/** Return in how many of these impulses a unit moves. */
export function movesBetween(speed: number, first: number, last: number): number {
  let count = 0;
  for (let impulse = first; impulse <= last; impulse++) count += Number(movesIn(speed, impulse));
  return count;
}
