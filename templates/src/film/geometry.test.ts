import { describe, expect, it } from "vitest";

import { parseGrid } from "../geometry/numbers.ts";
import {
  type Box,
  between,
  centreAt,
  labelAt,
  parseSlots,
  placeOf,
  sharedHexes,
  shieldWidth,
  shows,
  spansOf,
  stretch,
  turnedTo,
  zoomed,
} from "./geometry.ts";

const grid = parseGrid("1 1 42 30 38 19 45 52 0");

describe("counters", () => {
  const shape = { size: 1, slots: parseSlots("1409:11,-7 1410:-11,7") };

  it("are in the middle of their hex", () => {
    const place = placeOf(grid, shape, "0101C", false);
    expect(place).toEqual({ x: 38, y: 34, turn: 120, size: 1, at: "0101C" });
  });

  it("are smaller and beside the middle of a hex that they share", () => {
    const middle = centreAt(grid, "1409")!;
    const place = placeOf(grid, shape, "1409", true);
    expect(place).toMatchObject({ x: middle.x + 11, y: middle.y - 7, turn: 0, size: 0.75 });
  });

  it("are in the middle again when the other unit is gone", () => {
    const place = placeOf(grid, shape, "1409", false);
    expect(place).toMatchObject({ ...centreAt(grid, "1409")!, size: 1 });
    expect(sharedHexes(["1409A", "1410B", "1409C", undefined, undefined])).toEqual(
      new Set(["1409"]),
    );
  });

  it("are nowhere if their unit is not on the map", () => {
    for (const at of [undefined, "", "4331A", "off"])
      expect(placeOf(grid, shape, at, true)).toBeNull();
    expect(parseSlots("").size).toBe(0);
  });

  it("turn the short way round", () => {
    expect(turnedTo(null, 300)).toBe(300);
    expect(turnedTo(0, 300)).toBe(-60);
    expect(turnedTo(-60, 0)).toBe(0);
    expect(turnedTo(300, 0)).toBe(360);
    expect(turnedTo(720, 120)).toBe(840);
  });

  it("have shields as thick as they are strong", () => {
    expect([24, 12, 1, 0].map((left) => shieldWidth(left, 24))).toEqual([6, 3, 1, 0]);
    expect(shieldWidth(30, 24)).toBe(6);
  });
});

describe("names", () => {
  it("are beside their counter", () => {
    expect(labelAt({ dx: 33, before: 0, wide: 80 }, 100, 500)).toEqual({ x: 133, before: 0 });
    expect(labelAt({ dx: -33, before: 1, wide: 40 }, 100, 500)).toEqual({ x: 67, before: 1 });
  });

  it("change the side where they would leave the map", () => {
    expect(labelAt({ dx: 33, before: 0, wide: 80 }, 450, 500)).toEqual({ x: 417, before: 1 });
    expect(labelAt({ dx: -33, before: 1, wide: 80 }, 50, 500)).toEqual({ x: 83, before: 0 });
  });

  it("stay on the map above and below their counter", () => {
    const label = { dx: 0, before: 0.5, wide: 100 };
    expect([10, 250, 490].map((x) => labelAt(label, x, 500).x)).toEqual([50, 250, 450]);
  });
});

describe("boxes", () => {
  const box: Box = [100, 100, 400, 200];

  it("hold points", () => {
    expect(spansOf([])).toBeNull();
    const spans = spansOf([
      { x: 3, y: 9 },
      { x: 7, y: 1 },
    ]);
    expect(spans).toEqual([
      [3, 7],
      [1, 9],
    ]);
  });

  it("are stretched inside the drawing", () => {
    expect(stretch([400, 500], 50, 100, 1000)).toEqual([350, 200]);
    expect(stretch([400, 500], 50, 300, 1000)).toEqual([300, 300]);
    expect(stretch([0, 100], 50, 300, 1000)).toEqual([0, 300]);
    expect(stretch([950, 1000], 50, 300, 1000)).toEqual([700, 300]);
    expect(stretch([0, 900], 200, 300, 1000)).toEqual([0, 1000]);
  });

  it("move from one to another", () => {
    const to: Box = [200, 300, 100, 50];
    expect(between(box, to, 0)).toEqual(box);
    expect(between(box, to, 1)).toEqual(to);
    expect(between(box, to, 0.5)).toEqual([150, 200, 250, 125]);
  });

  it("show what is wanted or do not", () => {
    expect(shows(box, box, [0, 0], 1.6)).toBe(true);
    expect(shows(box, [90, 110, 300, 150], [15, 0], 1.6)).toBe(true);
    expect(shows(box, [80, 110, 300, 150], [15, 0], 1.6)).toBe(false);
    expect(shows(box, [110, 110, 300, 200], [0, 5], 1.6)).toBe(false);
    expect(shows(box, [110, 110, 100, 150], [0, 0], 1.6)).toBe(false);
  });

  it("are zoomed round a point", () => {
    expect(zoomed(box, 0.5, [100, 1000], 0.5, 0.5)).toEqual([200, 150, 200, 100]);
    expect(zoomed(box, 0.5, [100, 1000], 0, 1)).toEqual([100, 200, 200, 100]);
    expect(zoomed(box, 0.1, [200, 1000], 0, 0)).toEqual([100, 100, 200, 100]);
    expect(zoomed(box, 9, [200, 800], 0, 0)).toEqual([100, 100, 800, 400]);
  });
});
