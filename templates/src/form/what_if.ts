/* The card "What if the enemy …": an own ship and a sketched enemy side by side. */
import { fieldValue, fieldValues } from "./model/builders.ts";
import { notUnderstood, replot, walk } from "./model/courses.ts";
import { formData, request } from "./model/data.ts";
import { counted } from "./model/numbers.ts";
import { bestRow, duelTable, meanPoints, rowAt, type DuelRow } from "./model/odds.ts";
import { now, type UnitPlan } from "./model/plan.ts";
import {
  addSketch,
  allSketches,
  chooseSketch,
  chosenEnemy,
  chosenSketch,
  currentSketch,
  LETTERS,
  removeSketch,
  type Sketch,
} from "./model/sketches.ts";
import { button, element, valueIn, type Child, type Option } from "./dom.ts";
import { card, choice, CODE_BOX, complaint, line, list, remark } from "./fields.ts";
import { refresh } from "./listen.ts";
import { impulseButton } from "./preview.ts";
import { frame, isInSight, seePlaces } from "./view.ts";

/** Return the row whose places the map shows: the one pressed, or the best. */
export const watchedRow = (rows: DuelRow[]): DuelRow =>
  fieldValues["foe-watch"] ? rowAt(rows, Number(fieldValues["foe-watch"])) : bestRow(rows);

/** Return shields as text: #1: 20 or #2: 24. */
const shieldsText = (numbers: number[], boxes: number[] | undefined) =>
  numbers.map((n) => "#" + n + (boxes?.length ? ": " + boxes[n - 1] : "")).join(" or ") || "–";

/** Return what weapons score, or a dash if none can. */
const scoreText = (points: number, weapons: number) => (weapons ? meanPoints(points) : "–");

/** All that the card shows. */
interface Comparison {
  unit: UnitPlan;
  enemy: number;
  sketch: Sketch;
  sketches: Sketch[];
  /** The table of each sketch, and of the one that is drawn. */
  tables: DuelRow[][];
  rows: DuelRow[];
  watched: DuelRow;
}

/** Return the card. */
export function whatIfStep(unit: UnitPlan): HTMLElement | "" {
  if (!unit.block.helm) return "";
  const seeEnemy = () => {
    refresh();
    if (currentSketch()) seeBoth();
    else frame();
  };
  const enemies = formData.foes.map(({ name }): Option => [name, name]);
  const pairs: Option[] = [["", "… nobody yet"], ...enemies];
  const enemyList = choice("foe", "What if this enemy", pairs, "", seeEnemy);
  const sketch = currentSketch();
  const begin = [
    remark(
      "Sketch where an enemy may go, and see what you could do to each other on the way. " +
        "It is not an order, and it is not sent.",
    ),
    line(
      {},
      element("label", { for: "foe" }, "What if"),
      enemyList,
      sketch && [speedList(sketch), cloakList(sketch)],
    ),
  ];
  if (!sketch) return card("?", "What if the enemy …", begin);
  const sketches = allSketches();
  const tables = sketches.map((one) => duelTable(unit, one));
  const enemy = chosenEnemy();
  const rows = tables[chosenSketch(enemy)];
  const comparison = {
    ...{ unit, enemy, sketch, sketches, tables, rows },
    watched: watchedRow(rows),
  };
  return card("?", "What if the enemy …", begin, comparisonParts(comparison));
}

function comparisonParts(comparison: Comparison): Child[] {
  const { sketch, sketches } = comparison;
  const { name } = sketch.block;
  const several = sketches.length > 1;
  const typed = String(fieldValues[sketch.id + "-codes"] || "");
  const strange = notUnderstood({ ...sketch, typed });
  return [
    sketchButtons(comparison),
    line(
      {},
      "Clicks on the map draw the course of",
      clickButton("his", name + "’s course"),
      clickButton("mine", "mine"),
    ),
    codeLine(comparison),
    complaint(strange ? "Could not be read in “" + strange + "” on" : walk(sketch).fault?.text),
    element(
      "div",
      {
        ...{ class: "scroll aimbox", id: "foe-aimbox", tabindex: 0, role: "group" },
        "aria-label": several
          ? "The courses compared, impulse by impulse"
          : "Both courses, impulse by impulse",
      },
      element(
        "table",
        { key: several ? "compared" : "both", class: "aimtable" + (several ? " many" : "") },
        several ? comparedTable(comparison) : duelRows(comparison),
      ),
    ),
    several && element("p", { id: "foe-told" }, watchedText(comparison)),
    remark(
      several ? "★: where you do best on this course. " : "",
      "Average damage of all weapons in arc" +
        (several ? "" : " (number of weapons)") +
        ", and the shield hit. Counted: my weapons that can fire, and all of " +
        name +
        "’s weapons not known to be destroyed, as if armed. After the sketch ends, " +
        name +
        " flies straight on. Press an impulse to see it on the map.",
    ),
  ];
}

