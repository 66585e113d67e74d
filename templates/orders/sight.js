/* --- what lies between a weapon and its target --------------------------------------------------------------------- */
/* Cloaks, a lock-on that is not there, asteroids, how small a drone is: for each way in which they meet the engine has
   made a table of chances. */
const OPEN = [0, 1, 0, 0], NOTHING = [0, 0];
/* How a cloak works in an impulse: the last one of this stretch, factor and addition to the range, own weapons silent. */
function veilOf(u, impulse) {
  const ways = u.b.veils || [], way = u.unit ? ways[u.veil] : ways.find(one => one.paid === undefined || !u.b.energy || one.paid === ready(u, "CLOAK"));
  return (way && way.at.find(stretch => impulse <= stretch[0])) || OPEN;
}
/* What a weapon may score there: how many faces of the die hit, and the points of all six. */
function scored(g, blind, far, veil, added) {
  const name = Math.max(veil[1], blind || 1) + " " + veil[2] + " " + added, table = name === "1 0 0" ? g.table : g.tables[name];
  return (table && table[far]) || NOTHING;
}
/* Where a target is in an impulse, if that is known: on the course sketched for it, or of what never turns. */
function whereabouts(unit) {
  const he = foe(), v = he && he.b.name === unit.name && he.codes.length ? walk(he) : null, from = R.first + (unit.sure in R.over ? 1 : 0);
  if (v) return impulse => placeAt(v, impulse);
  if (!unit.straight) return null;
  return impulse => {
    let hex = unit.hex;
    for (let n = movesOf(unit.speed, from, impulse); n > 0; n--) hex = neighbour(hex, FACINGS.indexOf(unit.facing));
    return { hex, facing: unit.facing };
  };
}
/* How a target's cloak works: as it is sketched, or as is likeliest. */
function veilOfTarget(unit, impulse) {
  const he = foe(), known = D.foes.find(one => one.name === unit.name);
  if (he && he.b.name === unit.name) return veilOf(he, impulse);
  return known ? veilOf({ unit, veil: 0, b: known }, impulse) : OPEN;
}
