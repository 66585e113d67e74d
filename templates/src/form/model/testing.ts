/*
 * A small form for tests, as pbem/reports/html/compact.py writes it.
 *
 * The map has columns 01 to 20 and rows 01 to 20. The Hood (with an energy form, if asked) is in 0510 facing C and the
 * enemy Kor in 1010 facing F; a drone of his is in 0810.
 */
import { loadData, type OrderFormData } from "./data.ts";
import { emptyPlan, noteStandingOrders, plan, setPlan, type UnitPlan } from "./plan.ts";
import { fieldValues, clearBuilders, picked } from "./builders.ts";
import { chooseParts, type CoursePart, type EnemyPart } from "./optional.ts";
import { codesText, enterPlot, walk } from "./courses.ts";
import { courseFaults } from "./judging.ts";
import { enterEnergy } from "./energy_text.ts";
import { currentSketch, hasSketches } from "./sketches.ts";
import { terrainBetween } from "./terrain.ts";

type Json = Record<string, unknown>;

const CODES = { F: [0, 0], L: [5, 5], R: [1, 1], SL: [5, 0], SR: [1, 0] };

/** Return a movement table: a turn after `mode` hexes, a sideslip after one. */
function table(mode: number): Json {
  const rows = [];
  for (let turned = 0; turned <= mode; turned++)
    for (let slipped = 0; slipped <= 1; slipped++) {
      const straight = Math.min(turned + 1, mode) * 2;
      const turn = turned < mode ? -1 : 1;
      const slip = slipped ? straight : -2;
      rows.push([straight + 1, turn, turn, slip, slip]);
    }
  return { mode, slips: 2, rows, why: ["turn mode (C3.1)", "slip mode (C4.1)"] };
}

const moves = (speed: number) =>
  Array.from({ length: 8 }, (_, n) =>
    Math.floor(((n + 1) * speed) / 8) > Math.floor((n * speed) / 8) ? "1" : "0",
  ).join("");

const series = (item: string, to: number) => ({
  options: [{ text: "", show: "–", ask: {} }],
  series: { text: item + " ", ask: { "": 1 }, to },
});

const ENERGY = {
  power: { WARP: 12, IMPULSE: 2, APR: 1, BATTERY: 3 },
  boxes: 3,
  prior: 8,
  labels: {
    7: "Life support",
    10: "Arm weapons",
    12: "Shields",
    13: "Reinforcement",
    15: "Repair",
  },
  clashes: [{ a: "TAC", b: "SPEED", text: "no tactical maneuver while moving (C5.1)" }],
  caps: [{ line: 15, most: 2, text: "the damage control rating is 2 (D9.2)" }],
  fields: [
    {
      ...{ id: "LIFE", line: 7, label: "Life support" },
      options: [
        { text: "", show: "1", ask: { "": 1 } },
        { text: "LIFE SUPPORT 0", show: "0", ask: {}, warn: "the crew dies (B3.1)" },
      ],
    },
    {
      id: "PHASERS",
      line: 9,
      label: "Phasers",
      capacitor: 0,
      sources: ["", "WARP", "APR"],
      ...capacitor(),
    },
    {
      ...{ id: "PHOT A", line: 10, label: "PHOT A" },
      options: [
        { text: "", show: "–", ask: {} },
        { text: "PHOT A 2", show: "2", ask: { WARP: 2 }, uses: false },
        { text: "PHOT A HOLD", show: "hold", ask: { WARP: 1 }, uses: true },
      ],
    },
    { id: "REPAIR #1", line: 15, label: "#1", ...series("REPAIR #1 WITH", 3) },
    { id: "REPAIR #2", line: 15, label: "#2", ...series("REPAIR #2 WITH", 3) },
    {
      ...{ id: "RECHARGE", line: 16, label: "Batteries" },
      options: [
        { text: "", show: "–", ask: {} },
        { text: "RECHARGE 1", show: "1", ask: { "": 1 } },
        { text: "RECHARGE 16", show: "16", ask: { "": 16 } },
      ],
    },
    {
      ...{ id: "CLOAK", line: 18, label: "Cloak" },
      options: [
        { text: "", show: "–", ask: {} },
        { text: "CLOAK 5", show: "5", ask: { "": 5 } },
      ],
    },
    { id: "TRACTOR A", line: 18, label: "Tractor A", holds: true, ...series("TRACTOR A", 2) },
    {
      ...{ id: "TAC", line: 6, label: "Tactical maneuver" },
      options: [
        { text: "", show: "–", ask: {} },
        { text: "TAC 1", show: "1", ask: { IMPULSE: 1 } },
      ],
    },
    {
      id: "SPEED",
      line: 6,
      label: "Speed",
      options: Array.from({ length: 13 }, (_, n) => speed(n)),
    },
  ],
};

