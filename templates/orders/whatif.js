/* --- both courses side by side ------------------------------------------------------------------------------------ */
/* In each impulse in which one of the two stands elsewhere than before, or a cloak works otherwise: how far, what bears,
   on which shields, and the points to be expected of all that bears, of six dice each. */
function faceOff(u, he) {
  const w = walk(u), v = walk(he), rows = [], mine = u.b.weapons.filter(g => g.verb === "FIRE" && !unready(u, g));
  let last = "";
  for (let impulse = R.first; impulse <= R.through; impulse++) {
    const me = placeAt(w, impulse), his = placeAt(v, impulse), my = veilOf(u, impulse), hid = veilOf(he, impulse), places = [me.hex + me.facing, his.hex + his.facing, my, hid].join();
    if (rows.length && impulse > w.until) break;
    if (places === last) continue;
    last = places;
    const far = range(me.hex, his.hex), added = between(me.hex, his.hex);
    const salvo = (guns, blind, own, veil, from, to) => added < 0 || own[3] ? [] : guns.map(g => [g.n || 1, scored(g, blind, far, veil, added), g, from, to]).filter(([, [faces], g]) => faces && bears(g, from.hex, from.facing, to.hex));
    const points = guns => sum(guns, ([n, [, all]]) => n * all), out = salvo(mine, u.b.blind, my, hid, me, his), back = salvo(he.guns, he.b.blind, hid, my, his, me);
    rows.push({ impulse, me, his, far, out: points(out), back: points(back), fires: out.length, answers: sum(back, ([n]) => n), hits: facedShields(his, me.hex), hurts: facedShields(me, his.hex) });
  }
  return rows;
}
const faced = (numbers, boxes) => numbers.map(n => "#" + n + (boxes && boxes.length ? ": " + boxes[n - 1] : "")).join(" or ") || "–";
/* The impulse that is best for me; and the one whose places the map shows: the one pressed, or the best. */
const bestOf = rows => rows.reduce((a, b) => b.out - b.back > a.out - a.back ? b : a, rows[0]);
const rowAt = (rows, impulse) => rows.findLast(r => r.impulse <= impulse) || rows[0];
const watched = rows => memory["foe-watch"] ? rowAt(rows, Number(memory["foe-watch"])) : bestOf(rows);
whatIfStep = u => {
  if (!u.b.helm) return "";
  const pick = choice("foe", "What if this enemy", [["", "… nobody yet"], ...D.foes.map(one => [one.name, one.name])], "", () => { refresh(); if (foe()) seeBoth(); else frame(); }), n = foeAt(), he = foe();
  const begin = [h("p", { class: "tiny" }, "Sketch where an enemy may go, and see what you could do to each other on the way. It is no order, and nothing of it is sent."), h("p", { class: "line" }, h("label", { for: "foe" }, "What if"), pick, he ? [speedOfFoe(he), cloakOfFoe(he)] : "")];
  if (!he) return card("?", "What if he …", begin);
  const v = walk(he), all = sketches(), told = all.map(one => faceOff(u, one)), rows = told[onOf(n)], on = watched(rows), name = he.b.name, several = all.length > 1;
  const toggle = (id, is, words, does) => h("button", { type: "button", id, "aria-pressed": String(is), class: is ? "main" : "", onclick: () => { does(); refresh(); } }, words);
  const drawn = by => toggle("helmed-" + by, (by === "mine") === (memory.helmed === "mine"), by === "mine" ? "mine" : name + "’s course", () => { memory.helmed = by; });
  const scores = (points, guns) => guns ? [expected(points), h("small", { class: "by" }, " (" + guns + ")")] : "–";
  const at1 = impulse => h("td", {}, h("button", { type: "button", id: "foe-row" + impulse, class: impulse === on.impulse ? "main" : "", "aria-pressed": String(impulse === on.impulse), "aria-label": "Show impulse " + impulse + " on the map", onclick: () => { memory["foe-watch"] = impulse; refresh(); if (!inSight(now(), foe())) seeBoth(); } }, impulse));
  const row = r => h("tr", { class: r === on ? "yes" : "" }, at1(r.impulse), h("td", { class: "mono" }, r.me.hex + r.me.facing + " " + r.his.hex + r.his.facing), h("td", {}, r.far), h("td", {}, scores(r.out, r.fires)), h("td", { class: "fold" }, faced(r.hits, he.unit.shields)), h("td", {}, scores(r.back, r.answers)), h("td", { class: "fold" }, faced(r.hurts, u.b.shields)));
  const heads = (...texts) => h("tr", {}, texts.map(text => h("th", { scope: "col" }, text)));
  const table = () => [h("thead", {}, heads("Impulse", "I, he at", "Range", "I score", "on his", "He scores", "on my")), h("tbody", {}, rows.map(row))];
  /* Several courses: of each the range, and what I score against what he scores. */
  const compared = () => {
    const bests = told.map(bestOf), times = [...new Set(told.flat().map(r => r.impulse))].sort((a, b) => a - b);
    const cells = impulse => told.map((those, k) => { const r = rowAt(those, impulse), cls = k === onOf(n) ? "on" : ""; return [h("td", { class: cls }, r.far), h("td", { class: cls }, (r.fires ? expected(r.out) : "–") + " : " + (r.answers ? expected(r.back) : "–") + (r === bests[k] && r.impulse === impulse && r.out > r.back ? " ★" : ""))]; });
    return [h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Course"), all.map(one => h("th", { scope: "colgroup", colspan: 2 }, one.letter))), heads("Impulse", ...all.flatMap(() => ["Range", "I : he"]))),
      h("tbody", {}, times.map(impulse => h("tr", { class: rowAt(rows, impulse) === on ? "yes" : "" }, at1(impulse), cells(impulse))))];
  };
  const odd = strange({ ...he, typed: memory[he.id + "-codes"] || "" });
  return card("?", "What if he …", begin,
    h("p", { class: "line" }, several ? "Course" : "", several ? all.map((one, k) => toggle("foe-on" + k, k === onOf(n), one.letter, () => { memory["foe" + n + "-on"] = k; })) : "", all.length < SKETCHES.length ? h("button", { type: "button", id: "foe-more", onclick: () => { another(n); memory.helmed = "his"; refresh(); } }, "Compare another course") : "", several ? h("button", { type: "button", id: "foe-less", onclick: () => { fewer(n); refresh(); } }, "Take " + he.letter + " away") : ""),
    h("p", { class: "line" }, "Clicks on the map draw", drawn("his"), drawn("mine")),
    h("p", { class: "line" }, h("label", { for: he.id + "-codes" }, several ? he.letter + ": he flies" : "He flies"), h("input", { id: he.id + "-codes", class: "wide", value: keep(he.id + "-codes", ""), placeholder: "2F R F SL", spellcheck: "false", autocomplete: "off", autocapitalize: "characters", oninput: event => { memory[he.id + "-codes"] = event.target.value; refresh(); } }), h("button", { type: "button", id: "foe-back", disabled: !he.codes.length, onclick: () => { plotted(he, he.codes.slice(0, -1)); refresh(); } }, "Undo"), h("button", { type: "button", id: "foe-clear", disabled: !memory[he.id + "-codes"], onclick: () => { plotted(he, []); refresh(); } }, "Clear")),
    odd ? h("p", { class: "err" }, "Not understood from “" + odd + "” on") : v.fault ? h("p", { class: "err" }, v.fault.text) : "",
    h("div", { class: "scroll aimbox", id: "foe-aimbox", tabindex: 0, role: "group", "aria-label": several ? "The courses compared, impulse by impulse" : "Both courses, impulse by impulse" }, h("table", { key: several ? "compared" : "both", class: "aimtable" + (several ? " many" : "") }, several ? compared() : table())),
    several ? h("p", { id: "foe-told" }, "Course " + he.letter + ", impulse " + on.impulse + ": I am in " + on.me.hex + on.me.facing + ", he in " + on.his.hex + on.his.facing + ". I score " + (on.fires ? expected(on.out) + " with " + many(on.fires, "weapon") : "nothing") + " on his " + faced(on.hits, he.unit.shields) + ", he " + (on.answers ? expected(on.back) + " with " + many(on.answers, "weapon") : "nothing") + " on my " + faced(on.hurts, u.b.shields) + ".") : "",
    h("p", { class: "tiny" }, (several ? "★: where you do best on this course. " : "") + "Points to be expected of all that bears" + (several ? "" : " (so many weapons)") + ", and the shield that takes them: of my weapons those that can fire, of " + name + "’s all that were not seen destroyed, as if loaded. Beyond a sketch straight on is taken. Press an impulse to see it on the map."));
};
/* Whether the places looked at are on the part of the map that is shown. */
function inSight(...both) {
  const on = watched(faceOff(...both)), box = $("map-box").getBoundingClientRect(), all = chart.getBoundingClientRect();
  return [on.me, on.his].every(place => { const [x, y] = centre(place.hex), px = (x - SHEET.x) * scale + all.left, py = (y - SHEET.y) * scale + all.top; return px > box.left && px < box.right && py > box.top && py < box.bottom; });
}
/* Brings both ships, and where they are going, into sight. */
function seeBoth() {
  const u = now(), all = sketches();
  if (!u || !all.length || !u.b.helm || !svg) return;
  const ends = one => walk(one).path.map(place => centre(place.hex));
  seeAs(false);
  showAll([[u, ...all].flatMap(ends)], whole());
}
function speedOfFoe(he) {
  const top = he.b.helm.tables.length - 1, id = he.id + "-speed";
  return [h("label", { for: id }, "flies at speed"), h("select", { id, onchange: event => { memory[id] = event.target.value; refresh(); } }, options(Array.from({ length: top + 1 }, (_, n) => [n, n + (n === he.unit.speed ? R.speeds_known ? ", as announced" : ", as now" : "")]), he.b.speed))];
}
function cloakOfFoe(he) {
  const ways = he.b.veils || [], id = he.id + "-veil";
  return ways.length > 1 ? [h("label", { for: id }, "and"), h("select", { id, onchange: event => { memory[id] = event.target.value; refresh(); } }, options(ways.map((one, n) => [n, one.say]), he.veil))] : ways.length ? "and " + ways[0].say : "";
}
/* The courses on the map: the one that is drawn, the others thinner, each with its letter; and at the impulse that is
   looked at what both fire, as arrows with the points to be expected. */
