/* --- the step that plots a course: not in forms that ask for energy alone ------------------------------------------- */
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
  const id = key(u) + "-steer", again = touch(id), ways = W.pilots.map((one, n) => ["p" + n, one.show]).filter(() => others(u).length);
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
    const names = { ...u, b: { ...u.b, names: [...(held ? ["IT"] : []), ...others(u)] } };
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
