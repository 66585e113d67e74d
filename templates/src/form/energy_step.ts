/* The step that allots energy (B3.0). Only forms that ask for energy have it. */
import type { EnergyField } from "./model/data.ts";
import { balance, GENERATORS, inWords, unusedPower, type Balance } from "./model/energy.ts";
import { numberText, sum } from "./model/numbers.ts";
import { chosen, type FieldChoice, type UnitPlan } from "./model/plan.ts";
import { fillInTheUsual } from "./model/usual.ts";
import { button, element, type Child, type Option } from "./dom.ts";
import { lineList } from "./adding.ts";
import { card, complaint, idOf, line, list, remark } from "./fields.ts";
import { refresh } from "./listen.ts";

/** The lines of the form that have one small field for each of six shields. */
const SHIELD_LINES = [13, 15];
const REPAIR_LINE = 15;
const TOTAL_LINE = 20;
const BATTERY_LINE = 21;

/** Return the card in which energy is allotted. */
export function energyStep(unit: UnitPlan, number: number): HTMLElement {
  const sums = balance(unit);
  const usual = () => {
    fillInTheUsual(unit);
    refresh();
  };
  return card(
    number,
    "Energy",
    gauge(unit, sums),
    line(
      {},
      button(idOf(unit) + "-usual", usual, {}, "Fill in usual values"),
      element(
        "span",
        { class: "tiny" },
        "pays for weapons, phasers and speed (at most last turn’s); you spend the rest",
      ),
    ),
    element(
      "div",
      { class: "scroll" },
      element("table", { class: "eaf" }, element("tbody", {}, formRows(unit, sums))),
    ),
    unit.rest.length > 0 && [
      element("h3", {}, "Entries the form has no field for"),
      remark("These entries are sent unchanged and are not in this sum. The receipt counts them."),
      lineList(unit, "rest"),
    ],
  );
}

/** Return a function that changes what is chosen in a field. */
const setter =
  (unit: UnitPlan, field: EnergyField, change: (value: string) => Partial<FieldChoice>) =>
  (value: string) => {
    unit.fields[field.id] = { ...chosen(unit, field), ...change(value) };
    refresh();
  };

const fieldId = (unit: UnitPlan, field: EnergyField) =>
  idOf(unit) + "-" + field.id.replace(/\W+/g, "-");

/** Return the list of the options of a field. */
const optionList = (unit: UnitPlan, field: EnergyField, attributes: Record<string, unknown>) =>
  list(
    fieldId(unit, field),
    attributes as Record<string, string>,
    field.options.map(({ show }, n): Option => [n, show]),
    chosen(unit, field).opt,
    setter(unit, field, (value) => ({ opt: Number(value) })),
  );

/** Return the list from which a field's power is chosen, if there is a choice. */
function sourceList(unit: UnitPlan, field: EnergyField): Child {
  const pick = chosen(unit, field);
  const id = fieldId(unit, field) + "-from";
  const mixes = field.options[pick.opt].mixes || [];
  if (field.id === "SPEED" && mixes.length > 1) {
    const pairs = mixes.map(({ text }, n): Option => [n + 1, inWords(text.replace("MOVE ", ""))]);
    const set = setter(unit, field, (value) => ({ mix: Number(value) }));
    const attributes = { class: "from", "aria-label": "Power for the speed" };
    return list(id, attributes, [[0, "any power"], ...pairs], pick.mix, set);
  }
  const sources = field.sources || [];
  if (sources.length < 2 || !pick.opt) return "";
  return list(
    id,
    { class: "from", "aria-label": "Power for " + field.label },
    sources.map((source): Option => [source, source ? "from " + inWords(source) : "any power"]),
    pick.src,
    setter(unit, field, (src) => ({ src })),
  );
}

/** Return a field with what the player should know of the choice. */
function fieldControl(unit: UnitPlan, field: EnergyField, { faults }: Balance): Child {
  const { opt } = chosen(unit, field);
  const { warn } = field.options[opt];
  const label = unit.block.energy!.labels[field.line] + ": " + field.label;
  const isAtLimit = field.options.length < 2 || opt === field.options.length - 1;
  return [
    element(
      "div",
      { class: "ctl" },
      optionList(unit, field, { "aria-label": label }),
      sourceList(unit, field),
    ),
    warn ? element("p", { class: "warn" }, warn) : !opt && field.none && remark(field.none),
    field.limit && isAtLimit && remark(field.limit),
    faults.filter(({ at }) => at && at === field.id).map(({ text }) => complaint(text)),
  ];
}

