/* Hexes of a map (C1.2) and where they are in a drawing. This is the only module that knows the geometry of hexes. */

export interface Hex {
  column: number;
  row: number;
}

export interface Point {
  x: number;
  y: number;
}

/** A rectangular part of a map in a drawing, from hex `first` to hex `last`. */
export interface Grid {
  first: Hex;
  last: Hex;
  /** Columns whose number modulo 2 is this are half a hex lower than their neighbours. */
  lower: number;
  /** Centre of the hex `first`. */
  at: Point;
  /** Distance from one column to the next, and from one row to the next. */
  across: number;
  down: number;
}

/** Return the hex that the first four digits of a text name, as in `1409` or `1409B`. */
export function parseHex(text: string): Hex {
  return { column: Number(text.slice(0, 2)), row: Number(text.slice(2, 4)) };
}

const twoDigits = (number: number) => String(number).padStart(2, "0");

/** Return the name of a hex, such as `1409`. */
export function hexName({ column, row }: Hex): string {
  return twoDigits(column) + twoDigits(row);
}

/** Height of a hex above its map's first row in half hexes; the result counts downwards. */
function halvesDown({ column, row }: Hex, lower: number): number {
  return 2 * row + (Math.abs(column) % 2 === lower ? 1 : 0);
}

/** Return the number of hexes from one hex to another (D1.4). */
export function distance(a: Hex, b: Hex, lower: number): number {
  const columns = Math.abs(a.column - b.column);
  const halves = Math.abs(halvesDown(a, lower) - halvesDown(b, lower));
  return columns + Math.max(0, (halves - columns) / 2);
}

/** Return whether a grid has a hex. */
export function hasHex({ first, last }: Grid, { column, row }: Hex): boolean {
  return column >= first.column && column <= last.column && row >= first.row && row <= last.row;
}

/** Return the centre of a hex in the drawing; the hex may be outside the grid. */
export function centreOf(grid: Grid, hex: Hex): Point {
  const { first, lower, at, across, down } = grid;
  return {
    x: at.x + across * (hex.column - first.column),
    y: at.y + (down / 2) * (halvesDown(hex, lower) - halvesDown(first, lower)),
  };
}

/** Return all hexes of a grid, column by column. */
export function* hexesOf({ first, last }: Grid): Generator<Hex> {
  for (let column = first.column; column <= last.column; column++)
    for (let row = first.row; row <= last.row; row++) yield { column, row };
}
