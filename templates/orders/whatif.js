/* --- both courses side by side ------------------------------------------------------------------------------------ */
/* In each impulse in which one of the two stands elsewhere than before: how far, what bears, on which shields, and the
   points to be expected of all that bears, of six dice each. */
function faceOff(u, he) {
  const w = walk(u), v = walk(he), rows = [], mine = u.b.weapons.filter(g => g.verb === "FIRE" && !unready(u, g));
  let last = "";
  for (let impulse = R.first; impulse <= R.through; impulse++) {
    const me = placeAt(w, impulse), his = placeAt(v, impulse), places = me.hex + me.facing + his.hex + his.facing;
    if (rows.length && impulse > w.until) break;
    if (places === last) continue;
    last = places;
    const far = range(me.hex, his.hex), salvo = (guns, from, to) => guns.filter(g => g.table[far] && g.table[far][0] && bears(g, from.hex, from.facing, to.hex));
    const points = guns => sum(guns, g => (g.n || 1) * g.table[far][1]), out = salvo(mine, me, his), back = salvo(he.guns, his, me);
    rows.push({ impulse, me, his, far, out: points(out), back: points(back), fires: out.length, answers: sum(back, g => g.n), hits: facedShields(his, me.hex), hurts: facedShields(me, his.hex) });
  }
  return rows;
}
const faced = (numbers, boxes) => numbers.map(n => "#" + n + (boxes && boxes.length ? ": " + boxes[n - 1] : "")).join(" or ") || "–";
/* The impulse whose places the map shows: the one pressed, or the best for me. */
function watched(rows) {
  const best = rows.reduce((a, b) => b.out - b.back > a.out - a.back ? b : a, rows[0]);
  return rows.find(r => r.impulse === Number(memory["foe-watch"])) || best;
}
function whatIfStep(u) {
  if (!D.foes.length || !u.b.helm) return "";
  const pick = choice("foe", "What if this enemy", [["", "… nobody yet"], ...D.foes.map(one => [one.name, one.name])], "", () => { refresh(); if (foe()) seeBoth(); else frame(); }), he = foe();
  const begin = [h("p", { class: "tiny" }, "Sketch where an enemy may go, and see what you could do to each other on the way. It is no order, and nothing of it is sent."), h("p", { class: "line" }, h("label", { for: "foe" }, "What if"), pick, he ? speedOfFoe(he) : "")];
  if (!he) return card("?", "What if he …", begin);
  const v = walk(he), rows = faceOff(u, he), on = watched(rows), name = he.b.name, scores = (points, guns) => guns ? [expected(points), h("small", { class: "by" }, " (" + guns + ")")] : "–";
  const drawn = by => h("button", { type: "button", id: "helmed-" + by, "aria-pressed": String((by === "mine") === (memory.helmed === "mine")), class: (by === "mine") === (memory.helmed === "mine") ? "main" : "", onclick: () => { memory.helmed = by; refresh(); } }, by === "mine" ? "mine" : name + "’s course");
  const row = r => h("tr", { class: r === on ? "yes" : "" }, h("td", {}, h("button", { type: "button", id: "foe-row" + r.impulse, class: r === on ? "main" : "", "aria-pressed": String(r === on), "aria-label": "Show impulse " + r.impulse + " on the map", onclick: () => { memory["foe-watch"] = r.impulse; refresh(); } }, r.impulse)), h("td", { class: "mono" }, r.me.hex + r.me.facing + " " + r.his.hex + r.his.facing), h("td", {}, r.far), h("td", {}, scores(r.out, r.fires)), h("td", { class: "fold" }, faced(r.hits, he.unit.shields)), h("td", {}, scores(r.back, r.answers)), h("td", { class: "fold" }, faced(r.hurts, u.b.shields)));
  return card("?", "What if he …", begin,
    h("p", { class: "line" }, "Clicks on the map draw", drawn("his"), drawn("mine")),
    h("p", { class: "line" }, h("label", { for: he.id + "-codes" }, "He flies"), h("input", { id: he.id + "-codes", class: "wide", value: keep(he.id + "-codes", ""), placeholder: "2F R F SL", spellcheck: "false", autocomplete: "off", autocapitalize: "characters", oninput: event => { memory[he.id + "-codes"] = event.target.value; refresh(); } }), h("button", { type: "button", id: "foe-back", disabled: !he.codes.length, onclick: () => { plotted(he, he.codes.slice(0, -1)); refresh(); } }, "Undo"), h("button", { type: "button", id: "foe-clear", disabled: !memory[he.id + "-codes"], onclick: () => { plotted(he, []); refresh(); } }, "Clear")),
    strange({ ...he, typed: memory[he.id + "-codes"] }) ? h("p", { class: "err" }, "Not understood from “" + strange({ ...he, typed: memory[he.id + "-codes"] }) + "” on") : v.fault ? h("p", { class: "err" }, v.fault.text) : "",
    h("div", { class: "scroll aimbox", id: "foe-aimbox", tabindex: 0, role: "group", "aria-label": "Both courses, impulse by impulse" }, h("table", { class: "aimtable" }, h("thead", {}, h("tr", {}, ["Impulse", "I, he at", "Range", "I score", "on his", "He scores", "on my"].map(text => h("th", { scope: "col" }, text)))), h("tbody", {}, rows.map(row)))),
    h("p", { class: "tiny" }, "Points to be expected of all that bears (so many weapons), with lock-on, and the shield that takes them: of my weapons those that can fire, of " + name + "’s all that were not seen destroyed, as if loaded. Beyond a sketch straight on is taken; cloaks and what lies between are not reckoned. Press an impulse to see it on the map."));
}
/* Brings both ships, and where they are going, into sight. */
function seeBoth() {
  const u = now(), he = foe();
  if (!u || !he || !u.b.helm || !svg) return;
  const ends = one => walk(one).path.map(place => centre(place.hex));
  seeAs(false);
  showAll([[...ends(u), ...ends(he)]], whole());
}
function speedOfFoe(he) {
  const top = he.b.helm.tables.length - 1, id = he.id + "-speed";
  return [h("label", { for: id }, "flies at speed"), h("select", { id, onchange: event => { memory[id] = event.target.value; refresh(); } }, options(Array.from({ length: top + 1 }, (_, n) => [n, n + (n === he.unit.speed ? R.speeds_known ? ", as announced" : ", as now" : "")]), he.b.speed))];
}
