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
  const shot = line.act.match(/^(FIRE|LAUNCH)\s+(ONE OF\s+)?(.+?)\s+AT\s+(.+?)(\s+DIR\s+[A-F])?(\s+WITH (?:RESERVE|BATTERY))?$/i);
  if (shot && !/\bAND\b/i.test(shot[4])) Object.assign(line, { verb: shot[1].toUpperCase(), one: Boolean(shot[2]), weapons: weaponsIn(shot[3]), target: shot[4].replace(/^"(.*)"$/, "$1").replace(/""/g, '"'), reserve: Boolean(shot[6]) });
  return line;
}
const ready = (u, id) => { const f = u.b.energy.fields.find(one => one.id === id); return Boolean(f && optionOf(u, f).text && chosen(u, f).opt); };
/* What cannot be done because a standing cost is left out that it hangs on (B3.0). */
function unpaidFor(u, what) {
  const id = Object.keys(u.b.energy ? what.unpaid || {} : {}).find(one => optionOf(u, u.b.energy.fields.find(f => f.id === one)).warn);
  return id ? what.unpaid[id] : "";
}
/* Why a weapon cannot be used with what the form pays, in the engine's words. */
function unready(u, weapon) {
  if (weapon.idle) return weapon.idle;
  if (!u.b.energy) return "";
  if (unpaidFor(u, weapon)) return unpaidFor(u, weapon);
  const field = u.b.energy.fields.find(f => f.id === weapon.name);
  if (field) return optionOf(u, field).uses ? "" : weapon.needs || "";
  if (!weapon.cost) return weapon.needs || "";
  const phasers = u.b.energy.fields.find(f => f.id === "PHASERS"), option = phasers && optionOf(u, phasers);
  const held = option && option.text ? option.capacitor : phasers ? phasers.capacitor : 0;
  return held >= weapon.cost ? "" : weapon.needs || "";
}
/* How many hexes a unit can have moved by the end of an impulse, at its speed, or at the greatest where none is known. */
const stepsBy = (unit, impulse) => movesOf(unit.still ? 0 : R.speeds_known || unit.sure ? unit.speed : D.top, R.first + ((unit.sure || "move") in R.over ? 1 : 0), impulse);
/* Whether a weapon can reach a target in an impulse, wherever the target may have gone by then. */
function outOf(u, w, weapon, target, impulse) {
  if (impulse > w.until || weapon.verb !== "FIRE") return "";
  const place = placeAt(w, impulse), steps = stepsBy(target, impulse);
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
  if (act && unpaidFor(u, act)) return unpaidFor(u, act);
  const lacks = act && b.energy && act.drained[Math.max(0, Math.floor(batteriesLeft(u)))];
  if (lacks) return lacks;
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

