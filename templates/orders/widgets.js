/* --- fields that fill in a line of the language ------------------------------------------------------------------- */
const memory = {}, joined = {}, touched = {}, picked = {};
/* Lines being made and not added yet, by the builder they stand in: [unit's place, list, text, why it cannot be added]. */
const loose = {};
const key = u => "u" + S.blocks.indexOf(u);
const card = (number, title, ...kids) => h("section", { class: "card step-card", "aria-label": title, key: "card " + title, tabindex: -1 }, h("h2", {}, h("span", { class: "n", "aria-hidden": "true" }, number), title), kids);
const keep = (id, first) => (memory[id] === undefined ? (memory[id] = first) : memory[id]);
const fold = (id, open, title, ...kids) => h("details", { class: "more", id, open: keep(id + "-open", open), ontoggle: event => { memory[id + "-open"] = event.target.open; } }, h("summary", { id: id + "-sum" }, title), kids);
const choice = (id, label, pairs, first, again) => { if (pairs.length && !pairs.some(([v]) => String(v) === String(keep(id, first)))) memory[id] = pairs[0][0]; return h("select", { id, "aria-label": label, onchange: event => { memory[id] = event.target.value; again(); } }, options(pairs, keep(id, first))); };
const tick = (id, label, again) => h("label", {}, h("input", { type: "checkbox", id, checked: keep(id, false), onchange: event => { memory[id] = event.target.checked; again(); } }), label);
/* A number is what stands in its box; what is none, or too great, is said and never made into another. */
const WHOLE = "a whole number from 0 to 99";
const numberWrong = id => /^\s*\d{1,2}\s*$/.test(String(memory[id])) ? "" : (String(memory[id]).trim() ? "“" + memory[id] + "”" : "the empty box") + " is no number this order can have: " + WHOLE;
const numberOf = id => numberWrong(id) ? "?" : String(Number(memory[id]));
const numberBox = (id, label, first, again) => { const value = keep(id, first); return h("input", { id, type: "text", class: "number", inputmode: "numeric", autocomplete: "off", maxlength: 6, "aria-label": label, "aria-invalid": numberWrong(id) ? "true" : null, value, oninput: event => { memory[id] = event.target.value; again(); } }); };
/* What a reader of the screen says of a slot, where its own name would say little. */
const SLOTS = { op: "at least, at most or exactly", n: "number", m: "up to which number", launched: "what it launches", fired: "what it fires" };
/* A template of the language with fields for its slots: the fields, the text they make, and what is wrong with it. */
function fillIn(id, template, u, again) {
  const parts = [], wrong = [], text = template.replace(/\{(\w+)\}/g, (_, slot) => {
    const sid = id + "-" + slot, said = SLOTS[slot] || slot;
    const lists = { unit: u.b.names, op: W.operators, arc: W.arcs, shield: ["#1", "#2", "#3", "#4", "#5", "#6"], launched: W.launched, fired: W.fired, weapon: (u.b.weapons || []).map(w => w.name) };
    if (slot in lists) {
      parts.push(choice(sid, said, lists[slot].map(v => [v, slot === "launched" || slot === "fired" ? v.trim().toLowerCase() || "anything" : v]), slot === "arc" ? "FA" : lists[slot][0], again));
      return memory[sid];
    }
    if (slot === "hex") {
      const value = keep(sid, u.b.hex), good = /^\s*\d{4}\s*$/.test(value) && onMap(value.trim());
      parts.push(h("input", { id: sid, size: 5, maxlength: 6, autocomplete: "off", inputmode: "numeric", "aria-label": "hex", "aria-invalid": good ? null : "true", value, oninput: event => { memory[sid] = event.target.value; again(); } }));
      if (!good) wrong.push("“" + value + "” is no hex of the map, like " + u.b.hex);
      return good ? value.trim() : "?";
    }
    parts.push(numberBox(sid, said, slot === "m" ? 8 : 4, again));
    if (numberWrong(sid)) wrong.push(numberWrong(sid));
    return numberOf(sid);
  });
  return { parts, wrong, text: text.replace(/(\d+) TO (\d+)$/, (_, a, b) => Math.min(a, b) + " TO " + Math.max(a, b)) };
}
function conditionBuild(id, u, open, again) {
  const list = W.conditions.filter(one => open || one.public).filter(one => !/\{unit\}/.test(one.text) || u.b.names.length);
  const pick = choice(id + "-kind", "Condition", list.map((one, n) => [n, one.show]), 0, again), { parts, wrong, text } = fillIn(id, list[Number(memory[id + "-kind"])].text, u, again);
  const not = keep(id + "-not", "") ? "NOT " : "";
  return { parts: [choice(id + "-not", "Is it so, or not", [["", "if"], ["not", "if not:"]], "", again), pick, ...parts], wrong, text: not + text };
}
/* The words beside the unit of a condition, and why IT in an order would stand for nobody: the condition names no unit of another. */
const unitWords = () => (W.conditions || []).map(one => /([A-Z]+) \{unit\}|^\{unit\} ([A-Z]+)/.exec(one.text)).filter(Boolean).map(m => m[1] || m[2]).join("|");
const itOf = (text, condition) => /\bIT\b/.test(text) && !new RegExp("\\b(?:" + unitWords() + ")\\b").test(condition.replace(/\bME\b[^&]*|\bNOT .*/g, "")) ? "IT is the unit of the condition, and this one names none" : "";
/* A condition of several parts: each is put behind the ones before it. */
function conditions(id, u, open, again) {
  const built = conditionBuild(id, u, open, again), before = joined[id] || "";
  const whole = before ? before + " " + keep(id + "-join", "AND") + " " + built.text : built.text;
  return { text: whole, wrong: built.wrong, parts: [before ? h("p", { class: "line", id: id + "-before" }, h("span", { class: "mono" }, before), h("button", { type: "button", id: id + "-less", onclick: () => { joined[id] = ""; again(); } }, "Begin anew")) : "", h("div", { class: "line", id: id + "-line" }, before ? choice(id + "-join", "And, or", [["AND", "and"], ["OR", "or"]], "AND", again) : "", built.parts, h("button", { type: "button", id: id + "-more", title: "Add another condition to this one", onclick: () => { if (built.wrong.length) return; joined[id] = before && memory[id + "-join"] === "OR" ? "(" + whole + ")" : whole; again(); } }, "and / or …"))] };
}

