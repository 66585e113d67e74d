/* --- the step that allots energy: only in forms that ask for it ------------------------------------------------------ */
function energyStep(u, number) {
  const e = u.b.energy, sums = balance(u), points = new Map(sums.rows.map(r => [r.field.id, r.points])), rows = [];
  const set = (field, change) => { u.fields[field.id] = { ...chosen(u, field), ...change }; refresh(); };
  const control = field => {
    const pick = chosen(u, field), id = key(u) + "-" + field.id.replace(/\W+/g, "-");
    const box = h("select", { id, "aria-label": e.labels[field.line] + ": " + field.label, onchange: event => set(field, { opt: Number(event.target.value) }) }, options(field.options.map((o, n) => [n, o.show]), pick.opt));
    const parts = [box];
    if (field.id === "SPEED" && (field.options[pick.opt].mixes || []).length > 1)
      parts.push(h("select", { class: "from", id: id + "-from", "aria-label": "Power for the speed", onchange: event => set(field, { mix: Number(event.target.value) }) }, options([[0, "any power"], ...field.options[pick.opt].mixes.map((mix, n) => [n + 1, inWords(mix.text.replace("MOVE ", ""))])], pick.mix)));
    else if ((field.sources || []).length > 1 && pick.opt)
      parts.push(h("select", { class: "from", id: id + "-from", "aria-label": "Power for " + field.label, onchange: event => set(field, { src: event.target.value }) }, options(field.sources.map(src => [src, src ? "from " + inWords(src) : "any power"]), pick.src)));
    const option = field.options[pick.opt], faults = sums.faults.filter(f => f.at && f.at === field.id);
    return [h("div", { class: "ctl" }, parts), option.warn ? h("p", { class: "warn" }, option.warn) : !pick.opt && field.none ? h("p", { class: "tiny" }, field.none) : "", field.limit && (field.options.length < 2 || pick.opt === field.options.length - 1) ? h("p", { class: "tiny" }, field.limit) : "", faults.map(f => h("p", { class: "err" }, f.text))];
  };
  const cost = n => h("td", { class: "cost" + (n ? "" : " none") }, say(n));
  let line = 0;
  const sixes = new Set([13, 15]);
  for (const field of e.fields.slice().sort((a, b) => a.line - b.line)) {
    if (sixes.has(field.line)) {
      if (field.line === line) continue;
      const group = e.fields.filter(f => f.line === field.line);
      rows.push(h("tr", {}, h("td", { class: "no" }, field.line), h("th", { scope: "row" }, e.labels[field.line]), h("td", {}, h("div", { class: "six" }, group.map(f => {
        const id = key(u) + "-" + f.id.replace(/\W+/g, "-");
        return h("label", { for: id }, f.label, h("select", { id, onchange: event => set(f, { opt: Number(event.target.value) }), disabled: f.options.length < 2, title: f.limit || f.about }, options(f.options.map((o, n) => [n, o.show]), chosen(u, f).opt)));
      })), sums.faults.filter(f => group.some(g => g.id === f.at) || f.at === "REPAIR" && field.line === 15).map(f => h("p", { class: "err" }, f.text))), cost(sum(group, f => points.get(f.id)))));
    } else rows.push(h("tr", {}, h("td", { class: "no" }, field.line), h("th", { scope: "row" }, field.line === 12 ? e.labels[12] : field.label, field.about ? h("div", { class: "tiny" }, field.about) : ""), h("td", {}, control(field)), cost(points.get(field.id))));
    line = field.line;
  }
  rows.push(h("tr", { class: "sum" }, h("td", { class: "no" }, "20"), h("th", { scope: "row", colspan: 2 }, e.labels[20]), h("td", { class: "cost" }, say(sums.used))));
  rows.push(h("tr", {}, h("td", { class: "no" }, "21"), h("th", { scope: "row", colspan: 2 }, e.labels[21]), h("td", { class: "cost" }, say(sums.drained))));
  const scale = 100 / Math.max(sums.made + e.power.BATTERY, sums.used, 1), part = (cls, n) => { const i = h("i", { class: cls }); i.style.width = (n * scale) + "%"; return i; };
  const over = Math.max(0, sums.used - sums.made - e.power.BATTERY);
  const gauge = h("div", { class: "gauge" }, h("div", { class: "words" }, h("b", { class: sums.short ? "over" : "" }, say(sums.used) + " of " + say(sums.made) + " points used"), unusedPower(u) ? h("b", { class: "left-over" }, say(unusedPower(u)) + " not used") : "", h("span", {}, SOURCE.slice(0, 3).map(src => inWords(src) + " " + e.power[src]).join(", ")), h("span", {}, "batteries " + say(e.power.BATTERY) + " of " + e.boxes + (sums.drained ? ", " + say(sums.drained) + " used" : ""))),
    h("div", { class: "bar2", role: "img", "aria-label": say(sums.used) + " of " + say(sums.made) + " points used" }, part("gen", Math.min(sums.used, sums.made)), part("bat", Math.min(sums.drained, e.power.BATTERY)), part("too", over)),
    sums.faults.filter(f => !e.fields.some(field => field.id === f.at) && f.at !== "REPAIR").map(f => h("p", { class: "err" }, f.text)));
  const begin = h("p", { class: "line" }, h("button", { type: "button", id: key(u) + "-usual", onclick: () => suggest(u) }, "Fill in the usual"), h("span", { class: "tiny" }, "weapons, phasers, then speed up to that of last turn; what is left over stays yours to give"));
  return card(number, "Energy", gauge, begin, h("div", { class: "scroll" }, h("table", { class: "eaf" }, h("tbody", {}, rows))),
    u.rest.length ? [h("h3", {}, "Entries the form has no field for"), h("p", { class: "tiny" }, "They are sent as they are and not reckoned here; the receipt does."), lineList(u, "rest")] : "");
}
/* A form to begin with: weapons made or kept ready, then phasers, then speed up to that of last turn, without batteries. */
function suggest(u) {
  const e = u.b.energy, fits = (field, opt) => { u.fields[field.id] = { opt, src: "", mix: 0 }; const sums = balance(u); return !sums.faults.length && !sums.drained; };
  const most = (field, from) => { let opt = from; while (opt > 0 && !fits(field, opt)) opt--; if (!opt) delete u.fields[field.id]; };
  u.fields = {};
  const speed = e.fields.find(f => f.id === "SPEED"), last = speed.options.findIndex(o => o.hexes === e.prior);
  for (const field of e.fields) if (field.line === 10 && field.options.length > 1) { const opt = Math.max(1, field.options.findIndex(o => o.text && o.uses)); if (!fits(field, opt)) delete u.fields[field.id]; }
  for (const field of e.fields) if (field.id === "PHASERS") most(field, field.options.length - 1);
  most(speed, last > 0 ? last : speed.options.length - 1);
  refresh();
}

