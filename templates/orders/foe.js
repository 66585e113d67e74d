/* --- what if he …: the course of an enemy, sketched ---------------------------------------------------------------- */
/* A sketch is no order: it is remembered like what stands in a field, and never written into the text. For all that asks
   where somebody is going (step, walk, reach) a sketched enemy is a unit like one's own. Of one enemy there may be
   several, A to D, to be compared. */
const SKETCHES = "ABCD";
const foeAt = () => S.on ? -1 : D.foes.findIndex(one => one.name === memory.foe);
const sketchId = (n, k) => "foe" + n + (k ? SKETCHES[k].toLowerCase() : "");
const manyOf = n => Number(memory["foe" + n + "-many"] || 1), onOf = n => Number(memory["foe" + n + "-on"] || 0);
function sketch(n, k) {
  const known = D.foes[n], id = sketchId(n, k), unit = D.units.find(one => one.name === known.name), speed = Number(keep(id + "-speed", unit.speed));
  const b = { name: unit.name, kind: "ship", hex: unit.hex, facing: unit.facing, speed, helm: { ...D.hulls[known.hull], turned: known.turned, slipped: known.slipped }, moved: "move" in R.over, veils: known.veils, blind: known.blind };
  return { id, letter: SKETCHES[k], unit, guns: known.guns, b, veil: Number(memory[id + "-veil"] || 0), codes: readCodes(memory[id + "-codes"] || "").codes, typed: null, steer: [], course: "", leave: false };
}
foe = () => { const n = foeAt(); return n < 0 ? null : sketch(n, onOf(n)); };
const sketches = () => { const n = foeAt(); return n < 0 ? [] : Array.from({ length: manyOf(n) }, (_, k) => sketch(n, k)); };
/* One more course of this enemy, which begins as the one before. */
function another(n) {
  const from = sketchId(n, onOf(n)), to = manyOf(n);
  for (const part of ["-codes", "-speed", "-veil"]) memory[sketchId(n, to) + part] = memory[from + part];
  memory["foe" + n + "-many"] = to + 1;
  memory["foe" + n + "-on"] = to;
}
/* Takes the one that is being drawn away; those behind it move up. */
function fewer(n) {
  for (let k = onOf(n); k < manyOf(n); k++) for (const part of ["-codes", "-speed", "-veil"]) {
    const next = memory[sketchId(n, k + 1) + part];
    if (k + 1 < manyOf(n) && next !== undefined) memory[sketchId(n, k) + part] = next; else delete memory[sketchId(n, k) + part];
  }
  memory["foe" + n + "-many"] = manyOf(n) - 1;
  memory["foe" + n + "-on"] = Math.min(onOf(n), manyOf(n) - 1);
}
