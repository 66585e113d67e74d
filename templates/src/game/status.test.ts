import { describe, expect, test } from "vitest";
import type { FullFrame } from "../film/frames.ts";
import type { DisplayBlock, FilmDisplays } from "../generated/displays.ts";
import { numberAt, shieldsOf, shieldWords, sidePath } from "./ring.ts";
import { ShipStates } from "./ship_states.ts";
import { firstPair, rangeBetween } from "./status.ts";

const blocks: DisplayBlock[] = [
  ["#1", 0, 0, 1, 16],
  ["hull", 0, 0, 1, 6],
  ["#3", 0, 0, 1, 10],
  ["#2", 0, 0, 1, 12],
  ["#4", 0, 0, 1, 0],
];
const boxes = { "#1": 8, "#2": 12, "#3": 0, "#4": 0, hull: 6 };
const now = (gone = "") => ({ boxes, internals: 0, speed: 8, gone });
const data: FilmDisplays = {
  ships: {
    Ares: { mine: false, place: 1, blocks },
    Bold: { mine: true, place: 0, blocks },
    Cold: { mine: true, place: 0, blocks },
    Dart: { mine: false, place: 1, blocks },
  },
  begins: [0, 1],
  changes: [
    { frame: 0, unit: "Ares", now: now() },
    { frame: 0, unit: "Bold", now: now("destroyed") },
    { frame: 0, unit: "Cold", now: now() },
    { frame: 0, unit: "Dart", now: now() },
    { frame: 1, unit: "Cold", now: { boxes: { "#1": 6 } } },
  ],
};
const states = new ShipStates(data);
const frame = (reach: FullFrame["reach"]): FullFrame => ({
  at: {},
  shields: {},
  gone: {},
  cloak: {},
  reach,
});

describe("the ring of shields", () => {
  const shields = (k: number) =>
    shieldsOf(data.ships.Cold, states.at("Cold", k)!, states.beforeImpulse("Cold", k)!);
  test("has the shields in order, without those that the ship never had", () => {
    const found = shields(0);
    expect(found.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(found.map(({ left }) => left)).toEqual([8, 12, 0]);
    expect(found[0].share).toBe(0.5);
    expect(shieldWords(found)).toBe("Shields left: #1 8 of 16, #2 12 of 12, #3 0 of 10.");
    expect(shieldWords([])).toBe("No shields.");
  });
  test("marks the shields that were hit in the impulse", () => {
    expect(shields(0).map(({ hit }) => hit)).toEqual([false, false, false]);
    expect(shields(1).map(({ hit }) => hit)).toEqual([true, false, false]);
  });
  test("has shield #1 at the top and the others clockwise", () => {
    expect(numberAt(1)).toEqual([0, -15.5]);
    expect(numberAt(4)).toEqual([0, 15.5]);
    expect(numberAt(2)[0]).toBeGreaterThan(0);
    expect(numberAt(2)[1]).toBeLessThan(0);
    expect(numberAt(5)[0]).toBeLessThan(0);
    expect(sidePath(1)).toBe("M-12.7 -26L12.7 -26");
    expect(sidePath(4)).toBe("M12.7 26L-12.7 26");
  });
});

describe("the summary", () => {
  test("knows the range of two units, whichever is named first", () => {
    const shown = frame([["Ares", "Cold", 5, [1], [2, 3]]]);
    expect(rangeBetween(shown, "Ares", "Cold")).toEqual(["Ares", "Cold", 5, [1], [2, 3]]);
    expect(rangeBetween(shown, "Cold", "Ares")).toEqual(["Cold", "Ares", 5, [2, 3], [1]]);
    expect(rangeBetween(shown, "Cold", "Dart")).toBe(null);
    expect(rangeBetween(undefined, "Cold", "Dart")).toBe(null);
  });
  test("begins with a ship of mine in play and the nearest enemy", () => {
    expect(firstPair(states, frame([]))).toEqual(["Cold", "Ares"]);
    const near = frame([
      ["Cold", "Ares", 9, [], []],
      ["Cold", "Dart", 4, [], []],
      ["Cold", "Rock", 1, [], []],
    ]);
    expect(firstPair(states, near)).toEqual(["Cold", "Dart"]);
  });
  test("begins with two sides for a reader without ships, and with nothing without ships", () => {
    const ships = Object.fromEntries(
      Object.entries(data.ships).map(([name, ship]) => [name, { ...ship, mine: false }]),
    );
    const neutral = new ShipStates({ ...data, ships });
    expect(firstPair(neutral, frame([]))).toEqual(["Ares", "Cold"]);
    const none = new ShipStates({ ships: {}, begins: [0], changes: [] });
    expect(firstPair(none, undefined)).toEqual(["", ""]);
  });
});
