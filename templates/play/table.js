/* The page around report and order form: sends what the form writes, says what the check says of it at its place, and
   starts the replay. The two pages in the frames are those that are mailed; nothing in them knows of this one. */
"use strict";
(() => {
const here = document.body.dataset, $ = id => document.getElementById(id);
const form = $("form"), report = $("report"), send = $("send"), told = $("told"), wrong = $("wrong");
const base = here.base;

/* What another side has entered and not sent is no business of who sits here now. */
const SHELF = "pbem orders/" + encodeURIComponent(here.game) + "/";
if (here.shared === "yes") try {
  for (const key of Object.keys(localStorage)) if (key.startsWith(SHELF) && decodeURIComponent(key.slice(SHELF.length).split("/")[1]) !== here.side) localStorage.removeItem(key);
} catch { /* nothing is kept, so nothing is there */ }
const forget = () => { try { for (const key of Object.keys(localStorage)) if (key.startsWith(SHELF)) localStorage.removeItem(key); } catch { /* the same */ } };

/* A form is sent once: a second click while the answer is on its way does nothing. */
let posted = false;
for (const one of document.forms) one.addEventListener("submit", event => { if (posted) event.preventDefault(); posted = true; });
addEventListener("pageshow", () => { posted = false; });
/* After an Undo the form holds the orders that were taken back; where they were changed since, what was changed. */
const undone = new URLSearchParams(location.search).has("undone");
if (undone) forget();
const entered = () => { try { return Object.keys(localStorage).some(key => key.startsWith(SHELF + here.request + "/")); } catch { return false; } };
const again = here.again && (undone || !entered()) ? here.again : "";

/* --- what is shown ------------------------------------------------------------------------------------------------ */
const views = document.querySelector(".views"), pressed = [...views.querySelectorAll("button")];
function view(which) {
  document.body.dataset.view = which;
  for (const button of pressed) button.setAttribute("aria-pressed", String(button.dataset.view === which));
}
views.hidden = pressed.length < 2;
for (const button of pressed) button.addEventListener("click", () => view(button.dataset.view));
const played = new URLSearchParams(location.search).has("played");
view(!form ? "report" : innerWidth >= 1500 ? "both" : played ? "report" : "form");
if (played || undone) history.replaceState(null, "", location.pathname);

const whenReady = (frame, ready, what) => {
  const look = () => {
    let page = null;
    try { page = frame.contentDocument; } catch { return; }
    if (page && page.documentElement && page.URL !== "about:blank" && ready(page)) what(frame.contentWindow, page);
    else setTimeout(look, 60);
  };
  look();
};
/* What the page around says already the pages in the frames need not: their headings make room for the map. They are as
   they were mailed; the style is laid over them here. */
const lay = (window, page, style) => { const sheet = new window.CSSStyleSheet(); sheet.replaceSync(style); page.adoptedStyleSheets = [sheet]; };
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
/* Plays what is on the map before the reader's eyes. Only the frame is scrolled, not what is around it. */
function replay(window, page, from) {
  const map = page.getElementById("map"), ready = page.documentElement.dataset.replay === "ready";
  if (map) window.scrollTo({ top: map.getBoundingClientRect().top + window.scrollY - 56, behavior: "instant" });
  if (ready && from) page.getElementById(from).click();
  if (ready && !still) page.getElementById("replay-play").click();
}
const NARROWER = ".top { padding: .6rem 0 .2rem } h1 { font-size: 1.35rem } h1 small { font-size: 1rem }";
whenReady(report, page => page.readyState === "complete", (window, page) => {
  lay(window, page, NARROWER);
  if (played) replay(window, page);
  document.documentElement.dataset.report = "ready";
});
/* The whole game is played from its beginning. */
const entire = $("whole");
if (entire) entire.addEventListener("click", () => report.addEventListener("load", () => {
  lay(report.contentWindow, report.contentDocument, NARROWER);
  replay(report.contentWindow, report.contentDocument, "replay-first");
}, { once: true }));
/* In a club others play on meanwhile: what is new is offered, and nobody's half-written orders are taken away. */
if (here.stamp) {
  const news = $("news"), ask = async () => {
    if (document.visibilityState === "visible") try {
      const found = await (await fetch(base + "stamp", { headers: { Accept: "application/json" } })).json();
      if (found.stamp && found.stamp !== here.stamp) { news.hidden = false; return; }
    } catch { /* the next time */ }
    setTimeout(ask, 20_000);
  };
  setTimeout(ask, 5_000);
}
if (!form) { document.documentElement.dataset.table = "ready"; return; }

/* --- orders ------------------------------------------------------------------------------------------------------- */
/* `news` is what was said of a file, until the check has said what it thinks of it. */
let text = () => "", news = "", busy = false, asked = 0, doc = null, timer = 0, asking = new AbortController();
/* From here on nothing is asked for who sat here: orders are on their way, or somebody else sits down. */
const leave = () => { busy = true; clearTimeout(timer); asking.abort(); };
for (const one of document.forms) one.addEventListener("submit", leave);
addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
const post = async (what, orders, signal) => {
  const answer = await fetch(base + what, { signal, method: "POST", headers: { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" }, body: new URLSearchParams(here.nonce ? { orders, nonce: here.nonce } : { orders }) });
  if (answer.status === 403) throw new Error(here.stranger);
  return answer.json();
};
/* Why there is no answer: nobody is there, or somebody who does not know this browser. */
const because = error => error.message === here.stranger ? here.stranger : here.silent;
/* A fault at its place: the line it stands in, the unit whose line it is. */
function placeOf(orders, line) {
  const lines = orders.split("\n"), units = [...doc.querySelectorAll("#units button")];
  let name = "";
  for (let k = 0; k < Math.min(line, lines.length); k++) { const found = /^\s*(?:SHIP|SHUTTLE)\s+"?([^"]+?)"?\s*$/i.exec(lines[k]); if (found) name = found[1]; }
  const tab = units.find(button => button.textContent.startsWith(name));
  return { quoted: (lines[line - 1] || "").trim(), name, tab };
}
/* Orders of a request that was played already: this page is an old one. */
const BYGONE = ["wrong-turn", "wrong-request", "nothing-asked", "not-asked"];
const bygone = faults => faults.some(fault => BYGONE.includes(fault.code)) && "The game has gone on, perhaps in another window: load this page anew.";
function show(faults, orders) {
  wrong.hidden = !faults.length;
  wrong.replaceChildren(...faults.map(fault => {
    const item = document.createElement("li"), said = fault.text + (fault.rule ? ` (${fault.rule})` : "");
    if (!fault.line) { item.textContent = said; return item; }
    const { quoted, name, tab } = placeOf(orders, fault.line), go = document.createElement("button");
    go.type = "button";
    go.textContent = [name, quoted].filter(Boolean).join(": ");
    go.addEventListener("click", () => {
      view(innerWidth >= 1500 ? "both" : "form");
      if (tab) tab.click();
      mark(fault.line);
    });
    item.append(go, " ", said);
    return item;
  }));
}
/* What the form itself says is open, in a sentence; nothing if nothing is. */
function open() {
  const verdict = doc.getElementById("verdict");
  if (verdict.className === "good") return "";
  /* Where something is chosen and not in the text, it is no time to say that nothing is chosen. */
  const left = doc.getElementById("loose"), said = [...verdict.querySelectorAll("p:not(.line)")].filter(one => !left || !one.classList.contains("loose") || one.nextElementSibling === left);
  return said.map(one => one.textContent.trim().replace(/:$/, "; see Orders.")).join(" ");
}
/* What is said of the orders as they stand: what the check refuses, what the form leaves open, or that all is well. */
let looked = false, refused = "";
const standing = () => refused || open() || (looked ? "The check has nothing against it." : "Looking at it …");
/* Selects a line in the text of the orders. */
function mark(line) {
  const pre = doc.getElementById("text"), node = pre.firstChild, lines = pre.textContent.split("\n");
  if (!node) return;
  const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0), range = doc.createRange();
  range.setStart(node, from);
  range.setEnd(node, Math.min(node.length, from + (lines[line - 1] || "").length));
  const selected = form.contentWindow.getSelection();
  selected.removeAllRanges();
  selected.addRange(range);
  pre.scrollIntoView({ block: "center" });
  pre.focus({ preventScroll: true });
}
async function look() {
  if (busy) return;
  const number = ++asked, orders = text();
  asking.abort();
  asking = new AbortController();
  try {
    const found = await post("check", orders, asking.signal);
    if (number !== asked || busy) return;
    show(found.faults, orders);
    [looked, refused] = [true, found.faults.length ? bygone(found.faults) || "The check refuses this as it stands." : ""];
    told.textContent = [news, standing()].join(" ").trim();
    news = "";
  } catch (error) { if (number === asked && !busy) told.textContent = because(error); }
}
async function hand() {
  if (busy) return;
  const orders = text(), loose = doc.querySelectorAll("#loose > li").length;
  if (loose && !confirm(loose === 1 ? "One thing you chose is not in the text. Send all the same?" : loose + " things you chose are not in the text. Send all the same?")) return;
  leave();
  document.body.classList.add("busy");
  told.textContent = here.sending;
  try {
    const found = await post("send", orders);
    if (found.next) { if (!here.stamp) forget(); location.assign(found.next); return; }
    show(found.faults, orders);
    told.textContent = bygone(found.faults) || "Not sent: see what is wrong.";
  } catch (error) { told.textContent = because(error); }
  busy = false;
  document.body.classList.remove("busy");
  if (text() !== orders) look();
}
/* What was tried out on a VASSAL table: its plots come into the form, and are shown, not sent. */
const MOST = 180_000;
async function tryOut(file, load) {
  if (!file) return;
  if (file.size > MOST) { told.textContent = "This save is too large for the door: mail it to the umpire."; return; }
  try {
    const bytes = new Uint8Array(await file.arrayBuffer()), save = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join("")), orders = text();
    const answer = await fetch(base + "tried", { method: "POST", headers: { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" }, body: new URLSearchParams({ save, name: file.name, orders }) });
    if (answer.status === 403) throw new Error(here.stranger);
    const found = await answer.json();
    show(found.faults, orders);
    if (!found.orders) {
      /* What is wrong with the file stays to be read: a look at the text that is under way has no say any more. */
      clearTimeout(timer); asked++; news = "";
      told.textContent = "Nothing was taken from " + file.name + ": see what is wrong.";
      return;
    }
    view(innerWidth >= 1500 ? "both" : "form");
    told.textContent = news = ["The plots of " + file.name + " stand in the form; nothing was sent.", ...found.said].join(" ");
    load(found.orders);
  } catch (error) { told.textContent = because(error); }
}
whenReady(form, page => page.documentElement.dataset.form === "ready", (window, page) => {
  doc = page;
  lay(window, page, ".form .head { padding: .55rem 1.25rem; gap: .1rem 1.5rem } .form .head h1 { position: absolute; clip-path: inset(50%) } .form .head .over { margin: 0 } .form .mission:not(:has([open])) { flex: 0 1 auto } .left .mapcard { flex-basis: 66vh } .left #text-card { max-height: 26vh; min-height: 9rem }");
  window.orderForm.frame();
  text = () => window.orderForm.text();
  for (const id of ["copy", "mail"]) page.getElementById(id).hidden = true;
  const how = page.querySelector(".how");
  if (how) how.hidden = true;
  const inside = page.createElement("button");
  inside.type = "button"; inside.className = "main"; inside.id = "send-here"; inside.textContent = "Send";
  page.getElementById("copy").before(inside);
  for (const button of [send, inside]) button.addEventListener("click", hand);
  send.hidden = false;
  const tried = $("tried");
  if (tried) {
    $("tried-box").hidden = false;
    tried.addEventListener("change", () => { tryOut(tried.files[0], window.orderForm.load); tried.value = ""; });
  }
  const all = { childList: true, characterData: true, subtree: true };
  new MutationObserver(() => { [looked, refused] = [false, ""]; if (!news) told.textContent = standing(); clearTimeout(timer); timer = setTimeout(look, 400); }).observe(page.getElementById("text"), all);
  /* A choice that is not in the text yet changes what is open, and not the text. */
  new MutationObserver(() => { if (looked && !news && !busy) told.textContent = standing(); }).observe(page.getElementById("verdict"), all);
  if (again) {
    told.textContent = news = here.undone;
    window.orderForm.load(again);
  }
  timer = setTimeout(look, again ? 400 : 0); // a text that has just been loaded is looked at once, not twice
  document.documentElement.dataset.table = "ready";
});
})();
