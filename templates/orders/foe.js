/* --- what if he …: the course of an enemy, sketched ---------------------------------------------------------------- */
/* A sketch is no order: it is remembered like what stands in a field, and never written into the text. For all that asks
   where somebody is going (step, walk, reach) a sketched enemy is a unit like one's own. */
function foe() {
  const n = S.on ? -1 : D.foes.findIndex(one => one.name === memory.foe);
  if (n < 0) return null;
  const known = D.foes[n], id = "foe" + n, unit = D.units.find(one => one.name === known.name), speed = Number(keep(id + "-speed", unit.speed));
  const b = { name: unit.name, kind: "ship", hex: unit.hex, facing: unit.facing, speed, helm: { ...D.hulls[known.hull], turned: known.turned, slipped: known.slipped }, moved: "move" in R.over };
  return { id, unit, guns: known.guns, b, codes: readCodes(memory[id + "-codes"] || "").codes, typed: null, steer: [], course: "", leave: false };
}
/* Whose course a click on the map draws. */
const helmed = () => (memory.helmed !== "mine" && foe()) || now();