/** Return a button that is pressed or not. */
const toggle = (id: string, isPressed: boolean, words: string, choose: () => void) =>
  button(
    id,
    () => {
      choose();
      refresh();
    },
    { "aria-pressed": String(isPressed), class: isPressed ? "main" : "" },
    words,
  );

/** Return the button that lets clicks on the map draw a course. */
const clickButton = (whose: "his" | "mine", words: string) =>
  toggle("helmed-" + whose, (whose === "mine") === (fieldValues.helmed === "mine"), words, () => {
    fieldValues.helmed = whose;
  });

/** Return buttons that choose, add and remove a sketch. */
function sketchButtons({ enemy, sketch, sketches }: Comparison): HTMLElement {
  const several = sketches.length > 1;
  const choose = (one: Sketch, place: number) =>
    toggle("foe-on" + place, place === chosenSketch(enemy), one.letter, () =>
      chooseSketch(enemy, place),
    );
  const add = () => {
    addSketch(enemy);
    fieldValues.helmed = "his";
    refresh();
  };
  const remove = () => {
    removeSketch(enemy);
    refresh();
  };
  return line(
    {},
    several && ["Course", sketches.map(choose)],
    sketches.length < LETTERS.length && button("foe-more", add, {}, "Compare another course"),
    several && button("foe-less", remove, {}, "Take " + sketch.letter + " away"),
  );
}

/** Return the box in which the codes of a sketch are typed. */
function codeLine({ sketch, sketches }: Comparison): HTMLElement {
  const id = sketch.id + "-codes";
  const draw = (codes: string[]) => () => {
    replot(sketch, codes);
    refresh();
  };
  return line(
    {},
    element(
      "label",
      { for: id },
      sketches.length > 1 ? sketch.letter + ": enemy flies" : "Enemy flies",
    ),
    element("input", {
      ...{ ...CODE_BOX, id, value: fieldValue<string>(id, "") },
      oninput: (event) => {
        fieldValues[id] = valueIn(event);
        refresh();
      },
    }),
    button("foe-back", draw(sketch.codes.slice(0, -1)), { disabled: !sketch.codes.length }, "Undo"),
    button("foe-clear", draw([]), { disabled: !fieldValues[id] }, "Clear"),
  );
}

const cell = (attributes: Record<string, string>, ...children: Child[]) =>
  element("td", attributes, ...children);

const headRow = (...words: string[]) =>
  element(
    "tr",
    {},
    words.map((word) => element("th", { scope: "col" }, word)),
  );

/** Return the cell with the button that shows an impulse on the map. */
function impulseCell({ watched }: Comparison, impulse: number): HTMLElement {
  const watch = () => {
    fieldValues["foe-watch"] = impulse;
    refresh();
    const sketch = currentSketch();
    const row = sketch && watchedRow(duelTable(now(), sketch));
    if (row && !isInSight([row.me.hex, row.his.hex])) seeBoth();
  };
  const isWatched = impulse === watched.impulse;
  return cell(
    {},
    impulseButton("foe-row" + impulse, impulse, isWatched, "Show", " on the map", watch),
  );
}

/** Return the table of one sketch. */
function duelRows(comparison: Comparison): Child[] {
  const { rows, watched, sketch, unit } = comparison;
  const score = (points: number, weapons: number) => [
    scoreText(points, weapons),
    weapons > 0 && element("small", { class: "by" }, " (" + weapons + ")"),
  ];
  const row = (one: DuelRow) =>
    element(
      "tr",
      { class: one === watched ? "yes" : "" },
      impulseCell(comparison, one.impulse),
      cell({ class: "mono" }, one.me.hex + one.me.facing + " " + one.his.hex + one.his.facing),
      cell({}, one.range),
      cell({}, score(one.out, one.fires)),
      cell({ class: "fold" }, shieldsText(one.hits, sketch.unit.shields)),
      cell({}, score(one.back, one.answers)),
      cell({ class: "fold" }, shieldsText(one.hurts, unit.block.shields)),
    );
  const heads = [
    "Impulse",
    "I, enemy at",
    "Range",
    "I score",
    "on shield",
    "Enemy scores",
    "on my",
  ];
  return [element("thead", {}, headRow(...heads)), element("tbody", {}, rows.map(row))];
}

