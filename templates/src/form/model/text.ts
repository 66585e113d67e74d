/* The text of the orders, and what is wrong with it. */
import { request } from "./data.ts";
import { balance, fieldText } from "./energy.ts";
import { optional, type Fault } from "./optional.ts";
import { plan, type UnitPlan } from "./plan.ts";

/** Return the block of the order text for one unit. */
export function unitText(unit: UnitPlan): string {
  const { head, speeds, energy } = unit.block;
  const lines = [head + (unit.at ? " AT " + unit.at : "")];
  if (unit.speed !== null && speeds && !speeds.fixed) lines.push("SPEED " + unit.speed);
  if (energy) {
    const entries = energy.fields.map((field) => fieldText(unit, field)).filter(Boolean);
    lines.push("ENERGY", ...[...entries, ...unit.rest].map((line) => "  " + line));
  }
  if (request.form !== "EAF") lines.push(...plotLines(unit), ...listLines(unit));
  return lines.join("\n");
}

function plotLines(unit: UnitPlan): string[] {
  const plot = !unit.course && unit.codes.length ? optional.courses!.codesText(unit.codes) : "";
  const lines = [];
  if (unit.course) lines.push("COURSE " + unit.course);
  else if (plot || unit.steer.length || unit.leave) lines.push(plot ? "PLOT " + plot : "PLOT");
  lines.push(...unit.steer.map((line) => "  " + line));
  if (unit.leave) lines.push("  LEAVE MAP");
  return lines;
}

function listLines(unit: UnitPlan): string[] {
  const lists: [string, string[]][] = [
    ["DO", unit.do],
    ["BREAK", unit.breaks],
    ["DAMAGE", unit.damage],
  ];
  return lists.flatMap(([head, list]) => {
    const kept = list.map((line) => line.trim()).filter(Boolean);
    return kept.length
      ? [head, ...kept.map((line) => "  " + line.replace(/\s*\n\s*/g, "\n      "))]
      : [];
  });
}

/** Return the text of all orders. */
export function orderText(): string {
  if (plan.keepsOrders) return request.header + "\n\nCONTINUE\n\nEND\n";
  const others = plan.otherBlocks.map((text) => text.trim()).filter(Boolean);
  return [request.header, ...plan.units.map(unitText), ...others, "END"].join("\n\n") + "\n";
}

/** Return everything that is wrong with the orders of a unit. */
export const faultsOf = (unit: UnitPlan): Fault[] => [
  ...(unit.block.energy ? balance(unit).faults : []).map(({ text }) => ({ step: "energy", text })),
  ...(optional.courses?.faults(unit) || []),
];