/** Return a row of the form: number, title, field, points. */
const formRow = (number: number, title: Child, control: Child, points: number) =>
  element(
    "tr",
    {},
    element("td", { class: "no" }, number),
    element("th", { scope: "row" }, title),
    element("td", {}, control),
    element("td", { class: "cost" + (points ? "" : " none") }, numberText(points)),
  );

/** Return a row with a sum. */
const sumRow = (number: number, title: string, points: number, attributes = {}) =>
  element(
    "tr",
    attributes,
    element("td", { class: "no" }, number),
    element("th", { scope: "row", colspan: 2 }, title),
    element("td", { class: "cost" }, numberText(points)),
  );

/** Return a row with a small field for each shield. */
function shieldRow(
  unit: UnitPlan,
  sums: Balance,
  group: EnergyField[],
  points: number,
): HTMLElement {
  const { line } = group[0];
  const faults = sums.faults.filter(
    ({ at }) => group.some(({ id }) => id === at) || (at === "REPAIR" && line === REPAIR_LINE),
  );
  return formRow(
    line,
    unit.block.energy!.labels[line],
    [
      element(
        "div",
        { class: "six" },
        group.map((field) =>
          element(
            "label",
            { for: fieldId(unit, field) },
            field.label,
            optionList(unit, field, {
              disabled: field.options.length < 2,
              title: field.limit || field.about,
            }),
          ),
        ),
      ),
      faults.map(({ text }) => complaint(text)),
    ],
    points,
  );
}

/** Return the rows of the energy form. */
function formRows(unit: UnitPlan, sums: Balance): HTMLElement[] {
  const { fields, labels } = unit.block.energy!;
  const points = new Map(sums.rows.map((row) => [row.field.id, row.points]));
  const pointsOf = (field: EnergyField) => points.get(field.id)!;
  const rows = [];
  let before = 0;
  for (const field of fields.slice().sort((one, other) => one.line - other.line)) {
    if (!SHIELD_LINES.includes(field.line)) {
      const title = field.line === 12 ? labels[12] : field.label;
      const about = field.about && element("div", { class: "tiny" }, field.about);
      rows.push(
        formRow(field.line, [title, about], fieldControl(unit, field, sums), pointsOf(field)),
      );
    } else if (field.line !== before) {
      const group = fields.filter((one) => one.line === field.line);
      rows.push(shieldRow(unit, sums, group, sum(group, pointsOf)));
    }
    before = field.line;
  }
  rows.push(sumRow(TOTAL_LINE, labels[TOTAL_LINE], sums.used, { class: "sum" }));
  rows.push(sumRow(BATTERY_LINE, labels[BATTERY_LINE], sums.drained));
  return rows;
}

/** Return a bar that shows how much of the power is used; behind a line are the batteries. */
function gauge(unit: UnitPlan, { used, made, drained, short, faults }: Balance): HTMLElement {
  const { power, boxes, fields } = unit.block.energy!;
  const scale = 100 / Math.max(made + power.BATTERY, used, 1);
  const stretch = (kind: string, points: number, title = "") => {
    const bar = element("i", { class: kind, title });
    bar.style.width = points * scale + "%";
    return bar;
  };
  const words = numberText(used) + " of " + numberText(made) + " points used";
  const unused = unusedPower(unit);
  const general = faults.filter(({ at }) => !fields.some(({ id }) => id === at) && at !== "REPAIR");
  return element(
    "div",
    { class: "gauge" },
    element(
      "div",
      { class: "words" },
      element("b", { class: short ? "over" : "" }, words),
      unused > 0 && element("b", { class: "left-over" }, numberText(unused) + " not used"),
      element("span", {}, GENERATORS.map((one) => inWords(one) + " " + power[one]).join(", ")),
      element(
        "span",
        {},
        "batteries " +
          numberText(power.BATTERY) +
          " of " +
          boxes +
          (drained ? ", " + numberText(drained) + " used" : ""),
      ),
    ),
    element(
      "div",
      { class: "bar2", role: "img", "aria-label": words },
      stretch("gen", Math.min(used, made)),
      stretch("idle", Math.max(0, made - used)),
      stretch("bat", Math.min(drained, power.BATTERY), "from batteries"),
      stretch("full", Math.max(0, power.BATTERY - drained), "in batteries"),
      stretch("too", Math.max(0, used - made - power.BATTERY)),
    ),
    general.map(({ text }) => complaint(text)),
  );
}
