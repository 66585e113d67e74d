import { expect, test } from "vitest";
import {
  clearBuilder,
  fieldValue,
  fieldValues,
  hasLooseLine,
  joined,
  loose,
  picked,
  touched,
} from "./builders.ts";
import { fingerprint, formData, loadData, request } from "./data.ts";
import { counted, numberText } from "./numbers.ts";
import { about, nothingChosen, outlook } from "./outlook.ts";
import { packedAt, packedForm, unpackForm } from "./packing.ts";
import {
  enterLine,
  hasStandingOrders,
  isStandingOrder,
  noteStandingOrders,
  now,
  plan,
} from "./plan.ts";
import { load, statements } from "./reading.ts";
import { faultsOf, orderText } from "./text.ts";
import { startTest } from "./testing.ts";

const TEXT = `GAME test TURN 1

SHIP Hood
SPEED 6
PLOT 2F R
  TOWARD Kor
  LEAVE MAP
DO
  AT 3 FIRE PH 1 AT Kor
BREAK
  Kor WITHIN 4
DAMAGE
  WARP LEFT FIRST

END
`;

test("numbers in words", () => {
  expect(numberText(1 / 3)).toBe("0.33");
  expect(numberText(2)).toBe("2");
  expect([counted(1, "code"), counted(2, "code")]).toEqual(["1 code", "2 codes"]);
});

test("a text that is loaded comes out as it was", () => {
  startTest();
  expect(load(TEXT)).toEqual([]);
  expect(orderText()).toBe(TEXT);
});

test("a text with energy comes out as it was", () => {
  startTest("FULL");
  const text = TEXT.replace("SPEED 6", "ENERGY\n  PHASERS 2\n  PHOT A HOLD\n  PROBE 1");
  expect(load(text)).toEqual([]);
  expect(orderText()).toBe(text);
});

test("a quoted email is read: marks, odd signs, comments, continued lines", () => {
  startTest();
  const mail = [
    "Hello,",
    "> GAME test TURN 1",
    "> ship “Hood”",
    "> DO  # now",
    ">   FIRE PH 1",
    ">       AT Kor; CLOAK",
    ">   IF #1 DOWN AND",
    ">   ME DAMAGED THEN CLOAK",
    "> END.",
    "> DO",
  ].join("\r\n");
  expect(load(mail)).toEqual([]);
  expect(now().do).toEqual(["FIRE PH 1 AT Kor", "CLOAK", "IF #1 DOWN AND ME DAMAGED THEN CLOAK"]);
  expect(statements('SHIP "A;B"\nDO\n  X # y')).toEqual([
    { section: "SHIP", text: '"A;B"', heading: true },
    { section: "DO", text: "", heading: true },
    { section: "DO", text: "X", heading: false },
  ]);
});

test("below ENERGY, SPEED is an entry", () => {
  startTest("EAF");
  expect(statements("SHIP Hood\nENERGY\n  SPEED 4\n-- \nDO")).toContainEqual({
    ...{ section: "ENERGY", text: "SPEED 4", heading: false },
  });
});

test("blocks without a page are kept as they are", () => {
  startTest();
  const notes = load("SHUTTLE Hood.1\nSPEED 6\nDO\n  LAND ON Hood\nENERGY\n  X");
  expect(notes[0]).toBe("shuttle Hood.1 is not shown in this form; its lines are kept unchanged");
  expect(plan.otherBlocks).toEqual(["SHUTTLE Hood.1\nSPEED 6\nDO\n  LAND ON Hood\nENERGY\n  X"]);
  expect(orderText()).toContain("SHUTTLE Hood.1\nSPEED 6");
});

test("a single ship that is misspelt is meant, and a place is kept", () => {
  startTest();
  expect(load("SHIP Hod AT 0510C\nDO\n  CLOAK")).toEqual([]);
  expect(now()).toMatchObject({ at: "0510C", do: ["CLOAK"] });
  expect(orderText()).toContain("SHIP Hood AT 0510C");
  load("SHIP Kor\nDO\n  CLOAK");
  expect(plan.otherBlocks).toHaveLength(1);
});

test("what is not asked for is told", () => {
  startTest("EAF");
  expect(load("CLOAK\nSHIP Hood\nSPEED 4\nDO\n  CLOAK\nENERGY\n  CLOAK 5")).toEqual([
    "“CLOAK” belongs to no unit and was left out",
    "SPEED 4: the speed is not asked for now",
    "“CLOAK” was left out: only energy is asked for now",
  ]);
  startTest("SOP");
  expect(load("SHIP Hood\nENERGY\n  CLOAK 5")).toEqual([
    "“CLOAK 5” was left out: no energy is asked for now",
  ]);
});

test("CONTINUE keeps the orders, where it may", () => {
  startTest();
  expect(load("CONTINUE")).toEqual([]);
  expect(orderText()).toBe("GAME test TURN 1\n\nCONTINUE\n\nEND\n");
  expect(outlook()).toEqual({ faults: [], impossible: [], loose: [], bare: [], notes: [] });
  request.continues = false;
  expect(load("CONTINUE")).toEqual(["CONTINUE cannot answer this request"]);
  noteStandingOrders();
  expect(hasStandingOrders).toBe(false);
});

