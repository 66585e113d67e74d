import { expect, test } from "vitest";
import { walk } from "./courses.ts";
import { formData } from "./data.ts";
import { courseFaults, judge, stepsBy, weaponsUsed, whyUnready } from "./judging.ts";
import { readLine, weaponNames, weaponsIn, withoutQuotes } from "./lines.ts";
import { noteStandingOrders, type UnitPlan } from "./plan.ts";
import { startTest } from "./testing.ts";

const why = (unit: UnitPlan, text: string) => judge(unit, walk(unit), text, new Map());
const pay = (unit: UnitPlan, id: string, opt: number) => {
  unit.fields[id] = { opt, src: "", mix: 0 };
};

test("weapons are read from their short forms", () => {
  startTest();
  expect(weaponsIn("PH 1-3, 5 and PHOTON A-C")).toEqual([
    ...["PH 1", "PH 2", "PH 3", "PH 5"],
    ...["PHOT A", "PHOT B", "PHOT C"],
  ]);
  expect(weaponsIn("1")).toBeNull();
  expect(weaponsIn("PH all")).toBeNull();
  expect(weaponNames(["PH 1", "PHOT A", "PH 2"])).toBe("PH 1,2 PHOT A");
  expect(withoutQuotes('"The ""Big"" One"')).toBe('The "Big" One');
});

test("a DO line is read", () => {
  startTest();
  expect(readLine("EVERY AT 4 IF SEEKER WITHIN 1 THEN FIRE ONE OF PH 1,2 AT IT")).toEqual({
    ...{ impulse: 4, condition: "SEEKER WITHIN 1", act: "FIRE ONE OF PH 1,2 AT IT" },
    ...{ verb: "FIRE", one: true, weapons: ["PH 1", "PH 2"], target: "IT", reserve: false },
  });
  expect(readLine("FIRE PH 1 AT Kor AND PH 2 AT Kor")).toMatchObject({ impulse: null });
  expect(readLine("CLOAK IF ME DAMAGED")).toMatchObject({ act: "CLOAK", condition: "ME DAMAGED" });
  expect(readLine("  ")).toBeNull();
});

test("a line for an impulse outside of the orders is refused", () => {
  const unit = startTest();
  expect(why(unit, "AT 9 FIRE PH 1 AT Kor")).toBe("impulse 9 is not among 1 to 8 (C1.41)");
  expect(why(unit, "")).toBe("");
});

test("weapons that cannot be used, and targets that cannot be fired at", () => {
  const unit = startTest();
  expect(why(unit, "FIRE PH 2 AT Kor")).toBe("PH 2 is destroyed (E1.1)");
  expect(why(unit, "FIRE PHOT A AT World")).toBe("no planet (P2.0)");
  expect(why(unit, "AT 3 FIRE PHOT A AT Kor")).toBe("not in impulse 3 (E4.2)");
  expect(why(unit, "LAUNCH PH 1 AT Kor")).toBe("PH 1: FIRE it");
  expect(why(unit, "FIRE ONE OF PH 1,2 AT Kor")).toBe("");
  expect(why(unit, "FIRE PH 9 AT Kor")).toBe("");
  expect(why(unit, "FIRE PH 2 AT Kor WITH RESERVE")).toBe("PH 2 is destroyed (E1.1)");
});

test("a weapon is used once a turn", () => {
  const unit = startTest();
  unit.do = ["AT 3 FIRE PH 1 AT Kor"];
  const used = weaponsUsed(unit);
  expect(judge(unit, walk(unit), "AT 5 FIRE PH 1 AT Kor", used)).toBe(
    "PH 1 is used in impulse 3 already; once a turn (E1.5)",
  );
  expect(judge(unit, walk(unit), "AT 5 FIRE PH 1 AT Kor IF ME DAMAGED", used)).toBe("");
});

test("a target that cannot come into range or arc by then is refused", () => {
  const unit = startTest();
  const kor = formData.units[1];
  Object.assign(kor, { still: true, hex: "2020" });
  expect(why(unit, "AT 1 FIRE PH 1 AT Kor")).toMatch(/^PH 1: range 17 at best, its maximum is 15/);
  Object.assign(kor, { hex: "0610" });
  expect(why(unit, "AT 1 FIRE PHOT A AT Kor")).toMatch(
    /^PHOT A: range 0 at most, its minimum is 2/,
  );
  Object.assign(kor, { hex: "0302" });
  expect(why(unit, "AT 1 FIRE PH 1 AT Kor")).toBe(
    "PH 1: it cannot come into the arc FA by then (D2.0)",
  );
  Object.assign(kor, { still: false, hex: "1512", speed: 4 });
  formData.request.speeds_known = true;
  expect(stepsBy(kor, 8)).toBe(4);
  expect(why(unit, "AT 8 FIRE PH 1 AT Kor")).toBe("");
});

test("energy makes weapons ready", () => {
  const unit = startTest("FULL");
  const [phaser, , photon] = unit.block.weapons;
  expect(whyUnready(unit, phaser)).toBe("PH 1 has no energy (E2.1)");
  pay(unit, "PHASERS", 1);
  expect(whyUnready(unit, phaser)).toBe("");
  expect(whyUnready(unit, photon)).toBe("PHOT A is not armed (E4.1)");
  pay(unit, "PHOT A", 2);
  expect(whyUnready(unit, photon)).toBe("");
  pay(unit, "LIFE", 1);
  expect(whyUnready(unit, photon)).toBe("without crew nothing fires (B3.1)");
  const { fields } = unit.block.energy!;
  unit.block.energy!.fields = fields.filter(({ id }) => id !== "PHASERS");
  expect(whyUnready(unit, phaser)).toBe("PH 1 has no energy (E2.1)");
});

test("activities that need energy, or are spoiled by it", () => {
  const unit = startTest("FULL");
  expect(why(unit, "CLOAK")).toBe("no energy for the cloak (G13.1)");
  pay(unit, "CLOAK", 1);
  expect(why(unit, "CLOAK")).toBe("");
  pay(unit, "TRACTOR A", 1);
  expect(why(unit, "TRACTOR Kor")).toBe("spoiled (G7.2)");
  unit.fields = {};
  pay(unit, "SPEED", 12);
  pay(unit, "CLOAK", 1);
  expect(why(unit, "TRACTOR Kor")).toBe("the tractor needs 1 point (G7.1)");
  expect(why(startTest(), "AT 2 IDENTIFY Kor.1")).toBe("");
});

test("faults of a plot and of lines are listed; those of orders in force are only notes", () => {
  const unit = startTest();
  unit.codes = ["R", "R"];
  unit.do = ["FIRE PH 2 AT Kor"];
  expect(courseFaults(unit)).toMatchObject([
    { step: "plot", stands: false },
    { step: "do", n: 0, stands: false, text: "PH 2 is destroyed (E1.1)" },
  ]);
  noteStandingOrders();
  expect(courseFaults(unit)).toMatchObject([
    {
      stands: true,
      text: "your earlier plot: code 2 (R) in impulse 2 at 0511D: turn mode (C3.1)",
    },
    { stands: true, text: "“FIRE PH 2 AT Kor”, an earlier order: PH 2 is destroyed (E1.1)" },
  ]);
  unit.typed = "bla";
  expect(courseFaults(unit)[0].text).toMatch(/^“bla” in the plot/);
});