drawSketches = (u, he, v) => {
  const all = sketches(), { me, his, far, out, back, fires, answers } = watched(faceOff(u, he));
  for (const one of all) {
    const w = one.id === he.id ? v : walk(one), end = w.path[w.path.length - 1];
    drawCourse(one, w, layers.course, one.id === he.id ? "his" : "his alt");
    if (all.length > 1 && w.path.length > 1) { const [x, y] = centre(end.hex); layers.course.append(s("text", { class: "gapno", x: x + 20, y: y + 24 }, one.letter)); }
  }
  const [x1, y1] = centre(me.hex), [x2, y2] = centre(his.hex);
  layers.course.append(s("line", { class: "gap", x1, y1, x2, y2 }), s("circle", { class: "me", cx: x1, cy: y1, r: 22 }), s("circle", { class: "me his", cx: x2, cy: y2, r: 22 }), s("text", { class: "gapno", x: (x1 + x2) / 2, y: (y1 + y2) / 2 + 5 }, far));
  if (fires) volley(x1, y1, x2, y2, expected(out), "");
  if (answers) volley(x2, y2, x1, y1, expected(back), "his");
};
function volley(x1, y1, x2, y2, points, cls) {
  const long = Math.hypot(x2 - x1, y2 - y1), ux = (x2 - x1) / long, uy = (y2 - y1) / long;
  if (!(long > 40)) return;
  const at = (along, beside) => [x1 + ux * along - uy * beside, y1 + uy * along + ux * beside].map(near), [x, y] = at(long * 0.3, 20);
  layers.course.append(s("path", { class: "volley " + cls, d: "M" + at(24, 8).join(" ") + "L" + at(long - 30, 8).join(" ") }), s("path", { class: "tip " + cls, d: "M" + [at(long - 22, 8), at(long - 34, 2), at(long - 34, 14)].map(one => one.join(" ")).join("L") + "Z" }), s("text", { class: "gapno score " + cls, x, y: y + 5 }, points));
}
