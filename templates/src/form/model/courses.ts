/* The course of a unit: the hexes that its plot leads through, and those that it can reach (C1.0, C3.0, C4.0). */
import { formData, mapData, request, vocabulary } from "./data.ts";
import { isPaid, speedOf } from "./energy.ts";
import { fieldValues } from "./builders.ts";
import { FACINGS, isOnMap, movesIn, neighbour, plotCodes } from "./hexes.ts";
import { enterLine, PILOT, type Course, type UnitPlan } from "./plan.ts";

/** A place on a course. `state` counts the hexes since the last turn and sideslip, as a row of the movement table. */
export interface Place {
  impulse: number;
  code: string;
  hex: string;
  facing: string;
  state: number;
}

/** The next place after a plot code; or why the code is refused, or that it leaves the map. */
export interface Step {
  hex: string;
  facing: string;
  state: number;
  refused?: string;
  left?: boolean;
}

/** A course as it will be flown. */
export interface Walk {
  /** The start, and the place after each code. */
  path: Place[];
  /** The impulses in which the unit moves. */
  due: number[];
  /** The number of codes that are more than the hexes moved. */
  spare: number;
  /** What is wrong; `n` is the number of the code, or -1. */
  fault: { n: number; text: string } | null;
  left: boolean;
  /** The places after the last code, straight on. */
  straight: Place[];
  /** The last impulse until which the places are certain. */
  until: number;
}

/** The first code that leads to a place that can be reached, and the place before it. */
export interface Way extends Place {
  before: Way | null;
}

const NOWHERE = { hex: "", facing: "", state: 0 };
const outsideRequest = () =>
  " is not among " + request.first + " to " + request.through + " (C1.41)";

/** Return the movement table of a unit at its speed. */
export function movementTable(course: Course) {
  const { tables } = course.block.helm!;
  return formData.tables[tables[Math.min(speedOf(course), tables.length - 1)]];
}

/** Return the impulses in which a unit moves. */
export function movingImpulses(course: Course): number[] {
  const speed = speedOf(course);
  const found = [];
  for (let impulse = request.first; impulse <= request.through; impulse++)
    if (
      formData.impulses[speed]?.[impulse - 1] === "1" &&
      !(course.block.moved && impulse === request.first)
    )
      found.push(impulse);
  return found;
}

function start(course: Course): Place {
  const { helm, hex, facing } = course.block;
  const { mode, slips } = movementTable(course);
  const state = Math.min(helm!.turned, mode) * slips + helm!.slipped;
  return { impulse: 0, code: "", hex, facing, state };
}

/** Return where a code leads from a place; `number` is how many codes were flown before. */
export function stepTo(course: Course, from: Step, code: string, number: number): Step {
  const next = movementTable(course).rows[from.state][plotCodes().indexOf(code)];
  const { script, kind } = course.block;
  if (script && !(number === 0 ? script.first : script.later).includes(code))
    return { ...NOWHERE, refused: script.why };
  if (typeof next === "string") return { ...NOWHERE, refused: next };
  const [moved, faced] = mapData.codes[code];
  const facing = FACINGS.indexOf(from.facing);
  const hex = neighbour(from.hex, (facing + moved) % 6);
  if (kind === "ship" && mapData.closed[hex]) return { ...NOWHERE, refused: mapData.closed[hex] };
  if (!isOnMap(hex))
    return course.leave
      ? { ...NOWHERE, left: true }
      : { ...NOWHERE, refused: "leads off the map; tick LEAVE MAP if you mean it (C1.1)" };
  return { hex, facing: FACINGS[(facing + faced) % 6], state: next };
}

/** Return the last place that is plotted. */
export const endOf = (walk: Walk): Place => walk.path[walk.path.length - 1];

/** Return how many codes of a plot are flown. */
export const flownCodes = (walk: Walk) => walk.path.length - 1;

/** Return how many hexes are not plotted yet. */
export const hexesLeft = (walk: Walk) => walk.due.length - flownCodes(walk);

