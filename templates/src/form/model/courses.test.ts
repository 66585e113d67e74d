import { expect, test } from "vitest";
import {
  addCode,
  codesText,
  codesTo,
  endOf,
  enterPlot,
  hexesLeft,
  movingImpulses,
  notUnderstood,
  notUnderstoodText,
  placeAt,
  plotByClick,
  plotTo,
  reach,
  readCodes,
  replot,
  takeTyped,
  walk,
} from "./courses.ts";
import { startTest } from "./testing.ts";

test("a unit moves in the impulses of its speed, and not in a step that is over", () => {
  const unit = startTest();
  expect(movingImpulses(unit)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  unit.speed = 4;
  expect(movingImpulses(unit)).toEqual([2, 4, 6, 8]);
  unit.block.moved = true;
  unit.speed = 8;
  expect(movingImpulses(unit)[0]).toBe(2);
});

test("a plot is followed hex by hex, and straight on after its last code", () => {
  const unit = startTest();
  unit.codes = ["F", "R"];
  const found = walk(unit);
  expect(found.path.map(({ hex, facing }) => hex + facing)).toEqual(["0510C", "0610C", "0611D"]);
  expect(found.straight).toHaveLength(6);
  expect(found.until).toBe(8);
  expect(hexesLeft(found)).toBe(6);
  expect(placeAt(found, 1).hex).toBe("0610");
  expect(placeAt(found, 8)).toBe(found.straight[5]);
});

test("codes that the rules refuse, and codes beyond the speed, are told", () => {
  const unit = startTest();
  unit.codes = ["R", "R"];
  expect(walk(unit).fault).toEqual({
    n: 1,
    text: "code 2 (R) in impulse 2 at 0511D: turn mode (C3.1)",
  });
  unit.codes = Array(10).fill("F");
  expect(walk(unit).spare).toBe(2);
});

test("a ship may not enter a planet, nor leave the map unless its orders say so", () => {
  const unit = startTest("SOP", { hex: "0708", facing: "A" });
  unit.codes = ["F"];
  expect(walk(unit).fault?.text).toContain("ships may not enter a planet (P2.0)");
  const other = startTest("SOP", { hex: "0501", facing: "A" });
  expect(walk(other).fault?.text).toContain("straight on from 0501A: leads off the map");
  other.leave = true;
  other.codes = ["F"];
  expect(walk(other)).toMatchObject({ left: true, fault: null, until: 0 });
  expect(reach(other, walk(other)).size).toBe(0);
});

test("a ship whose course is fixed flies only the codes of its script", () => {
  const unit = startTest("SOP", {
    script: { first: ["F"], later: ["R"], why: "the course is fixed" },
  });
  unit.codes = ["F", "F"];
  expect(walk(unit).fault?.text).toContain("the course is fixed");
  unit.typed = "F TOWARD Kor";
  takeTyped(unit);
  expect(unit.typed).toBe("F TOWARD Kor");
});

test("a COURSE is not followed", () => {
  const unit = startTest();
  unit.course = "CIRCLE";
  expect(walk(unit)).toMatchObject({ until: 0, straight: [], fault: null });
  expect(reach(unit, walk(unit)).size).toBe(0);
});

test("reactions end what is certain, and their impulses are checked", () => {
  const unit = startTest();
  unit.steer = ["AT 5 IF #1 DOWN THEN R"];
  expect(walk(unit)).toMatchObject({ until: 4, fault: null });
  unit.steer = ["IF #1 DOWN THEN R"];
  expect(walk(unit).until).toBe(0);
  unit.steer = ["AT 9 R"];
  expect(walk(unit).fault?.text).toBe("AT 9 R: impulse 9 is not among 1 to 8 (C1.41)");
  unit.speed = 4;
  unit.steer = ["AT 3 R"];
  expect(walk(unit).fault?.text).toBe("AT 3 R: Hood does not move in impulse 3 at speed 4 (C1.44)");
});

test("only one line steers by a unit, and the places after the plot are not certain then", () => {
  const unit = startTest();
  unit.codes = ["F", "F"];
  unit.steer = ["TOWARD Kor"];
  expect(walk(unit)).toMatchObject({ until: 2, straight: [] });
  unit.steer.push("AWAY FROM Kor");
  expect(walk(unit).fault?.text).toBe(
    "AWAY FROM Kor: TOWARD Kor steers already; remove one of them",
  );
});

test("a tactical maneuver needs its energy and an impulse of the orders", () => {
  const unit = startTest("FULL", { tac: { unpaid: "no energy for TAC (C5.1)" } });
  unit.steer = ["TAC R AT 9"];
  expect(walk(unit).fault?.text).toBe("impulse 9 is not among 1 to 8 (C1.41)");
  unit.steer = ["TAC R AT 3"];
  expect(walk(unit).fault?.text).toBe("no energy for TAC (C5.1)");
  unit.fields.TAC = { opt: 1, src: "", mix: 0 };
  expect(walk(unit).fault).toBeNull();
});

test("hexes in reach are plotted by the way that gets there first", () => {
  const unit = startTest();
  const reached = reach(unit, walk(unit));
  expect(reached.get("0610")).toMatchObject({ impulse: 1, code: "F" });
  expect(codesTo(reached.get("0811")!)).toEqual(["F", "F", "F"]);
  expect(plotTo(unit, "0811")).toBe(true);
  expect(unit.codes).toEqual(["F", "F", "F"]);
  expect(plotTo(unit, "0101")).toBe(false);
});

test("a click plots, changes the way into the last hex, and takes back", () => {
  const unit = startTest();
  unit.speed = 2;
  expect(plotByClick(unit, "0101")).toBe(false);
  expect(plotByClick(unit, "0511")).toBe(true);
  expect(unit.codes).toEqual(["R"]);
  expect(plotByClick(unit, "0511")).toBe(true);
  expect(unit.codes).toEqual(["SR"]);
  expect(plotByClick(unit, "0510")).toBe(true);
  expect(unit.codes).toEqual([]);
  expect(plotByClick(unit, "")).toBe(false);
});

test("codes are added as long as they are legal", () => {
  const unit = startTest();
  addCode(unit, "R");
  addCode(unit, "R");
  expect(unit.codes).toEqual(["R"]);
  for (let n = 0; n < 10; n++) addCode(unit, "F");
  expect(unit.codes).toHaveLength(8);
});

test("codes are read and written", () => {
  startTest();
  expect(codesText(["F", "F", "R", "R", "SL"])).toBe("2F R R SL");
  expect(readCodes("2F, r slip l")).toEqual({ codes: ["F", "F", "R", "SL"], rest: "" });
  expect(readCodes("FFR X").rest).toBe("X");
  expect(readCodes("2F TOWARD Kor")).toEqual({ codes: ["F", "F"], rest: "TOWARD KOR" });
});

test("what is typed and no code stays in the box", () => {
  const unit = startTest();
  unit.typed = "F F bla";
  unit.codes = readCodes(unit.typed).codes;
  expect(notUnderstood(unit)).toBe("BLA");
  expect(notUnderstoodText(unit)).toMatch(
    /^“bla” in the plot is not understood: the codes are F, L/,
  );
  takeTyped(unit);
  expect(unit.typed).toBe("F F bla");
  replot(unit, ["R"]);
  expect(unit.typed).toBe("R bla");
  expect(walk(unit).path).toHaveLength(2);
});

test("a way to steer and LEAVE MAP are taken from the box", () => {
  const unit = startTest();
  unit.typed = "F TOWARDS kor LEAVE MAP";
  takeTyped(unit);
  expect(unit).toMatchObject({ typed: null, steer: ["TOWARDS kor"], leave: true });
  unit.typed = "LEAVE THE MAP";
  takeTyped(unit);
  expect(unit.typed).toBeNull();
  unit.typed = "KEEP Kor.1 AT RANGE 4 TO 8";
  takeTyped(unit);
  expect(unit.steer).toEqual(["KEEP Kor.1 AT RANGE 4 TO 8"]);
  unit.typed = "TOWARD Hood";
  takeTyped(unit);
  expect(unit.typed).toBe("TOWARD Hood");
});

test("lines of a plot are entered", () => {
  const unit = startTest();
  enterPlot(unit, "2F R TOWARD Kor");
  expect(unit).toMatchObject({ codes: ["F", "F", "R"], steer: ["TOWARD Kor"] });
  enterPlot(unit, "IF ME DAMAGED THEN R LEAVE MAP");
  expect(unit.steer).toHaveLength(2);
  expect(unit.leave).toBe(true);
  unit.leave = false;
  enterPlot(unit, "LEAVE MAP");
  expect(unit.leave).toBe(true);
  expect(endOf(walk(unit)).hex).toBe("0712");
});
