import { expect, test } from "vitest";
import { fieldValues } from "./builders.ts";
import { walk } from "./courses.ts";
import { formData, mapData, request } from "./data.ts";
import { centre, facedShields, hexAt, outline } from "./hexes.ts";
import { bestRow, cloakOf, duelTable, meanPoints, rowAt, shotTable } from "./odds.ts";
import { plan, type UnitPlan } from "./plan.ts";
import {
  addSketch,
  allSketches,
  chooseSketch,
  chosenEnemy,
  chosenSketch,
  currentSketch,
  hasSketches,
  removeSketch,
} from "./sketches.ts";
import { terrainBetween } from "./terrain.ts";
import { startTest } from "./testing.ts";

const shots = (unit: UnitPlan, target: number) =>
  shotTable(unit, walk(unit), [unit.block.weapons[0]], formData.units[target]);

test("a drawing and its hexes belong together", () => {
  startTest();
  const [x, y] = centre("0510");
  expect(hexAt(x + 10, y - 10)).toBe("0510");
  expect(hexAt(-500, y)).toBe("");
  expect(outline("0101")).toMatch(/^M10 36L25 10L.*Z$/);
  expect(facedShields({ hex: "0510", facing: "" }, "0610")).toEqual([]);
  expect(facedShields({ hex: "0510", facing: "C" }, "0510")).toEqual([]);
});

test("shots are told as long as both places are known", () => {
  const unit = startTest();
  const { weapons } = unit.block;
  const course = walk(unit);
  const drone = formData.units[2];
  expect(shots(unit, 1).until).toBe(request.through);
  const fault = { ...course, until: request.first + 1 };
  const short = shotTable(unit, fault, weapons, formData.units[1]);
  expect(short.until).toBe(request.first + 1);
  expect(short.rows.at(-1)!.impulse).toBeLessThanOrEqual(short.until);
  // Without any certain place the rows begin with the present ones.
  expect(shotTable(unit, { ...course, until: 0 }, weapons, drone).until).toBe(request.first);
  [drone.hex, drone.facing, drone.speed] = ["0101", "A", 8];
  const gone = shots(unit, 2);
  expect(gone.until).toBeLessThan(request.through);
  expect(gone.rows.every((row) => row.impulse <= gone.until)).toBe(true);
});

test("a planet blocks the line of fire, asteroids add to the die", () => {
  startTest();
  expect(terrainBetween("0710", "0704")).toBe(-1);
  expect(terrainBetween("0712", "0708")).toBe(1);
  expect(terrainBetween("0101", "0301")).toBe(0);
  delete mapData.rocks;
  delete mapData.adds;
  expect(terrainBetween("0712", "0708")).toBe(0);
});

test("shots at a target that may move tell the ranges that it can make", () => {
  const unit = startTest();
  const { rows, best, known, stands } = shots(unit, 1);
  expect(known).toBe(false);
  expect(stands.hex).toBe("1010");
  expect(rows[0]).toMatchObject({ impulse: 1, range: 4, able: 1, chance: 3, points: 9, why: "" });
  expect(rows[0].ranges).toMatch(/–/);
  expect(best).toBe(9);
  expect(meanPoints(24)).toBe("4.0");
});

test("a seeking weapon that never turns is where it will be, and a drone is small", () => {
  const unit = startTest();
  const { rows, known, placeOfTarget } = shots(unit, 2);
  expect(known).toBe(true);
  expect(placeOfTarget(1).hex).toBe("0710");
  expect(rows[0]).toMatchObject({ ranges: "", able: 0 });
});

test("reasons why nothing can be scored", () => {
  const unit = startTest("SOP", { hex: "1010", facing: "F" });
  formData.units[1].hex = "1210";
  expect(shots(unit, 1).rows[0].why).toBe(", arc");
  formData.units[1].hex = "0202";
  formData.units[1].still = true;
  mapData.closed = { "0807": "planet", "0808": "planet", "0707": "planet", "0806": "planet" };
  expect(shots(unit, 1).rows[0].why).toMatch(/planet|range/);
  formData.blocks[0].veils = [{ say: "hides", at: [[8, 1, 0, 1]] }];
  expect(shots(unit, 1).rows[0].why).toBe(", cloak");
});