/** Follow the plot of a unit. */
export function walk(course: Course): Walk {
  const found: Walk = {
    ...{ path: [start(course)], due: movingImpulses(course), spare: 0, fault: null },
    ...{ left: false, straight: [], until: request.through },
  };
  if (course.course) {
    found.until = request.first - 1;
    return found;
  }
  followCodes(course, found);
  checkReactions(course, found);
  const pilots = course.steer.filter((line) => PILOT.test(line));
  if (pilots.length > 1)
    found.fault = {
      n: -1,
      text: pilots[1] + ": " + pilots[0] + " steers already; remove one of them",
    };
  checkTacticalManeuver(course, found);
  if (!found.fault && !found.left) {
    if (!pilots.length) flyStraight(course, found);
    else if (hexesLeft(found) > 0)
      found.until = Math.min(found.until, found.due[flownCodes(found)] - 1);
  }
  if (found.fault || found.left)
    found.until = Math.min(found.until, (found.due[flownCodes(found)] || request.first) - 1);
  return found;
}

function followCodes(course: Course, found: Walk): void {
  for (const [n, code] of course.codes.entries()) {
    if (n >= found.due.length) {
      found.spare = course.codes.length - n;
      return;
    }
    const from = endOf(found);
    const next = stepTo(course, from, code, n);
    if (next.refused)
      found.fault = {
        n,
        text:
          "code " +
          (n + 1) +
          " (" +
          code +
          ") in impulse " +
          found.due[n] +
          " at " +
          from.hex +
          from.facing +
          ": " +
          next.refused,
      };
    if (next.left) found.left = true;
    if (next.refused || next.left) return;
    found.path.push({ ...next, impulse: found.due[n], code });
  }
}

/** Note from which impulse on reactions may change the course, and reactions that name a wrong impulse. */
function checkReactions(course: Course, found: Walk): void {
  for (const line of course.steer) {
    const reacts =
      /^(?:AT\s+(\d+)\s+)?(?:EVERY\s+)?IF\s|^AT\s+(\d+)\s|^TAC\b.*?(?:AT\s+(\d+))?$/i.exec(line);
    if (reacts)
      found.until = Math.min(
        found.until,
        Number(reacts[1] || reacts[2] || reacts[3] || request.first) - 1,
      );
    const impulse = Number(/^AT\s+(\d+)\s/i.exec(line)?.[1] || 0);
    const speed = speedOf(course);
    if (!impulse) continue;
    if (impulse < request.first || impulse > request.through)
      found.fault = { n: -1, text: line + ": impulse " + impulse + outsideRequest() };
    else if (!movesIn(speed, impulse))
      found.fault = {
        n: -1,
        text:
          line +
          ": " +
          course.block.name +
          " does not move in impulse " +
          impulse +
          " at speed " +
          speed +
          " (C1.44)",
      };
  }
}

function checkTacticalManeuver(course: Course, found: Walk): void {
  const line = course.steer.find((text) => /(?:^|\bTHEN\s+)TAC\b/i.test(text));
  const when = line && /AT\s+(\d+)$/i.exec(line)?.[1];
  const unpaid = line && course.block.tac?.unpaid;
  if (unpaid && !(course.block.energy && isPaid(course, "TAC")))
    found.fault = { n: -1, text: unpaid };
  if (when && (Number(when) < request.first || Number(when) > request.through))
    found.fault = { n: -1, text: "impulse " + when + outsideRequest() };
}

/** Follow a course straight on after its last code. */
function flyStraight(course: Course, found: Walk): void {
  let from = endOf(found);
  for (let n = flownCodes(found); n < found.due.length; n++) {
    const next = stepTo(course, from, "F", n);
    if (next.refused || next.left) {
      found.until = Math.min(found.until, found.due[n] - 1);
      if (n === 0 && next.refused && !course.leave)
        found.fault = {
          n: 0,
          text: "straight on from " + from.hex + from.facing + ": " + next.refused,
        };
      return;
    }
    from = { ...next, impulse: found.due[n], code: "F" };
    found.straight.push(from);
  }
}

/** Return where a unit is at the end of an impulse. */
export const placeAt = (found: Walk, impulse: number): Place =>
  [...found.path, ...found.straight].findLast((place) => place.impulse <= impulse)!;

