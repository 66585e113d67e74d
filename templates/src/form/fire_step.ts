/* The step for fire and activities. */
import { fieldValues, loose, picked, touched } from "./model/builders.ts";
import { movingImpulses, walk } from "./model/courses.ts";
import { formData, mapData, request, type Unit, type Weapon } from "./model/data.ts";
import { FACINGS, range } from "./model/hexes.ts";
import { judge, weaponsUsed, whyUnready } from "./model/judging.ts";
import { weaponNames } from "./model/lines.ts";
import type { UnitPlan } from "./model/plan.ts";
import { element, type Child, type Option } from "./dom.ts";
import { activities } from "./activities.ts";
import { adder, lineList } from "./adding.ts";
import { conditions } from "./conditions.ts";
import {
  card,
  checkbox,
  choice,
  idOf,
  numberBox,
  numberIn,
  remark,
  tick,
  whyNoNumber,
} from "./fields.ts";
import { refresh } from "./listen.ts";
import { shotPreview } from "./preview.ts";
import { judgeDoLines } from "./do_lines.ts";

/** The target "every seeking weapon, one shot at each". */
const EACH_SEEKER = "EACH";

/** Return the card for fire and activities. */
export function fireStep(unit: UnitPlan, number: number): HTMLElement {
  const id = idOf(unit) + "-fire";
  const { weapons } = unit.block;
  const ticked = (picked[id] ||= new Set());
  const isReady = (weapon: Weapon) => !whyUnready(unit, weapon);
  for (const name of [...ticked])
    if (!weapons.some((one) => one.name === name && isReady(one))) ticked.delete(name);
  const selected = weapons.filter(({ name }) => ticked.has(name));
  if (selected.length) touched[id] = true;
  else {
    delete touched[id];
    delete loose[id];
  }
  const hint = weapons.some(isReady)
    ? "Choose one weapon or several to fire together."
    : "Give a weapon energy first; none can be used now.";
  return card(
    number,
    "Fire and activities",
    weaponBoxes(unit, id, ticked),
    selected.length ? shotBuilder(unit, id, selected) : remark(hint),
    activities(unit),
    lineList(unit, "do", judgeDoLines(unit)),
  );
}

/** Return a box to tick for each weapon. */
function weaponBoxes(unit: UnitPlan, id: string, ticked: Set<string>): Child[] {
  const { weapons } = unit.block;
  const pick = (weapon: Weapon, on: boolean) => {
    if (on && weapon.verb === "LAUNCH") ticked.clear();
    if (on) for (const other of weapons) if (other.verb !== weapon.verb) ticked.delete(other.name);
    if (on) ticked.add(weapon.name);
    else ticked.delete(weapon.name);
    refresh();
  };
  const titles = [
    ["FIRE", "Direct fire"],
    ["LAUNCH", "Seeking weapons"],
  ];
  return titles.map(([verb, title]) => {
    const group = weapons.filter((weapon) => weapon.verb === verb);
    if (!group.length) return "";
    return element(
      "fieldset",
      { class: "chips", id: id + "-" + verb },
      element("legend", {}, title),
      group.map((weapon) => weaponBox(unit, id, weapon, ticked.has(weapon.name), pick)),
    );
  });
}

function weaponBox(
  unit: UnitPlan,
  id: string,
  weapon: Weapon,
  isTicked: boolean,
  pick: (weapon: Weapon, on: boolean) => void,
): HTMLElement {
  const { name, arc, most, least, state } = weapon;
  const why = whyUnready(unit, weapon);
  const about = [arc, most ? least + "–" + most + " hexes" : "", state].filter(Boolean).join(", ");
  const short = why.replace(/^.*?: /, "").replace(unit.block.name + " " + name + " ", "");
  const label = element(
    "span",
    {},
    name,
    element("small", {}, about, why && element("br"), why && short),
  );
  const box = checkbox(
    id + "-" + name.replace(/\W/g, "-"),
    label,
    isTicked,
    (on) => pick(weapon, on),
    { disabled: Boolean(why) },
  );
  box.title = why;
  return box;
}