/* --- making a line, adding it, leaving it ------------------------------------------------------------------------- */
const LISTS = { do: "order", breaks: "break", damage: "damage choice", steer: "line of the plot", rest: "entry" };
/* Where a builder is being used: its line is chosen, and not among the orders before it is added. */
const touch = id => () => { touched[id] = true; refresh(); };
function leave(id) {
  delete touched[id];
  delete loose[id];
  if (picked[id]) picked[id].clear();
  for (const part of Object.keys(joined)) if (part.startsWith(id)) joined[part] = "";
}
function enter(u, list, text) {
  if (list === "steer" && PILOT.test(text)) u.steer = u.steer.filter(line => !PILOT.test(line));
  u[list].push(text);
}
function addLine(id, u, list, text) { enter(u, list, text); leave(id); refresh(); }
/* The end of a builder: its line, the button that adds it, and what is wrong or not done yet. */
function adder(id, u, list, text, why, how) {
  const { label = "Add this " + LISTS[list], main = false } = how || {}, waits = Boolean(touched[id]) && !u[list].includes(text);
  if (waits) loose[id] = [S.blocks.indexOf(u), list, text, why]; else delete loose[id];
  return [h("p", { class: "line", id: id + "-make" }, h("code", { class: "mono" }, text), h("button", { type: "button", class: main ? "main" : "", id: id + "-add", "data-add": true, "aria-disabled": why ? "true" : null, onclick: () => { if (why) tell(why); else addLine(id, u, list, text); } }, label), waits ? h("button", { type: "button", id: id + "-leave", onclick: () => { leave(id); refresh(); } }, "Leave it") : ""),
    waits ? h("p", { class: "warn", id: id + "-loose" }, "Chosen, and not in your orders before you add it.") : "",
    why ? h("p", { class: "err", id: id + "-why" }, why) : ""];
}
function lineList(u, list) {
  if (!u[list].length) return "";
  const before = new Map(), w = list === "do" && u.b.helm ? walk(u) : null;
  return h("ul", { class: "list", id: key(u) + "-" + list + "-list" }, u[list].map((text, n) => {
    const said = w ? judge(u, w, text, before) : "", why = stood(u, text) ? "" : said, id = key(u) + "-" + list + "-" + n;
    const move = by => { const there = n + by; [u[list][n], u[list][there]] = [u[list][there], u[list][n]]; refresh(); };
    return h("li", { id: id + "-item" }, h("div", { class: "row", id: id + "-row" }, h("textarea", { id, rows: 1, class: "mono", "aria-label": LISTS[list] + " " + (n + 1), "aria-invalid": why ? "true" : null, spellcheck: "false", value: text, oninput: event => { u[list][n] = event.target.value; refresh(); } }),
      u[list].length > 1 ? h("button", { type: "button", id: id + "-up", disabled: n === 0, "aria-label": "Up: " + text, onclick: () => move(-1) }, "↑") : "", h("button", { type: "button", id: id + "-x", "aria-label": "Take away: " + text, onclick: () => { u[list].splice(n, 1); refresh(); } }, "✕")), said ? h("p", { class: why ? "err" : "tiny" }, (why ? "" : "Stands from before: ") + said) : "");
  }));
}
function speedStep(u, number) {
  const speeds = u.b.speeds, list = Array.from({ length: speeds.top + 1 }, (_, n) => [n, String(n)]);
  return card(number, "Speed", speeds.fixed ? h("p", {}, u.b.name + " moves at speed " + speeds.now + " in this scenario.") : h("p", { class: "line" }, h("label", { for: key(u) + "-speed" }, "Hexes this turn"), h("select", { id: key(u) + "-speed", onchange: event => { u.speed = event.target.value === "" ? null : Number(event.target.value); refresh(); } }, options([["", "as it is: " + speeds.now], ...list], u.speed === null ? "" : u.speed))));
}