/** Return all hexes that can still be reached, each with the way that gets there first. */
export function reach(course: Course, found: Walk): Map<string, Way> {
  const reached = new Map<string, Way>();
  if (found.fault || found.left || course.course) return reached;
  const flown = flownCodes(found);
  const seen = new Set<string>();
  let edge: Way[] = [{ ...endOf(found), before: null }];
  for (const [n, impulse] of found.due.slice(flown).entries()) {
    const next: Way[] = [];
    for (const place of edge)
      for (const code of plotCodes()) {
        const there = stepTo(course, place, code, flown + n);
        const key = there.hex + there.facing + there.state;
        if (there.refused || there.left || seen.has(key)) continue;
        seen.add(key);
        const way = { ...there, impulse, code, before: place };
        next.push(way);
        if (!reached.has(there.hex)) reached.set(there.hex, way);
      }
    edge = next;
  }
  return reached;
}

/** Return the codes of a way from the last plotted place. */
export function codesTo(way: Way): string[] {
  const codes = [];
  for (let at: Way = way; at.before; at = at.before) codes.unshift(at.code);
  return codes;
}

/** Return codes as orders write them, with 3F for F F F. */
export function codesText(codes: string[]): string {
  const parts: [string, number][] = [];
  for (const code of codes) {
    const last = parts[parts.length - 1];
    if (last && last[0] === code && code === "F") last[1]++;
    else parts.push([code, 1]);
  }
  return parts.map(([code, times]) => (times > 1 ? times : "") + code).join(" ");
}

/** Read codes, as far as the text consists of codes; `rest` is the text from the first other word on. */
export function readCodes(text: string): { codes: string[]; rest: string } {
  const spelt = ["SLIP L", "SLIP R", ...Object.keys(vocabulary.codes)];
  spelt.sort((one, other) => other.length - one.length);
  const codes: string[] = [];
  let rest = text
    .trim()
    .toUpperCase()
    .replace(/[,\s]+/g, " ");
  while (rest) {
    const [, times, words] = /^(\d{0,2}) ?(.*)$/.exec(rest)!;
    const word = spelt.find((one) => words.startsWith(one));
    const first = words.split(" ")[0];
    const isOther = /^[A-Z]{4,}/.test(words) && !/^([FLRSDTW0-9]+|SLIP)$/.test(first);
    if (!word || isOther) return { codes, rest };
    const code = word.startsWith("SLIP") ? "S" + word.slice(-1) : vocabulary.codes[word];
    for (let n = Number(times || 1); n > 0 && codes.length < 100; n--) codes.push(code);
    rest = words.slice(word.length).trim();
  }
  return { codes, rest };
}

/** Return what stands in the box of the plot and is no code. */
export const notUnderstood = (course: Course) =>
  course.typed === null ? "" : readCodes(course.typed).rest;

/** Return the sentence about what stands in the box of the plot and is no code. */
export const notUnderstoodText = (course: Course) =>
  "“" +
  course.typed!.trim().slice(-notUnderstood(course).length) +
  "” in the plot is not understood: the codes are " +
  plotCodes().join(", ") +
  ", and 3F for F F F (C1.4)";

/**
 * Take what was typed in the box of the plot: codes, and a way to steer or LEAVE MAP behind them.
 *
 * What is neither stays in the box.
 */
export function takeTyped(unit: UnitPlan): void {
  const rest = notUnderstood(unit);
  const orders = rest && unit.typed!.trim().slice(-rest.length);
  const leaves = /^(.*?)\s*\bLEAVE\s+(?:THE\s+)?MAP$/i.exec(orders);
  const pilot = (leaves ? leaves[1] : orders).trim();
  if (rest && unit.block.script) return;
  if (rest && !(leaves && !pilot) && !isPilot(unit, pilot)) return;
  if (leaves) unit.leave = true;
  if (pilot) enterLine(unit, "steer", pilot);
  unit.typed = null;
}

