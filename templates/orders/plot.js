/* --- the plot: a table says after each code what may come next ---------------------------------------------------- */
const PILOT = /^(TOWARDS?|AWAY|KEEP)\b/i;
function helmOf(u) { return D.tables[u.b.helm.tables[Math.min(speedOf(u), u.b.helm.tables.length - 1)]]; }
function impulsesOf(u) {
  const row = D.impulses[speedOf(u)] || "", found = [];
  for (let i = R.first; i <= R.through; i++) if (row[i - 1] === "1" && !(u.b.moved && i === R.first)) found.push(i);
  return found;
}
const firstState = u => { const t = helmOf(u), b = u.b.helm; return Math.min(b.turned, t.mode) * t.slips + b.slipped; };
/* One code from a place: the next place, or why not. */
function step(u, from, code, number) {
  const table = helmOf(u), next = table.rows[from.state][CODES.indexOf(code)], script = u.b.script;
  if (script && !(number === 0 ? script.first : script.later).includes(code)) return { refused: script.why };
  if (typeof next === "string") return { refused: next };
  const [moved, faced] = M.codes[code], f = FACINGS.indexOf(from.facing);
  const hex = neighbour(from.hex, (f + moved) % 6), facing = FACINGS[(f + faced) % 6];
  if (u.b.kind === "ship" && M.closed[hex]) return { refused: M.closed[hex] };
  if (!onMap(hex)) return u.leave ? { left: true } : { refused: "leads off the map; tick LEAVE MAP if you mean it (C1.1)" };
  return { hex, facing, state: next };
}
function walk(u) {
  const due = impulsesOf(u), path = [{ impulse: 0, code: "", hex: u.b.hex, facing: u.b.facing, state: firstState(u) }];
  const found = { path, due, spare: 0, fault: null, left: false, straight: [], until: R.through };

  if (u.course) { found.until = R.first - 1; return found; }
  for (const [n, code] of u.codes.entries()) {
    if (n >= due.length) { found.spare = u.codes.length - n; break; }
    const from = path[path.length - 1], next = step(u, from, code, n);
    if (next.refused) { found.fault = { n, text: "code " + (n + 1) + " (" + code + ") in impulse " + due[n] + " at " + from.hex + from.facing + ": " + next.refused }; break; }
    if (next.left) { found.left = true; break; }
    path.push({ ...next, impulse: due[n], code });
  }
  const reacts = u.steer.map(line => line.match(/^(?:AT\s+(\d+)\s+)?(?:EVERY\s+)?IF\s|^AT\s+(\d+)\s|^TAC\b.*?(?:AT\s+(\d+))?$/i)).filter(Boolean);
  for (const m of reacts) found.until = Math.min(found.until, Number(m[1] || m[2] || m[3] || R.first) - 1);
  for (const line of u.steer) {
    const m = line.match(/^AT\s+(\d+)\s/i), n = m && Number(m[1]);
    if (n && (n < R.first || n > R.through)) found.fault = { n: -1, text: line + ": impulse " + n + " is not among " + R.first + " to " + R.through + " (C1.41)" };
    else if (n && D.impulses[speedOf(u)][n - 1] !== "1") found.fault = { n: -1, text: line + ": " + u.b.name + " does not move in impulse " + n + " at speed " + speedOf(u) + " (C1.44)" };
  }
  const pilots = u.steer.filter(line => PILOT.test(line)), pilot = pilots.length > 0;
  if (pilots.length > 1) found.fault = { n: -1, text: pilots[1] + ": " + pilots[0] + " steers already; take one of them away" };
  const tac = u.steer.find(line => /(?:^|\bTHEN\s+)TAC\b/i.test(line)), when = tac && (tac.match(/AT\s+(\d+)$/i) || [])[1];
  if (tac && u.b.tac && u.b.tac.unpaid && !(u.b.energy && ready(u, "TAC"))) found.fault = { n: -1, text: u.b.tac.unpaid };
  if (when && (when < R.first || when > R.through)) found.fault = { n: -1, text: "impulse " + when + " is not among " + R.first + " to " + R.through + " (C1.41)" };
  if (!found.fault && !found.left) {
    let from = path[path.length - 1];
    for (let n = path.length - 1; n < due.length && !pilot; n++) {
      const next = step(u, from, "F", n);
      if (next.refused || next.left) {
        found.until = Math.min(found.until, due[n] - 1);
        if (n === 0 && next.refused && !u.leave) found.fault = { n: 0, text: "straight on from " + from.hex + from.facing + ": " + next.refused };
        break;
      }
      from = { ...next, impulse: due[n], code: "F" };
      found.straight.push(from);
    }
    if (pilot && path.length - 1 < due.length) found.until = Math.min(found.until, due[path.length - 1] - 1);
  }
  if (found.fault || found.left) found.until = Math.min(found.until, (due[path.length - 1] || R.first) - 1);
  return found;
}
const placeAt = (w, impulse) => { let last = w.path[0]; for (const p of [...w.path, ...w.straight]) if (p.impulse <= impulse) last = p; return last; };
/* All hexes that can still be reached, each with its earliest impulse and the codes that lead there. */
function reach(u, w) {
  const from = w.path[w.path.length - 1], left = w.due.slice(w.path.length - 1), found = new Map();
  if (w.fault || w.left || u.course) return found;
  let edge = [{ ...from, codes: [] }];
  const seen = new Set();
  for (const [n, impulse] of left.entries()) {
    const next = [];
    for (const place of edge) for (const code of CODES) {
      const there = step(u, place, code, w.path.length - 1 + n);
      if (there.refused || there.left) continue;
      const key = there.hex + there.facing + there.state;
      if (seen.has(key)) continue;
      seen.add(key);
      const way = { ...there, impulse, codes: { code, before: place.codes } };
      next.push(way);
      if (!found.has(there.hex)) found.set(there.hex, way);
    }
    edge = next;
  }
  return found;
}
const codesTo = way => { const list = []; for (let c = way.codes; c.code; c = c.before) list.unshift(c.code); return list; };
const codesText = codes => {
  const parts = [];
  for (const code of codes) { const last = parts[parts.length - 1]; if (last && last[0] === code && code === "F") last[1]++; else parts.push([code, 1]); }
  return parts.map(([code, n]) => (n > 1 ? n : "") + code).join(" ");
};
function readCodes(text) {
  const spelt = ["SLIP L", "SLIP R", ...Object.keys(W.codes)].sort((a, b) => b.length - a.length), codes = [];
  let rest = text.trim().toUpperCase().replace(/[,\s]+/g, " ");
  while (rest) {
    const m = rest.match(/^(\d{0,2}) ?(.*)$/), word = spelt.find(one => m[2].startsWith(one));
    if (!word || /^[A-Z]{4,}/.test(m[2].split(" ")[0]) && !/^[FLRSDTW0-9]+$/.test(m[2].split(" ")[0])) return { codes, rest };
    const code = word.startsWith("SLIP") ? "S" + word.slice(-1) : W.codes[word];
    for (let i = Number(m[1] || 1); i > 0 && codes.length < 100; i--) codes.push(code);
    rest = m[2].slice(word.length).trim();
  }
  return { codes, rest: "" };
}
/* What stands in the box of the plot and is no code; "" where all of it is understood. */
const strange = u => u.typed === null ? "" : readCodes(u.typed).rest;
/* Takes what was typed: codes, and a way to steer or LEAVE MAP behind them. What is neither stays in the box. */
function takeCodes(u) {
  const rest = strange(u), orders = rest && u.typed.trim().slice(-rest.length), leaves = orders && orders.match(/^(.*?)\s*\bLEAVE\s+(?:THE\s+)?MAP$/i);
  const pilot = (leaves ? leaves[1] : orders).trim();
  if (rest && u.b.script) return;
  if (rest && !(leaves && !pilot) && !pilotFits(u, pilot)) return;
  if (leaves) u.leave = true;
  if (pilot) enter(u, "steer", pilot);
  u.typed = null;
}
/* Whether this is a way to steer by a unit: one of the forms the language has, with a unit that may be named. */
const pilotFits = (u, text) => W.pilots.some(one => {
  const form = one.text.replace(/[+]/g, "\\+").replace("{unit}", "(?<unit>.+?)").replace("{shield}", "#[1-6]").replace("{arc}", "[A-Z+0-9]+").replace(/\{[nm]\}/g, "\\d+").replace("TOWARD ", "TOWARDS? ").replace(/ /g, "\\s+");
  const found = text.match(new RegExp("^" + form + "$", "i")), name = found && found.groups.unit.toUpperCase();
  return Boolean(found) && (others(u).some(known => known.toUpperCase() === name) || D.units.some(unit => unit.name !== u.b.name && unit.name.toUpperCase() === name));
});
/* Units to steer by: nobody steers by himself. */
const others = u => u.b.names.filter(name => name !== "ME");

