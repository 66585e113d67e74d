import { describe, expect, test } from "vitest";
import type { DisplayBlock, FilmDisplays } from "../generated/displays.ts";
import { ShipStates } from "./ship_states.ts";
import { drawnBoxes, weaponCondition } from "./ssd.ts";

const blocks: DisplayBlock[] = [
  ["#1", 100, 16, 3, 4],
  ["warp left", 70, 73, 2, 4],
];
/* Frames: 0 and 1 in impulse 0, 2 and 3 in impulse 4, 4 in impulse 5, 5 in impulse 6. */
const data: FilmDisplays = {
  ships: {
    constructor: {
      mine: true,
      place: 0,
      blocks,
    },
    Late: { mine: false, place: 1, blocks: [["#1", 0, 0, 1, 1]] },
  },
  begins: [0, 2, 4, 5],
  changes: [
    {
      frame: 0,
      unit: "constructor",
      now: { boxes: { "#1": 4, "warp left": 3 }, internals: 1, speed: 8, gone: "" },
    },
    { frame: 1, unit: "constructor", now: { speed: 12 } },
    { frame: 3, unit: "constructor", now: { boxes: { "#1": 1 }, working: { "PH 1": false } } },
    {
      frame: 4,
      unit: "constructor",
      now: { boxes: { "warp left": 2 }, internals: 2, words: { "PH 1": "destroyed" } },
    },
    { frame: 4, unit: "Late", now: { boxes: { "#1": 1 }, internals: 0, speed: 0, gone: "" } },
    {
      frame: 5,
      unit: "constructor",
      now: { boxes: { "#1": 2 }, working: { "PH 1": true }, words: { "PH 1": "" }, gone: "left" },
    },
  ],
};
const states = new ShipStates(data);

describe("the state of a ship", () => {
  test("is that after the last change up to a frame", () => {
    const at = (k: number) => states.at("constructor", k)!;
    expect([0, 1, 2, 3, 4, 5].map((k) => at(k).boxes.get("#1"))).toEqual([4, 4, 4, 1, 1, 2]);
    expect([0, 1, 5].map((k) => at(k).speed)).toEqual([8, 12, 12]);
    expect([3, 4].map((k) => at(k).internals)).toEqual([1, 2]);
    expect([4, 5].map((k) => at(k).gone)).toEqual(["", "left"]);
    expect([2, 4, 5].map((k) => at(k).out.has("PH 1"))).toEqual([false, true, false]);
    expect([3, 4, 5].map((k) => at(k).words.get("PH 1") ?? "")).toEqual(["", "destroyed", ""]);
    expect(states.atEnd("constructor")).toBe(at(5));
  });
  test("is missing before the ship comes", () => {
    expect([3, 4].map((k) => states.at("Late", k) === null)).toEqual([true, false]);
    expect(states.beforeImpulse("Late", 4)).toBe(states.at("Late", 4));
    expect(states.at("nobody", 5)).toBe(null);
  });
  test("before an impulse is that of the frame before its first one", () => {
    const before = (k: number) => states.beforeImpulse("constructor", k);
    expect([0, 1].map(before)).toEqual([states.at("constructor", 0), states.at("constructor", 0)]);
    expect([2, 3].map(before)).toEqual([states.at("constructor", 1), states.at("constructor", 1)]);
    expect(before(4)).toBe(states.at("constructor", 3));
  });
});

describe("a display", () => {
  const drawn = (k: number) =>
    drawnBoxes(blocks, states.at("constructor", k)!, states.beforeImpulse("constructor", k)!);
  test("draws boxes that are left as rows", () => {
    const { paths, labels, struck } = drawn(0);
    expect(paths.left).toBe("M99 20h30M99 30h10M69 77h20M69 87h10");
    expect(paths.old).toBe("M80 83h8v8h-8z");
    expect(paths.oldcross).toBe("M80 83l8 8");
    expect([paths.new, paths.newcross, struck]).toEqual(["", "", false]);
    expect(labels).toEqual(["#1 4/4", "warp 3/4"]);
  });
  test("marks what the impulse cost, and later crosses it as lost before", () => {
    const hit = drawn(3);
    expect(hit.struck).toBe(true);
    expect(hit.paths.left).toBe("M99 20h10M69 77h20M69 87h10");
    expect(hit.paths.new).toBe("M110 16h8v8h-8zM120 16h8v8h-8zM100 26h8v8h-8z");
    expect(hit.paths.newcross).toContain("M110 16l8 8m0-8l-8 8");
    expect(hit.labels[0]).toBe("#1 1/4");
    const next = drawn(4);
    expect(next.paths.new).toBe("M70 83h8v8h-8z");
    expect(next.paths.old).toContain("M110 16h8v8h-8z");
    expect(drawn(2).struck).toBe(false);
  });
  test("shows mended boxes as left", () => {
    const { paths, labels, struck } = drawn(5);
    expect(paths.left).toContain("M99 20h20");
    expect([labels[0], struck]).toEqual(["#1 2/4", false]);
  });
  test("shows weapons that were lost in the impulse, or before", () => {
    const condition = (k: number) =>
      weaponCondition(
        "PH 1",
        states.at("constructor", k)!,
        states.beforeImpulse("constructor", k)!,
      );
    expect([2, 3, 4, 5].map(condition)).toEqual(["left", "new", "old", "left"]);
  });
});
