/* The strip under the board: the weapons of the selected ship and a target. A tick is an order. */

import { setAim } from "../form/aim.ts";
import { button, element, type Child } from "../form/dom.ts";
import { refresh } from "../form/listen.ts";
import { walk, type Walk } from "../form/model/courses.ts";
import { formData, request, type Unit, type Weapon } from "../form/model/data.ts";
import { whyOutOfReach, whyUnready } from "../form/model/judging.ts";
import { meanPoints, shotTable, type ShotRow, type ShotTable } from "../form/model/odds.ts";
import { now, plan, type UnitPlan } from "../form/model/plan.ts";
import { draw } from "../form/patch.ts";
import { byId } from "./page.ts";
import { supposedPlaces, watchImpulse } from "./whatif.ts";
import { cancelShot, cancelShots, impulseOf, orderShot, otherUse } from "./shots.ts";

/** A weapon that might be used at a target in an impulse. */
interface Shot {
  unit: UnitPlan;
  target: Unit;
  weapon: Weapon;
  impulse: number;
  course: Walk;
}

/** Return why a weapon cannot be used as the strip says, wherever the target goes; "" if it can. */
function whyNotNow({ unit, target, weapon, impulse, course }: Shot, isOrdered: boolean): string {
  const elsewhere = isOrdered ? "" : otherUse(unit, target, weapon);
  return (
    whyUnready(unit, weapon) ||
    weapon.closed?.[impulse] ||
    weapon.not[target.name] ||
    whyOutOfReach(course, weapon, target, impulse) ||
    (elsewhere && `ordered: ${elsewhere}`)
  );
}

export class Strip {
  private target: Unit | null = null;
  /** The impulse that the player chose; 0 takes the best one. */
  private chosen = 0;
  private hovered: Weapon | null = null;

  /** `closes` is called when the strip closes. */
  constructor(private readonly closes: () => void) {}

  /** Open the strip for a target; the empty name closes it. */
  aimAt(name: string): void {
    const target = formData.units.find((unit) => unit.name === name) ?? null;
    if (target !== this.target) this.chosen = 0;
    if (this.target && !target) this.closes();
    this.target = target;
    refresh();
  }

  get isOpen(): boolean {
    return Boolean(this.target);
  }

  /** The name of the target; empty if the strip is closed. */
  get targetName(): string {
    return this.target?.name ?? "";
  }

  /** Take back all orders against the target. Return whether there were any. */
  clear(): boolean {
    const found = Boolean(this.target && now() && cancelShots(now(), this.target));
    if (found) refresh();
    return found;
  }

  /** Draw the strip for the plan as it is now. It is called each time the plan is drawn, before the map. */
  paint(): void {
    const strip = byId("strip");
    const unit = now();
    strip.hidden = !this.target || plan.keepsOrders || !unit?.block.weapons;
    if (strip.hidden) return;
    const target = this.target!;
    const { weapons } = unit.block;
    const course = walk(unit);
    const ready = weapons.filter((one) => one.verb === "FIRE" && !whyUnready(unit, one));
    const table = shotTable(unit, course, ready, target, supposedPlaces(target));
    const impulse = this.impulseIn(unit, target, table);
    const row = table.rows.findLast((one) => one.impulse <= impulse) ?? table.rows[0];
    watchImpulse(impulse);
    draw(
      strip,
      this.header(unit, target, row, table.until, impulse),
      this.times(table, impulse),
      endNote(unit, target, course, table),
      weapons.length
        ? element(
            "div",
            { class: "guns", role: "group", "aria-label": "Weapons" },
            weapons.map((one) => this.gun({ unit, target, weapon: one, impulse, course })),
          )
        : element("p", { class: "soft" }, `${unit.block.name} has no weapons.`),
    );
    if (row)
      setAim({
        impulse,
        targetHex: table.placeOfTarget(impulse).hex,
        weapons: this.hovered ? [this.hovered] : [],
      });
  }

  private impulseIn(unit: UnitPlan, target: Unit, { rows, best }: ShotTable): number {
    if (this.chosen) return this.chosen;
    const ordered = unit.block.weapons.map((one) => impulseOf(unit, target, one)).find(Boolean);
    return ordered || rows.find((row) => row.points === best)?.impulse || request.first;
  }

  private header(
    unit: UnitPlan,
    target: Unit,
    row: ShotRow | undefined,
    until: number,
    impulse: number,
  ): HTMLElement {
    const shields = target.shields.length
      ? row?.shields.map((n) => `#${n}: ${target.shields[n - 1]}`)
      : [];
    const facing = shields?.length ? `, its shield ${shields.join(" or ")}` : "";
    const places = impulse > until ? "range not known" : row && `range ${row.range}${facing}`;
    const about = places ? `impulse ${impulse}: ${places}` : "out of range";
    return element(
      "header",
      { key: "head" },
      element("h2", {}, `${unit.block.name} at ${target.name}`),
      element("span", { class: "soft" }, about),
      button(
        "strip-close",
        () => this.aimAt(""),
        { "aria-label": "Close", title: "Close (Escape)" },
        "×",
      ),
    );
  }

