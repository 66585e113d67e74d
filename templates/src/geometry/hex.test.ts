import { describe, expect, it } from "vitest";

import {
  type Grid,
  type Hex,
  centreOf,
  distance,
  hasHex,
  hexName,
  hexesOf,
  parseHex,
} from "./hex.ts";
import { parseGrid } from "./numbers.ts";

const grid: Grid = {
  first: { column: 11, row: 5 },
  last: { column: 14, row: 9 },
  lower: 0,
  at: { x: 38, y: 34 },
  across: 45,
  down: 52,
};

/** Return the neighbours of a hex on a map whose columns of one parity are lower. */
function neighbours({ column, row }: Hex, lower: number): Hex[] {
  const beside = Math.abs(column) % 2 === lower ? [row, row + 1] : [row - 1, row];
  return [
    { column, row: row - 1 },
    { column, row: row + 1 },
    ...beside.flatMap((r) => [
      { column: column - 1, row: r },
      { column: column + 1, row: r },
    ]),
  ];
}

/** Return the number of hexes from one hex to all others near it, found step by step. */
function walked(from: Hex, lower: number, most: number): Map<string, number> {
  const steps = new Map([[hexName(from), 0]]);
  let edge = [from];
  for (let step = 1; step <= most; step++) {
    const next = edge
      .flatMap((hex) => neighbours(hex, lower))
      .filter((hex) => !steps.has(hexName(hex)));
    for (const hex of next) steps.set(hexName(hex), step);
    edge = next;
  }
  return steps;
}

describe("hexes", () => {
  it("are read and written by name", () => {
    expect(parseHex("1409B")).toEqual({ column: 14, row: 9 });
    expect(hexName({ column: 4, row: 30 })).toBe("0430");
  });

  it.each([0, 1])("are as far apart as one has to step, with columns %i lower", (lower) => {
    for (const from of [
      { column: 20, row: 20 },
      { column: 21, row: 20 },
    ])
      for (const [name, steps] of walked(from, lower, 6))
        expect(distance(from, parseHex(name), lower)).toBe(steps);
  });

  it("belong to a grid or do not", () => {
    expect([...hexesOf(grid)]).toHaveLength(20);
    expect([...hexesOf(grid)].every((hex) => hasHex(grid, hex))).toBe(true);
    for (const name of ["1005", "1505", "1104", "1110", "nowhere"])
      expect(hasHex(grid, parseHex(name))).toBe(false);
  });

  it("have a centre, half a hex lower in every second column", () => {
    expect(centreOf(grid, { column: 11, row: 5 })).toEqual({ x: 38, y: 34 });
    expect(centreOf(grid, { column: 12, row: 5 })).toEqual({ x: 83, y: 60 });
    expect(centreOf(grid, { column: 13, row: 6 })).toEqual({ x: 128, y: 86 });
    const first = { column: 12, row: 5 };
    expect(centreOf({ ...grid, first }, { column: 11, row: 5 })).toEqual({ x: -7, y: 8 });
  });

  it("are drawn as the page says", () => {
    expect(parseGrid("11 5 14 9 38 19 45 52 0")).toEqual(grid);
  });
});
