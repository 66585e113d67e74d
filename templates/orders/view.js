/* --- what is seen of the map -------------------------------------------------------------------------------------- */
/* The map is drawn so many pixels wide per unit of its drawing, in a box that scrolls. It opens on what matters: the
   ship whose orders are written, and whom it may have to do with. */
const SHEET = chart.viewBox.baseVal, HEX = 52, LEGIBLE = 24 / HEX, LARGE = 1.15, AROUND = 2.2, NEAR = 16, AHEAD = 5;
let scale = 0;
const boxSize = () => { const box = $("map-box"); return [box.clientWidth, box.clientHeight]; };
const whole = () => { const [w, t] = boxSize(); return Math.min(w / SHEET.width, t ? t / SHEET.height : Infinity); };
function setScale(k) {
  requestAnimationFrame(pointOut);
  scale = Math.min(2.4, Math.max(Math.min(whole(), 1), k));
  chart.style.width = Math.floor(SHEET.width * scale) + "px";
  chart.style.height = Math.floor(SHEET.height * scale) + "px";
}
/* Brings a place of the drawing into the middle of the box. */
function centreOn(x, y) {
  const box = $("map-box");
  box.scrollLeft = (x - SHEET.x) * scale + chart.getBoundingClientRect().left - box.getBoundingClientRect().left + box.scrollLeft - box.clientWidth / 2;
  box.scrollTop = (y - SHEET.y) * scale + chart.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop - box.clientHeight / 2;
}
const middle = () => { const box = $("map-box"), at = chart.getBoundingClientRect(), here = box.getBoundingClientRect(); return [(here.left + box.clientWidth / 2 - at.left) / scale + SHEET.x, (here.top + box.clientHeight / 2 - at.top) / scale + SHEET.y]; };
/* Where units stand on the drawing: by their counters, which are there with and without courses to plot. */
const spots = () => new Map([...chart.querySelectorAll(".counter")].map(g => { const at = g.getBoundingClientRect(), all = chart.getBoundingClientRect(); return [g.dataset.unit, [(at.x + at.width / 2 - all.x) / scale + SHEET.x, (at.y + at.height / 2 - all.y) / scale + SHEET.y]]; }));
/* What to look at, the most first: my ships with the enemies within reach (or else the nearest) and the seeking weapons
   near; the ship whose orders are written with its nearest enemy; that ship and where it may fly. */
