/* Places of counters and labels, and boxes of the part of a map that is shown. All are pure functions. */

import { type Grid, type Point, centreOf, hasHex, parseHex } from "../geometry/hex.ts";

const TURNS: Record<string, number> = { A: 0, B: 60, C: 120, D: 180, E: 240, F: 300 };

/** Size of a counter that shares its hex, compared with one that is alone. */
const SHARED = 0.75;

/** How a counter is drawn: its size when alone, and its offset in hexes that it shares. */
export interface CounterShape {
  size: number;
  slots: ReadonlyMap<string, Point>;
}

/** Where a counter is: its centre, its rotation in degrees, its size, and the hex and facing. */
export interface Place extends Point {
  turn: number;
  size: number;
  at: string;
}

/** Return the offsets in shared hexes that are written as `1409:11,-7 1410:-11,7`. */
export function parseSlots(text: string): Map<string, Point> {
  const slots = new Map<string, Point>();
  for (const slot of text.split(" ").filter(Boolean)) {
    const [x, y] = slot.slice(5).split(",").map(Number);
    slots.set(slot.slice(0, 4), { x, y });
  }
  return slots;
}

/** Return the hexes that hold more than one of these positions. */
export function sharedHexes(positions: readonly (string | undefined)[]): Set<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const at of positions) {
    const hex = at?.slice(0, 4);
    if (hex) (seen.has(hex) ? shared : seen).add(hex);
  }
  return shared;
}

/** Return the centre of the hex in a position such as `1409B`, or null if the map does not have it. */
export function centreAt(grid: Grid, at: string | undefined): Point | null {
  if (!at) return null;
  const hex = parseHex(at);
  return hasHex(grid, hex) ? centreOf(grid, hex) : null;
}

/**
 * Return the place of a counter at a position, or null if it is not on the map.
 *
 * `isShared` says whether the counter makes room for another one in the same hex; otherwise it is in the middle.
 */
export function placeOf(
  grid: Grid,
  shape: CounterShape,
  at: string | undefined,
  isShared: boolean,
): Place | null {
  const middle = centreAt(grid, at);
  if (!middle || !at) return null;
  const slot = isShared ? shape.slots.get(at.slice(0, 4)) : undefined;
  return {
    x: middle.x + (slot?.x ?? 0),
    y: middle.y + (slot?.y ?? 0),
    turn: TURNS[at[4]] ?? 0,
    size: shape.size * (slot ? SHARED : 1),
    at,
  };
}

/** Return the rotation nearest to `before` that equals `turn` modulo 360, so that counters turn the short way. */
export function turnedTo(before: number | null, turn: number): number {
  return before === null ? turn : before + ((((turn - before) % 360) + 540) % 360) - 180;
}

/** Return the width of the line of a shield: 1 to 6 by the share of boxes left, or 0 if the shield is down. */
export function shieldWidth(left: number, start: number): number {
  return left > 0 ? 1 + Math.floor((5 * left) / Math.max(start, left)) : 0;
}

/** A name beside a counter: its offset, its width, and which share of it is before its position. */
export interface LabelShape {
  dx: number;
  before: number;
  wide: number;
}

/** Return where a name beside a counter at `x` is: on the other side where it would leave the map. */
export function labelAt(
  label: LabelShape,
  x: number,
  width: number,
): { x: number; before: number } {
  const { dx, before, wide } = label;
  const at = x + dx;
  if (before === 0.5) return { x: Math.max(wide / 2, Math.min(width - wide / 2, at)), before };
  const left = at - before * wide;
  return left < 0 || left + wide > width ? { x: x - dx, before: 1 - before } : { x: at, before };
}

/** Four numbers that change together. */
export type Four = readonly [number, number, number, number];

/** A part of a drawing: left, top, width and height, as in the `viewBox` of an SVG. */
export type Box = Four;

/** The lowest and the highest of some numbers. */
export type Span = readonly [low: number, high: number];

/** Return the spans of some points in both directions, or null if there are none. */
export function spansOf(points: readonly Point[]): [Span, Span] | null {
  if (!points.length) return null;
  const span = (values: number[]): Span => [Math.min(...values), Math.max(...values)];
  return [span(points.map(({ x }) => x)), span(points.map(({ y }) => y))];
}

/** Return start and size of a box round a span with an edge on both sides, inside a drawing of size `most`. */
export function stretch([low, high]: Span, edge: number, least: number, most: number): Span {
  const size = Math.min(most, Math.max(high - low + 2 * edge, least));
  return [Math.max(0, Math.min(most - size, (low + high - size) / 2)), size];
}

/** Return the numbers at a moment of their change, which begins and ends slowly; `part` is from 0 to 1. */
export function between(from: Four, to: Four, part: number): Four {
  const eased = part * part * (3 - 2 * part);
  const at = (n: 0 | 1 | 2 | 3) => from[n] + (to[n] - from[n]) * eased;
  return [at(0), at(1), at(2), at(3)];
}

/** Return whether a box shows all that is wanted, with so much slack, and is at most `loose` times as large. */
export function shows(box: Box, wanted: Box, slack: readonly [number, number], loose: number) {
  const inside = ([0, 1] as const).every(
    (n) =>
      box[n] <= wanted[n] + slack[n] && box[n] + box[n + 2] >= wanted[n] + wanted[n + 2] - slack[n],
  );
  return inside && Math.max(box[2] / wanted[2], box[3] / wanted[3]) <= loose;
}

/** Return a box that is `by` times as wide; the point at the shares `x` and `y` of it keeps its place. */
export function zoomed(box: Box, by: number, limits: Span, x: number, y: number): Box {
  const wide = Math.min(limits[1], Math.max(limits[0], box[2] * by));
  const high = (box[3] * wide) / box[2];
  return [box[0] + (box[2] - wide) * x, box[1] + (box[3] - high) * y, wide, high];
}