/* Entries of an energy form, read back. */
function energyEntries(text) {
  let words = text.replace(/\s+/g, " ").trim().toUpperCase().replace(/^LINE /, "");
  const number = words.match(/^(\d+)\.? (.+)$/);
  let implied = "";
  if (number) { words = number[2]; implied = W.lines[number[1]] || ""; }
  const first = words.split(" ")[0];
  if (first in W.weapons && !(first in W.energy && !/^[A-Z0-9]$/.test((words.split(" ")[1] || "")[0] || "")) && W.weapons[first] !== "PH") {
    const m = words.match(/^\S+ ([A-Z0-9](?:\s*,\s*[A-Z0-9])*) ?(.*)$/);
    if (m) return m[1].split(",").map(letter => W.weapons[first] + " " + letter.trim() + (m[2] ? " " + m[2].replace(/ EACH$/, "").replace(/^ARM /, "") : ""));
  }
  const item = first in W.energy ? W.energy[first] : "";
  if (item) words = (item === "LIFE" ? "LIFE SUPPORT" : item === "FIRE" ? "FIRE CONTROL" : item) + words.slice(first.length).replace(/^ (SUPPORT|CONTROLS?|REINFORCEMENT|BATTERIES|SHUTTLE)\b/, "");
  else if (implied) words = implied + " " + words;
  words = words.replace(/ POINTS?\b/g, "").replace(/ FROM\b/g, "").replace(/\b(BTTY|BATT|BATS|BATTERIES)\b/g, "BATTERY").replace(/\bREACTORS?\b/g, "APR").replace(/1\/2$/, "0.5").replace(/(\d) 0\.5/, "$1.5").replace(/ \.5/, " 0.5");
  return [words.replace(/^(REINFORCE|REPAIR) (#\d) (?!WITH)/, "$1 $2 WITH ")];
}
function enterEnergy(u, text) {
  for (const entry of energyEntries(text)) {
    const ok = u.b.energy.fields.some(field => {
      if (field.id in u.fields) return false;
      for (const [opt, option] of field.options.entries()) {
        if (!option.text && opt) continue;
        const mix = (option.mixes || []).findIndex(one => one.text === entry);
        if (mix >= 0) { u.fields[field.id] = { opt, src: "", mix: mix + 1 }; return true; }
        if (!option.text) continue;
        if (option.text === entry) { u.fields[field.id] = { opt, src: "", mix: 0 }; return true; }
        const src = SOURCE.find(one => option.text + " " + one === entry);
        if (src && ((field.sources || []).includes(src) || (option.ask[src] === total(option.ask) && total(option.ask)))) { u.fields[field.id] = { opt, src, mix: 0 }; return true; }
      }
      if (field.id === "SPEED" && entry === "SPEED 0") { u.fields.SPEED = { opt: 0, src: "", mix: 0 }; return true; }
      return false;
    });
    if (!ok) u.rest.push(entry);
  }
}
