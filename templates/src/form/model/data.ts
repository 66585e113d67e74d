/*
 * The data of an order form: their types, and how the page reads them.
 *
 * pbem/reports/form/ makes the data and pbem/reports/html/compact.py shortens them for emails. `loadData` undoes that.
 * The data hold everything that rules say: what is legal, what it costs and what it may do. The form only adds up.
 */

/** Points of energy by source; the source "" lets the engine choose. */
export type Points = Record<string, number>;
/** Sentences that say why something is refused, by what it is refused for. */
export type Reasons = Record<string, string>;
/** For each range in hexes: the faces of the die that hit, and the points of all six faces. */
export type ChanceTable = number[][];
/** A stretch of impulses under a cloak: last impulse, factor and addition to the range, 1 if own weapons are silent. */
export type CloakStretch = number[];

/** One choice of power for a speed. */
export interface EnergyMix {
  text: string;
  ask: Points;
}

/** One choice of a field of the energy form. */
export interface EnergyOption {
  /** The entry of the order text; empty if the choice enters nothing. */
  text: string;
  show: string;
  ask: Points;
  warn?: string;
  hexes?: number;
  /** The speed that results while the ship tows something. */
  tows?: number;
  mixes?: EnergyMix[];
  /** Whether the weapon can be used after this choice. */
  uses?: boolean;
  capacitor?: number;
}

/** A field of the energy form. */
export interface EnergyField {
  id: string;
  line: number;
  label: string;
  about?: string;
  limit?: string;
  none?: string;
  sources?: string[];
  options: EnergyOption[];
  /** Further options that differ only in a number. */
  series?: { text: string; ask: Points; to: number };
  holds?: boolean;
  capacitor?: number;
}

/** The energy form of a ship. */
export interface EnergyForm {
  power: Points;
  boxes: number;
  prior: number;
  labels: Reasons;
  fields: EnergyField[];
  clashes: { a: string; b: string; text: string }[];
  caps: { line: number; most: number; text: string }[];
}

/** What the rules say of the course of a unit: the names of its movement tables by speed, and what it flew before. */
export interface Helm {
  tables: string[];
  modes: number[];
  turned: number;
  slipped: number;
}

/** A movement table: for each state and plot code the next state, or why the code is refused. */
export interface HelmTable {
  mode: number;
  slips: number;
  rows: (number | string)[][];
}

/** A way in which a cloak may work. */
export interface Veil {
  say: string;
  paid?: boolean;
  at: CloakStretch[];
}

/** The chances of a weapon. */
export interface Chances {
  arcs: string[];
  least: number;
  most: number;
  table: ChanceTable;
  tables: Record<string, ChanceTable>;
  /** What is added to the die against drones. */
  small?: number;
}

/** A weapon of an own unit. */
export interface Weapon extends Chances {
  name: string;
  arc: string;
  verb: "FIRE" | "LAUNCH";
  cost: number;
  state: string;
  battery: boolean;
  idle: string;
  needs: string;
  unpaid: Reasons;
  not: Reasons;
  closed?: Reasons;
}

/** Equal weapons of an enemy ship, and their number. */
export interface EnemyWeapons extends Chances {
  n: number;
}

/** An activity other than the use of a weapon. */
export interface Act {
  group: string;
  text: string;
  it: boolean;
  needs: string;
  by: string[];
  spoiled: string;
  unpaid: Reasons;
  drained: string[];
  closed?: Reasons;
}

/** What the form needs of a unit to follow its course. */
export interface CourseBlock {
  name: string;
  kind: "ship" | "shuttle";
  hex: string;
  facing: string;
  speed: number;
  energy?: EnergyForm | null;
  speeds?: { top: number; now: number; fixed?: boolean } | null;
  helm?: Helm;
  /** Whether the unit has moved already in the first impulse of the orders. */
  moved?: boolean;
  script?: { first: string[]; later: string[]; why: string } | null;
  tac?: { unpaid: string };
  veils?: Veil[];
  blind?: number;
}

/** One ship or shuttle that the form gives orders to. */
export interface Block extends CourseBlock {
  head: string;
  about: string;
  weapons: Weapon[];
  acts?: Act[];
  names: string[];
  may_leave?: boolean;
  capacitor?: number;
  shields?: number[];
  damage?: Record<string, string[]>;
  boat?: string;
}

/** A unit on the map that orders may name. */
export interface Unit {
  name: string;
  /** The name as orders write it. */
  say: string;
  hex: string;
  facing: string;
  speed: number;
  still: boolean;
  kind: string;
  mine: boolean;
  enemy: boolean;
  shields: number[];
  hexes: string[];
  /** The step in which a unit moves whose speed never changes. */
  sure?: string;
  straight?: boolean;
}

/** An enemy ship whose course may be sketched. */
export interface Foe {
  name: string;
  hull: number;
  turned: number;
  slipped: number;
  guns: EnemyWeapons[];
  veils?: Veil[];
  blind?: number;
}

/** What is asked: the impulses, and the kind of form. */
export interface FormRequest {
  header: string;
  form: "EAF" | "SOP" | "FULL";
  turn: number;
  number: number;
  first: number;
  through: number;
  continues: boolean;
  over: Record<string, string>;
  speeds_known: boolean;
}

/** The geometry of the map (see `geometry` in pbem/reports/form/geometry.py). */
export interface MapData {
  first: number[];
  last: number[];
  drawn: number[];
  units: number[];
  /** The columns that are half a hex lower: 0 for even ones, 1 for odd ones. */
  lower: number;
  codes: Record<string, number[]>;
  arcs: string[][];
  shields: number[][];
  closed: Reasons;
  rocks?: string[];
  adds?: number[][];
}

/** A text of the language with blanks in braces, and its words for the reader. */
export interface Template {
  show: string;
  text: string;
  public?: boolean;
}

/** The words of the language of orders. A form holds only those that it needs. */
export interface Vocabulary {
  conditions: Template[];
  pilots: Template[];
  operators: string[];
  arcs: string[];
  launched: string[];
  fired: string[];
  codes: Record<string, string>;
  headings: Record<string, string>;
  energy: Record<string, string>;
  weapons: Record<string, string>;
  lines: Record<string, string>;
  places: string[];
}

/** All data of a form. */
export interface OrderFormData {
  side: string;
  game: string;
  file: string;
  mail: { to: string; subject: string };
  request: FormRequest;
  impulses: string[];
  map: MapData | null;
  tables: Record<string, HelmTable>;
  top: number;
  far: number;
  units: Unit[];
  foes: Foe[];
  hulls: { tables: string[]; modes: number[] }[];
  charts: ChanceTable[];
  blocks: Block[];
  words: Vocabulary;
  draft: string[];
}

export let formData: OrderFormData;
export let request: FormRequest;
export let vocabulary: Vocabulary;
/** The map. Forms that ask only for energy have none, and none of the code that reads it. */
export let mapData: MapData;
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
  for (const table of Object.values(data.tables as Record<string, HelmTable & { why: string[] }>))
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
function listSeries(field: EnergyField): void {
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
