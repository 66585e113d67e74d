/* --- the map: lookups in the engine's tables ---------------------------------------------------------------------- */
const at = hex => [Number(hex.slice(0, 2)), Number(hex.slice(2, 4))];
const named = (c, r) => String(c).padStart(2, "0") + String(r).padStart(2, "0");
const onMap = hex => { const [c, r] = at(hex); return c >= M.first[0] && c <= M.last[0] && r >= M.first[1] && r <= M.last[1]; };
const neighbour = (hex, way) => { const [c, r] = at(hex), [dc, dr] = M.neighbours[c % 2][way]; return named(c + dc, r + dr); };
/* How far two hexes are apart: in columns, and along the rows that slant. What is between is the third side of a triangle. */
const apart = (a, b) => { const [ca, ra] = at(a), [cb, rb] = at(b); return [cb - ca, rb + M.slants[cb - M.first[0]] - ra - M.slants[ca - M.first[0]]]; };
const range = (a, b) => { const [x, z] = apart(a, b); return Math.max(Math.abs(x), Math.abs(z), Math.abs(x + z)); };
const bearings = M && M.bearings.join("").replace(/(.)\*(\d+)\./g, (run, letter, times) => letter.repeat(times));
/* The table tells of hexes to the right; what lies to the left is seen the other way round. */
const bearing = (a, b) => {
  const [x, z] = apart(a, b), side = x < 0 ? -1 : 1, way = LETTERS.indexOf(bearings[side * x * (2 * M.reach + 1) + side * z + M.reach]);
  return way > 23 || side > 0 ? way : (way + 12) % 24;
};
const seenFrom = (hex, facing, other) => { const way = bearing(hex, other); return way > 23 ? -1 : (way - 4 * FACINGS.indexOf(facing) + 24) % 24; };
const arcsHolding = (hex, facing, other) => { const way = seenFrom(hex, facing, other); return way < 0 ? null : M.arcs[way]; };
const bears = (weapon, hex, facing, other) => { const held = arcsHolding(hex, facing, other); return !held || held.some(arc => weapon.arcs.includes(arc)); };
const facedShields = (unit, from) => { const way = unit.facing ? seenFrom(unit.hex, unit.facing, from) : -1; return way < 0 ? [] : M.shields[way]; };
const centre = hex => {
  const [c, r] = at(hex), [hw, hh, column, row, margin] = M.units;
  return [margin + hw + column * (c - M.drawn[0]), margin + hh + row * (r - M.drawn[1]) + (c % 2 === M.lower ? hh : 0)];
};
const outline = (hex, grow) => { const [x, y] = centre(hex), k = grow || 1; return "M" + [[-30, 0], [-15, -26], [15, -26], [30, 0], [15, 26], [-15, 26]].map(([dx, dy]) => (x + dx * k) + " " + (y + dy * k)).join("L") + "Z"; };
const movesOf = (speed, first, last) => { const row = D.impulses[Math.min(speed, D.impulses.length - 1)]; let n = 0; for (let i = first; i <= last; i++) n += Number(row[i - 1]); return n; };