test("a cloak works as energy lets it, in its stretch of impulses", () => {
  const unit = startTest("FULL", {
    veils: [
      { say: "hidden", paid: true, at: [[4, 2, 5, 1]] },
      { say: "seen", paid: false, at: [[8, 1, 0, 0]] },
    ],
  });
  expect(cloakOf(unit, 1)).toEqual([8, 1, 0, 0]);
  unit.fields.CLOAK = { opt: 1, src: "", mix: 0 };
  expect(cloakOf(unit, 4)).toEqual([4, 2, 5, 1]);
  expect(cloakOf(unit, 5)).toEqual([0, 1, 0, 0]);
});

test("a sketch is followed like a course, and compared with mine", () => {
  const unit = startTest();
  expect(currentSketch()).toBeNull();
  expect(allSketches()).toEqual([]);
  fieldValues.foe = "Kor";
  expect(chosenEnemy()).toBe(0);
  fieldValues["foe0-codes"] = "2F";
  expect(hasSketches()).toBe(true);
  const sketch = currentSketch()!;
  expect(walk(sketch).path).toHaveLength(3);
  const rows = duelTable(unit, sketch);
  expect(rows[0]).toMatchObject({ impulse: 1, fires: 2, answers: 2 });
  expect(rowAt(rows, 1)).toBe(rows[0]);
  expect(rowAt(rows, 0)).toBe(rows[0]);
  expect(bestRow(rows).impulse).toBeGreaterThan(0);
  expect(shots(unit, 1).known).toBe(true);
  fieldValues["foe0-veil"] = "1";
  expect(duelTable(unit, currentSketch()!)[0]).toMatchObject({ answers: 0 });
  expect(shots(unit, 1).rows[0]).toMatchObject({ able: 0, why: ", range" });
});

test("sketches are added, chosen and removed", () => {
  startTest();
  fieldValues.foe = "Kor";
  fieldValues["foe0-codes"] = "F";
  addSketch(0);
  fieldValues["foe0b-codes"] = "R";
  addSketch(0);
  expect(allSketches().map(({ letter }) => letter)).toEqual(["A", "B", "C"]);
  expect(chosenSketch(0)).toBe(2);
  chooseSketch(0, 0);
  removeSketch(0);
  expect(allSketches().map(({ codes }) => codes.join())).toEqual(["R", "R"]);
  chooseSketch(0, 1);
  removeSketch(0);
  expect(chosenSketch(0)).toBe(0);
  plan.keepsOrders = true;
  expect(chosenEnemy()).toBe(-1);
});

test("a unit whose step is over has moved once less", () => {
  const unit = startTest();
  request.over = { seek: "seeking weapons" };
  expect(shots(unit, 2).placeOfTarget(1).hex).toBe("0810");
});

test("weapons that may not be used in an impulse score nothing in it", () => {
  const unit = startTest();
  const [first] = unit.block.weapons;
  first.closed = { 1: "that step of impulse 1 is over (B2.0)" };
  const { rows } = shots(unit, 1);
  expect(rows[0]).toMatchObject({ impulse: 1, able: 0, points: 0, why: ", not now" });
  expect(rows[1]).toMatchObject({ impulse: 2, able: 1 });
});

test("where the step of fire is over, nobody scores in that impulse", () => {
  const unit = startTest();
  unit.codes = ["F", "F", "F"];
  fieldValues.foe = "Kor";
  fieldValues["foe0-codes"] = "2F";
  const before = duelTable(unit, currentSketch()!);
  expect(before[0].back).toBeGreaterThan(0);
  for (const weapon of unit.block.weapons) weapon.closed = { 1: "it is over" };
  request.over = { fire: "fire" };
  const after = duelTable(unit, currentSketch()!);
  expect(after[0]).toMatchObject({ impulse: 1, out: 0, back: 0, fires: 0, answers: 0 });
  expect(before.length).toBeGreaterThan(1);
  expect(after.slice(1)).toEqual(before.slice(1));
});
