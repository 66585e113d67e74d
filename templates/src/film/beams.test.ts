import { describe, expect, it } from "vitest";

import { beamsOf, facingSide, lostBoxes, nearest, shieldPoint } from "./beams.ts";

const from = { x: 0, y: 0 };
const target = { x: 300, y: 0 };

describe("beams", () => {
  it("are of the weapons that the map names", () => {
    const beams = beamsOf("PtDFo?", from, target);
    const weapons = ["phaser", "photon", "disruptor", "fusion", "other", "other"];
    expect(beams.map((beam) => beam.weapon)).toEqual(weapons);
    expect(beams.map((beam) => beam.hit)).toEqual([true, false, true, true, false, false]);
    expect(beamsOf("", from, target)).toEqual([]);
    expect(beamsOf("PPPP", from, target, { most: 2 })).toHaveLength(2);
  });

  it("end at the shields of what they hit, side by side", () => {
    expect(beamsOf("P", from, target)[0].to).toEqual({ x: 275, y: 0 });
    expect(beamsOf("P", from, target, { size: 0.5 })[0].to).toEqual({ x: 287.5, y: 0 });
    const [one, other] = beamsOf("PP", from, target);
    expect([one.to.x, other.to.x]).toEqual([275, 275]);
    expect(one.to.y + other.to.y).toBe(0);
    expect(one.to.y).not.toBe(0);
  });

  it("pass beside what they miss, on both sides", () => {
    const beams = beamsOf("pp", from, target);
    for (const { to } of beams) {
      expect(to.x).toBeGreaterThan(300);
      expect(Math.abs(to.y)).toBeGreaterThanOrEqual(20);
    }
    expect(Math.sign(beams[0].to.y)).toBe(-Math.sign(beams[1].to.y));
  });

  it("come one after the other, and soon", () => {
    expect(beamsOf("PPP", from, target).map((beam) => beam.delay)).toEqual([0, 90, 180]);
    expect(beamsOf("P".repeat(30), from, target).at(-1)!.delay).toBeCloseTo(450);
  });

  it("need no distance", () => {
    expect(shieldPoint(target, target)).toEqual(target);
    expect(beamsOf("P", target, target)[0].to).toEqual(target);
  });
});

describe("a struck ship", () => {
  it("is struck on the side that faces the fire", () => {
    const ship = { x: 100, y: 100 };
    const up = { x: 100, y: 0 };
    expect(facingSide(ship, 0, up)).toBe(0);
    expect(facingSide(ship, 60, up)).toBe(5);
    expect(facingSide(ship, 180, up)).toBe(3);
    expect(facingSide(ship, -60, up)).toBe(1);
    expect(facingSide(ship, 720, { x: 200, y: 60 })).toBe(1);
    expect(facingSide(ship, 0, { x: 0, y: 160 })).toBe(4);
  });

  it("loses boxes of its shields", () => {
    const lost = lostBoxes([5, 5, 5], [5, 2, 6]);
    expect([...lost]).toEqual([[1, 3]]);
    expect(lostBoxes(undefined, [3]).size).toBe(0);
    expect(lostBoxes([3], undefined).size).toBe(0);
  });

  it("is the nearest to the end of the line of fire", () => {
    const places = [
      ["a", { x: 290, y: 0 }],
      ["b", { x: 302, y: 1 }],
      ["c", null],
    ] as const;
    expect(nearest(places, target, 26)).toBe("b");
    expect(nearest(places, { x: 0, y: 0 }, 26)).toBeNull();
  });
});
