/* The card of the unit under the pointer: what is known of it. */

import type { Spot } from "../board/board.ts";
import { formData, request, type Unit } from "../form/model/data.ts";
import { range } from "../form/model/hexes.ts";
import { now } from "../form/model/plan.ts";
import { byId, element } from "./page.ts";

/** Show the card of a unit beside the pointer, or hide it. */
export function showCard({ unit: name, at }: Spot, withRange: boolean): void {
  const card = byId("card");
  const unit = formData.units.find((one) => one.name === name);
  card.hidden = !unit;
  if (!unit) return;
  if (card.dataset.unit !== name) {
    card.dataset.unit = name;
    card.replaceChildren(...linesOf(unit, withRange));
  }
  const { clientWidth, clientHeight } = card.parentElement!;
  const strip = byId("strip");
  const lowest = strip.hidden ? clientHeight : strip.offsetTop;
  const left =
    at.x + 18 + card.offsetWidth > clientWidth ? at.x - 18 - card.offsetWidth : at.x + 18;
  const above = at.y > clientHeight / 2 || at.y + 14 + card.offsetHeight > lowest;
  const top = above ? at.y - card.offsetHeight - 14 : at.y + 14;
  card.style.left = `${Math.max(4, left)}px`;
  card.style.top = `${Math.max(4, top)}px`;
}

function linesOf(unit: Unit, withRange: boolean): HTMLElement[] {
  const known =
    request.speeds_known || unit.sure ? `speed ${unit.speed}` : `speed ${unit.speed} last turn`;
  const own = now()?.block;
  const far =
    withRange && own?.hex && own.name !== unit.name ? `, range ${range(own.hex, unit.hex)}` : "";
  const place = `${unit.hex}${unit.facing}, ${unit.still ? "does not move" : known}${far}`;
  const lines = [element("b", { textContent: unit.name }), element("div", { textContent: place })];
  const shields = unit.shields.map((boxes, n) => `#${n + 1} ${boxes}`).join(", ");
  if (shields) lines.push(element("div", { textContent: `shields: ${shields}` }));
  const guns = formData.foes.find((foe) => foe.name === unit.name)?.guns ?? [];
  const count = guns.reduce((sum, gun) => sum + (gun.n || 1), 0);
  if (count)
    lines.push(element("div", { textContent: `${count} direct-fire weapons not seen destroyed` }));
  return lines;
}