  /** All impulses, each with the points that all weapons together may score. */
  private times({ rows, best, until }: ShotTable, impulse: number): Child {
    const first = rows.find((row) => row.points === best);
    return element(
      "div",
      { class: "when", role: "group", "aria-label": "Impulse" },
      impulses().map((one) => {
        const row = one > until ? undefined : rows.findLast((row) => row.impulse <= one);
        const mean = row ? meanPoints(row.points) : "";
        const star = row && row.impulse === one && row === first ? " ★" : "";
        return button(
          `strip-at-${one}`,
          () => {
            this.chosen = one;
            refresh();
          },
          {
            "aria-pressed": String(one === impulse),
            class: one === impulse ? "main" : row ? "" : "later",
            title: row
              ? `Range ${row.range}; all weapons that bear score ${mean} on average`
              : "Range not known",
          },
          element("b", {}, String(one)),
          element("small", {}, row ? (row.able ? mean + star : "–") : "?"),
        );
      }),
    );
  }

  private gun(shot: Shot): HTMLElement {
    const { unit, target, weapon, impulse } = shot;
    const ordered = impulseOf(unit, target, weapon);
    const why = whyNotNow(shot, Boolean(ordered));
    const chance = why ? null : this.chance(shot);
    const about = chance ?? (why ? shortened(why, unit, weapon) : whyNoChance(shot));
    const id = `strip-${weapon.verb}-${weapon.name.replace(/\W/g, "-")}`;
    return element(
      "label",
      {
        key: id,
        class: chance ? "" : "idle",
        title: why || `${weapon.arc}, ${weapon.least} to ${weapon.most || "any"} hexes`,
        onpointerenter: () => this.hover(weapon),
        onpointerleave: () => this.hover(null),
      },
      element("input", {
        type: "checkbox",
        id,
        checked: Boolean(ordered),
        disabled: Boolean(why && !ordered),
        onchange: (event: Event) => {
          if ((event.target as HTMLInputElement).checked) orderShot(unit, target, weapon, impulse);
          else cancelShot(unit, target, weapon);
          refresh();
        },
      }),
      element("b", {}, weapon.name, ordered && ordered !== impulse ? ` in ${ordered}` : ""),
      element("small", {}, about),
    );
  }

  /** Return the chance and the mean of a shot; null if the weapon does not reach the supposed place of the target. */
  private chance({ unit, target, weapon, impulse, course }: Shot): Child {
    if (weapon.verb === "LAUNCH") return "launched in this impulse";
    const { rows, until } = shotTable(unit, course, [weapon], target, supposedPlaces(target));
    if (impulse > until) return null;
    const row = rows.findLast((one) => one.impulse <= impulse);
    if (!row?.able) return null;
    const often = `${Math.round((row.chance * 100) / 6)} %`;
    const long = (words: string) => element("span", { class: "long" }, words);
    return [often, long(" to hit"), `, ${meanPoints(row.points)}`, long(" on average")];
  }

  private hover(weapon: Weapon | null): void {
    if (weapon === this.hovered) return;
    this.hovered = weapon;
    refresh();
  }
}

/** Return a reason without the names of ship and weapon that stand beside it already. */
const shortened = (why: string, unit: UnitPlan, weapon: Weapon): string =>
  why.replace(/^.*?: /, "").replace(`${unit.block.name} ${weapon.name} `, "");

/** Return why the chance of a shot is not told, though it can be ordered. */
const whyNoChance = ({ impulse, course }: Shot): string =>
  impulse > Math.max(request.first, course.until)
    ? "range not known"
    : "not if the enemy flies straight on";

/** Return all impulses of the request. */
const impulses = (): number[] =>
  Array.from({ length: request.through - request.first + 1 }, (_, n) => request.first + n);

/** Return a sentence that says why no range is known after an impulse; nothing if all are known. */
function endNote(unit: UnitPlan, target: Unit, course: Walk, { until }: ShotTable): Child {
  if (until >= request.through) return "";
  const why = whyEnds(unit, target, course, until);
  return element(
    "p",
    { class: "tiny ends", key: "ends" },
    `No range after impulse ${until}: ${why}.`,
  );
}

function whyEnds(unit: UnitPlan, target: Unit, course: Walk, until: number): string {
  const { name } = unit.block;
  if (until < course.until) return `${target.name} leaves the map`;
  if (course.left) return `${name} leaves the map`;
  if (course.fault)
    return course.fault.text.replace(/; tick .*$/, "").replace(/ \([A-Z]\d.*\)$/, "");
  if (unit.course || unit.steer.length) return "your conditions decide the course from then on";
  return `the course of ${name} leads off the map`;
}
