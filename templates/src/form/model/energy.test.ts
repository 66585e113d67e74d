import { expect, test } from "vitest";
import { chosen, emptyUnit, fieldOf, type UnitPlan } from "./plan.ts";
import {
  balance,
  batteriesLeft,
  fieldText,
  inWords,
  isPaid,
  isSpeedChosen,
  speedOf,
  total,
  unusedPower,
} from "./energy.ts";
import { energyEntries, enterEnergy } from "./energy_text.ts";
import { startTest } from "./testing.ts";
import { fillInTheUsual } from "./usual.ts";

function choose(unit: UnitPlan, picks: Record<string, number>, more = {}): void {
  for (const [id, opt] of Object.entries(picks))
    unit.fields[id] = { opt, src: "", mix: 0, ...more };
}

const faultsOf = (unit: UnitPlan) => balance(unit).faults.map(({ text }) => text);

test("an empty form spends standing costs alone", () => {
  const unit = startTest("EAF");
  expect(balance(unit)).toMatchObject({ made: 15, used: 1, drained: 0, faults: [], short: false });
  expect(unusedPower(unit)).toBe(14);
  expect(speedOf(unit)).toBe(0);
  expect(isSpeedChosen(unit)).toBe(false);
  unit.rest.push("PROBE 1");
  expect(unusedPower(unit)).toBe(0);
});

test("the speed takes warp power first, then half a point of impulse power", () => {
  const unit = startTest("EAF");
  choose(unit, { SPEED: 8 });
  const ask = () => balance(unit).rows.find(({ field }) => field.id === "SPEED")!.ask;
  expect(ask()).toEqual({ WARP: 8 });
  choose(unit, { "PHOT A": 1, SPEED: 11 });
  expect(ask()).toEqual({ WARP: 10, IMPULSE: 1 });
  choose(unit, { SPEED: 11 }, { mix: 1 });
  expect(ask()).toEqual({ WARP: 11 });
  expect(fieldText(unit, fieldOf(unit, "SPEED")!)).toBe("MOVE 11 WARP");
  expect(faultsOf(unit)).toEqual([
    "13 points of WARP power are spent, the ship has 12 (line 1 of the form) (B3.0)",
  ]);
  choose(unit, { SPEED: 12 }, { mix: 9 });
  expect(ask()).toEqual({ WARP: 12 });
});

test("a source can be chosen, and its points are counted", () => {
  const unit = startTest("EAF");
  unit.fields.PHASERS = { opt: 3, src: "APR", mix: 0 };
  expect(fieldText(unit, fieldOf(unit, "PHASERS")!)).toBe("PHASERS 3 APR");
  expect(faultsOf(unit)[0]).toMatch(/^3 points of APR power are spent, the ship has 1/);
  unit.fields.PHASERS.src = "";
  expect(faultsOf(unit)).toEqual([]);
});

test("batteries can be drained, recharged and overdrawn", () => {
  const unit = startTest("EAF");
  choose(unit, { SPEED: 12, CLOAK: 1 });
  expect(balance(unit)).toMatchObject({ used: 18, drained: 3, short: false });
  expect(batteriesLeft(unit)).toBe(0);
  choose(unit, { PHASERS: 3 });
  expect(faultsOf(unit)[0]).toMatch(/^21 points are spent; the ship has 15 and 3 in batteries/);
  const other = startTest("EAF");
  choose(other, { RECHARGE: 1 });
  expect(batteriesLeft(other)).toBe(4);
  choose(other, { RECHARGE: 2 });
  expect(faultsOf(other)[0]).toMatch(/^batteries are recharged from power generated this turn/);
});

test("choices that exclude each other, and limits of a line", () => {
  const unit = startTest("EAF");
  choose(unit, { TAC: 1, SPEED: 1, "REPAIR #1": 2, "REPAIR #2": 1 });
  expect(balance(unit).faults).toEqual([
    { at: "SPEED", text: "no tactical maneuver while moving (C5.1)" },
    { at: "REPAIR", text: "the damage control rating is 2 (D9.2)" },
  ]);
});

