/* --- the steps of the form ---------------------------------------------------------------------------------------- */
function energyStep(u, number) {
  const e = u.b.energy, sums = balance(u), points = new Map(sums.rows.map(r => [r.field.id, r.points])), rows = [];
  const set = (field, change) => { u.fields[field.id] = { ...chosen(u, field), ...change }; refresh(); };
  const control = field => {
    const pick = chosen(u, field), id = key(u) + "-" + field.id.replace(/\W+/g, "-");
    const box = h("select", { id, "aria-label": e.labels[field.line] + ": " + field.label, onchange: event => set(field, { opt: Number(event.target.value) }) }, options(field.options.map((o, n) => [n, o.show]), pick.opt));
    const parts = [box];
    if (field.id === "SPEED" && (field.options[pick.opt].mixes || []).length > 1)
      parts.push(h("select", { class: "from", id: id + "-from", "aria-label": "Power for the speed", onchange: event => set(field, { mix: Number(event.target.value) }) }, options([[0, "any power"], ...field.options[pick.opt].mixes.map((mix, n) => [n + 1, mix.text.replace("MOVE ", "").toLowerCase()])], pick.mix)));
    else if ((field.sources || []).length > 1 && pick.opt)
      parts.push(h("select", { class: "from", id: id + "-from", "aria-label": "Power for " + field.label, onchange: event => set(field, { src: event.target.value }) }, options(field.sources.map(src => [src, src ? "from " + src.toLowerCase() : "any power"]), pick.src)));
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
  const gauge = h("div", { class: "gauge" }, h("div", { class: "words" }, h("b", { class: sums.short ? "over" : "" }, say(sums.used) + " of " + say(sums.made) + " points used"), unusedPower(u) ? h("b", { class: "left-over" }, say(unusedPower(u)) + " not used") : "", h("span", {}, "warp " + e.power.WARP + ", impulse " + e.power.IMPULSE + ", reactor " + e.power.APR), h("span", {}, "batteries " + say(e.power.BATTERY) + " of " + e.boxes + (sums.drained ? ", " + say(sums.drained) + " used" : ""))),
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
function speedStep(u, number) {
  const speeds = u.b.speeds, list = Array.from({ length: speeds.top + 1 }, (_, n) => [n, String(n)]);
  return card(number, "Speed", speeds.fixed ? h("p", {}, u.b.name + " moves at speed " + speeds.now + " in this scenario.") : h("p", { class: "line" }, h("label", { for: key(u) + "-speed" }, "Hexes this turn"), h("select", { id: key(u) + "-speed", onchange: event => { u.speed = event.target.value === "" ? null : Number(event.target.value); refresh(); } }, options([["", "as it is: " + speeds.now], ...list], u.speed === null ? "" : u.speed))));
}
function plotStep(u, number) {
  const w = walk(u), end = w.path[w.path.length - 1], left = w.due.length - (w.path.length - 1), speed = speedOf(u), table = helmOf(u);
  const shown = u.codes.map((code, n) => h("li", { class: w.fault && n === w.fault.n ? "bad" : n >= w.due.length ? "more" : "" }, code, h("small", {}, n < w.due.length ? "imp " + w.due[n] : "spare")));
  if (!u.course && left > 0 && !w.fault) shown.push(h("li", { class: "more" }, u.codes.length ? "+" + left + " ahead" : left + " hexes", h("small", {}, u.codes.length ? "straight on" : "straight on, if you plot nothing")));
  const names = { F: "ahead", L: "turn left", R: "turn right", SL: "slip left", SR: "slip right" };
  const keys = CODES.map(code => {
    const next = left > 0 && !w.fault ? step(u, end, code, w.path.length - 1) : { refused: w.fault ? "mend the plot first" : "all hexes are plotted" };
    return h("button", { type: "button", id: key(u) + "-code-" + code, disabled: Boolean(next.refused) || Boolean(u.course), title: next.refused || (next.hex || "off the map") + (next.facing || ""), onclick: () => { addCode(u, code); refresh(); } }, code, h("small", {}, names[code]));
  });
  const typed = h("input", { id: key(u) + "-codes", class: "wide", "aria-label": "Plot codes", value: u.typed === null ? codesText(u.codes) : u.typed, placeholder: "2F R F SL", spellcheck: "false", autocomplete: "off", autocapitalize: "characters", disabled: Boolean(u.course), "aria-invalid": strange(u) ? "true" : null, "aria-describedby": strange(u) ? key(u) + "-codes-why" : null,
    oninput: event => { u.typed = event.target.value; u.codes = readCodes(u.typed).codes; refresh(); }, onchange: () => { if (u.typed !== null) takeCodes(u); refresh(); } });
  const turn = table.mode, since = Math.floor(end.state / table.slips);
  return card(number, "Plot",
    h("p", { class: "tiny" }, "Speed " + speed + (w.due.length ? ": moves on impulse " + w.due.join(", ") : ": no move in these impulses") + ". Turn mode " + turn + ": " + (since >= turn ? "may turn now." : since + " of " + turn + " hexes flown straight.")),
    u.course ? h("p", { class: "line" }, h("span", { class: "mono" }, "COURSE " + u.course), h("button", { type: "button", id: key(u) + "-course-x", onclick: () => { u.course = ""; refresh(); } }, "Take the course away")) : h("ol", { class: "codes", "aria-label": "Codes plotted" }, shown),
    w.fault ? h("p", { class: "err" }, w.fault.text) : "",
    h("div", { class: "keys" }, keys, h("button", { type: "button", id: key(u) + "-undo", disabled: !u.codes.length, onclick: () => { plotted(u, u.codes.slice(0, -1)); refresh(); } }, "Undo", h("small", {}, "last")), h("button", { type: "button", id: key(u) + "-clear", disabled: !u.codes.length && u.typed === null, onclick: () => { u.codes = []; u.typed = null; refresh(); } }, "Clear", h("small", {}, "all"))),
    h("p", { class: "line" }, h("label", { for: key(u) + "-codes" }, "Typed"), typed),
    strange(u) ? h("p", { class: "err", id: key(u) + "-codes-why" }, notCodes(u)) : "",
    u.b.may_leave ? h("p", { class: "line" }, h("label", {}, h("input", { type: "checkbox", id: key(u) + "-leave", checked: u.leave, onchange: event => { u.leave = event.target.checked; refresh(); } }), "LEAVE MAP: the ship may fly off the map")) : "",
    u.b.script ? "" : fold(key(u) + "-steering", u.steer.length > 0, "Steer by a unit, or react", steerBuild(u)), u.b.script ? "" : lineList(u, "steer"));
}

/* The codes plotted; what was typed and not understood stays in the box behind them. */
function plotted(u, codes) {
  if (u.unit) { memory[u.id + "-codes"] = codesText(codes); return; }
  const rest = strange(u), kept = rest && u.typed.trim().slice(-rest.length);
  u.codes = codes;
  u.typed = rest ? [codesText(codes), kept].filter(Boolean).join(" ") : null;
}
function steerBuild(u) {
  const id = key(u) + "-steer", again = touch(id), ways = W.pilots.map((one, n) => ["p" + n, one.show]).filter(() => u.b.names.length);
  const kinds = [...ways, ["r", "replace the next code, when …"], ...(u.b.tac ? [["t", "tactical maneuver"]] : [])];
  const pick = choice(id, "How to steer", kinds, kinds[0][0], again), kind = memory[id];
  let parts = [], text = "", extra = "", wrong = [];
  if (kind === "t") {
    parts = [choice(id + "-way", "Turn", [["L", "left"], ["R", "right"]], "R", again), choice(id + "-when", "When", [["at", "in impulse …"], ["if", "when …"]], "at", again)];
    const turn = "TAC " + memory[id + "-way"];
    if (memory[id + "-when"] === "if") {
      const when = conditions(id + "-if", u, true, again);
      extra = when.parts;
      wrong = when.wrong;
      text = "IF " + when.text + " THEN " + turn;
    } else {
      parts.push(numberBox(id + "-imp", "impulse", R.first, again));
      wrong = [numberWrong(id + "-imp")];
      text = turn + " AT " + numberOf(id + "-imp");
    }
  } else if (kind === "r") {
    const when = conditions(id + "-if", u, true, again);
    parts = [choice(id + "-code", "Code", CODES.map(code => [code, code]), "R", again)];
    extra = when.parts;
    wrong = when.wrong;
    text = "IF " + when.text + " THEN " + memory[id + "-code"];
  } else {
    const always = choice(id + "-while", "Always, or while", [["", "always"], ["IF", "while …"]], "", again), held = memory[id + "-while"];
    const names = held ? { ...u, b: { ...u.b, names: ["IT", ...u.b.names] } } : u;
    ({ parts, wrong, text } = fillIn(id, W.pilots[Number(kind.slice(1))].text, names, again));
    parts = [...parts, always];
    if (held) {
      const when = conditions(id + "-if", u, true, again);
      extra = when.parts;
      wrong = [...wrong, ...when.wrong, itOf(text, when.text)];
      text += " IF " + when.text;
    }
  }
  return h("div", { class: "build" }, h("div", { class: "line" }, pick, parts), extra, adder(id, u, "steer", text, wrong.find(Boolean) || "", { label: "Add" }));
}
