/* The sums of the energy form (B3.0). */
import { type EnergyField, type Points } from "./data.ts";
import { numberText, rounded, sum } from "./numbers.ts";
import { chosen, fieldOf, optionOf, type Course, type UnitPlan } from "./plan.ts";

/** The sources of power, as orders write them. */
export const SOURCES = ["WARP", "IMPULSE", "APR", "BATTERY"];
/** The sources that generate power. */
export const GENERATORS = SOURCES.slice(0, 3);

/** A field with the points that its choice asks for. */
export interface BalanceRow {
  field: EnergyField;
  ask: Points;
  points: number;
}

/** What is wrong with an energy form; `at` is the id of the field, or empty. */
export interface EnergyFault {
  at: string;
  text: string;
}

/** The sums of an energy form. */
export interface Balance {
  rows: BalanceRow[];
  made: number;
  used: number;
  /** Points taken from batteries. */
  drained: number;
  faults: EnergyFault[];
  /** Whether more is spent than there is. */
  short: boolean;
}

/** Return sources as the reader knows them: 11 warp + 1 impulse + 2 APR. */
export const inWords = (sources: string) => sources.toLowerCase().replace(/\bapr\b/g, "APR");

/** Return the points of all sources together. */
export const total = (ask: Points) => sum(Object.values(ask), (points) => points);

/** Return the points that a field asks for, if the points in `bound` are spent already. */
function askOf(unit: Course, field: EnergyField, bound: Points): Points {
  const pick = chosen(unit, field);
  const { ask, mixes } = field.options[pick.opt];
  if (!mixes) return pick.src && total(ask) ? { [pick.src]: total(ask) } : ask;
  if (!mixes.length) return ask;
  if (pick.mix) return (mixes[pick.mix - 1] || mixes[0]).ask;
  const power = unit.block.energy!.power;
  const fits = (source: string) => (mix: { ask: Points }) =>
    (mix.ask[source] || 0) <= rounded(power[source] - (bound[source] || 0));
  const whole = mixes.find((mix) => fits("WARP")(mix) && fits("IMPULSE")(mix));
  const half =
    mixes.find((mix) => mix.ask.IMPULSE && fits("IMPULSE")(mix)) ||
    mixes.find((mix) => !mix.ask.IMPULSE);
  return (whole || half || mixes[0]).ask;
}

/** Return every line's points, what is spent and from which source, and what is wrong. */
export function balance(unit: Course): Balance {
  const form = unit.block.energy!;
  const bound: Points = { WARP: 0, IMPULSE: 0, APR: 0 };
  const isSpeed = (field: EnergyField) => field.id === "SPEED";
  const rows: BalanceRow[] = [];
  for (const field of [
    ...form.fields.filter((one) => !isSpeed(one)),
    ...form.fields.filter(isSpeed),
  ]) {
    const ask = askOf(unit, field, bound);
    rows.push({ field, ask, points: total(ask) });
    for (const source of GENERATORS) bound[source] += ask[source] || 0;
  }
  const power = form.power;
  const made = power.WARP + power.IMPULSE + power.APR;
  const used = rounded(sum(rows, (row) => row.points));
  const drained = rounded(Math.max(0, used - made));
  const fault = shortage(power, bound, rows, { made, used, drained });
  return {
    ...{ rows, made, used, drained, short: Boolean(fault) },
    faults: [...(fault ? [fault] : []), ...conflicts(unit, rows)],
  };
}

/** Return the first source of which too much is spent. */
function shortage(
  power: Points,
  bound: Points,
  rows: BalanceRow[],
  { made, used, drained }: { made: number; used: number; drained: number },
): EnergyFault | undefined {
  const over = GENERATORS.find((source) => rounded(bound[source]) > power[source]);
  if (over)
    return {
      at: over,
      text:
        numberText(bound[over]) +
        " points of " +
        over +
        " power are spent, the ship has " +
        power[over] +
        " (line " +
        (GENERATORS.indexOf(over) + 1) +
        " of the form) (B3.0)",
    };
  const left = made - sum(GENERATORS, (source) => Math.min(bound[source], power[source]));
  const recharge = sum(rows, (row) => (row.field.line === 16 ? row.ask[""] || 0 : 0));
  if (rounded(recharge) > rounded(left))
    return {
      at: "RECHARGE",
      text:
        "batteries are recharged from power generated this turn, and " +
        numberText(left) +
        " points of it are left (B3.0, line 16 of the form)",
    };
  if (drained > rounded(power.BATTERY))
    return {
      at: "",
      text:
        numberText(used) +
        " points are spent; the ship has " +
        made +
        " and " +
        numberText(power.BATTERY) +
        " in batteries (lines 20, 4 and 5 of the form) (B3.0)",
    };
  return undefined;
}

/** Return what is wrong with choices that exclude each other or have a common limit. */
function conflicts(unit: Course, rows: BalanceRow[]): EnergyFault[] {
  const { fields, clashes, caps } = unit.block.energy!;
  const isSet = (id: string) => {
    const field = fields.find((one) => one.id === id);
    return field && field.id in unit.fields && chosen(unit, field).opt > 0;
  };
  return [
    ...clashes.filter(({ a, b }) => isSet(a) && isSet(b)).map(({ b, text }) => ({ at: b, text })),
    ...caps
      .filter(
        ({ line, most }) => sum(rows, (row) => (row.field.line === line ? row.points : 0)) > most,
      )
      .map(({ text }) => ({ at: "REPAIR", text })),
  ];
}

/** Return the points that are left in the batteries. */
export function batteriesLeft(unit: Course): number {
  const { drained, rows } = balance(unit);
  const recharged = sum(rows, (row) => (row.field.line === 16 ? row.points : 0));
  return rounded(unit.block.energy!.power.BATTERY - drained + recharged);
}

/** Return the points that are generated this turn and not used. */
export function unusedPower(unit: UnitPlan): number {
  const { made, used, short } = balance(unit);
  return unit.rest.length || short ? 0 : rounded(Math.max(0, made - used));
}

/** Return the entry of the order text that a field makes. */
export function fieldText(unit: Course, field: EnergyField): string {
  const pick = chosen(unit, field);
  const option = field.options[pick.opt];
  const mix = option.mixes && pick.mix && option.mixes[pick.mix - 1];
  if (mix) return mix.text;
  return option.text && pick.src ? option.text + " " + pick.src : option.text;
}

/** Return whether a form that asks for the speed has one already; without it the speed is 0. */
export const isSpeedChosen = (unit: Course): boolean =>
  !unit.block.energy || Boolean(chosen(unit, fieldOf(unit, "SPEED")!).opt);

/** Return the speed at which a unit will move. */
export function speedOf(unit: Course): number {
  const { energy, speeds, speed } = unit.block;
  if (!energy) return speeds ? (unit.speed ?? speeds.now) : speed || 0;
  const option = optionOf(unit, fieldOf(unit, "SPEED")!);
  const tows = energy.fields.some((field) => field.holds && chosen(unit, field).opt);
  return tows && option.tows !== undefined ? option.tows : option.hexes || 0;
}

/** Return whether the form pays for the field with this id. */
export function isPaid(unit: Course, id: string): boolean {
  const field = fieldOf(unit, id);
  return Boolean(field && optionOf(unit, field).text && chosen(unit, field).opt);
}
