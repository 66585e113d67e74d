/* --- drawing ------------------------------------------------------------------------------------------------------ */
/* Only in forms in which courses are plotted: there is a map to draw on. */
const layers = { reach: s("g", { class: "reach" }), other: s("g", {}), next: s("g", { class: "next" }), course: s("g", {}) };
{
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
  for (const p of cls.endsWith("alt") ? [] : w.path.slice(1)) {
    const [x, y] = centre(p.hex);
    layer.append(s("g", {}, s("circle", { class: "pt", cx: x, cy: y, r: 9 }), s("text", { class: "ptno", x, y: y + 4 }, p.impulse), s("title", {}, "impulse " + p.impulse + ": " + p.code + " to " + p.hex + p.facing)));
  }
  const end = w.path[w.path.length - 1], [x, y] = centre(end.hex);
  if (w.path.length > 1) layer.append(s("path", { class: "bow " + cls, d: "M0-24 6-12-6-12Z", transform: "translate(" + x + " " + y + ") rotate(" + 60 * FACINGS.indexOf(end.facing) + ")" }));
}
/* Where a unit can still get, by impulse; with numbers, and with the codes of the next hex, if its course is being drawn. */
function drawReach(u, w, drawing) {
  const direct = new Map(), most = R.through - R.first + 1, cls = u.unit ? "his" : "";
  const end = w.path[w.path.length - 1], left = w.due.length - (w.path.length - 1);
  for (const code of CODES) if (drawing && left > 0 && !w.fault && !u.course) { const there = step(u, end, code, w.path.length - 1); if (!there.refused && !there.left) direct.set(there.hex, [...(direct.get(there.hex) || []), code]); }
  for (const [hex, way] of reach(u, w)) {
    if (direct.has(hex)) continue;
    const [x, y] = centre(hex);
    layers.reach.append(s("g", { class: cls, "data-hex": hex }, s("path", { d: outline(hex), "fill-opacity": (0.30 - 0.22 * (way.impulse - R.first) / most).toFixed(3) }), drawing ? s("text", { x, y: y + 17 }, way.impulse) : ""));
  }
  for (const [hex, codes] of direct) {
    const [x, y] = centre(hex);
    layers.next.append(s("g", { class: cls, "data-hex": hex }, s("path", { d: outline(hex, 0.93) }), s("text", { x, y: y + 5 }, codes.join(" ")), s("title", {}, codes.join(" or ") + ": " + hex + " in impulse " + w.due[w.path.length - 1])));
  }
}
function drawMap() {
  const u = now();
  for (const layer of Object.values(layers)) layer.replaceChildren();
  if (S.on || !u || !u.b.helm) { $("map-hint").textContent = ""; return; }
  const w = walk(u), he = foe(), v = he && walk(he), helm = helmed(), flown = helm === u ? w : walk(helm);
  if (he) drawReach(helm === u ? he : u, helm === u ? v : w, false);
  drawReach(helm, flown, true);
  for (const one of S.blocks) if (one !== u && one.b.helm) drawCourse(one, walk(one), layers.other, "other");
  drawCourse(u, w, layers.course, "");
  if (he) {
    drawSketches(u, he, v);
  }
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
  const left = flown.due.length - (flown.path.length - 1), press = matchMedia("(pointer: coarse)").matches ? "Tap" : "Click";
  $("map-hint").textContent = helm !== u ? (left > 0 ? press + " where " + he.b.name + " may fly: " + left + " of " + flown.due.length + " hexes left. Nothing of it is sent." : he.b.name + "’s hexes are all sketched.") : u.course ? "The plot is a COURSE: take it away to plot by clicking." : !speedChosen(u) ? "Choose the speed of " + u.b.name + " under ENERGY first: none is set yet." : !w.due.length ? u.b.name + " does not move in these impulses." : left > 0 ? press + " a hex to fly there: " + left + " of " + w.due.length + " hexes left, the number is the impulse. The last one again: slip instead of turn." : "All " + w.due.length + " hexes are plotted.";
}
function flyTo(hex) {
  const u = helmed(), w = walk(u), way = reach(u, w).get(hex);
  if (!way) return;
  const direct = CODES.find(code => { const there = step(u, w.path[w.path.length - 1], code, w.path.length - 1); return there.hex === hex; });
  plotted(u, [...u.codes.slice(0, w.path.length - 1), ...(direct && w.due.length > w.path.length - 1 ? [direct] : codesTo(way))]);
  refresh();
}
{
  svg.addEventListener("click", event => {
    const u = helmed();
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
      plotted(u, [...u.codes.slice(0, n - 1), ways[(ways.indexOf(u.codes[n - 1]) + 1) % ways.length]]);
      refresh();
      return;
    }
    const back = w.path.findIndex((one, n) => one.hex === best && n < w.path.length - 1);
    const ways = reach(u, w);
    if (best && ways.has(best)) flyTo(best);
    else if (best && back >= 0) { plotted(u, u.codes.slice(0, back)); refresh(); }
  });
  svg.addEventListener("keydown", event => {
    const slip = event.shiftKey, key = { ArrowUp: "F", ArrowLeft: slip ? "SL" : "L", ArrowRight: slip ? "SR" : "R", Backspace: "back", ArrowDown: "back" }[event.key];
    if (!key || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    if (key === "back") plotted(helmed(), helmed().codes.slice(0, -1)); else addCode(helmed(), key);
    refresh();
  });
}
function addCode(u, code) {
  const w = walk(u);
  if (w.fault || w.due.length <= w.path.length - 1) return;
  const next = step(u, w.path[w.path.length - 1], code, w.path.length - 1);
  if (!next.refused) plotted(u, [...u.codes.slice(0, w.path.length - 1), code]);
}

