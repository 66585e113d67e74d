"use strict";
/* The order form. It holds no rule of the game: what is legal, what it costs and what it may do was worked out by the
   engine and stands in the data; here it is only added up, looked up and written down. */
(() => {
const D = JSON.parse(document.getElementById("form").textContent), W = D.words, R = D.request, M = D.map;
const SVG = "http://www.w3.org/2000/svg", FACINGS = "ABCDEF", CODES = M ? Object.keys(M.codes) : [];
const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const $ = id => document.getElementById(id);

/* A part of the page. Text is always text: whatever a ship is called, it never becomes markup. */
const put = (e, kids) => { for (const kid of kids.flat(9)) if (kid !== null && kid !== undefined && kid !== false && kid !== "") e.append(kid); return e; };
const dress = (e, how) => {
  for (const [key, value] of Object.entries(how || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (key === "value") e.value = value;
    else if (key === "checked") e.checked = true;
    else e.setAttribute(key, value === true ? "" : value);
  }
  return e;
};
const h = (tag, how, ...kids) => { const e = put(document.createElement(tag), kids); return dress(e, how); };
const s = (tag, how, ...kids) => put(dress(document.createElementNS(SVG, tag), how), kids);
const options = (pairs, now) => pairs.map(([value, show, off]) => h("option", { value, selected: String(value) === String(now), disabled: off }, show));
const sum = (list, f) => list.reduce((total, one) => total + f(one), 0);
const near = n => Math.round(n * 1e4) / 1e4;
const say = n => { const x = near(n); return Number.isInteger(x) ? String(x) : String(Math.round(x * 100) / 100); };

/* --- the form's own state: for each unit what is chosen, and every line that is written ------------------------- */
const unfold = field => {
  if (field.series) {
    const { text, ask, to } = field.series;
    for (let n = 1; n <= to; n++) field.options.push({ text: text + n, show: String(n), ask: Object.fromEntries(Object.entries(ask).map(([k, v]) => [k, v * n])) });
  }
  return field;
};
for (const b of D.blocks) if (b.energy) b.energy.fields.forEach(unfold);
const empty = b => ({ b, fields: {}, rest: [], speed: null, at: "", codes: [], course: "", steer: [], leave: false, do: [], breaks: [], damage: [] });
let S = { on: false, blocks: D.blocks.map(empty), other: [], at: 0 };
const now = () => S.blocks[S.at];
const chosen = (u, field) => u.fields[field.id] || { opt: 0, src: "", mix: 0 };
const optionOf = (u, field) => field.options[chosen(u, field).opt];

/* --- energy: only sums -------------------------------------------------------------------------------------------- */
const SOURCE = ["WARP", "IMPULSE", "APR", "BATTERY"];
const total = ask => sum(Object.values(ask), x => x);
function askOf(u, field, bound) {
  const pick = chosen(u, field), option = field.options[pick.opt];
  if (!option.mixes) return pick.src && total(option.ask) ? { [pick.src]: total(option.ask) } : option.ask;
  if (!option.mixes.length) return option.ask;
  if (pick.mix) return (option.mixes[pick.mix - 1] || option.mixes[0]).ask;
  const power = u.b.energy.power, fits = source => ask => (ask[source] || 0) <= near(power[source] - (bound[source] || 0));
  const whole = option.mixes.find(mix => fits("WARP")(mix.ask) && fits("IMPULSE")(mix.ask));
  const half = option.mixes.find(mix => mix.ask.IMPULSE && fits("IMPULSE")(mix.ask)) || option.mixes.find(mix => !mix.ask.IMPULSE);
  return (whole || half || option.mixes[0]).ask;
}
/* Every line's points, what is spent and from where, and what is wrong with it. */
function balance(u) {
  const e = u.b.energy, bound = { WARP: 0, IMPULSE: 0, APR: 0 }, rows = [], faults = [];
  const fields = [...e.fields.filter(f => f.id !== "SPEED"), ...e.fields.filter(f => f.id === "SPEED")];
  for (const field of fields) {
    const ask = askOf(u, field, bound), points = total(ask);
    rows.push({ field, ask, points });
    for (const source of SOURCE.slice(0, 3)) bound[source] += ask[source] || 0;
  }
  const power = e.power, made = power.WARP + power.IMPULSE + power.APR, used = near(sum(rows, r => r.points));
  let left = made, short = false;
  for (const source of SOURCE.slice(0, 3)) {
    left -= Math.min(bound[source], power[source]);
    if (near(bound[source]) > power[source] && !short) {
      short = true;
      faults.push({ at: source, text: say(bound[source]) + " points of " + source + " power are spent, the ship has " + power[source] + " (B3.0, line " + { WARP: 1, IMPULSE: 2, APR: 3 }[source] + ")" });
    }
  }
  const recharge = sum(rows, r => r.field.line === 16 ? r.ask[""] || 0 : 0);
  if (!short && near(recharge) > near(left)) { short = true; faults.push({ at: "RECHARGE", text: "batteries are recharged from power generated this turn, and " + say(left) + " points of it are left (B3.0, line 16)" }); }
  const drained = near(Math.max(0, used - made));
  if (!short && drained > near(power.BATTERY)) { short = true; faults.push({ at: "", text: say(used) + " points are spent (line 20); the ship has " + made + " (line 4) and " + say(power.BATTERY) + " in batteries (line 5) (B3.0, line 20)" }); }
  const has = id => { const f = e.fields.find(one => one.id === id); return f && (f.id in u.fields) && chosen(u, f).opt > 0; };
  for (const clash of e.clashes) if (has(clash.a) && has(clash.b)) faults.push({ at: clash.b, text: clash.text });
  for (const cap of e.caps) if (sum(rows, r => r.field.line === cap.line ? r.points : 0) > cap.most) faults.push({ at: "REPAIR", text: cap.text });
  return { rows, made, used, drained, bound, faults, short };
}
const batteriesLeft = u => { const b = balance(u); return near(u.b.energy.power.BATTERY - b.drained + sum(b.rows, r => r.field.line === 16 ? r.points : 0)); };
const fieldText = (u, field) => {
  const pick = chosen(u, field), option = field.options[pick.opt];
  if (option.mixes && pick.mix && option.mixes[pick.mix - 1]) return option.mixes[pick.mix - 1].text;
  return option.text && pick.src ? option.text + " " + pick.src : option.text;
};
const speedOf = u => {
  if (!u.b.energy) return u.b.speeds ? (u.speed === null ? u.b.speeds.now : u.speed) : u.b.speed;
  const field = u.b.energy.fields.find(f => f.id === "SPEED");
  const option = optionOf(u, field), tows = u.b.energy.fields.some(f => f.holds && chosen(u, f).opt);
  return tows && option.tows !== undefined ? option.tows : option.hexes || 0;
};

/* --- the map: lookups in the engine's tables ---------------------------------------------------------------------- */
const at = hex => [Number(hex.slice(0, 2)), Number(hex.slice(2, 4))];
const named = (c, r) => String(c).padStart(2, "0") + String(r).padStart(2, "0");
const onMap = hex => { const [c, r] = at(hex); return c >= M.first[0] && c <= M.last[0] && r >= M.first[1] && r <= M.last[1]; };
const neighbour = (hex, way) => { const [c, r] = at(hex), [dc, dr] = M.neighbours[c % 2][way]; return named(c + dc, r + dr); };
const cell = (table, a, b) => {
  const [ca, ra] = at(a), [cb, rb] = at(b), dx = cb - ca;
  const dz = (rb + M.slants[cb - M.first[0]]) - (ra + M.slants[ca - M.first[0]]), deep = 2 * M.reach[1] + 1;
  return LETTERS.indexOf(table[(dx + M.reach[0]) * deep + dz + M.reach[1]]);
};
const range = (a, b) => cell(M.ranges, a, b);
const seenFrom = (hex, facing, other) => { const way = cell(M.bearings, hex, other); return way > 23 ? -1 : (way - 4 * FACINGS.indexOf(facing) + 24) % 24; };
const arcsHolding = (hex, facing, other) => { const way = seenFrom(hex, facing, other); return way < 0 ? null : M.arcs[way]; };
const bears = (weapon, hex, facing, other) => { const held = arcsHolding(hex, facing, other); return !held || held.some(arc => weapon.arcs.includes(arc)); };
const facedShields = (unit, from) => { const way = unit.facing ? seenFrom(unit.hex, unit.facing, from) : -1; return way < 0 ? [] : M.shields[way]; };
const centre = hex => {
  const [c, r] = at(hex), [hw, hh, column, row, margin] = M.units;
  return [margin + hw + column * (c - M.drawn[0]), margin + hh + row * (r - M.drawn[1]) + (c % 2 === M.lower ? hh : 0)];
};
const outline = (hex, grow) => { const [x, y] = centre(hex), k = grow || 1; return "M" + [[-30, 0], [-15, -26], [15, -26], [30, 0], [15, 26], [-15, 26]].map(([dx, dy]) => (x + dx * k) + " " + (y + dy * k)).join("L") + "Z"; };
const movesOf = (speed, first, last) => { const row = D.impulses[Math.min(speed, D.impulses.length - 1)]; let n = 0; for (let i = first; i <= last; i++) n += Number(row[i - 1]); return n; };

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
  const tac = u.steer.find(line => /^TAC\b/i.test(line)), when = tac && (tac.match(/AT\s+(\d+)$/i) || [])[1];
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

/* --- lines of orders ---------------------------------------------------------------------------------------------- */
function weaponsIn(words) {
  const found = [];
  let kind = "";
  for (const token of words.toUpperCase().replace(/\bAND\b|\+/g, " ").replace(/\s*,\s*/g, " ").split(/\s+/)) {
    if (!token) continue;
    if (token in W.weapons) { kind = W.weapons[token]; continue; }
    if (!kind) return null;
    const span = token.match(/^(\d+)-(\d+)$/) || token.match(/^([A-Z])-([A-Z])$/);
    if (span && /\d/.test(token)) for (let n = Number(span[1]); n <= Number(span[2]) && n < 99; n++) found.push(kind + " " + n);
    else if (span) for (let n = span[1].charCodeAt(0); n <= span[2].charCodeAt(0); n++) found.push(kind + " " + String.fromCharCode(n));
    else if (/^(\d+|[A-Z])$/.test(token)) found.push(kind + " " + token);
    else return null;
  }
  return found;
}
const ACT = /^(EVERY\s+)?(?:AT\s+(\d+)\s+|(LAST)\s+)?(EVERY\s+)?(?:IF\s+(.+?)\s+THEN\s+)?(.+?)(?:\s+IF\s+(.+))?$/i;
function readLine(text) {
  const m = text.replace(/\s+/g, " ").trim().match(ACT);
  if (!m) return null;
  const line = { every: Boolean(m[1] || m[4]), at: m[2] ? Number(m[2]) : null, last: Boolean(m[3]), condition: m[5] || m[7] || "", act: m[6] };
  const shot = line.act.match(/^(FIRE|LAUNCH)\s+(ONE OF\s+)?(.+?)\s+AT\s+(.+?)(\s+DIR\s+[A-F])?(\s+WITH RESERVE)?$/i);
  if (shot && !/\bAND\b/i.test(shot[4])) Object.assign(line, { verb: shot[1].toUpperCase(), one: Boolean(shot[2]), weapons: weaponsIn(shot[3]), target: shot[4].replace(/^"(.*)"$/, "$1").replace(/""/g, '"'), reserve: Boolean(shot[6]) });
  return line;
}
const ready = (u, id) => { const f = u.b.energy.fields.find(one => one.id === id); return Boolean(f && optionOf(u, f).text && chosen(u, f).opt); };
/* Why a weapon cannot be used with what the form pays, in the engine's words. */
function unready(u, weapon) {
  if (weapon.idle) return weapon.idle;
  if (!u.b.energy) return "";
  const field = u.b.energy.fields.find(f => f.id === weapon.name);
  if (field) return optionOf(u, field).uses ? "" : weapon.needs || "";
  if (!weapon.cost) return weapon.needs || "";
  const phasers = u.b.energy.fields.find(f => f.id === "PHASERS"), option = phasers && optionOf(u, phasers);
  const held = option && option.text ? option.capacitor : phasers ? phasers.capacitor : 0;
  return held >= weapon.cost ? "" : weapon.needs || "";
}
/* Whether a weapon can reach a target in an impulse, wherever the target may have gone by then. */
function outOf(u, w, weapon, target, impulse) {
  if (impulse > w.until || weapon.verb !== "FIRE") return "";
  const place = placeAt(w, impulse), speed = target.still ? 0 : R.speeds_known ? target.speed : D.top;
  const steps = movesOf(speed, R.first + ("move" in R.over ? 1 : 0), impulse);
  const gap = range(place.hex, target.hex), nearest = Math.max(0, gap - steps), farthest = gap + steps;
  if (nearest > weapon.most) return "range " + nearest + " at best, its maximum is " + weapon.most + " (E1.3)";
  if (farthest < weapon.least) return "range " + farthest + " at most, its minimum is " + weapon.least + " (E4.14)";
  if (steps > D.far || gap <= steps) return "";
  const [c, r] = at(target.hex);
  for (let col = Math.max(M.first[0], c - steps); col <= Math.min(M.last[0], c + steps); col++)
    for (let row = Math.max(M.first[1], r - steps - 1); row <= Math.min(M.last[1], r + steps + 1); row++) {
      const hex = named(col, row);
      if (range(target.hex, hex) <= steps && bears(weapon, place.hex, place.facing, hex)) return "";
    }
  return "it cannot come into the arc " + weapon.arc + " by then (D2.0)";
}
function judge(u, w, text, before) {
  const line = readLine(text), b = u.b;
  if (!line) return "";
  const when = line.at === null ? "" : String(line.at);
  if (line.at !== null && (line.at < R.first || line.at > R.through)) return "impulse " + line.at + " is not among " + R.first + " to " + R.through + " (C1.41)";
  const act = (b.acts || []).find(one => one.text === line.act.toUpperCase() || one.text === line.act);
  if (act && act.needs && b.energy && !act.by.some(id => ready(u, id))) return act.needs;
  if (act && act.spoiled && b.energy && act.by.some(id => ready(u, id))) return act.spoiled;
  if (act && act.drained && b.energy && Math.floor(batteriesLeft(u)) < 1) return act.drained;
  if (act && when && act.closed && act.closed[when]) return act.closed[when];
  if (!line.weapons) return "";
  const target = D.units.find(one => one.name.toUpperCase() === line.target.toUpperCase());
  const complaints = [];
  let able = 0;
  for (const name of line.weapons) {
    const weapon = b.weapons.find(one => one.name === name);
    if (!weapon) continue;
    let why = weapon.verb !== line.verb ? name + ": " + weapon.verb + " it" : line.reserve ? weapon.idle : unready(u, weapon);
    why = why || (when && weapon.closed && weapon.closed[when]) || (target && weapon.not && weapon.not[target.name]) || "";
    if (!why && target && when && !line.one) { why = outOf(u, w, weapon, target, line.at); if (why) why = name + ": " + why; }
    if (!why && when && !line.condition && !line.one) {
      const key = line.verb + name;
      if (before.has(key)) why = name + " is used in impulse " + before.get(key) + " already; once a turn (E1.5)"; else before.set(key, line.at);
    }
    if (why) complaints.push(why); else able++;
  }
  return complaints.length && !(line.one && able) ? complaints[0] : "";
}

/* --- the text ----------------------------------------------------------------------------------------------------- */
function unitText(u) {
  const b = u.b, lines = [b.head + (u.at ? " AT " + u.at : "")];
  if (u.speed !== null && b.speeds && !b.speeds.fixed) lines.push("SPEED " + u.speed);
  if (b.energy) {
    lines.push("ENERGY");
    for (const field of b.energy.fields) { const text = fieldText(u, field); if (text) lines.push("  " + text); }
    for (const line of u.rest) lines.push("  " + line);
  }
  if (R.form !== "EAF") {
    const plot = u.course || (u.codes.length ? codesText(u.codes) : "");
    if (u.course) lines.push("COURSE " + u.course);
    else if (plot || u.steer.length || u.leave) lines.push(plot ? "PLOT " + plot : "PLOT");
    for (const line of u.steer) lines.push("  " + line);
    if (u.leave) lines.push("  LEAVE MAP");
    for (const [head, list] of [["DO", u.do], ["BREAK", u.breaks], ["DAMAGE", u.damage]]) {
      const kept = list.map(line => line.trim()).filter(Boolean);
      if (kept.length) lines.push(head, ...kept.map(line => "  " + line.replace(/\s*\n\s*/g, "\n      ")));
    }
  }
  return lines.join("\n");
}
function orderText() {
  if (S.on) return R.header + "\n\nCONTINUE\n\nEND\n";
  return [R.header, ...S.blocks.map(unitText), ...S.other, "END"].join("\n\n") + "\n";
}
function faultsOf(u) {
  const found = [];
  if (u.b.energy) for (const fault of balance(u).faults) found.push({ step: "energy", text: fault.text });
  if (R.form === "EAF") return found;
  const w = walk(u), before = new Map();
  if (w.fault) found.push({ step: "plot", text: w.fault.text });
  u.do.forEach((text, n) => { const why = judge(u, w, text, before); if (why) found.push({ step: "do", n, text: why }); });
  return found;
}

/* --- reading orders back: what the form has no field for stays a line ---------------------------------------------- */
function pieces(line) {
  const found = [""];
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (c === '"') quoted = !quoted;
    if (!quoted && c === "#" && !/\d/.test(line[i + 1] || "")) break;
    if (!quoted && c === ";") found.push(""); else found[found.length - 1] += c;
  }
  return found;
}
const plainText = text => text.replace(/\r\n?/g, "\n").replace(/[\u00a0\u2007\u202f]/g, " ").replace(/[\u201c\u201d\u201e]/g, '"').replace(/[\u2018\u2019]/g, "'").replace(/[\u2010-\u2015\u2212]/g, "-").replace(/\u2264/g, "<=").replace(/\u2265/g, ">=");
const OPENS = /^(AND|OR|THEN|,|\+|\)|<|>|=|!=)/i, LEAVES = /(\b(AND|OR|THEN|NOT|IF)|[,+(<>=])$/i;
/* The orders of a text: [heading, order] pairs, a line that runs on put together. */
function statements(text) {
  let rows = plainText(text).split("\n").map(line => line.replace(/^(?:>(?!=)[ \t]?)+/, ""));
  const start = rows.findIndex(line => /^\s*GAME[\s:]+\S/i.test(line));
  if (start > 0) rows = rows.slice(start);
  const found = [];
  let base = null, open = null;
  for (const row of rows) {
    if (/^\s*END\s*([.;#].*)?$/i.test(row) || /^-- ?$/.test(row)) break;
    const parts = pieces(row), words = parts.join(";").trim();
    if (!words) continue;
    const indent = row.search(/\S/), word = words.match(/^[A-Za-z]+/), head = word ? W.headings[word[0].toUpperCase()] || "" : "";
    const heading = head && !(head === "SPEED" && indent > 0 && open && open.section === "ENERGY");
    const goesOn = open && (OPENS.test(words) || (!heading && (LEAVES.test(open.text) || (base !== null && indent >= base + 2))));
    if (goesOn) {
      open.text += " " + parts[0].trim();
      for (const more of parts.slice(1)) if (more.trim()) found.push(open = { section: open.section, text: more.trim(), heading: false });
      continue;
    }
    if (heading) base = null; else if (base === null) base = indent;
    for (const [n, part] of parts.entries()) {
      const text = part.trim();
      if (!text) continue;
      if (heading && n === 0) {
        const rest = text.slice(word[0].length).trim();
        found.push(open = { section: head, text: rest, heading: true });
      } else found.push(open = { section: open ? open.section : "", text, heading: false });
    }
  }
  return found;
}
function energyEntries(text) {
  let words = text.replace(/\s+/g, " ").trim().toUpperCase().replace(/^LINE /, "");
  const number = words.match(/^(\d+)\.? (.+)$/);
  let implied = "";
  if (number) { words = number[2]; implied = W.lines[number[1]] || ""; }
  const first = words.split(" ")[0];
  if (first in W.weapons && !(first in W.energy && !/^[A-Z0-9]$/.test((words.split(" ")[1] || "")[0] || "")) && W.weapons[first] !== "PH") {
    const m = words.match(/^\S+ ([A-Z0-9](?:\s*,\s*[A-Z0-9])*) ?(.*)$/);
    if (m) return m[1].split(",").map(letter => W.weapons[first] + " " + letter.trim() + (m[2] ? " " + m[2].replace(/ EACH$/, "").replace(/^ARM /, "") : ""));
  }
  const item = first in W.energy ? W.energy[first] : "";
  if (item) words = (item === "LIFE" ? "LIFE SUPPORT" : item === "FIRE" ? "FIRE CONTROL" : item) + words.slice(first.length).replace(/^ (SUPPORT|CONTROLS?|REINFORCEMENT|BATTERIES|SHUTTLE)\b/, "");
  else if (implied) words = implied + " " + words;
  words = words.replace(/ POINTS?\b/g, "").replace(/ FROM\b/g, "").replace(/\b(BTTY|BATT|BATS|BATTERIES)\b/g, "BATTERY").replace(/\bREACTORS?\b/g, "APR").replace(/1\/2$/, "0.5").replace(/(\d) 0\.5/, "$1.5").replace(/ \.5/, " 0.5");
  return [words.replace(/^(REINFORCE|REPAIR) (#\d) (?!WITH)/, "$1 $2 WITH ")];
}
function enterEnergy(u, text) {
  for (const entry of energyEntries(text)) {
    const ok = u.b.energy.fields.some(field => {
      if (field.id in u.fields) return false;
      for (const [opt, option] of field.options.entries()) {
        if (!option.text && opt) continue;
        const mix = (option.mixes || []).findIndex(one => one.text === entry);
        if (mix >= 0) { u.fields[field.id] = { opt, src: "", mix: mix + 1 }; return true; }
        if (!option.text) continue;
        if (option.text === entry) { u.fields[field.id] = { opt, src: "", mix: 0 }; return true; }
        const src = SOURCE.find(one => option.text + " " + one === entry);
        if (src && ((field.sources || []).includes(src) || (option.ask[src] === total(option.ask) && total(option.ask)))) { u.fields[field.id] = { opt, src, mix: 0 }; return true; }
      }
      if (field.id === "SPEED" && entry === "SPEED 0") { u.fields.SPEED = { opt: 0, src: "", mix: 0 }; return true; }
      return false;
    });
    if (!ok) u.rest.push(entry);
  }
}
const unquoted = name => name.replace(/^"(.*)"$/, "$1").replace(/""/g, '"').trim();
function load(text) {
  const told = [], next = { on: false, blocks: D.blocks.map(empty), other: [], at: Math.min(S.at, Math.max(0, D.blocks.length - 1)) };
  let u = null, ship = null, other = null;
  for (const { section, text: order, heading } of statements(text)) {
    if (section === "GAME" || section === "END") continue;
    if (section === "CONTINUE") { if (R.continues) next.on = true; else told.push("CONTINUE is no answer to this request"); continue; }
    if (heading && (section === "SHIP" || section === "SHUTTLE")) {
      const place = order.match(/^(.*?)(?:\s+AT\s+(\d{4}[A-F]?))?$/i), name = unquoted(place[1]).toUpperCase();
      const found = next.blocks.find(one => one.b.name.toUpperCase() === name && one.b.kind === section.toLowerCase()) || (section === "SHIP" && next.blocks.length === 1 && !D.units.some(one => one.name.toUpperCase() === name) ? next.blocks[0] : null);
      u = found || null; other = null;
      if (found) { if (section === "SHIP") ship = found; if (place[2] && place[2].toUpperCase() === found.b.hex + found.b.facing) found.at = place[2].toUpperCase(); }
      else { other = next.other.length; next.other.push(section + " " + order); told.push(section.toLowerCase() + " " + order + " has no page here: its lines are kept as they are"); }
      continue;
    }
    if (other !== null) {
      next.other[other] += heading ? "\n" + (section + " " + order).trim() : "\n  " + order;
      continue;
    }
    const mine = u && u.b.kind === "shuttle" && ["ENERGY", "BREAK", "DAMAGE"].includes(section) ? ship : u;
    if (!mine) { if (order) told.push("“" + order + "” belongs to no unit and was left out"); continue; }
    if (!order) continue;
    if (section === "SPEED") {
      const n = Number(order);
      if (mine.b.speeds && !mine.b.speeds.fixed && Number.isInteger(n)) mine.speed = n;
      else told.push("SPEED " + order + ": the speed is not asked for now");
    } else if (section === "ENERGY") {
      if (mine.b.energy) enterEnergy(mine, order); else told.push("“" + order + "” was left out: no energy is asked for now");
    } else if (R.form === "EAF") told.push("“" + order + "” was left out: only energy is asked for now");
    else if (section === "COURSE" && heading) mine.course = order;
    else if (section === "PLOT" || section === "COURSE") {
      if (/^LEAVE\s+(THE\s+)?MAP$/i.test(order)) { mine.leave = true; continue; }
      const leaves = order.match(/^(.*?)\s+LEAVE\s+MAP$/i);
      if (leaves) mine.leave = true;
      const { codes, rest } = mine.steer.length ? { codes: [], rest: order } : readCodes(leaves ? leaves[1] : order);
      mine.codes.push(...codes);
      if (rest) mine.steer.push(codes.length ? (leaves ? leaves[1] : order).slice(-rest.length) : leaves ? leaves[1] : order);
    } else if (section === "DO") mine.do.push(order);
    else if (section === "BREAK") mine.breaks.push(order);
    else if (section === "DAMAGE") mine.damage.push(order);
  }
  S = next;
  return told;
}

/* --- drawing ------------------------------------------------------------------------------------------------------ */
const chart = document.querySelector("#map-box .map"), svg = M ? chart : null;
const layers = svg ? { reach: s("g", { class: "reach" }), other: s("g", {}), next: s("g", { class: "next" }), course: s("g", {}) } : null;
let zoom = 1, aim = null;
if (svg) {
  const firstCounter = svg.querySelector(".counter");
  svg.insertBefore(layers.reach, svg.querySelector(".no"));
  for (const layer of [layers.other, layers.next, layers.course]) svg.insertBefore(layer, firstCounter);
  svg.setAttribute("tabindex", "0");
  svg.setAttribute("aria-describedby", "map-hint");
}
function drawCourse(u, w, layer, cls) {
  const points = w.path.map(p => centre(p.hex).join(" "));
  if (points.length > 1) layer.append(s("path", { class: "course " + cls, d: "M" + points.join("L") }));
  if (w.straight.length) layer.append(s("path", { class: "course rest " + cls, d: "M" + [w.path[w.path.length - 1], ...w.straight].map(p => centre(p.hex).join(" ")).join("L") }));
  for (const p of w.path.slice(1)) {
    const [x, y] = centre(p.hex);
    layer.append(s("g", {}, s("circle", { class: "pt", cx: x, cy: y, r: 9 }), s("text", { class: "ptno", x, y: y + 4 }, p.impulse), s("title", {}, "impulse " + p.impulse + ": " + p.code + " to " + p.hex + p.facing)));
  }
  const end = w.path[w.path.length - 1], [x, y] = centre(end.hex);
  if (w.path.length > 1) layer.append(s("path", { class: "bow", d: "M0-24 6-12-6-12Z", transform: "translate(" + x + " " + y + ") rotate(" + 60 * FACINGS.indexOf(end.facing) + ")" }));
}
function drawMap() {
  if (!svg) { $("map-hint").textContent = "Courses are plotted once speeds are announced."; return; }
  const u = now();
  for (const layer of Object.values(layers)) layer.replaceChildren();
  if (S.on || !u || !u.b.helm) { $("map-hint").textContent = ""; return; }
  const w = walk(u), ways = reach(u, w), direct = new Map();
  const end = w.path[w.path.length - 1], left = w.due.length - (w.path.length - 1);
  for (const code of CODES) if (left > 0 && !w.fault && !u.course) { const there = step(u, end, code, w.path.length - 1); if (!there.refused && !there.left) direct.set(there.hex, code); }
  const most = R.through - R.first + 1;
  for (const [hex, way] of ways) {
    if (direct.has(hex)) continue;
    const [x, y] = centre(hex);
    layers.reach.append(s("g", { "data-hex": hex }, s("path", { d: outline(hex), "fill-opacity": (0.30 - 0.22 * (way.impulse - R.first) / most).toFixed(3) }), s("text", { x, y: y + 17 }, way.impulse)));
  }
  for (const [hex] of direct) {
    const [x, y] = centre(hex), codes = CODES.filter(code => { const there = step(u, end, code, w.path.length - 1); return there.hex === hex; });
    layers.next.append(s("g", { "data-hex": hex }, s("path", { d: outline(hex, 0.93) }), s("text", { x, y: y + 5 }, codes.join(" ")), s("title", {}, codes.join(" or ") + ": " + hex + " in impulse " + w.due[w.path.length - 1])));
  }
  for (const one of S.blocks) if (one !== u && one.b.helm) drawCourse(one, walk(one), layers.other, "other");
  drawCourse(u, w, layers.course, "");
  const [mx, my] = centre(u.b.hex);
  layers.course.append(s("circle", { class: "me", cx: mx, cy: my, r: 27 }));
  if (aim) {
    const place = placeAt(w, aim.impulse), [ax, ay] = centre(place.hex), [tx, ty] = centre(aim.target.hex);
    /* What all the weapons chosen bear on from there, as far as the target and a little beyond. */
    const far = Math.max(6, range(place.hex, aim.target.hex) + 2), [c0, r0] = at(place.hex);
    let inside = "";
    for (let c = Math.max(M.first[0], c0 - far); c <= Math.min(M.last[0], c0 + far); c++) for (let r = Math.max(M.first[1], r0 - far - 1); r <= Math.min(M.last[1], r0 + far + 1); r++) {
      const hex = named(c, r), gap = range(place.hex, hex);
      if (gap > 0 && gap <= far && aim.guns.every(g => gap >= g.least && gap <= g.most && bears(g, place.hex, place.facing, hex))) inside += outline(hex, 0.96);
    }
    if (inside) layers.reach.prepend(s("path", { class: "inarc", d: inside }));
    layers.course.append(s("line", { class: "aim", x1: ax, y1: ay, x2: tx, y2: ty }), s("circle", { class: "over2", cx: tx, cy: ty, r: 25 }));
  }
  $("map-hint").textContent = u.course ? "The plot is a COURSE: take it away to plot by clicking." : !w.due.length ? u.b.name + " does not move in these impulses." : left > 0 ? "Click a hex to fly there: " + left + " of " + w.due.length + " hexes left, the number is the impulse. Click the last one again to slip instead of turn." : "All " + w.due.length + " hexes are plotted.";
}
function flyTo(hex) {
  const u = now(), w = walk(u), way = reach(u, w).get(hex);
  if (!way) return;
  const direct = CODES.find(code => { const there = step(u, w.path[w.path.length - 1], code, w.path.length - 1); return there.hex === hex; });
  u.codes = [...u.codes.slice(0, w.path.length - 1), ...(direct && w.due.length > w.path.length - 1 ? [direct] : codesTo(way))];
  refresh();
}
if (svg) {
  svg.addEventListener("click", event => {
    const u = now();
    if (S.on || !u || !u.b.helm) return;
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const guess = [Math.round((p.x - M.units[4] - M.units[0]) / M.units[2]) + M.drawn[0], Math.round((p.y - M.units[4] - M.units[1]) / M.units[3]) + M.drawn[1]];
    let best = "", gap = 32;
    for (let c = guess[0] - 1; c <= guess[0] + 1; c++) for (let r = guess[1] - 1; r <= guess[1] + 1; r++) {
      if (c < 0 || r < 0) continue;
      const hex = named(c, r);
      if (!onMap(hex)) continue;
      const [x, y] = centre(hex), d = Math.hypot(p.x - x, p.y - y);
      if (d < gap) { gap = d; best = hex; }
    }
    const w = walk(u), n = w.path.length - 1;
    if (n > 0 && best === w.path[n].hex && !w.fault) {
      /* The last hex once more: turn into it instead of slipping, or the other way round. */
      const ways = CODES.filter(code => step(u, w.path[n - 1], code, n - 1).hex === best);
      u.codes = [...u.codes.slice(0, n - 1), ways[(ways.indexOf(u.codes[n - 1]) + 1) % ways.length]];
      refresh();
      return;
    }
    const back = w.path.findIndex((one, n) => one.hex === best && n < w.path.length - 1);
    const ways = reach(u, w);
    if (best && ways.has(best)) flyTo(best);
    else if (best && back >= 0) { u.codes = u.codes.slice(0, back); refresh(); }
  });
  svg.addEventListener("keydown", event => {
    const slip = event.shiftKey, key = { ArrowUp: "F", ArrowLeft: slip ? "SL" : "L", ArrowRight: slip ? "SR" : "R", Backspace: "back", ArrowDown: "back" }[event.key];
    if (!key || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    if (key === "back") now().codes.pop(); else addCode(key);
    refresh();
  });
}
const setZoom = z => { zoom = Math.min(4, Math.max(1, z)); chart.classList.toggle("fit", zoom === 1); chart.style.width = zoom === 1 ? "" : Math.round(100 * zoom) + "%"; };
$("zoom-in").addEventListener("click", () => { setZoom(zoom * 1.35); show(); });
$("zoom-out").addEventListener("click", () => { setZoom(zoom / 1.35); show(); });
/* Brings the unit whose orders are written into sight. */
function show() {
  const box = $("map-box"), mine = now() && [...chart.querySelectorAll(".counter")].find(g => g.dataset.unit === now().b.name);
  if (!mine) return;
  const at = mine.getBoundingClientRect(), frame = box.getBoundingClientRect();
  box.scrollLeft += at.x + at.width / 2 - frame.x - frame.width / 2;
  box.scrollTop += at.y + at.height / 2 - frame.y - frame.height / 2;
}
function addCode(code) {
  const u = now(), w = walk(u);
  if (w.fault || w.due.length <= w.path.length - 1) return;
  const next = step(u, w.path[w.path.length - 1], code, w.path.length - 1);
  if (!next.refused) u.codes = [...u.codes.slice(0, w.path.length - 1), code];
}

/* --- the steps of the form ---------------------------------------------------------------------------------------- */
const key = u => "u" + S.blocks.indexOf(u);
const card = (number, title, ...kids) => h("section", { class: "card step-card", "aria-label": title }, h("h2", {}, h("span", { class: "n", "aria-hidden": "true" }, number), title), kids);
function energyStep(u, number) {
  const e = u.b.energy, sums = balance(u), points = new Map(sums.rows.map(r => [r.field.id, r.points])), rows = [];
  const set = (field, change) => { u.fields[field.id] = { ...chosen(u, field), ...change }; refresh(); };
  const control = field => {
    const pick = chosen(u, field), id = key(u) + "-" + field.id.replace(/\W+/g, "-");
    const box = h("select", { id, "aria-label": e.labels[field.line] + ": " + field.label, onchange: event => set(field, { opt: Number(event.target.value) }) }, options(field.options.map((o, n) => [n, o.show]), pick.opt));
    const parts = [box];
    if (field.id === "SPEED" && (field.options[pick.opt].mixes || []).length > 1)
      parts.push(h("select", { class: "from", id: id + "-from", "aria-label": "Power for the speed", onchange: event => set(field, { mix: Number(event.target.value) }) }, options([[0, "any power"], ...field.options[pick.opt].mixes.map((mix, n) => [n + 1, mix.text.replace("MOVE ", "").toLowerCase()])], pick.mix)));
    else if ((field.sources || []).length > 1 && pick.opt)
      parts.push(h("select", { class: "from", id: id + "-from", "aria-label": "Power for " + field.label, onchange: event => set(field, { src: event.target.value }) }, options(field.sources.map(src => [src, src ? "from " + src.toLowerCase() : "any power"]), pick.src)));
    const option = field.options[pick.opt], faults = sums.faults.filter(f => f.at && f.at === field.id);
    return [h("div", { class: "ctl" }, parts), option.warn ? h("p", { class: "warn" }, option.warn) : !pick.opt && field.none ? h("p", { class: "tiny" }, field.none) : "", field.limit && (field.options.length < 2 || pick.opt === field.options.length - 1) ? h("p", { class: "tiny" }, field.limit) : "", faults.map(f => h("p", { class: "err" }, f.text))];
  };
  const cost = n => h("td", { class: "cost" + (n ? "" : " none") }, say(n));
  let line = 0;
  const sixes = new Set([13, 15]);
  for (const field of e.fields.slice().sort((a, b) => a.line - b.line)) {
    if (sixes.has(field.line)) {
      if (field.line === line) continue;
      const group = e.fields.filter(f => f.line === field.line);
      rows.push(h("tr", {}, h("td", { class: "no" }, field.line), h("th", { scope: "row" }, e.labels[field.line]), h("td", {}, h("div", { class: "six" }, group.map(f => {
        const id = key(u) + "-" + f.id.replace(/\W+/g, "-");
        return h("label", { for: id }, f.label, h("select", { id, onchange: event => set(f, { opt: Number(event.target.value) }), disabled: f.options.length < 2, title: f.limit || f.about }, options(f.options.map((o, n) => [n, o.show]), chosen(u, f).opt)));
      })), sums.faults.filter(f => group.some(g => g.id === f.at) || f.at === "REPAIR" && field.line === 15).map(f => h("p", { class: "err" }, f.text))), cost(sum(group, f => points.get(f.id)))));
    } else rows.push(h("tr", {}, h("td", { class: "no" }, field.line), h("th", { scope: "row" }, field.line === 12 ? e.labels[12] : field.label, field.about ? h("div", { class: "tiny" }, field.about) : ""), h("td", {}, control(field)), cost(points.get(field.id))));
    line = field.line;
  }
  rows.push(h("tr", { class: "sum" }, h("td", { class: "no" }, "20"), h("th", { scope: "row", colspan: 2 }, e.labels[20]), h("td", { class: "cost" }, say(sums.used))));
  rows.push(h("tr", {}, h("td", { class: "no" }, "21"), h("th", { scope: "row", colspan: 2 }, e.labels[21]), h("td", { class: "cost" }, say(sums.drained))));
  const scale = 100 / Math.max(sums.made + e.power.BATTERY, sums.used, 1), part = (cls, n) => { const i = h("i", { class: cls }); i.style.width = (n * scale) + "%"; return i; };
  const over = Math.max(0, sums.used - sums.made - e.power.BATTERY);
  const gauge = h("div", { class: "gauge" }, h("div", { class: "words" }, h("b", { class: sums.short ? "over" : "" }, say(sums.used) + " of " + say(sums.made) + " points used"), h("span", {}, "warp " + e.power.WARP + ", impulse " + e.power.IMPULSE + ", reactor " + e.power.APR), h("span", {}, "batteries " + say(e.power.BATTERY) + " of " + e.boxes + (sums.drained ? ", " + say(sums.drained) + " used" : ""))),
    h("div", { class: "bar2", role: "img", "aria-label": say(sums.used) + " of " + say(sums.made) + " points used" }, part("gen", Math.min(sums.used, sums.made)), part("bat", Math.min(sums.drained, e.power.BATTERY)), part("too", over)),
    sums.faults.filter(f => !e.fields.some(field => field.id === f.at) && f.at !== "REPAIR").map(f => h("p", { class: "err" }, f.text)));
  const begin = h("p", { class: "line" }, h("button", { type: "button", id: key(u) + "-usual", onclick: () => suggest(u) }, "Fill in the usual"), h("span", { class: "tiny" }, "weapons, phasers, then speed up to that of last turn"));
  return card(number, "Energy", gauge, begin, h("div", { class: "scroll" }, h("table", { class: "eaf" }, h("tbody", {}, rows))),
    u.rest.length ? [h("h3", {}, "Entries the form has no field for"), h("p", { class: "tiny" }, "They are sent as they are and not reckoned here; the receipt does."), lineList(u, "rest", "entry")] : "");
}
/* A form to begin with: weapons made or kept ready, then phasers, then speed up to that of last turn, without batteries. */
function suggest(u) {
  const e = u.b.energy, fits = (field, opt) => { u.fields[field.id] = { opt, src: "", mix: 0 }; const sums = balance(u); return !sums.faults.length && !sums.drained; };
  const most = (field, from) => { let opt = from; while (opt > 0 && !fits(field, opt)) opt--; if (!opt) delete u.fields[field.id]; };
  u.fields = {};
  const speed = e.fields.find(f => f.id === "SPEED"), last = speed.options.findIndex(o => o.hexes === e.prior);
  for (const field of e.fields) if (field.line === 10 && field.options.length > 1) { const opt = Math.max(1, field.options.findIndex(o => o.text && o.uses)); if (!fits(field, opt)) delete u.fields[field.id]; }
  for (const field of e.fields) if (field.id === "PHASERS") most(field, field.options.length - 1);
  most(speed, last > 0 ? last : speed.options.length - 1);
  refresh();
}
function speedStep(u, number) {
  const speeds = u.b.speeds, list = Array.from({ length: speeds.top + 1 }, (_, n) => [n, String(n)]);
  return card(number, "Speed", speeds.fixed ? h("p", {}, u.b.name + " moves at speed " + speeds.now + " in this scenario.") : h("p", { class: "line" }, h("label", { for: key(u) + "-speed" }, "Hexes this turn"), h("select", { id: key(u) + "-speed", onchange: event => { u.speed = event.target.value === "" ? null : Number(event.target.value); refresh(); } }, options([["", "as it is: " + speeds.now], ...list], u.speed === null ? "" : u.speed))));
}
function plotStep(u, number) {
  const w = walk(u), end = w.path[w.path.length - 1], left = w.due.length - (w.path.length - 1), speed = speedOf(u), table = helmOf(u);
  const shown = u.codes.map((code, n) => h("li", { class: w.fault && n === w.fault.n ? "bad" : n >= w.due.length ? "more" : "" }, code, h("small", {}, n < w.due.length ? "imp " + w.due[n] : "spare")));
  if (!u.course && left > 0 && !w.fault) shown.push(h("li", { class: "more" }, u.codes.length ? "+" + left + " ahead" : left + " hexes", h("small", {}, u.codes.length ? "straight on" : "straight on, if you plot nothing")));
  const names = { F: "ahead", L: "turn left", R: "turn right", SL: "slip left", SR: "slip right" };
  const keys = CODES.map(code => {
    const next = left > 0 && !w.fault ? step(u, end, code, w.path.length - 1) : { refused: w.fault ? "mend the plot first" : "all hexes are plotted" };
    return h("button", { type: "button", id: key(u) + "-code-" + code, disabled: Boolean(next.refused) || Boolean(u.course), title: next.refused || (next.hex || "off the map") + (next.facing || ""), onclick: () => { addCode(code); refresh(); } }, code, h("small", {}, names[code]));
  });
  const typed = h("input", { id: key(u) + "-codes", class: "wide", "aria-label": "Plot codes", value: codesText(u.codes), placeholder: "2F R F SL", spellcheck: "false", disabled: Boolean(u.course), onchange: event => { const { codes, rest } = readCodes(event.target.value); u.codes = codes; if (rest) tell("“" + rest + "” is no plot code; below you may steer by a unit or react"); refresh(); } });
  const turn = table.mode, since = Math.floor(end.state / table.slips);
  return card(number, "Plot",
    h("p", { class: "tiny" }, "Speed " + speed + (w.due.length ? ": moves on impulse " + w.due.join(", ") : ": no move in these impulses") + ". Turn mode " + turn + ": " + (since >= turn ? "may turn now." : since + " of " + turn + " hexes flown straight.")),
    u.course ? h("p", { class: "line" }, h("span", { class: "mono" }, "COURSE " + u.course), h("button", { type: "button", onclick: () => { u.course = ""; refresh(); } }, "Take the course away")) : h("ol", { class: "codes", "aria-label": "Codes plotted" }, shown),
    w.fault ? h("p", { class: "err" }, w.fault.text) : "",
    h("div", { class: "keys" }, keys, h("button", { type: "button", id: key(u) + "-undo", disabled: !u.codes.length, onclick: () => { u.codes.pop(); refresh(); } }, "Undo", h("small", {}, "last")), h("button", { type: "button", id: key(u) + "-clear", disabled: !u.codes.length, onclick: () => { u.codes = []; refresh(); } }, "Clear", h("small", {}, "all"))),
    h("p", { class: "line" }, h("label", { for: key(u) + "-codes" }, "Typed"), typed),
    u.b.may_leave ? h("p", { class: "line" }, h("label", {}, h("input", { type: "checkbox", id: key(u) + "-leave", checked: u.leave, onchange: event => { u.leave = event.target.checked; refresh(); } }), "LEAVE MAP: the ship may fly off the map")) : "",
    u.b.script ? "" : h("details", { class: "more", open: u.steer.length > 0 }, h("summary", {}, "Steer by a unit, or react"), steerBuild(u), lineList(u, "steer", "line of the plot")));
}

/* Widgets that fill in a line of the language. */
const memory = {};
const keep = (id, first) => (memory[id] === undefined ? (memory[id] = first) : memory[id]);
const choice = (id, label, pairs, first, again) => { if (pairs.length && !pairs.some(([v]) => String(v) === String(keep(id, first)))) memory[id] = pairs[0][0]; return h("select", { id, "aria-label": label, onchange: event => { memory[id] = event.target.value; again(); } }, options(pairs, keep(id, first))); };
const numberBox = (id, label, first, again) => h("input", { id, type: "number", min: 0, max: 99, "aria-label": label, value: keep(id, first), onchange: event => { memory[id] = event.target.value; again(); } });
function fillIn(id, template, u, again) {
  const parts = [], text = template.replace(/\{(\w+)\}/g, (_, slot) => {
    const sid = id + "-" + slot;
    const lists = { unit: u.b.names, op: W.operators, arc: W.arcs, shield: ["#1", "#2", "#3", "#4", "#5", "#6"], launched: W.launched, fired: W.fired, weapon: (u.b.weapons || []).map(w => w.name) };
    if (slot in lists) {
      parts.push(choice(sid, slot, lists[slot].map(v => [v, slot === "launched" || slot === "fired" ? v.trim().toLowerCase() || "anything" : v]), slot === "arc" ? "FA" : lists[slot][0], again));
      return memory[sid];
    }
    if (slot === "hex") { parts.push(h("input", { id: sid, size: 5, "aria-label": "hex", value: keep(sid, u.b.hex), onchange: event => { memory[sid] = (event.target.value.match(/\d{4}/) || [u.b.hex])[0]; again(); } })); return memory[sid]; }
    parts.push(numberBox(sid, slot, slot === "m" ? 8 : 4, again));
    return String(Math.max(0, Math.min(99, Math.round(Number(memory[sid]) || 0))));
  });
  return { parts, text: text.replace(/(\d+) TO (\d+)$/, (_, a, b) => Math.min(a, b) + " TO " + Math.max(a, b)) };
}
function conditionBuild(id, u, open, again) {
  const list = W.conditions.filter(one => open || one.public).filter(one => !/\{unit\}/.test(one.text) || u.b.names.length);
  const pick = choice(id + "-kind", "Condition", list.map((one, n) => [n, one.show]), 0, again), { parts, text } = fillIn(id, list[Number(memory[id + "-kind"])].text, u, again);
  const not = keep(id + "-not", "") ? "NOT " : "";
  return { parts: [choice(id + "-not", "Is it so, or not", [["", "if"], ["not", "if not:"]], "", again), pick, ...parts], text: not + text };
}
const joined = {};
/* A condition of several parts: each is put behind the ones before it. */
function conditions(id, u, open, again) {
  const built = conditionBuild(id, u, open, again), before = joined[id] || "";
  const whole = before ? before + " " + keep(id + "-join", "AND") + " " + built.text : built.text;
  return { text: whole, parts: [before ? h("p", { class: "line" }, h("span", { class: "mono" }, before), h("button", { type: "button", id: id + "-less", onclick: () => { joined[id] = ""; again(); } }, "Begin anew")) : "", h("div", { class: "line" }, before ? choice(id + "-join", "And, or", [["AND", "and"], ["OR", "or"]], "AND", again) : "", built.parts, h("button", { type: "button", id: id + "-more", title: "Add another condition to this one", onclick: () => { joined[id] = before && memory[id + "-join"] === "OR" ? "(" + whole + ")" : whole; again(); } }, "and / or …"))] };
}
const addLine = (u, list, text) => { u[list].push(text); refresh(); };
function lineList(u, list, what) {
  if (!u[list].length) return "";
  const before = new Map(), w = list === "do" && u.b.helm ? walk(u) : null;
  return h("ul", { class: "list" }, u[list].map((text, n) => {
    const why = w ? judge(u, w, text, before) : "", id = key(u) + "-" + list + "-" + n;
    const move = by => { const there = n + by; [u[list][n], u[list][there]] = [u[list][there], u[list][n]]; refresh(); };
    return h("li", {}, h("div", { class: "row" }, h("textarea", { id, rows: 1, class: "mono", "aria-label": what + " " + (n + 1), spellcheck: "false", value: text, onchange: event => { u[list][n] = event.target.value.replace(/\s*\n\s*/g, " ").trim(); if (!u[list][n]) u[list].splice(n, 1); refresh(); } }),
      u[list].length > 1 ? h("button", { type: "button", id: id + "-up", disabled: n === 0, "aria-label": "Up: " + text, onclick: () => move(-1) }, "↑") : "", h("button", { type: "button", id: id + "-x", "aria-label": "Take away: " + text, onclick: () => { u[list].splice(n, 1); refresh(); } }, "✕")), why ? h("p", { class: "err" }, why) : "");
  }));
}
function steerBuild(u) {
  const id = key(u) + "-steer", again = refresh, ways = W.pilots.map((one, n) => ["p" + n, one.show]).filter(() => u.b.names.length);
  const kinds = [...ways, ["r", "replace the next code, when …"], ...(u.b.tac ? [["t", "tactical maneuver"]] : [])];
  const pick = choice(id, "How to steer", kinds, kinds[0][0], again), kind = memory[id];
  let parts = [], text = "", extra = "";
  if (kind === "t") {
    parts = [choice(id + "-way", "Turn", [["L", "left"], ["R", "right"]], "R", again), "in impulse", numberBox(id + "-imp", "impulse", R.first, again)];
    text = "TAC " + memory[id + "-way"] + " AT " + Number(memory[id + "-imp"]);
  } else if (kind === "r") {
    const when = conditions(id + "-if", u, true, again);
    parts = [choice(id + "-code", "Code", CODES.map(code => [code, code]), "R", again)];
    extra = when.parts;
    text = "IF " + when.text + " THEN " + memory[id + "-code"];
  } else ({ parts, text } = fillIn(id, W.pilots[Number(kind.slice(1))].text, u, again));
  return h("div", { class: "build" }, h("div", { class: "line" }, pick, parts), extra, h("p", { class: "line" }, h("code", { class: "mono" }, text), h("button", { type: "button", id: id + "-add", onclick: () => { if (kind[0] === "p") u.steer = u.steer.filter(line => !PILOT.test(line)); addLine(u, "steer", text); } }, "Add")));
}
const picked = {};
function fireStep(u, number) {
  const b = u.b, id = key(u) + "-fire", w = walk(u), mine = picked[id] || (picked[id] = new Set()), again = refresh;
  const guns = b.weapons, kinds = [["FIRE", "Direct fire"], ["LAUNCH", "Seeking weapons"]].filter(([verb]) => guns.some(g => g.verb === verb));
  for (const name of [...mine]) if (!guns.some(g => g.name === name && !unready(u, g))) mine.delete(name);
  const verb = guns.find(g => mine.has(g.name))?.verb || "";
  const chips = kinds.map(([kind, title]) => h("fieldset", { class: "chips" }, h("legend", {}, title), guns.filter(g => g.verb === kind).map(g => {
    const why = unready(u, g);
    return h("label", { title: why }, h("input", { type: "checkbox", id: id + "-" + g.name.replace(/\W/g, "-"), checked: mine.has(g.name), disabled: Boolean(why), onchange: event => { if (event.target.checked) { if (g.verb === "LAUNCH") mine.clear(); for (const other of guns) if (other.verb !== g.verb) mine.delete(other.name); mine.add(g.name); } else mine.delete(g.name); again(); } }), h("span", {}, g.name, h("small", {}, [g.arc, g.most ? g.least + "–" + g.most + " hexes" : "", g.state].filter(Boolean).join(", "), why ? h("br") : "", why ? why.replace(/^.*?: /, "") : "")));
  })));
  const selected = guns.filter(g => mine.has(g.name)), prey = D.units.filter(one => one.enemy && selected.every(g => !(g.not && g.not[one.name])));
  const names = [...prey.map(one => [one.say, one.name + " (" + one.hex + one.facing + ")"]), ["NEAREST ENEMY SHIP", "the nearest enemy ship"], ["NEAREST SEEKER", "the nearest enemy seeking weapon"], ["IT", "whatever the condition holds for"]];
  let build = h("p", { class: "tiny" }, guns.some(g => !unready(u, g)) ? "Choose one weapon or several to fire together." : "No weapon can be used: give them energy first.");
  aim = null;
  if (selected.length) {
    const target = choice(id + "-target", "Target", names, names[0][0], again), say1 = memory[id + "-target"], unit = prey.find(one => one.say === say1);
    const list = groupNames(selected.map(g => g.name)), most = Math.min(...selected.map(g => g.most || 99)), fire = verb === "FIRE";
    const hows = [...(fire ? [["range", "as soon as it is in range"]] : [["now", "as soon as it can"]]), ["at", "in impulse …"], ["last", "in the last impulse"], ["if", "when …"]];
    const how = choice(id + "-how", "When", hows, hows[0][0], again), mode = memory[id + "-how"], every = keep(id + "-every", false);
    let extra = "", parts = [], head = "", tail = "", cond = null;
    if (mode === "range") { parts = ["at most", numberBox(id + "-range", "range", Math.min(4, most), again), "hexes"]; head = "IF RANGE <= " + Number(memory[id + "-range"]) + " THEN "; if (say1 === "IT") head = "IF SEEKER WITHIN " + Number(memory[id + "-range"]) + " THEN "; }
    if (mode === "at") { parts = [numberBox(id + "-imp", "impulse", Math.min(R.through, Math.max(R.first, w.due[w.due.length - 1] || R.first)), again)]; head = "AT " + Number(memory[id + "-imp"]) + " "; }
    if (mode === "last") head = "LAST ";
    if (mode === "if") { cond = conditions(id + "-if", u, true, again); extra = cond.parts; head = "IF " + cond.text + " THEN "; }
    if (say1 === "IT" && (mode === "at" || mode === "last" || mode === "now")) tail = " IF SEEKER WITHIN 1";
    let dir = "";
    if (!fire) { parts.push(choice(id + "-dir", "Direction", [["", "any direction"], ...[...FACINGS].map(f => [f, "direction " + f])], "", again)); dir = memory[id + "-dir"] ? " DIR " + memory[id + "-dir"] : ""; }
    const text = (every ? "EVERY " : "") + head + verb + " " + list + " AT " + say1 + dir + tail, why = judge(u, w, text, new Map(taken(u)));
    build = h("div", { class: "build" }, h("div", { class: "line" }, "At", target, how, parts, h("label", {}, h("input", { type: "checkbox", id: id + "-every", checked: every, onchange: event => { memory[id + "-every"] = event.target.checked; again(); } }), "every time")), extra,
      unit && fire ? preview(u, w, selected, unit, id) : "",
      h("p", { class: "line" }, h("code", { class: "mono" }, text), h("button", { type: "button", class: "main", id: id + "-add", disabled: Boolean(why), onclick: () => { mine.clear(); addLine(u, "do", text); } }, "Add this order")), why ? h("p", { class: "err" }, why) : "");
  }
  return card(number, "Fire and activities", chips, build, otherActs(u), lineList(u, "do", "order"));
}
const taken = u => { const before = new Map(), w = walk(u); for (const text of u.do) judge(u, w, text, before); return before; };
function groupNames(names) {
  const kinds = new Map();
  for (const name of names) { const [kind, letter] = name.split(" "); kinds.set(kind, [...(kinds.get(kind) || []), letter]); }
  return [...kinds].map(([kind, letters]) => kind + " " + letters.join(",")).join(" ");
}
/* Along my plot, against where the target stands now: range, arc, the shield it turns, chance and points. */
function preview(u, w, selected, unit, id) {
  const rows = [], last = { hex: "", facing: "" };
  const spot = unit.hexes.length ? unit.hexes[0] : unit.hex;
  for (let impulse = R.first; impulse <= R.through; impulse++) {
    const place = placeAt(w, impulse);
    if (place.hex === last.hex && place.facing === last.facing) continue;
    last.hex = place.hex; last.facing = place.facing;
    if (impulse > w.until && rows.length) break;
    const far = range(place.hex, spot), each = selected.map(g => { const hit = g.table[far], inside = bears(g, place.hex, place.facing, spot); return { ok: inside && Boolean(hit) && hit[0] > 0, inside, hit }; });
    const points = sum(each, one => one.ok ? one.hit[1] : 0), good = each.filter(one => one.ok), chance = good.length ? Math.max(...good.map(one => one.hit[0])) : 0;
    rows.push({ impulse, place, far, each, points, good: good.length, chance, shields: facedShields(unit, place.hex) });
  }
  const at1 = Number(memory[id + "-imp"]), marked = memory[id + "-how"] === "at" ? at1 : 0, best = Math.max(...rows.map(r => r.points));
  const from = rows.find(r => r.impulse === marked) || rows.find(r => r.points === best) || rows[rows.length - 1];
  if (from) aim = { impulse: marked || from.impulse, target: { ...unit, hex: spot }, guns: selected };
  return h("details", { class: "more", open: true }, h("summary", {}, "If " + unit.name + " stayed where it is"), h("div", { class: "scroll aimbox", tabindex: 0, role: "group", "aria-label": "Ranges and chances along my plot" }, h("table", { class: "aimtable" }, h("thead", {}, h("tr", {}, ["Impulse", "I am at", "Range", "Bear", "Hit", "Points", unit.shields.length ? "Its shield" : ""].filter(Boolean).map(t => h("th", { scope: "col" }, t)))), h("tbody", {}, rows.map(r => h("tr", { class: r.good ? "yes" : "no" }, h("td", {}, h("button", { type: "button", id: id + "-row" + r.impulse, class: marked === r.impulse ? "main" : "", "aria-pressed": String(marked === r.impulse), "aria-label": "Fire in impulse " + r.impulse, onclick: () => { memory[id + "-how"] = "at"; memory[id + "-imp"] = r.impulse; refresh(); } }, r.impulse)), h("td", { class: "mono" }, r.place.hex + r.place.facing), h("td", {}, r.far), h("td", {}, r.good + " of " + selected.length + (r.good ? "" : r.each.some(one => one.inside) ? ", range" : ", arc")), h("td", {}, r.good ? r.chance + " %" : "–"), h("td", {}, r.good ? say(r.points) + (r.points === best ? " ★" : "") : "–"), unit.shields.length ? h("td", {}, r.shields.map(n => "#" + n + ": " + unit.shields[n - 1]).join(" or ") || "–") : ""))))), h("p", { class: "tiny" }, "Press an impulse to fire in it. The map shows where they bear in impulse " + (aim ? aim.impulse : "–") + ". Average points, with lock-on and my scanners, against where it stands now; cloaks and what lies between are not reckoned."));
}
function otherActs(u) {
  const acts = u.b.acts || [], id = key(u) + "-act", again = refresh;
  const usable = acts.filter(one => { const paid = !u.b.energy || one.by.some(f => ready(u, f)); return paid ? !(one.spoiled && u.b.energy) : !one.needs; });
  if (!acts.length) return "";
  const groupsOf = [...new Set(acts.map(one => one.group))];
  if (!acts.some(one => one.text === keep(id, acts[0].text))) memory[id] = acts[0].text;
  const pick = h("select", { id, "aria-label": "Activity", onchange: event => { memory[id] = event.target.value; again(); } }, groupsOf.map(group => h("optgroup", { label: group }, options(acts.filter(one => one.group === group).map(one => [one.text, one.text, !usable.includes(one)]), memory[id]))));
  const act = acts.find(one => one.text === memory[id]), alone = /^RESERVE|^GUIDE/.test(act.text);
  const how = choice(id + "-how", "When", [["now", "as soon as it can"], ...(alone ? [] : [["at", "in impulse …"], ["last", "in the last impulse"]]), ["if", "when …"]], "now", again), mode = memory[id + "-how"];
  let parts = [], extra = "", head = "";
  if (mode === "at") { parts = [numberBox(id + "-imp", "impulse", R.first, again)]; head = "AT " + Number(memory[id + "-imp"]) + " "; }
  if (mode === "last") head = "LAST ";
  if (mode === "if") { const cond = conditions(id + "-if", u, true, again); extra = cond.parts; head = "IF " + cond.text + " THEN "; }
  const text = head + act.text, why = judge(u, walk(u), text, new Map());
  return h("details", { class: "more" , open: keep(id + "-open", false), ontoggle: event => { memory[id + "-open"] = event.target.open; } }, h("summary", {}, "Other activities: " + groupsOf.join(", ").toLowerCase()), h("div", { class: "build" }, h("div", { class: "line" }, pick, how, parts), extra, h("p", { class: "line" }, h("code", { class: "mono" }, text), h("button", { type: "button", id: id + "-add", disabled: Boolean(why), onclick: () => addLine(u, "do", text) }, "Add this order")), why ? h("p", { class: "err" }, why) : ""));
}
function breakStep(u, number) {
  const id = key(u) + "-break", built = conditions(id, u, false, refresh), dam = u.b.damage || {}, cats = Object.keys(dam), did = key(u) + "-dam";
  const parts = [h("h3", {}, "Stop and ask me, as soon as"), h("div", { class: "build" }, built.parts, h("p", { class: "line" }, h("code", { class: "mono" }, built.text), h("button", { type: "button", id: id + "-add", onclick: () => { joined[id] = ""; addLine(u, "breaks", built.text); } }, "Add this break"))), lineList(u, "breaks", "break")];
  if (cats.length) {
    const cat = choice(did, "Kind of damage", cats.map(c => [c, c.toLowerCase()]), cats[0], refresh), box = choice(did + "-box", "Box", dam[memory[did]].map(b => [b, b]), dam[memory[did]][0], refresh), place = choice(did + "-place", "Place", W.places.map(p => [p, p.toLowerCase()]), W.places[0], refresh);
    const text = memory[did] + " " + memory[did + "-box"] + " " + memory[did + "-place"];
    parts.push(h("h3", {}, "When I am hit and may choose"), h("div", { class: "build" }, h("div", { class: "line" }, "of", cat, "damage takes", box, place), h("p", { class: "line" }, h("code", { class: "mono" }, text), h("button", { type: "button", id: did + "-add", onclick: () => addLine(u, "damage", text) }, "Add this choice")), h("p", { class: "tiny" }, "Where you choose nothing, the default procedure does (D4.223).")), lineList(u, "damage", "damage choice"));
  }
  return card(number, "Breaks and damage", parts);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */
let words = "";
const tell = text => { words = text; $("said").textContent = text; };
function subjectAndBody() {
  const text = orderText(), to = encodeURIComponent(D.mail.to).replace(/%40/g, "@"), enc = t => encodeURIComponent(t);
  const whole = "mailto:" + to + "?subject=" + enc(D.mail.subject) + "&body=" + enc(text.replace(/\n/g, "\r\n"));
  return whole.length <= 1900 ? { href: whole, fits: true } : { href: "mailto:" + to + "?subject=" + enc(D.mail.subject), fits: false };
}
function refresh() {
  const focus = document.activeElement, id = focus && focus.id, caret = focus && "selectionStart" in focus && focus.type !== "number" ? [focus.selectionStart, focus.selectionEnd] : null;
  const scrolled = [...document.querySelectorAll("#steps .aimbox")].map(box => box.scrollTop);
  const u = now(), steps = [];
  const all = S.blocks.map(faultsOf);
  $("units").replaceChildren(...(S.blocks.length > 1 && !S.on ? S.blocks.map((one, n) => h("button", { type: "button", role: "tab", id: "tab" + n, "aria-selected": String(n === S.at), "aria-controls": "steps", onclick: () => { S.at = n; aim = null; refresh(); } }, one.b.name, all[n].length ? h("span", { class: "bad" }, " (" + all[n].length + ")") : "")) : []));
  if (R.continues) steps.push(h("div", { class: "done" }, h("label", { class: "line" }, h("input", { type: "checkbox", id: "continue", checked: S.on, onchange: event => { S.on = event.target.checked; refresh(); } }), "CONTINUE: my orders so far stay as they are")));
  if (u && !S.on) {
    let n = 1;
    steps.push(h("p", { class: "unithead" }, h("b", {}, u.b.name), h("span", { class: "soft" }, [u.b.about, u.b.hex ? "at " + u.b.hex + u.b.facing : "", u.b.energy ? "" : "speed " + speedOf(u)].filter(Boolean).join(", "))));
    if (u.b.energy) steps.push(energyStep(u, n++));
    if (u.b.speeds) steps.push(speedStep(u, n++));
    if (R.form !== "EAF") {
      steps.push(plotStep(u, n++), fireStep(u, n++));
      if (u.b.kind === "ship") steps.push(breakStep(u, n++));
    }
    const boat = u.b.boat, launched = boat && u.do.some(line => /LAUNCH SHUTTLE/i.test(line));
    if (launched && !S.other.some(text => text.startsWith(boat.split("\n")[0]))) steps.push(card(n++, "The shuttle you launch", h("p", { class: "line" }, h("button", { type: "button", id: key(u) + "-boat", onclick: () => { S.other.push(boat); refresh(); } }, "Give it orders of its own"), h("span", { class: "tiny" }, "It will be " + boat.split("\n")[0].replace("SHUTTLE ", "") + "; without orders it flies straight on (J1.21)."))));
    if (S.other.length) steps.push(card(n++, "Kept as it is", h("p", { class: "tiny" }, "Blocks this form has no page for. They are sent as they stand."), S.other.map((text, k) => h("textarea", { id: "other" + k, rows: text.split("\n").length + 1, "aria-label": "Block " + (k + 1), value: text, spellcheck: "false", onchange: event => { S.other[k] = event.target.value.trim(); if (!S.other[k]) S.other.splice(k, 1); refresh(); } }))));
  }
  $("steps").replaceChildren(...steps);
  [...document.querySelectorAll("#steps .aimbox")].forEach((box, n) => { box.scrollTop = scrolled[n] || 0; });
  drawMap();
  const text = orderText(), faults = all.flatMap((list, n) => list.map(f => S.blocks.length > 1 ? S.blocks[n].b.name + ": " + f.text : f.text));
  $("text").textContent = text;
  const verdict = $("verdict");
  verdict.className = faults.length && !S.on ? "bad" : "good";
  verdict.replaceChildren(faults.length && !S.on ? (faults.length === 1 ? "One thing to mend before you send it:" : faults.length + " things to mend before you send it:") : "✓ Ready to be sent.", ...(faults.length && !S.on ? [h("ul", {}, faults.slice(0, 6).map(f => h("li", {}, f)))] : []));
  const mail = subjectAndBody();
  $("mail").setAttribute("href", mail.href);
  $("mail").dataset.fits = mail.fits ? "yes" : "no";
  if (id) { const again = $(id); if (again && again !== document.activeElement) { again.focus({ preventScroll: true }); if (caret && again.setSelectionRange) try { again.setSelectionRange(...caret); } catch { /* no text field */ } } }
}
async function copy() {
  try { await navigator.clipboard.writeText(orderText()); return true; } catch {
    const range = document.createRange();
    range.selectNodeContents($("text"));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return document.execCommand("copy");
  }
}
$("copy").addEventListener("click", async () => tell(await copy() ? "Copied. Paste it into your answer to the sitrep." : "Select the text above and copy it."));
$("save").addEventListener("click", () => {
  const link = h("a", { href: URL.createObjectURL(new Blob([orderText()], { type: "text/plain" })), download: D.file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  tell("Saved as " + D.file + ". Attach it to your answer to the sitrep.");
});
$("mail").addEventListener("click", () => { if ($("mail").dataset.fits === "yes") tell("Your mail program opens with the orders in it."); else copy().then(() => tell("The orders are too long to be handed over, so they were copied: paste them into the mail.")); });
$("load").addEventListener("click", () => { const box = $("load-box"); box.hidden = !box.hidden; if (!box.hidden) $("load-text").focus(); });
const take = text => { const told = load(text); $("load-box").hidden = true; refresh(); tell(told.length ? "Loaded. " + told.join(". ") + "." : "Loaded: every line is in the form."); };
$("load-go").addEventListener("click", () => take($("load-text").value));
$("load-draft").addEventListener("click", () => take(D.draft));
$("load-file").addEventListener("change", event => { const file = event.target.files[0]; if (file) file.text().then(take); });

load(D.draft);
$("main").hidden = false;
setZoom(1);
refresh();
show();
document.documentElement.dataset.form = "ready";
/* For tests: fill the form by numbers, read it back. */
window.orderForm = {
  data: D,
  text: orderText,
  load: text => { const told = load(text); refresh(); return told; },
  faults: () => S.blocks.flatMap(faultsOf),
  fill: (unit, picks) => { const u = S.blocks[unit]; u.fields = {}; u.rest = []; for (const [id, pick] of Object.entries(picks)) u.fields[id] = { src: "", mix: 0, ...pick }; },
  sums: unit => { const u = S.blocks[unit], b = balance(u), lines = {}; for (const r of b.rows) lines[r.field.line] = near((lines[r.field.line] || 0) + r.points); return { lines, used: b.used, drained: b.drained, short: b.short, faults: b.faults.length, text: unitText(u) }; },
};
})();