function capacitor() {
  const option = (n: number) => ({
    ...{ text: n ? "PHASERS " + n : "", show: String(n), ask: { "": n }, capacitor: n },
  });
  return { options: [0, 1, 2, 3].map(option) };
}

function speed(hexes: number) {
  const mixes = [{ text: "MOVE " + hexes + " WARP", ask: { WARP: hexes } }];
  if (hexes > 0)
    mixes.push({
      text: "MOVE " + (hexes - 1) + " WARP + 1 IMPULSE",
      ask: { WARP: hexes - 1, IMPULSE: 1 } as { WARP: number },
    });
  const tows = Math.floor(hexes / 2);
  return hexes
    ? { text: "SPEED " + hexes, show: String(hexes), ask: { WARP: hexes }, hexes, tows, mixes }
    : { text: "", show: "0", ask: {}, hexes: 0, tows: 0 };
}

const helm = () => ({
  tables: Array.from({ length: 33 }, (_, n) => (n < 9 ? "ship 1" : "ship 2")),
  modes: Array.from({ length: 33 }, (_, n) => (n < 9 ? 1 : 2)),
  turned: 1,
  slipped: 1,
});

const unit = (name: string, hex: string, facing: string, more: Json): Json => ({
  ...{ name, say: name, hex, facing, speed: 8, still: false, kind: "ship", mine: false },
  ...{ enemy: true, shields: [20, 21, 22, 23, 24, 25], hexes: [], ...more },
});

const WORDS = {
  conditions: [
    { show: "is within", text: "{unit} WITHIN {n}", public: true },
    { show: "I am damaged", text: "ME DAMAGED", public: false },
  ],
  pilots: [
    { show: "towards", text: "TOWARD {unit}" },
    { show: "keep it at range", text: "KEEP {unit} AT RANGE {n} TO {m}" },
  ],
  codes: { F: "F", L: "L", R: "R", SL: "SL", SR: "SR", S: "F" },
  headings: {
    ...{ GAME: "GAME", SHIP: "SHIP", SHUTTLE: "SHUTTLE", ENERGY: "ENERGY EAF", PLOT: "PLOT" },
    ...{ COURSE: "COURSE", DO: "DO", BREAK: "BREAK BREAKS", DAMAGE: "DAMAGE", END: "END" },
    ...{ CONTINUE: "CONTINUE", SPEED: "SPEED" },
  },
  energy: {
    LIFE: "LIFE",
    FIRE: "FIRE",
    PHASERS: "PHASERS PHASER",
    SPEED: "SPEED MOVE",
    REPAIR: "REPAIR",
  },
  weapons: { PH: "PH PHASER", PHOT: "PHOT PHOTON", DRONE: "DRONE" },
  lines: { 16: "RECHARGE" },
};

const weapon = (name: string, verb: string, more: Json): Json => ({
  ...{ name, arc: "FA", arcs: ["LF", "RF"], verb, cost: 0, least: 0, most: 15, table: 0, ...more },
});