test("a ship that tows is slower", () => {
  const unit = startTest("EAF");
  choose(unit, { SPEED: 8 });
  expect(speedOf(unit)).toBe(8);
  choose(unit, { "TRACTOR A": 1 });
  expect(speedOf(unit)).toBe(4);
  expect(isPaid(unit, "TRACTOR A")).toBe(true);
  expect(isPaid(unit, "NOTHING")).toBe(false);
});

test("without an energy form the speed is the chosen or the present one", () => {
  const unit = startTest();
  expect(speedOf(unit)).toBe(8);
  unit.speed = 5;
  expect(speedOf(unit)).toBe(5);
  expect(speedOf({ ...unit, block: { ...unit.block, speeds: null, speed: 3 } })).toBe(3);
  expect(isSpeedChosen(unit)).toBe(true);
});

test("the usual arms weapons, charges phasers and keeps the speed, without batteries", () => {
  const unit = startTest("EAF");
  fillInTheUsual(unit);
  expect(chosen(unit, fieldOf(unit, "PHOT A")!).opt).toBe(2);
  expect(chosen(unit, fieldOf(unit, "PHASERS")!).opt).toBe(3);
  expect(speedOf(unit)).toBe(8);
  expect(balance(unit)).toMatchObject({ drained: 0, faults: [] });
});

test("the usual of a ship without power is nothing", () => {
  const weak = startTest("EAF");
  weak.block.energy!.power = { WARP: 0, IMPULSE: 1, APR: 0, BATTERY: 0 };
  fillInTheUsual(weak);
  expect(weak.fields).toEqual({});
});

test("entries of an order text are read", () => {
  startTest("EAF");
  expect(energyEntries("9. 2 points from reactor")).toEqual(["2 APR"]);
  expect(energyEntries("16 2")).toEqual(["RECHARGE 2"]);
  expect(energyEntries("photon A,B 2 each")).toEqual(["PHOT A 2", "PHOT B 2"]);
  expect(energyEntries("PHOT A")).toEqual(["PHOT A"]);
  expect(energyEntries("LIFE SUPPORT 0")).toEqual(["LIFE SUPPORT 0"]);
  expect(energyEntries("REPAIR #1 2")).toEqual(["REPAIR #1 WITH 2"]);
  expect(energyEntries("PHASER 1 1/2 batt")).toEqual(["PHASERS 1 1/2 BATTERY"]);
  expect(energyEntries("PHASERS 1 1/2")).toEqual(["PHASERS 1.5"]);
});

test("entries go into their fields; those that fit none stay lines", () => {
  const unit = startTest("EAF");
  for (const line of ["PHASERS 2", "PHOT A HOLD", "MOVE 7 WARP + 1 IMPULSE", "PROBE 1", "CLOAK 5"])
    enterEnergy(unit, line);
  expect(unit.fields).toMatchObject({
    PHASERS: { opt: 2 },
    "PHOT A": { opt: 2 },
    CLOAK: { opt: 1 },
  });
  expect(unit.rest).toContain("PROBE 1");
  enterEnergy(unit, "PHASERS 3");
  expect(unit.rest).toContain("PHASERS 3");
  const other = emptyUnit(unit.block);
  enterEnergy(other, "SPEED 0");
  enterEnergy(other, "PHASERS 2 APR");
  enterEnergy(other, "PHOT A 2 WARP");
  expect(other.fields).toMatchObject({
    SPEED: { opt: 0 },
    PHASERS: { opt: 2, src: "APR" },
    "PHOT A": { opt: 1, src: "WARP" },
  });
});

test("sources are written as the reader knows them", () => {
  expect(inWords("11 WARP + 2 APR")).toBe("11 warp + 2 APR");
  expect(total({ WARP: 1, APR: 2.5 })).toBe(3.5);
});
