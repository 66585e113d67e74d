/* The table of chances of the weapons that are ticked, along the plot of their ship. */
import { fieldValues } from "./model/builders.ts";
import { request, type Unit, type Weapon } from "./model/data.ts";
import type { Walk } from "./model/courses.ts";
import { meanPoints, shotTable, type ShotRow, type ShotTable } from "./model/odds.ts";
import type { UnitPlan } from "./model/plan.ts";
import { aim, setAim } from "./aim.ts";
import { button, element, type Child } from "./dom.ts";
import { fold, remark } from "./fields.ts";
import { refresh } from "./listen.ts";

/** Return the table of chances against a target; the best impulse, or the chosen one, is shown on the map. */
export function shotPreview(
  unit: UnitPlan,
  course: Walk,
  weapons: Weapon[],
  target: Unit,
  id: string,
): HTMLElement {
  const table = shotTable(unit, course, weapons, target);
  const { rows, best } = table;
  const marked = fieldValues[id + "-how"] === "at" ? Number(fieldValues[id + "-imp"]) : 0;
  const from =
    rows.find(({ impulse }) => impulse === marked) ||
    rows.find(({ points }) => points === best) ||
    rows[rows.length - 1];
  const impulse = marked || from?.impulse;
  if (from) setAim({ impulse, targetHex: table.placeOfTarget(impulse).hex, weapons });
  const hasShields = target.shields.length > 0;
  const heads = ["Impulse", "I am at", "Range", "Bear", "Hit", "Points"];
  if (hasShields) heads.push("Its shield");
  const { where, about } = placesText(target, table);
  return fold(
    id + "-preview",
    true,
    "Chances against " + target.name + where,
    about && remark(about),
    element(
      "div",
      {
        ...{ class: "scroll aimbox", id: id + "-aimbox", tabindex: 0, role: "group" },
        "aria-label": "Ranges and chances along my plot",
      },
      element(
        "table",
        { class: "aimtable" },
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            heads.map((head) => element("th", { scope: "col" }, head)),
          ),
        ),
        element(
          "tbody",
          {},
          rows.map((row) => shotRow(id, row, { marked, best, target, weapons })),
        ),
      ),
    ),
    remark(
      "Click an impulse to fire in it. The map shows the arcs in impulse " +
        (aim ? aim.impulse : "–") +
        ". Points are averages; they allow for known lock-on, scanners, cloaks, terrain " +
        "and the difficulty of hitting drones.",
    ),
  );
}

/** Return where the target is taken to be, in words. */
function placesText(target: Unit, { known, stands }: ShotTable): { where: string; about: string } {
  const { name } = target;
  const speed =
    request.speeds_known || target.sure ? "at its speed of " + target.speed : "at an unknown speed";
  if (known && !target.straight)
    return {
      where: " where you sketched it",
      about:
        "Range, arc and chances are for " +
        name +
        " on the course you sketched, straight on where that ends.",
    };
  if (known)
    return {
      where: " where it will be",
      about:
        name +
        " flies straight on " +
        speed +
        " and never turns. The table shows where you will meet it.",
    };
  if (target.still) return { where: "", about: "" };
  return {
    where: " where it is now",
    about:
      name +
      " moves " +
      speed +
      ". Range, arc and chances are for " +
      stands.hex +
      ", where it is now; brackets show the ranges it can reach by then.",
  };
}

function shotRow(
  id: string,
  row: ShotRow,
  shot: { marked: number; best: number; target: Unit; weapons: Weapon[] },
): HTMLElement {
  const { impulse, place, able, points } = row;
  const { marked, best, target, weapons } = shot;
  const fireThen = () => {
    fieldValues[id + "-how"] = "at";
    fieldValues[id + "-imp"] = impulse;
    refresh();
  };
  const cell = (...children: Child[]) => element("td", {}, ...children);
  const shields = row.shields.map((n) => "#" + n + ": " + target.shields[n - 1]).join(" or ");
  return element(
    "tr",
    { class: able ? "yes" : "no" },
    cell(
      impulseButton(id + "-row" + impulse, impulse, marked === impulse, "Fire in", "", fireThen),
    ),
    element("td", { class: "mono" }, place.hex + place.facing),
    cell(row.range, row.ranges && element("small", {}, " (" + row.ranges + ")")),
    cell(able + " of " + weapons.length + row.why),
    cell(able ? Math.round((row.chance * 100) / 6) + " %" : "–"),
    cell(able ? meanPoints(points) + (points === best ? " ★" : "") : "–"),
    target.shields.length > 0 && cell(shields || "–"),
  );
}

/** Return a button for an impulse in a table. */
export const impulseButton = (
  id: string,
  impulse: number,
  isPressed: boolean,
  verb: string,
  where: string,
  onclick: () => void,
) =>
  button(
    id,
    onclick,
    {
      class: isPressed ? "main" : "",
      "aria-pressed": String(isPressed),
      "aria-label": verb + " impulse " + impulse + where,
    },
    impulse,
  );
