/* Reading entries of the energy form from the text of orders. */
import { vocabulary, type EnergyField } from "./data.ts";
import { SOURCES, total } from "./energy.ts";
import { type FieldChoice, type UnitPlan } from "./plan.ts";

/** Return the entries that a line makes, as the options of the form write them. */
export function energyEntries(text: string): string[] {
  let words = text
    .replace(/\s+/g, " ")
    .trim()
    .toUpperCase()
    .replace(/^LINE /, "");
  const numbered = /^(\d+)\.? (.+)$/.exec(words);
  const implied = (numbered && vocabulary.lines[numbered[1]]) || "";
  if (numbered) words = numbered[2];
  const weapons = weaponEntries(words);
  if (weapons) return weapons;
  const first = words.split(" ")[0];
  const item = first in vocabulary.energy ? vocabulary.energy[first] : "";
  if (item)
    words =
      ({ LIFE: "LIFE SUPPORT", FIRE: "FIRE CONTROL" }[item] || item) +
      words
        .slice(first.length)
        .replace(/^ (SUPPORT|CONTROLS?|REINFORCEMENT|BATTERIES|SHUTTLE)\b/, "");
  else if (implied) words = implied + " " + words;
  words = words
    .replace(/ POINTS?\b/g, "")
    .replace(/ FROM\b/g, "")
    .replace(/\b(BTTY|BATT|BATS|BATTERIES)\b/g, "BATTERY")
    .replace(/\bREACTORS?\b/g, "APR")
    .replace(/1\/2$/, "0.5")
    .replace(/(\d) 0\.5/, "$1.5")
    .replace(/ \.5/, " 0.5");
  return [words.replace(/^(REINFORCE|REPAIR) (#\d) (?!WITH)/, "$1 $2 WITH ")];
}

/** Return the entries of a line that arms several weapons, one for each; null for other lines. */
function weaponEntries(words: string): string[] | null {
  const [first, second] = words.split(" ");
  if (!(first in vocabulary.weapons) || vocabulary.weapons[first] === "PH") return null;
  if (first in vocabulary.energy && !/^[A-Z0-9]$/.test((second || "")[0] || "")) return null;
  const parts = /^\S+ ([A-Z0-9](?:\s*,\s*[A-Z0-9])*) ?(.*)$/.exec(words);
  if (!parts) return null;
  const how = parts[2] ? " " + parts[2].replace(/ EACH$/, "").replace(/^ARM /, "") : "";
  return parts[1].split(",").map((letter) => vocabulary.weapons[first] + " " + letter.trim() + how);
}

/** Return the choice of a field that writes an entry, if there is one. */
function choiceFor(field: EnergyField, entry: string): FieldChoice | undefined {
  for (const [opt, option] of field.options.entries()) {
    if (!option.text && opt) continue;
    const mix = (option.mixes || []).findIndex((one) => one.text === entry);
    if (mix >= 0) return { opt, src: "", mix: mix + 1 };
    if (!option.text) continue;
    if (option.text === entry) return { opt, src: "", mix: 0 };
    const src = SOURCES.find((one) => option.text + " " + one === entry);
    const points = total(option.ask);
    if (src && (field.sources?.includes(src) || (points && option.ask[src] === points)))
      return { opt, src, mix: 0 };
  }
  return field.id === "SPEED" && entry === "SPEED 0" ? { opt: 0, src: "", mix: 0 } : undefined;
}

/** Enter a line of an order text into the energy form; what no field can hold stays a line. */
export function enterEnergy(unit: UnitPlan, text: string): void {
  for (const entry of energyEntries(text)) {
    const fits = unit.block.energy!.fields.find((field) => {
      const choice = field.id in unit.fields ? undefined : choiceFor(field, entry);
      if (choice) unit.fields[field.id] = choice;
      return choice;
    });
    if (!fits) unit.rest.push(entry);
  }
}
