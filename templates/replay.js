/* The replay: shows the positions that the report's data hold for each step. It knows no rule of the game. */
"use strict";
(() => {
const data = JSON.parse(document.getElementById("game").textContent);
const steps = data.steps;
const controls = document.getElementById("replay"), map = document.querySelector("svg.map");
const frames = data.replay, last = frames.length - 1;
if (!map || last < 1) return;
const $ = id => document.getElementById(id);
const all = (query, root = map) => [...root.querySelectorAll(query)];
const QUIET_TIME = 550, TOLD_TIME = 1100, TURN = { A: 0, B: 60, C: 120, D: 180, E: 240, F: 300 };

/* Where hexes are is read off the numbers of the drawn map. */
const hexes = new Map(all(".no text").map(t => [t.textContent, [+t.getAttribute("x"), +t.getAttribute("y") + 15]]));

/* Every frame in full: the one before with its changes. Nothing is inherited: a ship may be called "constructor". */
const full = [], moved = new Map();
const both = (a, b) => Object.assign(Object.create(null), a, b);
frames.forEach((frame, k) => {
  const before = full[k - 1] || { reach: [] }, now = { reach: frame.reach || before.reach };
  for (const what of ["at", "shields", "cloak", "gone"]) now[what] = both(before[what], frame[what]);
  for (const unit in frame.gone) delete now.at[unit];
  for (const unit in frame.at) { delete now.gone[unit]; moved.set(unit + " " + frame.impulse, k); }
  full.push(now);
});
/* Frames of the whole game tell their turn; a moment is turn and impulse. */
const turnOf = frame => frame.turn || data.shown, moment = frame => 100 * turnOf(frame) + frame.impulse;
const frameOf = (when, step) => frames.findIndex(f => moment(f) === when && f.step === step);
const begins = k => frames.findIndex(f => moment(f) === moment(frames[k]));

const counters = all(".counter").map(g => ({
  g, unit: g.dataset.unit, size: g.dataset.size / 100, turn: null, sides: all("line", g), name: g.querySelector("title"),
  slots: new Map((g.dataset.slots || "").split(" ").map(s => [s.slice(0, 4), s.slice(5).split(",").map(Number)])),
}));
const byUnit = new Map(counters.map(c => [c.unit, c]));
const labels = all(".label[data-unit]").map(t => ({
  t, unit: t.dataset.unit, dx: t.getAttribute("x") - t.dataset.x, dy: t.getAttribute("y") - t.dataset.y,
  before: { start: 0, middle: 0.5, end: 1 }[t.getAttribute("text-anchor")], wide: 0,
}));
/* Where a name stands beside a counter at x, and how much of it before that: at the other side where it would leave the
   map. Each is measured once, when it is to be seen. */
const ANCHORS = ["start", "middle", "end"], whole = map.getAttribute("viewBox").split(" ").map(Number);
function beside(l, x) {
  l.wide ||= l.t.getComputedTextLength();
  const at = x + l.dx, left = at - l.before * l.wide;
  if (l.before === 0.5) return [Math.max(l.wide / 2, Math.min(whole[2] - l.wide / 2, at)), 0.5];
  return left < 0 || left + l.wide > whole[2] ? [x - l.dx, 1 - l.before] : [at, l.before];
}
const ways = all(".track").map(g => {
  const path = g.querySelector(".way"), points = path.getAttribute("d").slice(1).split("L");
  const beads = all("[data-impulse]", g).map(b => ({ b, k: moved.get(g.dataset.unit + " " + b.dataset.impulse) ?? 0 }));
  return { path, points, beads, unit: g.dataset.unit, ring: g.querySelector(".start") };
});
const shots = all(".shot, .hit").map(line => ({ line, k: Math.max(0, frameOf(moment({ turn: +line.dataset.turn, impulse: +line.dataset.impulse }), line.dataset.step)) }));
const spans = all(".span").map(g => ({ g, line: g.querySelector("line"), text: g.querySelector("text") }));
const worlds = Object.entries(data.planets).filter(([, hex]) => hexes.has(hex)).map(([name, at]) => {
  const [x, y] = hexes.get(at);
  return [name, { x, y, at }];
});
const measure = $("replay-from"), rulers = $("map-rulers");
/* What is drawn already is left alone: a step of a fleet changes little. */
const drawn = new WeakMap();
function put(element, name, value) {
  if (!drawn.has(element)) drawn.set(element, new Map());
  const known = drawn.get(element);
  if (known.get(name) === value) return;
  known.set(name, value);
  if (name === "off" || name === "veiled") element.classList.toggle(name, value);
  else if (name === "transform") element.style.transform = value;
  else if (name === "text") element.textContent = value;
  else if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}
const show = (element, yes) => put(element, "off", !yes);

/* A unit's place in a frame: middle, turn, size; nothing while it is not on the map. */
function place(counter, now) {
  const at = now.at[counter.unit], middle = at && hexes.get(at.slice(0, 4));
  if (!middle) return null;
  const slot = counter.slots.get(at.slice(0, 4)) || [0, 0];
  const size = counter.size * (counter.slots.has(at.slice(0, 4)) ? 0.75 : 1);
  return { x: middle[0] + slot[0], y: middle[1] + slot[1], turn: TURN[at[4]] || 0, size, at };
}

function draw(k) {
  const now = full[k], end = k === last;
  const places = new Map(counters.map(c => [c.unit, place(c, now)]));
  for (const c of counters) {
    const p = places.get(c.unit);
    show(c.g, p);
    if (!p) { c.turn = null; continue; }
    /* The short way round. */
    c.turn = c.turn === null ? p.turn : c.turn + ((p.turn - c.turn) % 360 + 540) % 360 - 180;
    put(c.g, "transform", `translate(${p.x}px, ${p.y}px) rotate(${c.turn}deg) scale(${p.size})`);
    put(c.g, "veiled", Boolean(now.cloak[c.unit]));
    put(c.name, "text", [c.unit, p.at, now.cloak[c.unit]].filter(Boolean).join(", "));
    (now.shields[c.unit] || []).forEach((left, n) => {
      const side = c.sides[n];
      if (!side) return;
      put(side, "class", left > 0 ? "shield" : "down");
      put(side, "stroke-width", left > 0 ? 1 + Math.floor(5 * left / Math.max(side.dataset.start, left)) : null);
    });
  }
  for (const l of labels) {
    const p = places.get(l.unit);
    show(l.t, p || l.unit in now.gone);
    if (!p) continue;
    const [x, before] = beside(l, p.x);
    put(l.t, "x", x); put(l.t, "y", p.y + l.dy); put(l.t, "text-anchor", ANCHORS[2 * before]);
  }
  for (const w of ways) {
    const seen = w.beads.filter(bead => bead.k <= k).length;
    w.beads.forEach(bead => show(bead.b, bead.k <= k));
    put(w.path, "d", "M" + w.points.slice(0, 1 + seen).join("L"));
    if (w.ring) show(w.ring, w.unit in now.at || w.unit in now.gone);
  }
  /* At the end every shot of the turn is drawn, but points of the last impulse alone. */
  for (const s of shots) show(s.line, (end && turnOf(frames[s.k]) === turnOf(frames[k]) && !s.line.matches(".hit")) || (s.k <= k && moment(frames[s.k]) === moment(frames[k])));
  all(".lost").forEach(g => show(g, g.dataset.unit in now.gone));
  all(".link").forEach(g => show(g, end));
  for (const s of spans) {
    const a = places.get(s.g.dataset.from), b = places.get(s.g.dataset.to);
    const reach = now.reach.find(r => r[0] === s.g.dataset.from && r[1] === s.g.dataset.to);
    show(s.g, a && b && reach);
    if (!a || !b || !reach) continue;
    for (const [name, value] of Object.entries({ x1: a.x, y1: a.y, x2: b.x, y2: b.y })) put(s.line, name, value);
    put(s.text, "x", (a.x + b.x) / 2);
    put(s.text, "y", (a.y + b.y) / 2 + 5);
    put(s.text, "text", reach[2]);
  }
  rule(places);
  map.dispatchEvent(new CustomEvent("drawn", { detail: k }));
}

/* Ranges from one unit to all others, counted on the drawing: a column is 45 wide, half a hex 26 high (D1.4). */
function rule(places) {
  const from = places.get(measure.value), lines = [];
  const there = (what, more) => {
    const made = document.createElementNS(map.namespaceURI, what);
    for (const [name, value] of Object.entries(more)) made.setAttribute(name, value);
    return made;
  };
  if (from) for (const [unit, to] of [...places, ...worlds]) {
    if (!to || unit === measure.value) continue;
    const [a, b] = [from, to].map(p => hexes.get(p.at.slice(0, 4)));
    const columns = Math.abs(a[0] - b[0]) / 45, halves = Math.abs(a[1] - b[1]) / 26;
    const text = there("text", { "data-to": unit, x: (from.x + 2 * to.x) / 3, y: (from.y + 2 * to.y) / 3 + 5 });
    text.textContent = Math.round(columns + Math.max(0, (halves - columns) / 2));
    lines.push(there("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y }), text);
  }
  rulers.replaceChildren(...lines);
  map.classList.toggle("ruled", Boolean(from));
}

/* What was said so far in the impulse, this step's last. */
const element = (tag, textContent, className = "") => Object.assign(document.createElement(tag), { textContent, className });
function tell(k) {
  const { impulse, step } = frames[k], list = $("replay-said");
  const upTo = new Set(frames.slice(begins(k), k + 1).map(f => f.step));
  const page = document.getElementById(`t${turnOf(frames[k])}.i${impulse}`), items = [];
  for (const part of page ? all("[data-step]", page).filter(p => upTo.has(p.dataset.step)) : []) {
    const name = part.dataset.step === step ? "" : "past";
    if (part.matches(".moves")) { items.push(element("li", part.textContent, name)); continue; }
    for (const line of part.children) {
      const item = element("li", "", name);
      for (const die of all(".die", line)) item.append(element("span", die.lastChild.textContent, "die"), " ");
      item.append(...line.querySelector(".what").cloneNode(true).childNodes);
      items.push(item);
    }
  }
  list.replaceChildren(...items);
  if (!items.length) list.append(element("li", k ? "Nothing was told." : "The turn begins.", "past"));
  const shields = numbers => numbers.map(n => "#" + n).join("/");
  $("replay-reach").textContent = full[k].reach.map(([unit, other, range, own, its]) => {
    const facing = [shields(own), shields(its)].filter(Boolean).join(" to ");
    return `${unit} – ${other} ${range}` + (facing && ` (${facing})`);
  }).join("; ");
}

/* Where something happened: the frames whose step told more than moves; a die marks what chance decided. */
const happened = [];
frames.forEach((frame, k) => {
  const page = document.getElementById(`t${turnOf(frame)}.i${frame.impulse}`);
  const told = page && all(".acts[data-step]", page).find(part => part.dataset.step === frame.step);
  if (!k || !told || frameOf(moment(frame), frame.step) !== k) return;
  happened.push(k);
  const tick = element("i", "", told.querySelector(".die") ? "rolled" : "");
  tick.style.left = 100 * k / last + "%";
  $("replay-ticks").append(tick);
});
const nextEvent = () => happened.find(k => k > current) ?? last;
const eventBefore = () => happened.findLast(k => k < current) ?? 0;

const anchor = k => `t${turnOf(frames[k])}i${frames[k].impulse}` + (frames[k].step ? "-" + frames[k].step : "");
function title(k) {
  const { turn, impulse, step } = frames[k];
  if (!k) return `Start of turn ${turnOf(frames[k])}`;
  return (turn ? `Turn ${turn}, ` : "") + (impulse ? `${turn ? "i" : "I"}mpulse ${impulse}: ` : `${turn ? "b" : "B"}efore impulse 1: `) + (steps[step] || step);
}
/* Read aloud what the player steps to, not every step that plays. */
const aloud = yes => $("replay-title").parentElement.setAttribute("aria-live", yes ? "polite" : "off");
let current = last, playing = false, timer = 0, addressed = 0;
/* Browsers count how often a page changes its address: while it plays or is dragged once is enough. */
function address() {
  clearTimeout(addressed);
  addressed = setTimeout(() => history.replaceState(null, "", "#" + anchor(current)), 250);
}
function go(k, quiet) {
  current = Math.max(0, Math.min(last, k));
  $("replay-at").value = current;
  $("replay-at").setAttribute("aria-valuetext", title(current));
  $("replay-title").textContent = title(current);
  $("replay-link").href = "#" + anchor(current);
  draw(current);
  if (map.classList.contains("close")) keepInSight(current, true);
  tell(current);
  if (!quiet) address();
  if (current === last) stop();
}
function stop() {
  clearTimeout(timer);
  playing = false;
  $("replay-play").textContent = "Play";
  aloud(true);
}
function play() {
  if (playing) return stop();
  playing = true;
  $("replay-play").textContent = "Pause";
  aloud(false);
  onward();
}
/* The next step, and the one after it when there was time to see it: moves are seen at a glance, what is told is read. */
function onward() {
  go(current === last ? 0 : current + 1);
  if (playing) timer = setTimeout(onward, (happened.includes(current) ? TOLD_TIME : QUIET_TIME) / $("replay-speed").value);
}
function impulse(way) {
  const here = moment(frames[current]);
  if (way > 0) { const k = frames.findIndex(f => moment(f) > here); return k < 0 ? last : k; }
  return begins(Math.max(0, current - 1));
}

for (const c of counters) measure.append(new Option(c.unit, c.unit));
measure.addEventListener("change", () => draw(current));
for (const c of counters) c.g.addEventListener("click", () => {
  if (map.classList.contains("held")) return;
  measure.value = measure.value === c.unit ? "" : c.unit;
  draw(current);
});

/* The part of the map that matters at a moment: a box round all that is there and what moved in its impulse; never so
   close that ships in one hex fill the screen. */
const EDGE = 85, AIR = 15, TALL = 1300, READABLE = 0.75, CLOSEST = 1.5, NARROW = 600;
/* As report.css has it: so much of the screen a map may take. */
const HIGHEST = innerWidth < 600 ? 0.8 : 0.72;
const frame = map.parentElement, mine = data.mine;
const GLIDE = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 350, LOOSE = 1.6;
function around(from, to) {
  const found = [[Infinity, -Infinity], [Infinity, -Infinity]];
  for (let k = from; k <= to; k++) for (const at of Object.values((k > from ? frames : full)[k].at || {})) {
    (hexes.get(at.slice(0, 4)) || []).forEach((value, n) => {
      found[n] = [Math.min(found[n][0], value), Math.max(found[n][1], value)];
    });
  }
  return found;
}
/* From where to where the names at a moment reach. */
function named(k, [low, high]) {
  let [from, to] = [low - EDGE, high + EDGE];
  for (const l of labels) {
    const middle = hexes.get((full[k].at[l.unit] || "").slice(0, 4));
    if (!middle) continue;
    const [x, before] = beside(l, middle[0]), left = x - before * l.wide;
    [from, to] = [Math.min(from, left - AIR), Math.max(to, left + l.wide + AIR)];
  }
  return [from, to];
}
function stretch([low, high], edge, least, most) {
  const size = Math.min(most, Math.max(high - low + 2 * edge, least));
  return [Math.max(0, Math.min(most - size, (low + high - size) / 2)), size];
}
function wanted(k) {
  const [, , w, h] = whole, [xs, ys] = around(Math.max(0, begins(k) - 1), k);
  if (xs[0] > xs[1]) return whole;
  const [top, high] = stretch(ys, EDGE, 420, h);
  const [left, wide] = stretch(named(k, xs), 0, Math.max(high / (HIGHEST * innerHeight), 1 / CLOSEST) * frame.clientWidth, w);
  return [left, top, wide, high];
}
let box = whole, gliding = 0;
function look(to, smooth) {
  cancelAnimationFrame(gliding);
  const from = box, begun = performance.now();
  box = to;
  const step = time => {
    const part = smooth && GLIDE ? Math.min(1, Math.max(0, (time - begun) / GLIDE)) : 1, eased = part * part * (3 - 2 * part);
    map.setAttribute("viewBox", from.map((value, n) => value + (to[n] - value) * eased).join(" "));
    if (part < 1) gliding = requestAnimationFrame(step);
  };
  step(begun);
}
/* The eye stays where it is while all is in it and it is not much too wide. */
function keepInSight(k, smooth) {
  if (byHand) return;
  const need = wanted(k);
  const inside = [AIR, EDGE / 2].every((slack, n) => box[n] <= need[n] + slack && box[n] + box[n + 2] >= need[n] + need[n + 2] - slack);
  if (!inside || Math.max(box[2] / need[2], box[3] / need[3]) > LOOSE) { look(need, smooth); fit(k); }
}
/* By hand: dragged, and zoomed by pinching (which browsers tell as a wheel with Ctrl), + and -. */
function zoom(by, x = 0.5, y = 0.5) {
  const wide = Math.min(whole[2], Math.max(180, box[2] * by)), high = box[3] * wide / box[2];
  map.classList.add("close");
  byHand = true;
  look([box[0] + (box[2] - wide) * x, box[1] + (box[3] - high) * y, wide, high]);
}
let byHand = false, held = null;
map.addEventListener("wheel", event => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  const at = map.getBoundingClientRect();
  zoom(Math.exp(event.deltaY / 300), (event.clientX - at.left) / at.width, (event.clientY - at.top) / at.height);
}, { passive: false });
map.addEventListener("pointerdown", event => {
  if (event.pointerType === "mouse" && event.button === 0 && map.classList.contains("close")) held = [event.clientX, event.clientY];
});
addEventListener("pointermove", event => {
  if (!held) return;
  const scale = box[2] / map.clientWidth, to = [event.clientX, event.clientY];
  if (Math.hypot(to[0] - held[0], to[1] - held[1]) < 4 && !map.classList.contains("held")) return;
  map.classList.add("held");
  byHand = true;
  look([box[0] + (held[0] - to[0]) * scale, box[1] + (held[1] - to[1]) * scale, box[2], box[3]]);
  held = to;
});
addEventListener("pointerup", () => { held = null; setTimeout(() => map.classList.remove("held")); });

function closeUp(yes) {
  byHand = false;
  map.classList.toggle("close", yes);
  $("replay-close").setAttribute("aria-pressed", yes);
  look(yes ? wanted(current) : whole);
  fit(current);
}
/* On a narrow screen the map scrolls, rather than be much too small to read, and is no wider than it is drawn; on any
   other all that matters at the moment is in sight. */
function fit(k) {
  map.style.minWidth = "";
  const scale = Math.min(READABLE, HIGHEST * innerHeight / box[3]);
  if (!map.classList.contains("close") || frame.clientWidth >= NARROW || box[2] * scale <= 1.2 * frame.clientWidth) return;
  map.style.minWidth = Math.round(box[2] * scale) + "px";
  const middle = byUnit.get(mine) && place(byUnit.get(mine), full[k]);
  if (middle) frame.scrollLeft = (middle.x - box[0]) * scale - frame.clientWidth / 2;
}

const keys = {
  ArrowLeft: () => go(current - 1), ArrowRight: () => go(current + 1), Home: () => go(0), End: () => go(last),
  "+": () => zoom(0.8), "-": () => zoom(1.25), n: () => go(nextEvent()), p: () => go(eventBefore()), PageUp: () => go(impulse(-1)), PageDown: () => go(impulse(1)), " ": play,
};
document.addEventListener("keydown", event => {
  const inside = event.target.closest && event.target.closest("#map");
  const { top, bottom } = $("map").getBoundingClientRect();
  const idle = event.target === document.body && top < innerHeight / 2 && bottom > innerHeight / 3;
  if (!(inside || idle) || event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
  if (event.target.closest("select") || (event.key === " " && event.target.closest("button, a"))) return;
  event.preventDefault();
  if (!" +-".includes(event.key)) stop();
  keys[event.key]();
});
const press = (id, what) => $(id).addEventListener("click", () => { stop(); what(); });
press("replay-first", keys.Home); press("replay-back", keys.ArrowLeft);
press("replay-event", keys.n); press("replay-on", keys.ArrowRight); press("replay-last", keys.End);
$("replay-play").addEventListener("click", play);
$("replay-close").addEventListener("click", event => closeUp(event.target.getAttribute("aria-pressed") !== "true"));
$("replay-speed").addEventListener("change", () => { if (playing) { stop(); play(); } });
$("replay-at").max = last;
/* While the slider is dragged counters jump; they glide when it is let go. */
const glide = yes => map.classList.toggle("live", yes);
$("replay-at").addEventListener("input", event => { stop(); glide(false); go(+event.target.value); });
$("replay-at").addEventListener("change", () => glide(true));

/* A link to a moment: #t2i9 is impulse 9 of turn 2 when it is over, #t2i9-fire one step of it. */
function follow() {
  const found = /^#t(\d+)i(\d+)(?:-(\w+))?$/.exec(location.hash);
  if (!found || !frames.some(f => turnOf(f) === +found[1])) return false;
  const when = moment({ turn: +found[1], impulse: +found[2] }), exact = found[3] ? frameOf(when, found[3]) : -1;
  go(exact >= 0 ? exact : frames.findLastIndex(f => moment(f) <= when), true);
  $("map").scrollIntoView({ behavior: "instant" });
  return true;
}
/* A die says what it was rolled for; the table of dice has it, in the same order. */
const rolled = all("#dice td:last-child", document);
all(".imp .die", document).forEach((die, k) => { if (rolled[k]) die.title = rolled[k].textContent; });
/* The headings of moments lead to the map now: links that need this script are made by it. */
for (const place of document.querySelectorAll("[id]")) if (/^t\d+i/.test(place.id)) place.replaceWith(Object.assign(element("a", place.textContent), { href: "#" + place.id, title: "See it on the map" }));
addEventListener("load", follow);
addEventListener("hashchange", () => { stop(); follow(); });
let kept = last;
addEventListener("beforeprint", () => { kept = current; stop(); go(last, true); });
addEventListener("afterprint", () => go(kept, true));
controls.hidden = false;
const [, tall] = around(0, last);
if (tall[1] - tall[0] < TALL) closeUp(true);
if (!follow()) go(last, true);
map.classList.add("live");
document.documentElement.dataset.replay = "ready";
})();
