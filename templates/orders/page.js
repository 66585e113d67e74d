/* The order form. It holds no rule of the game: what is legal, what it costs and what it may do was worked out by the
   engine and stands in the data; here it is only added up, looked up and written down.

   The files of this folder are one script, put together by pbem/reports/form/form.py in the order named there.

   This one is how the page is drawn. A part of the form is built anew from what is chosen and then compared with what
   stands on the page: only what differs is changed. So a field that is being typed in, a button that is being pressed
   and a list that is scrolled stay the very same ones, and nothing is ever drawn between press and release. */
const RAW = document.getElementById("form").textContent;
const D = JSON.parse(RAW), W = D.words, R = D.request, M = D.map, DRAFT = D.draft.join("\n");
const SVG = "http://www.w3.org/2000/svg", FACINGS = "ABCDEF", CODES = M ? Object.keys(M.codes) : [];
const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const $ = id => document.getElementById(id);

/* A part of the page. Text is always text: whatever a ship is called, it never becomes markup. What a part does when it
   is clicked or changed is kept beside it (`does`), and looked up when that happens: see `hear`. */
const put = (e, kids) => { for (const kid of kids.flat(9)) if (kid !== null && kid !== undefined && kid !== false && kid !== "") e.append(kid); return e; };
const dress = (e, how) => {
  for (const [key, value] of Object.entries(how || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) (e.does || (e.does = {}))[key.slice(2)] = value;
    else if (key === "value") e.value = value;
    else if (key === "checked") e.checked = true;
    else if (key === "key") e.known = value;
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
const many = (n, one) => n + " " + one + (String(n) === "1" ? "" : "s");

/* By what a part is known again: its id or key, else that of the first field inside it. */
const nameOf = e => e.nodeType !== 1 ? "" : e.id || e.known || ((e = e.querySelector("[id]")) ? "with " + e.id : "");
function patch(live, fresh) {
  if (live.nodeType !== 1) { if (live.data !== fresh.data) live.data = fresh.data; return; }
  live.does = fresh.does;
  live.known = fresh.known;
  /* Whether a fold is open is its reader's affair. */
  const held = name => name === "style" || (name === "open" && live.nodeName === "DETAILS");
  for (const { name } of [...live.attributes]) if (!held(name) && !fresh.hasAttribute(name)) live.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (!held(name) && live.getAttribute(name) !== value) live.setAttribute(name, value);
  if (live.style.cssText !== fresh.style.cssText) live.style.cssText = fresh.style.cssText;
  if (live.nodeName === "TEXTAREA" || live.nodeName === "INPUT") {
    if (live !== switched && live.checked !== fresh.checked) live.checked = fresh.checked;
    if (live.type !== "checkbox" && live.value !== fresh.value) live.value = fresh.value;
    return;
  }
  const place = fresh.selectedIndex;
  fill(live, fresh);
  if (live.nodeName === "SELECT" && live.selectedIndex !== place) live.selectedIndex = place;
}
/* Makes the inside of a part what the inside of `fresh` is. */
function fill(live, fresh) {
  const wanted = [...fresh.childNodes], names = wanted.map(nameOf), kept = new Map();
  for (const kid of live.childNodes) { const name = nameOf(kid); if (name && names.includes(name)) kept.set(name, kid); }
  let place = live.firstChild;
  for (const [n, kid] of wanted.entries()) {
    const found = names[n] ? kept.get(names[n]) : place && !nameOf(place) ? place : null;
    if (!found || found.nodeName !== kid.nodeName) { live.insertBefore(kid, place); continue; }
    while (place !== found && place && !kept.has(nameOf(place))) { const gone = place; place = place.nextSibling; gone.remove(); }
    if (place !== found) live.insertBefore(found, place); else place = place.nextSibling;
    patch(found, kid);
  }
  while (place) { const gone = place; place = place.nextSibling; gone.remove(); }
}
const draw = (root, ...kids) => fill(root, put(h("div"), kids));

/* --- press and release -------------------------------------------------------------------------------------------- */
/* From press to release nothing is drawn: leaving a field may change the form, and then the button under the finger would
   be gone, or another one, before the finger is lifted. What is due is drawn before the click is heard, so that the click
   does what the form says now. */
let pressed = false, due = false;
/* A box that is being ticked: its tick stands before its click is heard, and what is chosen does not know of it yet. */
let switched = null;
function refresh() { due = true; if (!pressed) settle(); }
function settle() { if (due) { due = false; paint(); } }
const lifted = () => setTimeout(() => { pressed = false; settle(); });
for (const type of ["pointerdown", "mousedown"]) addEventListener(type, () => { pressed = true; }, true);
for (const type of ["pointerup", "pointercancel", "mouseup", "dragend", "blur"]) addEventListener(type, event => { if (type !== "blur" || event.target === window) lifted(); }, true);
addEventListener("pointermove", event => { if (pressed && !event.buttons) lifted(); }, true);
/* A list opens in a window of its own, which swallows the release; and who uses the keys presses nothing. */
addEventListener("change", event => { if (event.target.nodeName === "SELECT") pressed = false; }, true);
addEventListener("keydown", () => { pressed = false; settle(); }, true);
addEventListener("click", event => { pressed = false; switched = event.target; settle(); switched = null; }, true);
function hear(event) {
  for (const e of event.composedPath()) if (e.isConnected && e.does && e.does[event.type]) { e.does[event.type](event); return; }
}
for (const type of ["click", "input", "change"]) document.addEventListener(type, hear);
document.addEventListener("toggle", hear, true);
/* Among the units arrows go from one to the next: who comes by keyboard passes all of them with one Tab. */
document.addEventListener("keydown", event => {
  if (event.target.getAttribute("role") !== "tab" || event.ctrlKey || event.altKey || event.metaKey) return;
  const last = S.blocks.length - 1, to = { ArrowRight: S.at + 1, ArrowDown: S.at + 1, ArrowLeft: S.at - 1, ArrowUp: S.at - 1, Home: 0, End: last }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  S.at = to < 0 ? last : to > last ? 0 : to;
  refresh(); settle(); show();
  $("tab" + S.at).focus();
});
/* Enter in a field adds what is being made of it, or takes the field as it stands. */
document.addEventListener("keydown", event => {
  if (event.key !== "Enter" || event.isComposing || event.target.nodeName !== "INPUT") return;
  const build = event.target.closest(".build"), add = build && build.querySelector("button[data-add]");
  if (event.target.type !== "checkbox" && event.target.type !== "file") event.preventDefault();
  if (add && add.does && add.does.click) { add.does.click(event); settle(); }
  else if (event.target.does && event.target.does.change) event.target.does.change(event);
});
