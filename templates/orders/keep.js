/* --- kept between two visits -------------------------------------------------------------------------------------- */
/* What is entered is kept by the reader's own program, for this request alone: the same game, turn, side and number, and
   the same data, so that what was entered for another form never gets into this one. */
const digest = text => { let a = 0x811c9dc5, b = 0x9747b28c; for (let i = 0; i < text.length; i++) { const c = text.charCodeAt(i); a = Math.imul(a ^ c, 16777619); b = Math.imul(b ^ c, 2246822519) ^ (b >>> 13); } return (a >>> 0).toString(36) + (b >>> 0).toString(36); };
const SHELF = "pbem orders/", SHELF_LIFE = 60 * 864e5;
const SHELVED = SHELF + [D.game, R.turn, D.side, R.number].map(encodeURIComponent).join("/") + "/" + digest(JSON.stringify({ ...JSON.parse(RAW), mail: null }));
const OF_UNIT = ["fields", "rest", "speed", "at", "codes", "typed", "meant", "course", "steer", "leave", "do", "breaks", "damage"];
const BY_ID = { memory, joined, touched, loose };
let keeps = true, given = "", begun = "", shelved = "";

/* All that is chosen, as text; and back. What does not fit this form is refused by an error. */
function packed() {
  const chosenHere = { on: S.on, other: S.other, blocks: S.blocks.map(u => OF_UNIT.map(part => u[part])), touched, picked: Object.fromEntries(Object.entries(picked).map(([id, names]) => [id, [...names]]).filter(([, names]) => names.length)), typed: $("load-text").value };
  return JSON.stringify(chosenHere);
}
const packedAll = () => JSON.stringify({ format: 1, when: Date.now(), chosen: packed(), at: S.at, memory, joined, loose });
function unpack(text) {
  const whole = JSON.parse(text), held = JSON.parse(whole.chosen);
  if (whole.format !== 1 || held.blocks.length !== D.blocks.length) throw new Error("another form");
  const blocks = D.blocks.map((b, n) => Object.assign(empty(b), Object.fromEntries(OF_UNIT.map((part, k) => [part, held.blocks[n][k]]))));
  for (const u of blocks) for (const [id, pick] of Object.entries(u.fields)) if (!u.b.energy.fields.find(f => f.id === id).options[pick.opt]) throw new Error("another form");
  S = { on: Boolean(held.on), blocks, other: held.other.map(String), at: Math.min(Math.max(0, Number(whole.at) || 0), Math.max(0, D.blocks.length - 1)) };
  for (const [name, kept] of Object.entries(BY_ID)) { for (const id of Object.keys(kept)) delete kept[id]; Object.assign(kept, name === "touched" ? held.touched : whole[name]); }
  for (const id of Object.keys(picked)) delete picked[id];
  for (const [id, names] of Object.entries(held.picked)) picked[id] = new Set(names);
  $("load-text").value = held.typed;
  $("load-box").hidden = !held.typed;
}
/* A page opened from a file can find its shelf empty when it is loaded again, though it is not (Chromium on a busy
   machine: seen once in thirty times): so this one visit remembers too. A page that a program served needs it not, and
   must leave nothing behind in a window that others use. */
const FROM_FILE = location.protocol === "file:";
function remember(text) { if (FROM_FILE) try { history.replaceState(text && { [SHELVED]: text }, ""); } catch { /* too often for this program: the shelf has it */ } }
const remembered = () => (FROM_FILE && history.state && history.state[SHELVED]) || "";
const writtenAt = text => { try { return JSON.parse(text).when || 0; } catch { return 0; /* none of ours */ } };

/* Whether the course of an enemy was sketched. */
const sketched = () => Object.keys(memory).some(id => /^foe\d+[b-d]?-codes$/.test(id) && memory[id]);
/* Writes down what is chosen, if anything is. */
function shelve() {
  const whole = packed(), all = whole + JSON.stringify(memory);
  if (all === shelved) return;
  shelved = all;
  const text = whole === begun && !sketched() ? null : packedAll();
  remember(text);
  try {
    if (text === null) localStorage.removeItem(SHELVED); else localStorage.setItem(SHELVED, text);
    keeps = true;
  } catch { keeps = false; }
}
/* What was entered here before, or "" where there is nothing or nothing can be kept. Old forms are thrown away. */
function fromShelf() {
  try {
    localStorage.setItem(SHELF, "");
    localStorage.removeItem(SHELF);
    for (const name of Object.keys(localStorage)) if (name.startsWith(SHELF) && name !== SHELVED) {
      if (!(Date.now() - writtenAt(localStorage.getItem(name)) < SHELF_LIFE)) localStorage.removeItem(name);
    }
    const shelf = localStorage.getItem(SHELVED) || "", visit = remembered();
    return writtenAt(visit) > writtenAt(shelf) ? visit : shelf;
  } catch { keeps = false; return remembered(); }
}
/* Where nothing can be kept, leaving with something that was handed on nowhere is asked about. */
addEventListener("beforeunload", event => { settle(); if (!keeps && packed() !== begun && orderText() !== given) { event.preventDefault(); event.returnValue = ""; } });

let before = "", bar = "";
/* Puts something else into the whole form; what was there can be had back. */
function instead(change, told) {
  before = packedAll();
  for (const kept of Object.values(BY_ID)) for (const id of Object.keys(kept)) delete kept[id];
  for (const names of Object.values(picked)) names.clear();
  $("load-text").value = "";
  $("load-box").hidden = true;
  const more = change();
  bar = told;
  refresh();
  return more;
}
function keptBar() {
  const over = { id: "start-over", type: "button", onclick: () => instead(() => load(DRAFT), "The form begins anew, with the draft.") };
  if (bar) return [h("span", {}, bar), before ? h("button", { id: "undo-over", type: "button", onclick: () => { unpack(before); before = bar = ""; refresh(); } }, "Take that back") : h("button", over, "Start over")];
  if (!keeps && packed() !== begun) return [h("span", { class: "warn" }, "This program keeps nothing of what you enter: copy the text, or save it, before you leave the page.")];
  return [];
}
