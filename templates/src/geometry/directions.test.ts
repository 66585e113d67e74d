import { describe, expect, test } from "vitest";
import { bearing, cube, FACINGS, neighbour, range, SAME_HEX } from "./directions.ts";
import { countOnLine } from "./line.ts";

const EVEN = 0;
const ODD = 1;

describe.each([EVEN, ODD])("on a grid whose columns of parity %i are lower", (lower) => {
  const around = (hex: string) => [...FACINGS].map((_, way) => neighbour(hex, way, lower));

  test("the six neighbours are different and one hex away", () => {
    for (const hex of ["1010", "1110", "0505"]) {
      expect(new Set(around(hex)).size).toBe(6);
      for (const next of around(hex)) expect(range(hex, next, lower)).toBe(1);
    }
  });

  test("the opposite direction leads back", () => {
    for (const hex of ["1010", "1111"])
      for (let way = 0; way < 6; way++)
        expect(neighbour(neighbour(hex, way, lower), (way + 3) % 6, lower)).toBe(hex);
  });

  test("along a row of hexes the bearing is that of the row", () => {
    for (let way = 0; way < 6; way++) {
      let hex = "2020";
      for (let far = 1; far < 6; far++) {
        hex = neighbour(hex, way, lower);
        expect(range("2020", hex, lower)).toBe(far);
        expect(bearing("2020", hex, lower)).toBe(4 * way);
        expect(bearing(hex, "2020", lower)).toBe((4 * way + 12) % 24);
      }
    }
  });

  test("between two rows the bearing says which one is nearer", () => {
    for (let way = 0; way < 6; way++) {
      const go = (hex: string, ...ways: number[]) =>
        ways.reduce((at, one) => neighbour(at, one % 6, lower), hex);
      expect(bearing("2020", go("2020", way, way, way + 1), lower)).toBe(4 * way + 1);
      expect(bearing("2020", go("2020", way, way + 1), lower)).toBe(4 * way + 2);
      expect(bearing("2020", go("2020", way, way + 1, way + 1), lower)).toBe(4 * way + 3);
    }
  });

  test("a hex has no bearing from itself, and cube coordinates add up to 0", () => {
    expect(bearing("1212", "1212", lower)).toBe(SAME_HEX);
    for (const hex of ["0101", "1712", "4203"])
      expect(cube(hex, lower).reduce((sum, one) => sum + one)).toBe(0);
  });

  test("a line meets the hexes along a row", () => {
    const far = neighbour(neighbour(neighbour("1010", 1, lower), 1, lower), 1, lower);
    const next = neighbour("1010", 1, lower);
    expect(countOnLine("1010", far, [next, neighbour("1010", 4, lower)], lower)).toBe(1);
  });

  test("two hexes along whose edge a line runs count once", () => {
    const [b, c] = [neighbour("1010", 1, lower), neighbour("1010", 2, lower)];
    const behind = neighbour(b, 2, lower);
    expect(countOnLine("1010", behind, [b, c], lower)).toBe(1);
    expect(countOnLine("1010", behind, [b], lower)).toBe(0);
  });

  test("a line within one hex meets only that hex", () => {
    expect(countOnLine("1010", "1010", ["1010", "1011"], lower)).toBe(1);
    expect(countOnLine("1010", "1010", ["1011"], lower)).toBe(0);
  });
});

test("even columns are lower on an even grid, odd ones on an odd grid", () => {
  expect(neighbour("1010", 1, EVEN)).toBe("1110");
  expect(neighbour("1110", 1, EVEN)).toBe("1209");
  expect(neighbour("1010", 1, ODD)).toBe("1109");
  expect(neighbour("1110", 1, ODD)).toBe("1210");
});
