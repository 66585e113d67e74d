/* The part of a drawing that is seen, and how it changes when it is moved or enlarged. */

import type { Point } from "../geometry/hex.ts";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Return the middle of a box. */
export const middleOf = (box: Box): Point => ({
  x: box.x + box.width / 2,
  y: box.y + box.height / 2,
});

/** Return the smallest box that holds all points, with a margin around them. */
export function around(points: readonly Point[], margin: number): Box {
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const left = Math.min(...xs) - margin;
  const top = Math.min(...ys) - margin;
  return {
    x: left,
    y: top,
    width: Math.max(...xs) + margin - left,
    height: Math.max(...ys) + margin - top,
  };
}

/** Return a box with another proportion of width to height that holds the given box in its middle. */
export function withProportion(box: Box, proportion: number): Box {
  const { x, y } = middleOf(box);
  const width = Math.max(box.width, box.height * proportion);
  const height = width / proportion;
  return { x: x - width / 2, y: y - height / 2, width, height };
}

/** Return a box enlarged by a factor, where the place `at` (0 to 1 in both directions) stays where it is seen. */
export function zoomed(box: Box, factor: number, at: Point): Box {
  const width = box.width * factor;
  const height = box.height * factor;
  return {
    x: box.x + (box.width - width) * at.x,
    y: box.y + (box.height - height) * at.y,
    width,
    height,
  };
}

/** Return a box moved so that at least half of it shows the sheet. */
export function keptOn(sheet: Box, box: Box): Box {
  const kept = (low: number, size: number, from: number, length: number) =>
    Math.min(Math.max(low, from - size / 2), from + length - size / 2);
  return {
    ...box,
    x: kept(box.x, box.width, sheet.x, sheet.width),
    y: kept(box.y, box.height, sheet.y, sheet.height),
  };
}

/** Return the box between two boxes; `part` goes from 0 (the first) to 1 (the second). */
export function between(from: Box, to: Box, part: number): Box {
  const mixed = (a: number, b: number) => a + (b - a) * part;
  return {
    x: mixed(from.x, to.x),
    y: mixed(from.y, to.y),
    width: mixed(from.width, to.width),
    height: mixed(from.height, to.height),
  };
}

/** Return whether a box shows a point, at least `margin` away from its edges. */
export const shows = (box: Box, { x, y }: Point, margin = 0): boolean =>
  x >= box.x + margin &&
  y >= box.y + margin &&
  x <= box.x + box.width - margin &&
  y <= box.y + box.height - margin;
