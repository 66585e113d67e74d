/* --- all of it ---------------------------------------------------------------------------------------------------- */
const tell = text => { $("said").textContent = text; };
function subjectAndBody() {
  const text = orderText(), to = encodeURIComponent(D.mail.to).replace(/%40/g, "@"), enc = t => encodeURIComponent(t);
  const whole = "mailto:" + to + "?subject=" + enc(D.mail.subject) + "&body=" + enc(text.replace(/\n/g, "\r\n"));
  return whole.length <= 1900 ? { href: whole, fits: true } : { href: "mailto:" + to + "?subject=" + enc(D.mail.subject), fits: false };
}
const among = (u, text) => S.blocks.length > 1 ? u.b.name + ": " + text : text;
/* Whether nothing at all is chosen for a unit; whether its energy form, if it has one, is as empty as it came. */
const noOrders = u => u.speed === null && !u.course && u.typed === null && !u.leave && !["rest", "codes", "steer", "do", "breaks", "damage"].some(list => u[list].length);
const noEnergy = u => Boolean(u.b.energy) && !u.rest.length && !Object.keys(u.fields).length;
const untouched = u => (u.b.energy ? noEnergy(u) : noOrders(u) && !(u.b.speeds && u.b.speeds.fixed && R.form === "EAF"));
/* Whether something is chosen for it that no order holds yet. */
const hasLoose = u => Object.values(loose).some(([at]) => S.blocks[at] === u);
const nothingOf = u => among(u, !u.b.energy ? "nothing is chosen yet; it " + (speedOf(u) ? "flies straight on and does nothing else" : "stays where it is and does nothing") : noOrders(u) && !hasLoose(u) ? "nothing is chosen yet" + (R.form === "EAF" ? "; without energy it has speed 0 and arms nothing" : "; it stays where it is and arms nothing") : "no energy is given to anything: speed 0, and nothing is armed");
/* What is wrong, chosen and not added, not chosen at all, and worth a word, of the whole form. */
function outlook() {
  const found = { faults: [], loose: [], bare: [], notes: [] };
  if (S.on) return found;
  for (const u of S.blocks) {
    for (const fault of faultsOf(u)) found[fault.stands ? "notes" : "faults"].push(among(u, fault.text));
    if (untouched(u) && !u.meant && (u.b.energy || !hasLoose(u))) found.bare.push(u);
    else if (u.b.energy && unusedPower(u)) found.notes.push(among(u, many(say(unusedPower(u)), "point") + " of " + say(balance(u).made) + " not used: what is not spent this turn is lost, but for the batteries (B3.0)"));
    if (R.form !== "EAF") { const spare = walk(u).spare; if (spare) found.notes.push(among(u, "the last " + many(spare, "code") + " of the plot " + (spare === 1 ? "is" : "are") + " more than its hexes at speed " + speedOf(u))); }
  }
  for (const [id, [at, list, text, why]] of Object.entries(loose)) if (S.blocks[at]) found.loose.push({ id, u: S.blocks[at], list, text, why });
  if ($("load-text").value.trim()) found.loose.push({ id: "load", text: "" });
  return found;
}
function verdictOf({ faults, loose: left, bare, notes }) {
  if (S.on) return ["good", "✓ Ready to be sent: your orders so far stay as they are."];
  const told = [];
  if (faults.length) told.push(h("p", {}, faults.length === 1 ? "One thing to mend before you send it:" : faults.length + " things to mend before you send it:"), h("ul", {}, faults.slice(0, 6).map(f => h("li", {}, f)), faults.length > 6 ? h("li", {}, "and " + (faults.length - 6) + " more") : ""));
  if (left.length) told.push(h("p", { class: "loose" }, "Chosen, and not in the text:"), h("ul", { class: "loose", id: "loose" }, left.map(({ id, u, list, text, why }) => id === "load" ? h("li", {}, "the text in the box below; put it into the form, or empty the box") : h("li", { id: "loose-" + id }, S.blocks.length > 1 ? u.b.name + ": " : "", h("code", { class: "mono" }, text), " ", why ? h("span", { class: "tiny" }, why + " ") : h("button", { type: "button", id: "put-" + id, onclick: () => addLine(id, u, list, text) }, "Add"), h("button", { type: "button", id: "drop-" + id, onclick: () => { leave(id); refresh(); } }, "Leave it")))));
  if (bare.length) {
    const all = bare.length === S.blocks.length;
    told.push(h("p", { class: "loose" }, all && S.blocks.length === 1 ? nothingOf(bare[0]).replace(/^./, c => c.toUpperCase()) + "." : all && !left.length ? "Nothing is chosen yet:" : "Not chosen yet:"), all && S.blocks.length === 1 ? "" : h("ul", { class: "loose" }, bare.map(u => h("li", {}, nothingOf(u)))),
      h("p", { class: "line" }, h("button", { type: "button", id: "meant", onclick: () => { for (const u of bare) u.meant = true; refresh(); } }, "That is what I want")));
  }
  const state = faults.length ? "bad" : told.length ? "open" : "good";
  if (state === "good") told.push(h("p", {}, "✓ Ready to be sent."));
  if (notes.length) told.push(h("ul", { class: "notes" }, notes.map(note => h("li", {}, note))));
  return [state, ...told];
}
function paint() {
  const focus = document.activeElement, id = focus && focus.id, place = focus && focus.closest && focus.closest(".step-card");
  const u = now(), steps = [], all = S.blocks.map(one => faultsOf(one).filter(fault => !fault.stands).length);
  draw($("units"), S.blocks.length > 1 && !S.on ? S.blocks.map((one, n) => h("button", { type: "button", role: "tab", id: "tab" + n, tabindex: S.at === n ? "0" : "-1", "aria-selected": String(n === S.at), "aria-controls": "steps", onclick: () => { S.at = n; refresh(); show(); } }, one.b.name, all[n] ? h("span", { class: "bad" }, " (" + all[n] + ")") : Object.values(loose).some(([at]) => at === n) ? h("span", { class: "left-over", title: "something is chosen and not added" }, " •") : "")) : []);
  aim = null;
  if (R.continues && (S.on || stands)) steps.push(h("div", { class: "done", id: "continue-box" }, h("label", { class: "line" }, h("input", { type: "checkbox", id: "continue", checked: S.on, onchange: event => { S.on = event.target.checked; refresh(); } }), "CONTINUE: my orders so far stay as they are")));
  if (u && !S.on) {
    let n = 1;
    steps.push(h("p", { class: "unithead", key: "head" }, h("b", {}, u.b.name), h("span", { class: "soft" }, [u.b.about, u.b.hex ? "at " + u.b.hex + u.b.facing : "", u.b.energy ? "" : "speed " + speedOf(u)].filter(Boolean).join(", "))));
    if (u.b.energy) steps.push(energyStep(u, n++));
    if (u.b.speeds) steps.push(speedStep(u, n++));
    if (R.form !== "EAF") {
      steps.push(plotStep(u, n++), whatIfStep(u), fireStep(u, n++));
      if (u.b.kind === "ship") steps.push(breakStep(u, n++));
    }
    const boat = u.b.boat, launched = boat && u.do.some(line => /LAUNCH SHUTTLE/i.test(line));
    if (launched && !S.other.some(text => text.startsWith(boat.split("\n")[0]))) steps.push(card(n++, "The shuttle you launch", h("p", { class: "line" }, h("button", { type: "button", id: key(u) + "-boat", onclick: () => { S.other.push(boat); refresh(); } }, "Give it orders of its own"), h("span", { class: "tiny" }, "It will be " + boat.split("\n")[0].replace("SHUTTLE ", "") + "; without orders it flies straight on (J1.21)."))));
    if (S.other.length) steps.push(card(n++, "Kept as it is", h("p", { class: "tiny" }, "Blocks this form has no page for. They are sent as they stand; an empty one is not."), S.other.map((text, k) => h("textarea", { id: "other" + k, rows: Math.max(2, text.split("\n").length + 1), "aria-label": "Block " + (k + 1), value: text, spellcheck: "false", oninput: event => { S.other[k] = event.target.value; refresh(); } }))));
  }
  draw($("steps"), steps);
  if (svg) drawMap(); else $("map-hint").textContent = "Courses are plotted once speeds are announced.";
  const text = orderText(), [state, ...told] = verdictOf(outlook());
  if ($("text").textContent !== text) $("text").textContent = text;
  $("verdict").className = state;
  draw($("verdict"), told);
  const mail = subjectAndBody();
  $("mail").setAttribute("href", mail.href);
  $("mail").dataset.fits = mail.fits ? "yes" : "no";
  if (begun) shelve(); else begun = packed();
  draw($("kept"), keptBar());
  $("kept").hidden = !$("kept").firstChild;
  if (id && !focus.isConnected) { const again = $(id) || (place && place.isConnected ? place : null); if (again) again.focus({ preventScroll: true }); }
}
async function copy() {
  try { await navigator.clipboard.writeText(orderText()); return true; } catch {
    const range = document.createRange();
    range.selectNodeContents($("text"));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return document.execCommand("copy");
  }
}
/* What is told of a text that is handed on before all that is chosen stands in it. */
const lacking = () => { const n = outlook().loose.length; return n ? " " + many(n, "thing") + " you chose " + (n === 1 ? "is" : "are") + " not in it: see above." : ""; };
const handedOn = (done, text) => { if (done) given = orderText(); tell(text + (done ? lacking() : "")); };
$("copy").addEventListener("click", async () => { const done = await copy(); handedOn(done, done ? "Copied. Paste it into your answer to the sitrep." : "Select the text above and copy it."); });
$("save").addEventListener("click", () => {
  const link = h("a", { href: URL.createObjectURL(new Blob([orderText()], { type: "text/plain" })), download: D.file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  handedOn(true, "Saved as " + D.file + ". Attach it to your answer to the sitrep.");
});
$("mail").addEventListener("click", () => { if ($("mail").dataset.fits === "yes") handedOn(true, "Your mail program opens with the orders in it."); else copy().then(() => handedOn(true, "The orders are too long to be handed over, so they were copied: paste them into the mail.")); });
$("load").addEventListener("click", () => { const box = $("load-box"); box.hidden = !box.hidden; if (!box.hidden) $("load-text").focus(); });
$("load-text").does = { input: refresh };
const take = text => { const told = instead(() => load(text), "Other orders were put into the form."); tell(told.length ? "Loaded. " + told.join(". ") + "." : "Loaded: every line is in the form."); };
$("load-go").addEventListener("click", () => take($("load-text").value));
$("load-draft").addEventListener("click", () => take(DRAFT));
$("load-file").addEventListener("change", event => { const file = event.target.files[0]; if (file) file.text().then(take); });

load(DRAFT);
stand();
$("main").hidden = false;
const was = fromShelf();
paint();
if (was) try {
  unpack(was);
  bar = "What you had entered here was restored.";
  paint();
} catch { bar = ""; instead(() => load(DRAFT), ""); before = ""; }
frame();
document.documentElement.dataset.form = "ready";
/* For the table, which shows this page in a frame; and for tests: fill the form by numbers, read it back. */
window.orderForm = {
  frame,
  between: (a, b) => [range(a, b), bearing(a, b), between(a, b)],
  data: D,
  text: orderText,
  load: text => { const told = load(text); refresh(); return told; },
  faults: () => S.blocks.flatMap(faultsOf).filter(fault => !fault.stands),
  fill: (unit, picks) => { const u = S.blocks[unit]; u.fields = {}; u.rest = []; for (const [id, pick] of Object.entries(picks)) u.fields[id] = { src: "", mix: 0, ...pick }; },
  sums: unit => { const u = S.blocks[unit], b = balance(u), lines = {}; for (const r of b.rows) lines[r.field.line] = near((lines[r.field.line] || 0) + r.points); return { lines, used: b.used, drained: b.drained, short: b.short, faults: b.faults.length, text: unitText(u) }; },
};