test("a COURSE order is kept", () => {
  const unit = startTest();
  load("SHIP Hood\nCOURSE CIRCLE\n  IF ME DAMAGED THEN R");
  expect(orderText()).toContain("COURSE CIRCLE\n  IF ME DAMAGED THEN R");
  now().course = "";
  expect(orderText()).toContain("PLOT\n  IF ME DAMAGED THEN R");
  enterLine(unit, "steer", "TOWARD Kor");
  enterLine(unit, "steer", "AWAY FROM Kor");
  expect(unit.steer).toEqual(["AWAY FROM Kor"]);
});

test("orders in force are known again", () => {
  const unit = startTest();
  unit.do = ["CLOAK"];
  noteStandingOrders();
  expect(hasStandingOrders).toBe(true);
  expect(isStandingOrder(unit, "CLOAK")).toBe(true);
  expect(isStandingOrder(unit, "FIRE PH 1 AT Kor")).toBe(false);
});

test("an order in force that is impossible is no fault, but it is told", () => {
  const unit = startTest();
  unit.do = ["FIRE PH 2 AT Kor"];
  expect(outlook()).toMatchObject({ faults: ["PH 2 is destroyed (E1.1)"], impossible: [] });
  noteStandingOrders();
  expect(outlook()).toMatchObject({
    faults: [],
    impossible: ["“FIRE PH 2 AT Kor”, an earlier order: PH 2 is destroyed (E1.1)"],
  });
});

test("nothing chosen is told, once it is not meant", () => {
  const unit = startTest();
  expect(outlook().bare).toEqual([unit]);
  expect(nothingChosen(unit)).toBe(
    "nothing is chosen yet; it flies straight on and does nothing else",
  );
  unit.speed = 0;
  expect(nothingChosen(unit)).toMatch(/stays where it is and does nothing$/);
  unit.meant = true;
  expect(outlook().bare).toEqual([]);
  const form = startTest("EAF");
  expect(nothingChosen(form)).toMatch(/without energy it has speed 0 and arms nothing$/);
  form.do = ["CLOAK"];
  expect(nothingChosen(form)).toMatch(/^no energy is given to anything/);
  const full = startTest("FULL");
  expect(nothingChosen(full)).toMatch(/it stays where it is and arms nothing$/);
});

test("power that is not used, and codes that are too many, are notes", () => {
  const unit = startTest("FULL");
  unit.fields.SPEED = { opt: 1, src: "", mix: 0 };
  unit.codes = ["F", "F"];
  expect(outlook().notes).toEqual([
    expect.stringMatching(/^13 points of 15 unused/),
    "the last 1 code of the plot is more than its hexes at speed 1",
  ]);
  unit.codes = ["F", "F", "F"];
  expect(outlook().notes[1]).toMatch(/^the last 2 codes of the plot are more/);
  unit.fields.TAC = { opt: 1, src: "", mix: 0 };
  expect(outlook().faults).toEqual(["no tactical maneuver while moving (C5.1)"]);
  expect(faultsOf(unit)[0].step).toBe("energy");
});

test("lines that are made and not added are told", () => {
  const unit = startTest();
  loose["u0-act"] = [0, "do", "CLOAK", ""];
  loose["u7-act"] = [7, "do", "CLOAK", ""];
  expect(hasLooseLine(unit)).toBe(true);
  expect(outlook(true).loose).toEqual([
    { id: "u0-act", unit, list: "do", text: "CLOAK", why: "" },
    { id: "load", text: "" },
  ]);
  expect(outlook().bare).toEqual([]);
  touched["u0-act"] = true;
  joined["u0-act-if"] = "ME DAMAGED";
  picked["u0-act"] = new Set(["PH 1"]);
  clearBuilder("u0-act");
  expect([hasLooseLine(unit), joined["u0-act-if"], picked["u0-act"].size]).toEqual([false, "", 0]);
  expect(fieldValue("u0-x", 4)).toBe(4);
});

test("with several units each is named", () => {
  const unit = startTest();
  expect(about(unit, "x")).toBe("x");
  plan.units.push(unit);
  expect(about(unit, "x")).toBe("Hood: x");
});

test("everything can be packed and restored", () => {
  startTest("FULL");
  load(TEXT.replace("SPEED 6", "ENERGY\n  PHASERS 2"));
  fieldValues["u0-imp"] = 4;
  touched["u0-fire"] = true;
  picked["u0-fire"] = new Set(["PH 1"]);
  picked["u1-fire"] = new Set();
  const text = orderText();
  const packed = packedForm("pasted");
  expect(packedAt(packed)).toBeGreaterThan(0);
  expect(packedAt("{")).toBe(0);
  expect(packedAt("{}")).toBe(0);
  startTest("FULL");
  picked["u2-fire"] = new Set(["PH 2"]);
  expect(unpackForm(packed)).toBe("pasted");
  expect(orderText()).toBe(text);
  expect(fieldValues["u0-imp"]).toBe(4);
  expect(picked).toEqual({ "u0-fire": new Set(["PH 1"]) });
  startTest("EAF");
  const other = JSON.parse(packed);
  expect(() => unpackForm(JSON.stringify({ ...other, format: 2 }))).toThrow("another form");
  formData.blocks[0].energy!.fields[1].options = [];
  expect(() => unpackForm(packed)).toThrow("another form");
});

test("forms with other data have other fingerprints; the address of the mail does not count", () => {
  startTest();
  const first = fingerprint;
  const data = { ...formData, mail: { to: "somebody", subject: "else" } };
  startTest("SOP", {}, { mail: data.mail });
  expect(fingerprint).toBe(first);
  startTest("SOP", { hex: "0511" });
  expect(fingerprint).not.toBe(first);
  expect(() => loadData("{")).toThrow();
});