/** Return the data of a form. */
function formJson(form: string, more: Json, block: Json): Json {
  return {
    ...{ side: "federation", game: "test", file: "test.orders", top: 32, far: 10 },
    mail: { to: "host@example.org", subject: "test" },
    request: {
      ...{ header: "GAME test TURN 1", form, turn: 1, number: 1, first: 1, through: 8 },
      ...{ continues: true, over: {}, speeds_known: false },
    },
    impulses: Array.from({ length: 33 }, (_, n) => moves(n)),
    map:
      form === "EAF"
        ? null
        : {
            ...{
              first: [1, 1],
              last: [20, 20],
              drawn: [1, 1],
              units: [30, 26, 45, 52, 10],
              lower: 0,
            },
            codes: CODES,
            arcs: Array.from({ length: 24 }, (_, n) => (n > 20 || n < 4 ? ["LF", "RF"] : ["RR"])),
            shields: Array.from({ length: 24 }, (_, n) => [Math.floor(n / 4) + 1]),
            closed: { "0707": "ships may not enter a planet (P2.0)" },
            rocks: ["0709"],
            adds: [[1, 1]],
          },
    tables: { "ship 1": table(1), "ship 2": table(2) },
    units: [
      unit("Hood", "0510", "C", { mine: true, enemy: false }),
      unit("Kor", "1010", "F", {}),
      unit("Kor.1", "0810", "F", {
        kind: "drone",
        sure: "seek",
        straight: true,
        speed: 8,
        shields: [],
      }),
      unit("World", "0707", "", { kind: "planet", still: true, hexes: ["0707"], enemy: true }),
    ],
    foes: [
      {
        ...{ name: "Kor", hull: 0, turned: 1, slipped: 1 },
        guns: [
          {
            n: 2,
            arcs: ["LF", "RF"],
            least: 0,
            most: 15,
            table: 0,
            tables: { "1 0 1": 1, "2 0 0": 1 },
          },
        ],
        veils: [
          { say: "stays uncloaked", at: [[8, 1, 0, 0]] },
          { say: "fades out", at: [[8, 2, 0, 1]] },
        ],
      },
    ],
    hulls: [{ tables: helm().tables, modes: helm().modes }],
    charts: [
      [
        [3, 6, 24],
        [13, 3, 9],
      ],
      [[16, 1, 2]],
    ],
    blocks: [
      {
        ...{ head: "SHIP Hood", name: "Hood", kind: "ship", about: "CA", hex: "0510", facing: "C" },
        ...{ speed: 8, energy: null, speeds: { top: 12, now: 8 }, helm: helm(), script: null },
        ...{
          moved: false,
          shields: [30, 30, 30, 30, 30, 30],
          names: ["Kor", "ME"],
          may_leave: true,
        },
        weapons: [
          weapon("PH 1", "FIRE", {
            cost: 1,
            needs: "PH 1 has no energy (E2.1)",
            battery: true,
            small: 1,
          }),
          weapon("PH 2", "FIRE", { idle: "PH 2 is destroyed (E1.1)" }),
          weapon("PHOT A", "FIRE", {
            ...{
              needs: "PHOT A is not armed (E4.1)",
              least: 2,
              closed: { 3: "not in impulse 3 (E4.2)" },
            },
            ...{
              unpaid: { LIFE: "without crew nothing fires (B3.1)" },
              not: { World: "no planet (P2.0)" },
            },
          }),
          weapon("DRONE A", "LAUNCH", { most: 0, table: 0 }),
        ],
        said: ["the tractor needs 1 point (G7.1)"],
        acts: [
          {
            group: "Cloak",
            text: "CLOAK",
            needs: "no energy for the cloak (G13.1)",
            by: ["CLOAK"],
          },
          {
            group: "Tractor",
            text: "TRACTOR Kor",
            drained: [0],
            spoiled: "spoiled (G7.2)",
            by: ["TRACTOR A"],
          },
          {
            group: "Lab",
            text: "IDENTIFY Kor.1",
            by: [],
          },
        ],
        ...block,
      },
    ],
    words: WORDS,
    draft: ["GAME test TURN 1", "", "SHIP Hood", "", "END"],
    ...more,
  };
}

/** Optional parts without pages. */
const courses = {
  faults: courseFaults,
  spareCodes: (one: UnitPlan) => walk(one).spare,
  codesText,
  enterPlot,
} as unknown as CoursePart;
const enemies = { sketch: currentSketch, hasSketches } as unknown as EnemyPart;

/** Load a form that asks for these things, with nothing chosen; return the plan of the Hood. */
export function startTest(
  form: "SOP" | "EAF" | "FULL" = "SOP",
  block: Json = {},
  more: Partial<Record<keyof OrderFormData, unknown>> = {},
): UnitPlan {
  const energy =
    form === "SOP" ? {} : { energy: structuredClone(ENERGY), speeds: null, speed: null };
  const helmless = form === "EAF" ? { helm: undefined, weapons: undefined } : {};
  loadData(JSON.stringify(formJson(form, { ...more }, { ...energy, ...helmless, ...block })));
  chooseParts({
    ...{ courses, enemies, terrain: terrainBetween },
    energy: { enter: enterEnergy, step: () => document.createElement("p") },
  });
  clearBuilders();
  for (const id of [...Object.keys(picked)]) delete picked[id];
  fieldValues.helmed = "mine";
  delete fieldValues.helmed;
  setPlan(emptyPlan());
  noteStandingOrders();
  return plan.units[0];
}