/** A shot in the making. */
interface Shot {
  id: string;
  unit: UnitPlan;
  selected: Weapon[];
  isFire: boolean;
  /** The target as orders write it, and whether it is each seeking weapon. */
  target: string;
  isDefence: boolean;
}

/** What the "when" of a shot adds to it: fields, words before the order, and a note. */
interface When {
  parts: Child[];
  more: Child;
  head: string;
  wrong: string[];
  note: string;
  every: boolean;
}

/** Return the units that the weapons may be used at; among many kinds the nearest first. */
function possibleTargets(unit: UnitPlan, selected: Weapon[]): Unit[] {
  const targets = formData.units.filter(
    (one) => one.enemy && selected.every((weapon) => !weapon.not[one.name]),
  );
  const kinds = [...new Set(targets.map(({ kind }) => kind))];
  const gap = ({ hex }: Unit) =>
    mapData && unit.block.hex && hex ? range(unit.block.hex, hex) : 0;
  return targets.sort(
    (one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind) || gap(one) - gap(other),
  );
}

/** Return the ways to say when weapons are used. */
function timesOf({ isFire, isDefence, selected }: Shot): Option[] {
  const atOnce: Option = !isFire
    ? ["now", "as soon as it can"]
    : isDefence
      ? ["range", "as soon as one comes"]
      : ["range", selected.length > 1 ? "each as soon as it bears" : "as soon as it bears"];
  if (isDefence) return [atOnce];
  return [atOnce, ["at", "in impulse …"], ["last", "in the last impulse"], ["if", "when …"]];
}

/** Return fields that say at whom and when the ticked weapons shall be used, and the order that they make. */
function shotBuilder(unit: UnitPlan, id: string, selected: Weapon[]): HTMLElement {
  const course = walk(unit);
  const isFire = selected[0].verb === "FIRE";
  const targets = possibleTargets(unit, selected);
  const pairs: Option[] = [
    ...targets.map((one): Option => [one.say, one.name + " (" + one.hex + one.facing + ")"]),
    ["NEAREST ENEMY SHIP", "the nearest enemy ship"],
    ["NEAREST SEEKER", "the nearest enemy seeking weapon"],
    ...(isFire ? [[EACH_SEEKER, "every seeking weapon, one shot at each"] as Option] : []),
    ["IT", "the unit of the condition"],
  ];
  const targetList = choice(id + "-target", "Target", pairs, pairs[0][0], refresh);
  const target = String(fieldValues[id + "-target"]);
  const isDefence = isFire && target === EACH_SEEKER;
  const shot: Shot = { id, unit, selected, isFire, target, isDefence };
  const times = timesOf(shot);
  const timeList = choice(id + "-how", "When", times, times[0][0], refresh);
  const mode = String(fieldValues[id + "-how"]);
  const when = whenOf(shot, mode);
  const { parts, options } = optionsOf(shot);
  const askEvery = mode !== "range" && tick(id + "-every", "every time", refresh);
  const every = askEvery ? Boolean(fieldValues[id + "-every"]) : when.every;
  const note = when.note || noteOf(shot, mode, every);
  const text = (every ? "EVERY " : "") + when.head + orderOf(shot, mode, options);
  const why = when.wrong.find(Boolean) || judge(unit, course, text, weaponsUsed(unit));
  const known = targets.find(({ say }) => say === target);
  return element(
    "div",
    { class: "build", id: id + "-build" },
    element(
      "div",
      { class: "line", id: id + "-line" },
      ...["At", targetList, timeList, when.parts, parts, askEvery],
    ),
    when.more,
    known && isFire && shotPreview(unit, course, selected, known, id),
    note && remark(note),
    adder(id, unit, "do", text, why, { main: true }),
  );
}