/** Return the table of several sketches: of each the range, and what I score against what the enemy scores. */
function comparedTable(comparison: Comparison): Child[] {
  const { tables, sketches, rows, watched, enemy } = comparison;
  const bests = tables.map(bestRow);
  const impulses = [...new Set(tables.flat().map(({ impulse }) => impulse))];
  impulses.sort((one, other) => one - other);
  const cells = (impulse: number) =>
    tables.map((table, place) => {
      const row = rowAt(table, impulse);
      const attributes = { class: place === chosenSketch(enemy) ? "on" : "" };
      const isBest = row === bests[place] && row.impulse === impulse && row.out > row.back;
      const scores = scoreText(row.out, row.fires) + " : " + scoreText(row.back, row.answers);
      return [cell(attributes, row.range), cell(attributes, scores + (isBest ? " ★" : ""))];
    });
  return [
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        element("th", { scope: "col" }, "Course"),
        sketches.map(({ letter }) => element("th", { scope: "colgroup", colspan: 2 }, letter)),
      ),
      headRow("Impulse", ...sketches.flatMap(() => ["Range", "I : enemy"])),
    ),
    element(
      "tbody",
      {},
      impulses.map((impulse) =>
        element(
          "tr",
          { class: rowAt(rows, impulse) === watched ? "yes" : "" },
          impulseCell(comparison, impulse),
          cells(impulse),
        ),
      ),
    ),
  ];
}

/** Return what happens in the impulse that the player looks at, as a sentence. */
function watchedText({ sketch, watched, unit }: Comparison): string {
  const { me, his, out, fires, back, answers, hits, hurts } = watched;
  const score = (points: number, weapons: number) =>
    weapons ? meanPoints(points) + " with " + counted(weapons, "weapon") : "nothing";
  return (
    "Course " +
    sketch.letter +
    ", impulse " +
    watched.impulse +
    ": I am in " +
    me.hex +
    me.facing +
    ", the enemy in " +
    his.hex +
    his.facing +
    ". I score " +
    score(out, fires) +
    " on shield " +
    shieldsText(hits, sketch.unit.shields) +
    ", the enemy " +
    score(back, answers) +
    " on my " +
    shieldsText(hurts, unit.block.shields) +
    "."
  );
}

/** Bring both ships, and where they are going, into sight. */
function seeBoth(): void {
  const unit = now();
  const sketches = allSketches();
  if (!unit?.block.helm || !sketches.length) return;
  seePlaces([unit, ...sketches].flatMap((one) => walk(one).path.map(({ hex }) => hex)));
}

/** Return the list of the speeds of a sketched enemy. */
function speedList({ id, unit, block }: Sketch): Child[] {
  const pairs: Option[] = [];
  for (let speed = 0; speed < block.helm!.tables.length; speed++) {
    const known = request.speeds_known ? ", as announced" : ", as now";
    pairs.push([speed, speed + (speed === unit.speed ? known : "")]);
  }
  const set = (value: string) => {
    fieldValues[id + "-speed"] = value;
    refresh();
  };
  return [
    element("label", { for: id + "-speed" }, "flies at speed"),
    list(id + "-speed", {}, pairs, block.speed, set),
  ];
}

/** Return the list of the ways in which the cloak of a sketched enemy may work. */
function cloakList({ id, veil, block }: Sketch): Child {
  const ways = block.veils || [];
  if (ways.length < 2) return ways.length > 0 && "and " + ways[0].say;
  const set = (value: string) => {
    fieldValues[id + "-veil"] = value;
    refresh();
  };
  return [
    element("label", { for: id + "-veil" }, "and"),
    list(
      id + "-veil",
      {},
      ways.map(({ say }, n): Option => [n, say]),
      veil,
      set,
    ),
  ];
}
