import { describe, expect, test } from "vitest";
import { around, between, keptOn, middleOf, shows, withProportion, zoomed } from "./box.ts";

const box = { x: 10, y: 20, width: 100, height: 50 };

describe("a box", () => {
  test("holds all points and a margin", () => {
    const points = [
      { x: 0, y: 5 },
      { x: 30, y: -5 },
    ];
    expect(around(points, 10)).toEqual({ x: -10, y: -15, width: 50, height: 30 });
  });
  test("with another proportion keeps its middle and holds the first", () => {
    const wide = withProportion(box, 4);
    expect(wide).toEqual({ x: -40, y: 20, width: 200, height: 50 });
    expect(middleOf(wide)).toEqual(middleOf(box));
    const tall = withProportion(box, 1);
    expect(tall).toEqual({ x: 10, y: -5, width: 100, height: 100 });
  });
  test("enlarged keeps the place under the pointer", () => {
    const near = zoomed(box, 0.5, { x: 0.25, y: 1 });
    expect(near).toEqual({ x: 22.5, y: 45, width: 50, height: 25 });
    expect(near.x + 0.25 * near.width).toBe(box.x + 0.25 * box.width);
  });
  test("never leaves the sheet altogether", () => {
    const sheet = { x: 0, y: 0, width: 400, height: 300 };
    expect(keptOn(sheet, { ...box, x: -1000 }).x).toBe(-50);
    expect(keptOn(sheet, { ...box, y: 1000 }).y).toBe(275);
    expect(keptOn(sheet, box)).toEqual(box);
  });
  test("glides from one to another", () => {
    const to = { x: 20, y: 0, width: 200, height: 100 };
    expect(between(box, to, 0)).toEqual(box);
    expect(between(box, to, 0.5)).toEqual({ x: 15, y: 10, width: 150, height: 75 });
    expect(between(box, to, 1)).toEqual(to);
  });
  test("shows what is inside, away from its edge", () => {
    expect(shows(box, { x: 12, y: 30 })).toBe(true);
    expect(shows(box, { x: 12, y: 30 }, 5)).toBe(false);
    expect(shows(box, { x: 111, y: 30 })).toBe(false);
  });
});