/** Return the order of a shot, without the words before it that say when. */
function orderOf({ selected, target, isDefence }: Shot, mode: string, options: string): string {
  const weapons = weaponNames(selected.map(({ name }) => name));
  const ofIt = target === "IT" && ["at", "last", "now"].includes(mode) ? " IF SEEKER WITHIN 1" : "";
  const verb = selected[0].verb + (isDefence ? " ONE OF " : " ");
  return verb + weapons + " AT " + target + options + ofIt;
}

/** Return a note about shots that are given a condition. */
const noteOf = ({ selected, isFire }: Shot, mode: string, every: boolean) =>
  mode === "if" && selected.length > 1 && !every && isFire
    ? "It fires once, with the weapons in arc at that moment. Tick “every time” to fire the others later."
    : "";

/** Return fields for a direction and for the use of batteries, and the words that they add to the order. */
function optionsOf({ id, isFire, selected }: Shot): { parts: Child[]; options: string } {
  if (!isFire) {
    const facings = [...FACINGS].map((facing): Option => [facing, "direction " + facing]);
    const pairs: Option[] = [["", "any direction"], ...facings];
    const parts = [choice(id + "-dir", "Direction", pairs, "", refresh)];
    const facing = fieldValues[id + "-dir"];
    return { parts, options: facing ? " DIR " + facing : "" };
  }
  /* Phasers may fire from the batteries and leave the capacitor its charge (H7.3). */
  if (!selected.every(({ battery }) => battery)) return { parts: [], options: "" };
  const parts = [tick(id + "-battery", "from batteries", refresh)];
  return { parts, options: fieldValues[id + "-battery"] ? " WITH BATTERY" : "" };
}

/** Return what the way to say when adds to a shot. */
function whenOf(shot: Shot, mode: string): When {
  const { id, unit, selected, isFire } = shot;
  const when: When = { parts: [], more: "", head: "", wrong: [], note: "", every: false };
  if (mode === "range") return withinRange(shot);
  if (mode === "last") return { ...when, head: "LAST " };
  if (mode === "at") {
    const impulse = id + "-imp";
    const last = movingImpulses(unit).at(-1) || request.first;
    const first = Math.min(request.through, Math.max(request.first, last));
    const parts = [numberBox(impulse, "impulse", first, refresh)];
    return {
      ...{ ...when, parts, wrong: [whyNoNumber(impulse)], head: "AT " + numberIn(impulse) + " " },
      note:
        selected.length > 1 && isFire
          ? "Fires only in that impulse, with the weapons in arc at that time."
          : "",
    };
  }
  if (mode === "if") {
    const { parts, wrong, text } = conditions(id + "-if", unit, true, refresh);
    return { ...when, more: parts, wrong, head: "IF " + text + " THEN " };
  }
  return when;
}

/**
 * Return the words for shots as soon as the target is near enough.
 *
 * An order that could do nothing yet waits. One that fired with some of its weapons has acted: EVERY lets the others
 * follow, and a weapon that has fired does not fire again (E1.5).
 */
function withinRange({ id, selected, target, isDefence }: Shot): When {
  const several = selected.length > 1;
  const number = id + "-range";
  const most = Math.min(...selected.map((weapon) => weapon.most || 99));
  const first = isDefence ? 1 : Math.min(4, most);
  const isOfSeeker = target === "IT" || isDefence;
  const parts = ["within", numberBox(number, "range", first, refresh), "hexes"];
  return {
    ...{ parts, more: "", wrong: [whyNoNumber(number)], every: several || isDefence },
    head: (isOfSeeker ? "IF SEEKER WITHIN " : "IF RANGE <= ") + numberIn(number) + " THEN ",
    note: isDefence
      ? "In each impulse, the first of these weapons that can fire shoots at each seeking weapon within this range."
      : several
        ? "Each weapon fires once, in the first impulse when it bears and the range is right."
        : "It fires once, in the first impulse in which the target is in arc and in range.",
  };
}
