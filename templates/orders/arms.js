/* --- fire, activities, breaks ------------------------------------------------------------------------------------- */
const ALL_SEEKERS = "EACH";
function fireStep(u, number) {
  const b = u.b, id = key(u) + "-fire", w = walk(u), mine = picked[id] || (picked[id] = new Set()), again = refresh;
  const guns = b.weapons, kinds = [["FIRE", "Direct fire"], ["LAUNCH", "Seeking weapons"]].filter(([verb]) => guns.some(g => g.verb === verb));
  for (const name of [...mine]) if (!guns.some(g => g.name === name && !unready(u, g))) mine.delete(name);
  const verb = guns.find(g => mine.has(g.name))?.verb || "";
  const pick = (g, on) => {
    if (on && g.verb === "LAUNCH") mine.clear();
    if (on) for (const other of guns) if (other.verb !== g.verb) mine.delete(other.name);
    if (on) mine.add(g.name); else mine.delete(g.name);
    again();
  };
  const chips = kinds.map(([kind, title]) => h("fieldset", { class: "chips", id: id + "-" + kind }, h("legend", {}, title), guns.filter(g => g.verb === kind).map(g => {
    const why = unready(u, g);
    return h("label", { title: why }, h("input", { type: "checkbox", id: id + "-" + g.name.replace(/\W/g, "-"), checked: mine.has(g.name), disabled: Boolean(why), onchange: event => pick(g, event.target.checked) }), h("span", {}, g.name, h("small", {}, [g.arc, g.most ? g.least + "–" + g.most + " hexes" : "", g.state].filter(Boolean).join(", "), why ? h("br") : "", why ? why.replace(/^.*?: /, "").replace(u.b.name + " " + g.name + " ", "") : "")));
  })));
  const selected = guns.filter(g => mine.has(g.name));
  if (selected.length) touched[id] = true; else { delete touched[id]; delete loose[id]; }
  const build = selected.length ? shotBuild(u, w, id, verb, selected) : h("p", { class: "tiny" }, guns.some(g => !unready(u, g)) ? "Choose one weapon or several to fire together." : "No weapon can be used: give them energy first.");
  return card(number, "Fire and activities", chips, build, otherActs(u), lineList(u, "do"));
}
/* What the weapons chosen shall do: at whom, when, and the order that says so. */
function shotBuild(u, w, id, verb, selected) {
  const again = refresh, fire = verb === "FIRE", several = selected.length > 1;
  const prey = D.units.filter(one => one.enemy && selected.every(g => !(g.not && g.not[one.name])));
  /* Among many the nearest is the one most often meant. */
  const kinds = [...new Set(prey.map(one => one.kind))], away = one => M && u.b.hex && one.hex ? range(u.b.hex, one.hex) : 0;
  prey.sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind) || away(one) - away(other));
  const names = [...prey.map(one => [one.say, one.name + " (" + one.hex + one.facing + ")"]), ["NEAREST ENEMY SHIP", "the nearest enemy ship"], ["NEAREST SEEKER", "the nearest enemy seeking weapon"], ...(fire ? [[ALL_SEEKERS, "every seeking weapon, one shot at each"]] : []), ["IT", "whatever the condition holds for"]];
  const target = choice(id + "-target", "Target", names, names[0][0], again), at1 = memory[id + "-target"], unit = prey.find(one => one.say === at1), defence = fire && at1 === ALL_SEEKERS;
  const list = groupNames(selected.map(g => g.name)), most = Math.min(...selected.map(g => g.most || 99)), number = id + "-range", impulse = id + "-imp";
  const hows = [...(fire ? [["range", several && !defence ? "each as soon as it bears" : defence ? "as soon as one comes" : "as soon as it bears"]] : [["now", "as soon as it can"]]), ...(defence ? [] : [["at", "in impulse …"], ["last", "in the last impulse"], ["if", "when …"]])];
  const how = choice(id + "-how", "When", hows, hows[0][0], again), mode = memory[id + "-how"], wrong = [];
  let extra = "", parts = [], head = "", tail = "", every = false, note = "";
  if (mode === "range") {
    parts = ["within", numberBox(number, "range", defence ? 1 : Math.min(4, most), again), "hexes"];
    wrong.push(numberWrong(number));
    /* An order that could do nothing yet waits. One that fired with some of its weapons has acted: EVERY lets the others
       follow, and a weapon that has fired does not fire again (E1.5). */
    every = several || defence;
    head = (at1 === "IT" || defence ? "IF SEEKER WITHIN " : "IF RANGE <= ") + numberOf(number) + " THEN ";
    note = defence ? "Each impulse, the first of these that can fires at each seeking weapon so near." : several ? "Each of them fires once, in the first impulse in which it bears and has the range." : "It fires once, in the first impulse in which it bears and has the range.";
  }
  if (mode === "at") {
    parts = [numberBox(impulse, "impulse", Math.min(R.through, Math.max(R.first, w.due[w.due.length - 1] || R.first)), again)];
    wrong.push(numberWrong(impulse));
    head = "AT " + numberOf(impulse) + " ";
    note = several && fire ? "In that impulse and no other: those fire that bear then." : "";
  }
  if (mode === "last") head = "LAST ";
  if (mode === "if") {
    const cond = conditions(id + "-if", u, true, again);
    extra = cond.parts;
    wrong.push(...cond.wrong);
    head = "IF " + cond.text + " THEN ";
  }
  if (at1 === "IT" && (mode === "at" || mode === "last" || mode === "now")) tail = " IF SEEKER WITHIN 1";
  let dir = "";
  if (!fire) { parts.push(choice(id + "-dir", "Direction", [["", "any direction"], ...[...FACINGS].map(f => [f, "direction " + f])], "", again)); dir = memory[id + "-dir"] ? " DIR " + memory[id + "-dir"] : ""; }
  /* Phasers may fire from the batteries and leave the capacitor its charge (H7.3). */
  const battery = fire && selected.every(g => g.battery) ? tick(id + "-battery", "from batteries", again) : "";
  if (battery && memory[id + "-battery"]) dir += " WITH BATTERY";
  const asked = mode === "range" ? "" : tick(id + "-every", "every time", again);
  if (asked) every = memory[id + "-every"];
  if (mode === "if" && several && !every && fire) note = "It acts once, with those that bear then; tick “every time” if the others shall follow.";
  const text = (every ? "EVERY " : "") + head + verb + " " + (defence ? "ONE OF " : "") + list + " AT " + at1 + dir + tail, why = wrong.find(Boolean) || judge(u, w, text, new Map(taken(u)));
  return h("div", { class: "build", id: id + "-build" }, h("div", { class: "line", id: id + "-line" }, "At", target, how, parts, battery, asked), extra,
    unit && fire ? preview(u, w, selected, unit, id) : "", note ? h("p", { class: "tiny" }, note) : "", adder(id, u, "do", text, why, { main: true }));
}
const taken = u => { const before = new Map(), w = walk(u); for (const text of u.do) judge(u, w, text, before); return before; };
function groupNames(names) {
  const kinds = new Map();
  for (const name of names) { const [kind, letter] = name.split(" "); kinds.set(kind, [...(kinds.get(kind) || []), letter]); }
  return [...kinds].map(([kind, letters]) => kind + " " + letters.join(",")).join(" ");
}
/* A sum of the points of all six faces of dice, as a mean to one decimal. */
const expected = points => (Math.floor((points * 20 + 6) / 12) / 10).toFixed(1);
/* Along my plot, against where the target stands now: range, arc, the shield it turns, chance and points. */
function preview(u, w, selected, unit, id) {
  const rows = [];
  let last = "";
  const stands = { hex: unit.hexes.length ? unit.hexes[0] : unit.hex, facing: unit.facing }, known = whereabouts(unit), spotAt = known || (() => stands);
  for (let impulse = R.first; impulse <= R.through; impulse++) {
    const place = placeAt(w, impulse), there = spotAt(impulse), spot = there.hex, mine = veilOf(u, impulse), veil = veilOfTarget(unit, impulse), places = [place.hex + place.facing, spot + there.facing, mine, veil].join();
    if (places === last) continue;
    last = places;
    if ((impulse > w.until && rows.length) || !onMap(spot)) break;
    const far = range(place.hex, spot), added = between(place.hex, spot), each = selected.map(g => { const hit = scored(g, u.b.blind, far, veil, added + (unit.kind === "drone" && g.small || 0)), inside = bears(g, place.hex, place.facing, spot); return { ok: inside && added >= 0 && !mine[3] && hit[0] > 0, inside, hit }; });
    const points = sum(each, one => one.ok ? one.hit[1] : 0), good = each.filter(one => one.ok), chance = good.length ? Math.max(...good.map(one => one.hit[0])) : 0;
    const steps = known ? 0 : stepsBy(unit, impulse), low = Math.max(0, far - steps), high = far + steps;
    const why = good.length ? "" : mine[3] ? ", cloak" : !each.some(one => one.inside) ? ", arc" : added < 0 ? ", planet" : ", range";
    rows.push({ impulse, place, gap: low === high ? "" : low + "–" + high, far, each, points, good: good.length, chance, why, shields: facedShields(there, place.hex) });
  }
  const at1 = Number(memory[id + "-imp"]), marked = memory[id + "-how"] === "at" ? at1 : 0, best = Math.max(...rows.map(r => r.points));
  const from = rows.find(r => r.impulse === marked) || rows.find(r => r.points === best) || rows[rows.length - 1];
  if (from) aim = { impulse: marked || from.impulse, target: { ...unit, hex: spotAt(marked || from.impulse).hex }, guns: selected };
  const moves = !unit.still, speed = R.speeds_known || unit.sure ? "at its speed of " + unit.speed : "at a speed nobody knows yet", sketched = known && !unit.straight;
  return fold(id + "-preview", true, "Chances against " + unit.name + (sketched ? " where you sketched it" : known ? " where it will be" : moves ? " where it stands now" : ""), sketched ? h("p", { class: "tiny" }, "Range, arc and chances are those against " + unit.name + " on the course you sketched, straight on where that ends.") : known ? h("p", { class: "tiny" }, unit.name + " flies straight on " + speed + " and never turns: this is where you will meet it.") : moves ? h("p", { class: "tiny" }, unit.name + " moves " + speed + ". Range, arc and chances are those against " + stands.hex + ", where it stands now; in brackets the ranges it can make of them by then.") : "", h("div", { class: "scroll aimbox", id: id + "-aimbox", tabindex: 0, role: "group", "aria-label": "Ranges and chances along my plot" }, h("table", { class: "aimtable" }, h("thead", {}, h("tr", {}, ["Impulse", "I am at", "Range", "Bear", "Hit", "Points", unit.shields.length ? "Its shield" : ""].filter(Boolean).map(t => h("th", { scope: "col" }, t)))), h("tbody", {}, rows.map(r => h("tr", { class: r.good ? "yes" : "no" }, h("td", {}, h("button", { type: "button", id: id + "-row" + r.impulse, class: marked === r.impulse ? "main" : "", "aria-pressed": String(marked === r.impulse), "aria-label": "Fire in impulse " + r.impulse, onclick: () => { memory[id + "-how"] = "at"; memory[id + "-imp"] = r.impulse; refresh(); } }, r.impulse)), h("td", { class: "mono" }, r.place.hex + r.place.facing), h("td", {}, r.far, r.gap ? h("small", {}, " (" + r.gap + ")") : ""), h("td", {}, r.good + " of " + selected.length + r.why), h("td", {}, r.good ? Math.round(r.chance * 100 / 6) + " %" : "–"), h("td", {}, r.good ? expected(r.points) + (r.points === best ? " ★" : "") : "–"), unit.shields.length ? h("td", {}, r.shields.map(n => "#" + n + ": " + unit.shields[n - 1]).join(" or ") || "–") : ""))))), h("p", { class: "tiny" }, "Press an impulse to fire in it. The map shows where they bear in impulse " + (aim ? aim.impulse : "–") + ". Points are those to be expected, with all that is known of lock-on, scanners and cloaks, of what lies between, and of how hard drones are to hit."));
}
function otherActs(u) {
  const acts = u.b.acts || [], id = key(u) + "-act", again = touch(id), wrong = [];
  const usable = acts.filter(one => { const paid = !u.b.energy || one.by.some(f => ready(u, f)); return paid ? !(one.spoiled && u.b.energy) : !one.needs; });
  if (!acts.length) return "";
  const groupsOf = [...new Set(acts.map(one => one.group))];
  if (!acts.some(one => one.text === keep(id, acts[0].text))) memory[id] = acts[0].text;
  const pick = h("select", { id, "aria-label": "Activity", onchange: event => { memory[id] = event.target.value; again(); } }, groupsOf.map(group => h("optgroup", { label: group }, options(acts.filter(one => one.group === group).map(one => [one.text, one.text, !usable.includes(one)]), memory[id]))));
  const act = acts.find(one => one.text === memory[id]), alone = act.it || /^RESERVE|^GUIDE/.test(act.text);
  const how = choice(id + "-how", "When", [...(act.it ? [] : [["now", "as soon as it can"]]), ...(alone ? [] : [["at", "in impulse …"], ["last", "in the last impulse"]]), ["if", "when …"]], "now", again), mode = memory[id + "-how"];
  let parts = [], extra = "", head = "";
  if (mode === "at") { parts = [numberBox(id + "-imp", "impulse", R.first, again)]; wrong.push(numberWrong(id + "-imp")); head = "AT " + numberOf(id + "-imp") + " "; }
  if (mode === "last") head = "LAST ";
  if (mode === "if") { const cond = conditions(id + "-if", u, true, again); extra = cond.parts; wrong.push(...cond.wrong); head = "IF " + cond.text + " THEN "; wrong.push(itOf(act.text, cond.text)); }
  const text = head + act.text, why = wrong.find(Boolean) || judge(u, walk(u), text, new Map());
  return fold(id + "-more", false, "Other activities: " + groupsOf.join(", ").toLowerCase(), h("div", { class: "build", id: id + "-build" }, h("div", { class: "line", id: id + "-line" }, pick, how, parts), extra, adder(id, u, "do", text, why)));
}
function breakStep(u, number) {
  const id = key(u) + "-break", built = conditions(id, u, false, touch(id)), dam = u.b.damage || {}, cats = Object.keys(dam), did = key(u) + "-dam";
  const parts = [h("h3", {}, "Stop and ask me, as soon as"), h("div", { class: "build", id: id + "-build" }, built.parts, adder(id, u, "breaks", built.text, built.wrong[0] || "")), lineList(u, "breaks")];
  if (cats.length) {
    const again = touch(did), cat = choice(did, "Kind of damage", cats.map(c => [c, c.toLowerCase()]), cats[0], again), box = choice(did + "-box", "Box", dam[memory[did]].map(b => [b, b]), dam[memory[did]][0], again), place = choice(did + "-place", "Place", W.places.map(p => [p, p.toLowerCase()]), W.places[0], again);
    const text = memory[did] + " " + memory[did + "-box"] + " " + memory[did + "-place"];
    parts.push(h("h3", {}, "When I am hit and may choose"), h("div", { class: "build", id: did + "-build" }, h("div", { class: "line", id: did + "-line" }, "of", cat, "damage takes", box, place), adder(did, u, "damage", text, "", { label: "Add this choice" }), h("p", { class: "tiny" }, "Where you choose nothing, the default procedure does (D4.223).")), lineList(u, "damage"));
  }
  return card(number, "Breaks and damage", parts);
}
