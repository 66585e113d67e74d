import { describe, expect, it } from "vitest";

import type { Frame } from "./data.ts";
import { Timeline, fullFrames, momentOf } from "./frames.ts";

const frames: Frame[] = [
  {
    impulse: 0,
    at: { A: "1001A", constructor: "1005D" },
    shields: { A: [5, 5] },
    reach: [["A", "constructor", 4, [1], [1]]],
  },
  { impulse: 0, step: "energy" },
  { impulse: 2, step: "move", at: { A: "1002A" } },
  { impulse: 2, step: "launch", at: { drone: "1002A" } },
  { impulse: 2, step: "fire" },
  { impulse: 2, step: "resolve", shields: { A: [0, 5] }, gone: { drone: "hit" }, reach: [] },
  { impulse: 3, step: "move", at: { drone: "1004B" }, cloak: { A: "fading" } },
];
const steps = { energy: "Energy", move: "Movement", fire: "Fire" };
const turn = new Timeline({ replay: frames, shown: 4, steps });
const game = new Timeline({
  replay: [{ impulse: 0, turn: 1 }, ...frames.slice(1, 5).map((f) => ({ ...f, turn: 2 }))],
  shown: 2,
  steps,
});

describe("full frames", () => {
  it("hold what earlier frames say", () => {
    const full = fullFrames(frames);
    expect({ ...full[3].at }).toEqual({ A: "1002A", constructor: "1005D", drone: "1002A" });
    expect(full[4].shields.A).toEqual([5, 5]);
    expect(full[5].shields.A).toEqual([0, 5]);
    expect(full[4].reach).toHaveLength(1);
    expect(full[6].reach).toEqual([]);
    expect({ ...full[6].cloak }).toEqual({ A: "fading" });
  });

  it("hold units that left play, until they come back", () => {
    const [, , , , , gone, back] = fullFrames(frames);
    expect({ ...gone.gone }).toEqual({ drone: "hit" });
    expect("drone" in gone.at).toBe(false);
    expect("drone" in back.at).toBe(true);
    expect("drone" in back.gone).toBe(false);
  });

  it("hold nothing that no frame says", () => {
    const [first] = fullFrames([{ impulse: 0 }]);
    expect(first.reach).toEqual([]);
    expect("constructor" in first.at || "toString" in first.gone).toBe(false);
    const proto = fullFrames(JSON.parse('[{"impulse":0,"at":{"__proto__":"1001A"}}]'));
    expect(Object.keys(proto[0].at)).toEqual(["__proto__"]);
  });

  it("are none without frames", () => {
    expect(fullFrames([])).toEqual([]);
  });
});

describe("a timeline", () => {
  it("knows the moment of a frame", () => {
    expect(turn.last).toBe(6);
    expect(turn.turn(2)).toBe(4);
    expect(game.turn(0)).toBe(1);
    expect(turn.moment(2)).toBe(momentOf(4, 2));
    expect([turn.step(0), turn.step(2)]).toEqual(["", "move"]);
    expect([turn.clamp(-1), turn.clamp(3), turn.clamp(99)]).toEqual([0, 3, 6]);
  });

  it("finds frames by turn, impulse and step", () => {
    expect(turn.find(undefined, 2, "fire")).toBe(4);
    expect(turn.find(NaN, 2, "fire")).toBe(4);
    expect(turn.find(4, 3, "move")).toBe(6);
    expect(turn.find(3, 3, "move")).toBe(-1);
    expect(game.find(2, 2, "move")).toBe(2);
  });

  it("steps from impulse to impulse", () => {
    expect([0, 1, 2, 4, 6].map((k) => turn.begins(k))).toEqual([0, 0, 2, 2, 6]);
    expect([0, 2, 4, 6].map((k) => turn.nextImpulse(k))).toEqual([2, 6, 6, 6]);
    expect([0, 2, 4, 6].map((k) => turn.previousImpulse(k))).toEqual([0, 0, 2, 2]);
    expect([...turn.stepsUpTo(4)]).toEqual(["move", "launch", "fire"]);
  });

  it("knows when units moved", () => {
    expect(turn.movedAt("A", 2)).toBe(2);
    expect(turn.movedAt("drone", 3)).toBe(6);
    expect(turn.movedAt("A", 9)).toBe(0);
  });

  it("links to its frames", () => {
    expect([0, 2].map((k) => turn.anchor(k))).toEqual(["t4i0", "t4i2-move"]);
    for (let k = 1; k <= turn.last; k++) expect(turn.linked(`#${turn.anchor(k)}`)).toBe(k);
    expect(turn.linked("#t4i2")).toBe(5);
    expect(turn.linked("#t4i2-odd")).toBe(5);
    expect(turn.linked("#t4i31")).toBe(6);
    for (const hash of ["", "#map", "#t3i2", "#t4i2-"]) expect(turn.linked(hash)).toBe(-1);
    expect(game.linked("#t2i2-launch")).toBe(3);
  });

  it("names its frames", () => {
    expect([0, 1, 2, 5].map((k) => turn.title(k))).toEqual([
      "Start of turn 4",
      "Before impulse 1: Energy",
      "Impulse 2: Movement",
      "Impulse 2: resolve",
    ]);
    expect([1, 2].map((k) => game.title(k))).toEqual([
      "Turn 2, before impulse 1: Energy",
      "Turn 2, impulse 2: Movement",
    ]);
  });
});
