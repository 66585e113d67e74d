/* Energy as one bar with presets. The lines of the printed form are behind "as form". */

import { button, element, type Child } from "../form/dom.ts";
import { refresh } from "../form/listen.ts";
import { balance, speedOf } from "../form/model/energy.ts";
import { numberText } from "../form/model/numbers.ts";
import { optional } from "../form/model/optional.ts";
import { fieldOf, now, type UnitPlan } from "../form/model/plan.ts";
import { byId } from "./page.ts";

/** A usual energy form of a ship (pbem.ai.presets.OfferedPreset). */
interface Preset {
  name: string;
  title: string;
  told: string;
  lines: string[];
}

let presets: Record<string, Preset[]> = {};

/** Read the presets that the server offers. */
export function loadPresets(): void {
  presets = JSON.parse(byId("presets").textContent || "{}") as Record<string, Preset[]>;
}

/** What the lines of the energy form are for, in the order of the bar. */
const PARTS: readonly { name: string; lines: readonly number[] }[] = [
  { name: "ship", lines: [7, 8, 11] },
  { name: "weapons", lines: [9, 10] },
  { name: "shields", lines: [12, 13] },
  { name: "speed", lines: [14] },
  { name: "other", lines: [15, 16, 17, 18, 19] },
];

/** Return the presets, the slider and the bar of the selected ship; nothing if it allots no energy now. */
export function energyPanel(): Child {
  const unit = now();
  if (!unit?.block.energy) return "";
  return element(
    "section",
    { class: "card energy", "aria-label": "Energy", key: "energy" },
    element(
      "div",
      { class: "presets", role: "group", "aria-label": "Usual ways to spend energy" },
      (presets[unit.block.name] ?? []).map((preset) =>
        button(
          `preset-${preset.name}`,
          () => choose(unit, preset),
          { title: `${preset.title}: ${preset.told}` },
          preset.title,
        ),
      ),
    ),
    speedSlider(unit),
    bar(unit),
  );
}

function choose(unit: UnitPlan, preset: Preset): void {
  unit.fields = {};
  unit.rest = [];
  unit.meant = false;
  for (const line of preset.lines) optional.energy!.enter(unit, line);
  refresh();
}

function speedSlider(unit: UnitPlan): Child {
  const field = fieldOf(unit, "SPEED");
  if (!field || field.options.length < 2) return "";
  const chosen = unit.fields[field.id]?.opt ?? 0;
  return element(
    "div",
    { class: "speed", key: "speed" },
    element("label", { for: "speed-slider" }, "Speed"),
    element("input", {
      type: "range",
      id: "speed-slider",
      min: 0,
      max: field.options.length - 1,
      value: chosen,
      "aria-valuetext": `speed ${speedOf(unit)}`,
      oninput: (event: Event) => {
        const opt = Number((event.target as HTMLInputElement).value);
        if (opt) unit.fields[field.id] = { opt, src: "", mix: 0 };
        else delete unit.fields[field.id];
        refresh();
      },
    }),
    element("output", { id: "speed-now" }, numberText(speedOf(unit))),
  );
}

function bar(unit: UnitPlan): HTMLElement {
  const { rows, made, used, drained, faults } = balance(unit);
  const points = PARTS.map(({ name, lines }) => ({
    name,
    points: rows.reduce((sum, row) => sum + (lines.includes(row.field.line) ? row.points : 0), 0),
  }));
  const known = points.reduce((sum, part) => sum + part.points, 0);
  points.at(-1)!.points += used - known;
  const spare = Math.max(0, made - used);
  const parts = [...points, { name: "unused", points: spare }].filter(
    (part) => part.points > 0.001,
  );
  const words = parts.map((part) => `${part.name} ${numberText(part.points)}`).join(", ");
  const battery = drained ? `, ${numberText(drained)} of it from batteries` : "";
  return element(
    "div",
    { key: "bar" },
    element(
      "div",
      {
        class: `energybar${faults.length ? " bad" : ""}`,
        role: "img",
        "aria-label": `Energy: ${words}`,
      },
      parts.map((part) => {
        const piece = element(
          "i",
          { class: part.name, title: `${part.name}: ${numberText(part.points)}` },
          numberText(part.points),
        );
        piece.style.flexGrow = String(part.points);
        return piece;
      }),
    ),
    element(
      "p",
      { class: "tiny" },
      `${words} (${numberText(used)} of ${numberText(made)} used${battery})`,
    ),
    faults.slice(0, 2).map((fault) => element("p", { class: "err" }, fault.text)),
  );
}
