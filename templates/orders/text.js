/* --- the text ----------------------------------------------------------------------------------------------------- */
function unitText(u) {
  const b = u.b, lines = [b.head + (u.at ? " AT " + u.at : "")];
  if (u.speed !== null && b.speeds && !b.speeds.fixed) lines.push("SPEED " + u.speed);
  if (b.energy) {
    lines.push("ENERGY");
    for (const field of b.energy.fields) { const text = fieldText(u, field); if (text) lines.push("  " + text); }
    for (const line of u.rest) lines.push("  " + line);
  }
  if (R.form !== "EAF") {
    const plot = u.course || (u.codes.length ? codesText(u.codes) : "");
    if (u.course) lines.push("COURSE " + u.course);
    else if (plot || u.steer.length || u.leave) lines.push(plot ? "PLOT " + plot : "PLOT");
    for (const line of u.steer) lines.push("  " + line);
    if (u.leave) lines.push("  LEAVE MAP");
    for (const [head, list] of [["DO", u.do], ["BREAK", u.breaks], ["DAMAGE", u.damage]]) {
      const kept = list.map(line => line.trim()).filter(Boolean);
      if (kept.length) lines.push(head, ...kept.map(line => "  " + line.replace(/\s*\n\s*/g, "\n      ")));
    }
  }
  return lines.join("\n");
}
function orderText() {
  if (S.on) return R.header + "\n\nCONTINUE\n\nEND\n";
  return [R.header, ...S.blocks.map(unitText), ...S.other.map(text => text.trim()).filter(Boolean), "END"].join("\n\n") + "\n";
}
const notCodes = u => "“" + u.typed.trim().slice(-strange(u).length) + "” in the plot is not understood: the codes are " + CODES.join(", ") + ", and 3F for F F F (C1.4)";
function faultsOf(u) {
  const found = [];
  if (u.b.energy) for (const fault of balance(u).faults) found.push({ step: "energy", text: fault.text });
  if (R.form === "EAF") return found;
  const w = walk(u), before = new Map();
  if (strange(u)) found.push({ step: "plot", text: notCodes(u) });
  const old = u.b.flown === flownBy(u);
  if (w.fault) found.push({ step: "plot", stands: old, text: old ? "the plot stands from before: " + w.fault.text : w.fault.text });
  u.do.forEach((text, n) => {
    const why = judge(u, w, text, before), stands = stood(u, text);
    if (why) found.push({ step: "do", n, stands, text: stands ? "“" + text + "” stands from before: " + why : why });
  });
  return found;
}

