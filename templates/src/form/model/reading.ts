/* Reading orders back into the form. What the form has no field for stays a line. */
import { formData, request, vocabulary } from "./data.ts";
import { withoutQuotes } from "./lines.ts";
import { optional } from "./optional.ts";
import { emptyPlan, plan, setPlan, type Plan, type UnitPlan } from "./plan.ts";

/** One order of a text: the section that it stands in, and whether it stands beside the heading. */
export interface Statement {
  section: string;
  text: string;
  heading: boolean;
}

/** Return the orders of a line, which semicolons part; a comment is left out. */
function ordersIn(line: string): string[] {
  const found = [""];
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    const sign = line[at];
    if (sign === '"') quoted = !quoted;
    if (!quoted && sign === "#" && !/\d/.test(line[at + 1] || "")) break;
    if (!quoted && sign === ";") found.push("");
    else found[found.length - 1] += sign;
  }
  return found;
}

/** Return a text with plain signs in place of those that word processors and email programs put in. */
const plainText = (text: string) =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(/[\u00a0\u2007\u202f]/g, " ")
    .replace(/[\u201c\u201d\u201e]/g, '"')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/\u2264/g, "<=")
    .replace(/\u2265/g, ">=");

/** The beginning of a line that continues the one before, and the end of a line that the next one continues. */
const CONTINUES = /^(AND|OR|THEN|,|\+|\)|<|>|=|!=)/i;
const UNFINISHED = /(\b(AND|OR|THEN|NOT|IF)|[,+(<>=])$/i;

/** Return the lines of a text from the GAME line on to the END line, without the marks of a quoted email. */
function orderLines(text: string): string[] {
  const lines = plainText(text)
    .split("\n")
    .map((line) => line.replace(/^(?:>(?!=)[ \t]?)+/, ""));
  const start = Math.max(
    0,
    lines.findIndex((line) => /^\s*GAME[\s:]+\S/i.test(line)),
  );
  const end = lines.findIndex(
    (line, n) => n >= start && (/^\s*END\s*([.;#].*)?$/i.test(line) || /^-- ?$/.test(line)),
  );
  return lines.slice(start, end < 0 ? undefined : end);
}

/** Return the word with which a line begins and the section that it opens; below ENERGY, SPEED is an entry. */
function headingOf(words: string, inEnergy: boolean): { section: string; word: string } | null {
  const word = /^[A-Za-z]+/.exec(words)?.[0] || "";
  const section = vocabulary.headings[word.toUpperCase()];
  return section && !(section === "SPEED" && inEnergy) ? { section, word } : null;
}

/** Return the orders of a text; a line that continues another one is joined to it. */
export function statements(text: string): Statement[] {
  const found: Statement[] = [];
  let indentation: number | null = null;
  for (const line of orderLines(text)) {
    const orders = ordersIn(line);
    const words = orders.join(";").trim();
    if (!words) continue;
    const open: Statement | undefined = found[found.length - 1];
    const indent = line.search(/\S/);
    const heading = headingOf(words, indent > 0 && open?.section === "ENERGY");
    const isDeeper = indentation !== null && indent >= indentation + 2;
    if (open && (CONTINUES.test(words) || (!heading && (UNFINISHED.test(open.text) || isDeeper)))) {
      open.text += " " + orders[0].trim();
      orders[0] = "";
    } else indentation = heading ? null : (indentation ?? indent);
    addOrders(found, orders, orders[0] ? heading : null);
  }
  return found;
}

/** Add the orders of a line; the first one may stand beside a heading. */
function addOrders(
  found: Statement[],
  orders: string[],
  heading: { section: string; word: string } | null,
): void {
  for (const [n, order] of orders.entries()) {
    const text = order.trim();
    if (!text) continue;
    if (heading && n === 0)
      found.push({
        section: heading.section,
        text: text.slice(heading.word.length).trim(),
        heading: true,
      });
    else found.push({ section: found[found.length - 1]?.section || "", text, heading: false });
  }
}

/** Where the next order of a text belongs. */
interface Reading {
  plan: Plan;
  /** What the player is told of the text. */
  notes: string[];
  unit: UnitPlan | null;
  /** The ship whose block came last: energy, breaks and damage below its shuttle are its own. */
  ship: UnitPlan | null;
  /** The number of the block that the form has no page for. */
  other: number | null;
}

/** Put the orders of a text into the form, in place of all that was chosen; return notes for the player. */
export function load(text: string): string[] {
  const reading: Reading = {
    ...{ plan: emptyPlan(plan?.current), notes: [], unit: null, ship: null, other: null },
  };
  for (const statement of statements(text)) readStatement(reading, statement);
  setPlan(reading.plan);
  return reading.notes;
}

function readStatement(reading: Reading, { section, text, heading }: Statement): void {
  if (section === "GAME" || section === "END") return;
  if (section === "CONTINUE") {
    if (request.continues) reading.plan.keepsOrders = true;
    else reading.notes.push("CONTINUE cannot answer this request");
  } else if (heading && (section === "SHIP" || section === "SHUTTLE"))
    openBlock(reading, section, text);
  else if (reading.other !== null)
    reading.plan.otherBlocks[reading.other] += heading
      ? "\n" + (section + " " + text).trim()
      : "\n  " + text;
  else {
    const isOfShip =
      reading.unit?.block.kind === "shuttle" && ["ENERGY", "BREAK", "DAMAGE"].includes(section);
    const unit = isOfShip ? reading.ship : reading.unit;
    if (!text) return;
    if (unit) readOrder(unit, section, text, heading, reading.notes);
    else reading.notes.push("“" + text + "” belongs to no unit and was left out");
  }
}

/** Begin the block of a unit. */
function openBlock(reading: Reading, section: string, text: string): void {
  const [, said, place] = /^(.*?)(?:\s+AT\s+(\d{4}[A-F]?))?$/i.exec(text)!;
  const name = withoutQuotes(said).toUpperCase();
  const { units, otherBlocks } = reading.plan;
  const isKnown = formData.units.some((one) => one.name.toUpperCase() === name);
  const unit =
    units.find(
      ({ block }) => block.name.toUpperCase() === name && block.kind === section.toLowerCase(),
    ) || (section === "SHIP" && units.length === 1 && !isKnown ? units[0] : null);
  reading.unit = unit;
  reading.other = unit ? null : otherBlocks.push(section + " " + text) - 1;
  if (!unit) {
    reading.notes.push(
      section.toLowerCase() +
        " " +
        text +
        " is not shown in this form; its lines are kept unchanged",
    );
    return;
  }
  if (section === "SHIP") reading.ship = unit;
  const at = place?.toUpperCase();
  if (at === unit.block.hex + unit.block.facing) unit.at = at;
}

/** Put one order into the part of the form that has its section. */
function readOrder(
  unit: UnitPlan,
  section: string,
  text: string,
  heading: boolean,
  notes: string[],
): void {
  const { speeds, energy } = unit.block;
  if (section === "SPEED") {
    if (speeds && !speeds.fixed && Number.isInteger(Number(text))) unit.speed = Number(text);
    else notes.push("SPEED " + text + ": the speed is not asked for now");
  } else if (section === "ENERGY") {
    if (energy) optional.energy!.enter(unit, text);
    else notes.push("“" + text + "” was left out: no energy is asked for now");
  } else if (request.form === "EAF")
    notes.push("“" + text + "” was left out: only energy is asked for now");
  else if (section === "COURSE" && heading) unit.course = text;
  else if (section === "PLOT" || section === "COURSE") optional.courses!.enterPlot(unit, text);
  else if (section === "DO") unit.do.push(text);
  else if (section === "BREAK") unit.breaks.push(text);
  else if (section === "DAMAGE") unit.damage.push(text);
}
