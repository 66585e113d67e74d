/*
 * The data of an order form: their types, and how the page reads them.
 *
 * pbem/reports/form/ makes the data and pbem/reports/html/compact.py shortens them for emails. `loadData` undoes that.
 * The data hold everything that rules say: what is legal, what it costs and what it may do. The form only adds up.
 */

import type {
  FormBlock,
  FormEnemy,
  FormEnemyWeapons,
  FormEnergyField,
  FormHelmTable,
  FormMap,
  FormRequest,
  FormVocabulary,
  FormWeapon,
  OrderFormData as EmbeddedData,
} from "../../generated/form.ts";

export type {
  FormAct as Act,
  FormEnergyField as EnergyField,
  FormRequest,
  FormUnit as Unit,
  FormVeil as Veil,
} from "../../generated/form.ts";

/** Points of energy by source; the source "" lets the engine choose. */
export type Points = Record<string, number>;
/** Sentences that say why something is refused, by what it is refused for. */
export type Reasons = Record<string, string>;
/** For each range in hexes: the faces of the die that hit, and the points of all six faces. */
export type ChanceTable = number[][];
/** A stretch of impulses under a cloak: last impulse, factor and addition to the range, 1 if own weapons are silent. */
export type CloakStretch = number[];

/** The tables of chances of a weapon. */
interface ChanceTables {
  table: ChanceTable;
  /** Tables for shots that something changes, by the change. */
  tables: Record<string, ChanceTable>;
}
type WithTables<T> = Omit<T, "table" | "tables"> & ChanceTables;

/** What is known of the chances of a weapon. */
export type Chances = ChanceTables & Pick<FormWeapon, "arcs" | "least" | "most" | "small">;
/** A weapon of an own unit. */
export type Weapon = WithTables<FormWeapon> & { not: Reasons };
/** Equal weapons of an enemy ship. */
export type EnemyWeapons = WithTables<FormEnemyWeapons>;
/** An enemy ship whose course may be sketched. */
export type Foe = Omit<FormEnemy, "guns"> & { guns: EnemyWeapons[] };
/** One ship or shuttle that the form gives orders to. Forms that ask only for energy have no weapons. */
export type Block = Omit<FormBlock, "weapons" | "names"> & { weapons: Weapon[]; names: string[] };
/** What the form needs of a unit to follow its course. */
export type CourseBlock = Pick<FormBlock, "name" | "kind" | "hex" | "facing" | "speed"> &
  Partial<Pick<FormBlock, "energy" | "speeds" | "helm" | "moved" | "script" | "tac">> &
  Pick<FormBlock, "veils" | "blind">;
/** All data of a form. */
export type OrderFormData = Omit<EmbeddedData, "blocks" | "foes"> & {
  blocks: Block[];
  foes: Foe[];
};

export let formData: OrderFormData;
export let request: FormRequest;
export let vocabulary: FormVocabulary;
/** The map. Forms that ask only for energy have none, and none of the code that reads it. */
export let mapData: FormMap;
/** The draft of the orders, with which the form begins. */
export let draftText: string;
/** A short text that differs between forms with different data. */
export let fingerprint: string;

/** Read the data of a form from its JSON text. Everything else in the model works on these data. */
export function loadData(json: string): void {
  const data = JSON.parse(json);
  fingerprint = digest(JSON.stringify({ ...data, mail: null }));
  formData = data;
  request = formData.request;
  vocabulary = formData.words;
  draftText = formData.draft.join("\n");
  if (formData.map) mapData = formData.map;
  formData.blocks.forEach(restoreDefaults);
  formData.charts = formData.charts.map((chart) =>
    chart.flatMap(([times, ...row]) => Array(times).fill(row)),
  );
  for (const table of Object.values(
    data.tables as Record<string, FormHelmTable & { why: string[] }>,
  ))
    table.rows = table.rows.map((row) =>
      row.map((cell) => ((cell as number) < 0 ? table.why[-1 - (cell as number)] : cell)),
    );
  for (const kind of ["headings", "energy", "weapons"] as const)
    if (vocabulary[kind]) vocabulary[kind] = spellings(vocabulary[kind]);
  for (const weapon of [
    ...formData.blocks.flatMap((block) => block.weapons || []),
    ...formData.foes.flatMap((foe) => foe.guns),
  ])
    restoreCharts(weapon);
}

function restoreDefaults(block: Block & { said?: string[] }): void {
  if (block.acts)
    block.acts = block.acts.map((act) => ({
      ...{ it: false, needs: "", by: [], spoiled: "", unpaid: {} },
      ...act,
      drained: (act.drained || []).map((place) => block.said![Number(place)]),
    }));
  if (block.weapons)
    block.weapons = block.weapons.map((weapon) => ({
      ...{ state: "", battery: false, idle: "", needs: "", unpaid: {}, not: {} },
      ...weapon,
    }));
  block.energy?.fields.forEach(listSeries);
}

function restoreCharts(weapon: Chances): void {
  const chart = (place: unknown) => formData.charts[place as number];
  weapon.table = chart(weapon.table);
  weapon.tables = Object.fromEntries(
    Object.entries(weapon.tables || {}).map(([key, place]) => [key, chart(place)]),
  );
}

/** Return the word for each of its spellings. */
function spellings(words: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(words).flatMap(([word, all]) =>
      all.split(" ").map((spelling) => [spelling, word]),
    ),
  );
}

/** Add the options of a series to a field. */
function listSeries(field: FormEnergyField): void {
  const { text, ask, to } = field.series || { text: "", ask: {}, to: 0 };
  for (let n = 1; n <= to; n++)
    field.options.push({
      text: text + n,
      show: String(n),
      ask: Object.fromEntries(Object.entries(ask).map(([source, points]) => [source, points * n])),
    });
}

function digest(text: string): string {
  let first = 0x811c9dc5;
  let second = 0x9747b28c;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    first = Math.imul(first ^ code, 16777619);
    second = Math.imul(second ^ code, 2246822519) ^ (second >>> 13);
  }
  return (first >>> 0).toString(36) + (second >>> 0).toString(36);
}