/** Return whether this is a way to steer by a unit, with a unit that may be named. */
function isPilot(unit: UnitPlan, text: string): boolean {
  return vocabulary.pilots.some((pilot) => {
    const form = pilot.text
      .replace(/[+]/g, "\\+")
      .replace("{unit}", "(?<unit>.+?)")
      .replace("{shield}", "#[1-6]")
      .replace("{arc}", "[A-Z+0-9]+")
      .replace(/\{[nm]\}/g, "\\d+")
      .replace("TOWARD ", "TOWARDS? ")
      .replace(/ /g, "\\s+");
    const name = new RegExp("^" + form + "$", "i").exec(text)?.groups?.unit.toUpperCase();
    return (
      name !== undefined &&
      [
        ...otherUnits(unit),
        ...formData.units.map((one) => one.name).filter((one) => one !== unit.block.name),
      ].some((known) => known.toUpperCase() === name)
    );
  });
}

/** Return the units that a unit may steer by: not itself. */
export const otherUnits = (unit: UnitPlan) => unit.block.names.filter((name) => name !== "ME");

/** Replace the codes of a plot; what was typed and not understood stays in the box behind them. */
export function replot(course: Course & { id?: string }, codes: string[]): void {
  if (course.id) {
    fieldValues[course.id + "-codes"] = codesText(codes);
    return;
  }
  const rest = notUnderstood(course);
  const kept = rest && course.typed!.trim().slice(-rest.length);
  course.codes = codes;
  course.typed = rest ? [codesText(codes), kept].filter(Boolean).join(" ") : null;
}

/** Add a code to a plot, if it is legal. */
export function addCode(course: Course, code: string): void {
  const found = walk(course);
  const flown = flownCodes(found);
  if (found.fault || hexesLeft(found) <= 0) return;
  if (!stepTo(course, endOf(found), code, flown).refused)
    replot(course, [...course.codes.slice(0, flown), code]);
}

/** Change a plot so that it leads to a hex, if the hex can be reached; return whether it does. */
export function plotTo(course: Course, hex: string): boolean {
  const found = walk(course);
  const flown = flownCodes(found);
  const way = reach(course, found).get(hex);
  if (!way) return false;
  const direct =
    hexesLeft(found) > 0 &&
    plotCodes().find((code) => stepTo(course, endOf(found), code, flown).hex === hex);
  replot(course, [...course.codes.slice(0, flown), ...(direct ? [direct] : codesTo(way))]);
  return true;
}

/**
 * Change a plot as a click on a hex asks for; return whether it changed.
 *
 * The last plotted hex is entered by another code: a turn instead of a slip, or the other way round. A hex that can be
 * reached is plotted, and an earlier hex of the plot takes back the codes after it.
 */
export function plotByClick(course: Course, hex: string): boolean {
  const found = walk(course);
  const flown = flownCodes(found);
  if (flown > 0 && hex === endOf(found).hex && !found.fault) {
    const from = found.path[flown - 1];
    const ways = plotCodes().filter((code) => stepTo(course, from, code, flown - 1).hex === hex);
    const next = ways[(ways.indexOf(course.codes[flown - 1]) + 1) % ways.length];
    replot(course, [...course.codes.slice(0, flown - 1), next]);
    return true;
  }
  if (hex && plotTo(course, hex)) return true;
  const back = found.path.findIndex((place, n) => place.hex === hex && n < flown);
  if (hex && back >= 0) replot(course, course.codes.slice(0, back));
  return Boolean(hex) && back >= 0;
}

/** Put an order of the section PLOT into the form: codes, a way to steer, or LEAVE MAP. */
export function enterPlot(unit: UnitPlan, text: string): void {
  if (/^LEAVE\s+(THE\s+)?MAP$/i.test(text)) {
    unit.leave = true;
    return;
  }
  const leaves = /^(.*?)\s+LEAVE\s+MAP$/i.exec(text);
  const order = leaves ? leaves[1] : text;
  if (leaves) unit.leave = true;
  const { codes, rest } = unit.steer.length ? { codes: [], rest: text } : readCodes(order);
  unit.codes.push(...codes);
  if (rest) unit.steer.push(codes.length ? order.slice(-rest.length) : order);
}