function matters() {
  const at = spots(), u = now(), me = u && at.get(u.b.name), hexes = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) / HEX;
  const mine = D.units.filter(one => one.mine && at.has(one.name)), others = D.units.filter(one => one.enemy && at.has(one.name));
  const gap = one => Math.min(...mine.map(own => hexes(at.get(own.name), at.get(one.name)))), byGap = others.slice().sort((a, b) => gap(a) - gap(b));
  const close = byGap.filter(one => gap(one) <= NEAR), fights = one => one.kind === "ship" || one.kind === "monster";
  const reached = close.some(fights) ? close : [...close, ...byGap.filter(fights).slice(0, 1)];
  const found = [[...mine, ...reached].map(one => at.get(one.name))];
  if (me && others.length) found.push([me, at.get(others.slice().sort((a, b) => hexes(me, at.get(a.name)) - hexes(me, at.get(b.name)))[0].name)]);
  if (me) found.push([-1, 1].flatMap(way => [[me[0] + way * AHEAD * HEX, me[1]], [me[0], me[1] + way * AHEAD * HEX]]).concat(M && u.b.helm ? [...reach(u, walk(u)).keys()].map(centre) : []));
  return found.filter(places => places.length);
}
let framed = false;
const seeAs = on => { framed = on; $("zoom-home").textContent = on ? "All" : "Near"; $("zoom-home").title = on ? "The whole map" : "What matters: my ships, and whom they may have to do with"; };
function frame() {
  const [wide, tall] = boxSize();
  seeAs(true);
  if (!wide || !tall) return;
  setScale(whole());
  /* Where no course is plotted nobody has to hit a hex: rather all that matters than hexes that can be read. */
  showAll(matters(), M ? undefined : whole());
}
/* Makes the map as large as it can be with the first of these groups of places in sight that lets it be read. */
function showAll(choices, least = Math.min(LARGE, 1.5 * LEGIBLE)) {
  const [wide, tall] = boxSize();
  for (const [n, places] of choices.entries()) {
    const xs = places.map(p => p[0]), ys = places.map(p => p[1]), round = AROUND * HEX;
    const span = (all, low, size) => [Math.max(low, Math.min(...all) - round), Math.min(low + size, Math.max(...all) + round)];
    const [left, right] = span(xs, SHEET.x, SHEET.width), [top, bottom] = span(ys, SHEET.y, SHEET.height);
    const k = Math.min(LARGE, wide / (right - left), tall / (bottom - top));
    if (k < least && n < choices.length - 1) continue;
    setScale(Math.max(k, least));
    const mine = k < least && now() && spots().get(now().b.name);
    centreOn(...(mine || [(left + right) / 2, (top + bottom) / 2]));
    return;
  }
}
/* Brings the unit whose orders are written into sight, if it is not. */
function show() {
  const box = $("map-box"), mine = now() && [...chart.querySelectorAll(".counter")].find(g => g.dataset.unit === now().b.name);
  if (!mine) return;
  const at = mine.getBoundingClientRect(), there = box.getBoundingClientRect();
  if (at.left < there.left || at.right > there.right || at.top < there.top || at.bottom > there.bottom) centreOn(...spots().get(now().b.name));
}
/* Enemies that the box does not show: a pointer at its edge says where, and how far from the ship whose orders are written. */
function pointOut() {
  const box = $("map-box"), card = $("beyond").parentElement.getBoundingClientRect(), there = box.getBoundingClientRect(), all = chart.getBoundingClientRect(), me = now() && D.units.find(one => one.name === now().b.name);
  const wide = box.clientWidth, tall = box.clientHeight, found = [];
  for (const [name, [x, y]] of wide && tall ? spots() : []) {
    const unit = D.units.find(one => one.name === name && one.enemy && (one.kind === "ship" || one.kind === "monster"));
    const px = (x - SHEET.x) * scale + all.left - there.left, py = (y - SHEET.y) * scale + all.top - there.top;
    if (!unit || (px > 0 && px < wide && py > 0 && py < tall)) continue;
    const away = me && M && me.hex ? " " + range(me.hex, unit.hex) : "", turn = Math.round(Math.atan2(py - tall / 2, px - wide / 2) * 180 / Math.PI);
    const mark = h("button", { type: "button", title: name + (away ? ": range" + away : "") + ", beyond what is shown. Shows it", onclick: () => { centreOn(x, y); pointOut(); } }, h("span", { "aria-hidden": "true" }, "➤"), name + away);
    mark.firstChild.style.transform = "rotate(" + turn + "deg)";
    mark.style.setProperty("--x", Math.min(wide, Math.max(0, px)) + there.left - card.left + "px");
    mark.style.setProperty("--y", Math.min(tall - 16, Math.max(16, py)) + there.top - card.top + "px");
    mark.style.setProperty("--part", Math.min(1, Math.max(0, px / wide)));
    found.push([mark, name, me && M && me.hex ? range(me.hex, unit.hex) : 0]);
  }
  found.sort((one, other) => one[2] - other[2]);
  $("beyond").replaceChildren(...found.map(([mark]) => mark));
  /* Where several would lie upon one another the nearest stands for all, and says for how many; which makes it longer. */
  const kept = found.map(([mark, name]) => ({ mark, names: [name], said: mark.title, text: mark.lastChild.data }));
  for (let n = 0; n < kept.length; n++) {
    const at = kept[n].mark.getBoundingClientRect();
    const under = kept.find((one, k) => { if (k >= n) return false; const r = one.mark.getBoundingClientRect(); return at.left < r.right && r.left < at.right && at.top < r.bottom && r.top < at.bottom; });
    if (!under) continue;
    const [gone] = kept.splice(n, 1);
    gone.mark.remove();
    under.names.push(...gone.names);
    under.mark.lastChild.data = under.text + ", " + (under.names.length - 1) + " more";
    under.mark.title = under.said + "; there too: " + under.names.slice(1).join(", ");
    n = 0;
  }
}
$("map-box").addEventListener("scroll", () => requestAnimationFrame(pointOut), { passive: true });
const zoomBy = k => { const here = middle(); setScale(scale * k); centreOn(...here); };
$("zoom-in").addEventListener("click", () => zoomBy(1.35));
$("zoom-out").addEventListener("click", () => { zoomBy(1 / 1.35); if (scale <= whole()) seeAs(false); });
$("zoom-home").addEventListener("click", () => { if (framed) { setScale(whole()); seeAs(false); } else frame(); });
let width = 0;
addEventListener("resize", () => { const [wide] = boxSize(); if (wide !== width) frame(); width = wide; });
