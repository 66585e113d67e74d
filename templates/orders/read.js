/* --- reading orders back: what the form has no field for stays a line ---------------------------------------------- */
function pieces(line) {
  const found = [""];
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (c === '"') quoted = !quoted;
    if (!quoted && c === "#" && !/\d/.test(line[i + 1] || "")) break;
    if (!quoted && c === ";") found.push(""); else found[found.length - 1] += c;
  }
  return found;
}
const plainText = text => text.replace(/\r\n?/g, "\n").replace(/[\u00a0\u2007\u202f]/g, " ").replace(/[\u201c\u201d\u201e]/g, '"').replace(/[\u2018\u2019]/g, "'").replace(/[\u2010-\u2015\u2212]/g, "-").replace(/\u2264/g, "<=").replace(/\u2265/g, ">=");
const OPENS = /^(AND|OR|THEN|,|\+|\)|<|>|=|!=)/i, LEAVES = /(\b(AND|OR|THEN|NOT|IF)|[,+(<>=])$/i;
/* The orders of a text: [heading, order] pairs, a line that runs on put together. */
function statements(text) {
  let rows = plainText(text).split("\n").map(line => line.replace(/^(?:>(?!=)[ \t]?)+/, ""));
  const start = rows.findIndex(line => /^\s*GAME[\s:]+\S/i.test(line));
  if (start > 0) rows = rows.slice(start);
  const found = [];
  let base = null, open = null;
  for (const row of rows) {
    if (/^\s*END\s*([.;#].*)?$/i.test(row) || /^-- ?$/.test(row)) break;
    const parts = pieces(row), words = parts.join(";").trim();
    if (!words) continue;
    const indent = row.search(/\S/), word = words.match(/^[A-Za-z]+/), head = word ? W.headings[word[0].toUpperCase()] || "" : "";
    const heading = head && !(head === "SPEED" && indent > 0 && open && open.section === "ENERGY");
    const goesOn = open && (OPENS.test(words) || (!heading && (LEAVES.test(open.text) || (base !== null && indent >= base + 2))));
    if (goesOn) {
      open.text += " " + parts[0].trim();
      for (const more of parts.slice(1)) if (more.trim()) found.push(open = { section: open.section, text: more.trim(), heading: false });
      continue;
    }
    if (heading) base = null; else if (base === null) base = indent;
    for (const [n, part] of parts.entries()) {
      const text = part.trim();
      if (!text) continue;
      if (heading && n === 0) {
        const rest = text.slice(word[0].length).trim();
        found.push(open = { section: head, text: rest, heading: true });
      } else found.push(open = { section: open ? open.section : "", text, heading: false });
    }
  }
  return found;
}
const unquoted = name => name.replace(/^"(.*)"$/, "$1").replace(/""/g, '"').trim();
function load(text) {
  const told = [], next = { on: false, blocks: D.blocks.map(empty), other: [], at: Math.min(S.at, Math.max(0, D.blocks.length - 1)) };
  let u = null, ship = null, other = null;
  for (const { section, text: order, heading } of statements(text)) {
    if (section === "GAME" || section === "END") continue;
    if (section === "CONTINUE") { if (R.continues) next.on = true; else told.push("CONTINUE is no answer to this request"); continue; }
    if (heading && (section === "SHIP" || section === "SHUTTLE")) {
      const place = order.match(/^(.*?)(?:\s+AT\s+(\d{4}[A-F]?))?$/i), name = unquoted(place[1]).toUpperCase();
      const found = next.blocks.find(one => one.b.name.toUpperCase() === name && one.b.kind === section.toLowerCase()) || (section === "SHIP" && next.blocks.length === 1 && !D.units.some(one => one.name.toUpperCase() === name) ? next.blocks[0] : null);
      u = found || null; other = null;
      if (found) { if (section === "SHIP") ship = found; if (place[2] && place[2].toUpperCase() === found.b.hex + found.b.facing) found.at = place[2].toUpperCase(); }
      else { other = next.other.length; next.other.push(section + " " + order); told.push(section.toLowerCase() + " " + order + " has no page here: its lines are kept as they are"); }
      continue;
    }
    if (other !== null) {
      next.other[other] += heading ? "\n" + (section + " " + order).trim() : "\n  " + order;
      continue;
    }
    const mine = u && u.b.kind === "shuttle" && ["ENERGY", "BREAK", "DAMAGE"].includes(section) ? ship : u;
    if (!mine) { if (order) told.push("“" + order + "” belongs to no unit and was left out"); continue; }
    if (!order) continue;
    if (section === "SPEED") {
      const n = Number(order);
      if (mine.b.speeds && !mine.b.speeds.fixed && Number.isInteger(n)) mine.speed = n;
      else told.push("SPEED " + order + ": the speed is not asked for now");
    } else if (section === "ENERGY") {
      if (mine.b.energy) enterEnergy(mine, order); else told.push("“" + order + "” was left out: no energy is asked for now");
    } else if (R.form === "EAF") told.push("“" + order + "” was left out: only energy is asked for now");
    else if (section === "COURSE" && heading) mine.course = order;
    else if (section === "PLOT" || section === "COURSE") {
      if (/^LEAVE\s+(THE\s+)?MAP$/i.test(order)) { mine.leave = true; continue; }
      const leaves = order.match(/^(.*?)\s+LEAVE\s+MAP$/i);
      if (leaves) mine.leave = true;
      const { codes, rest } = mine.steer.length ? { codes: [], rest: order } : readCodes(leaves ? leaves[1] : order);
      mine.codes.push(...codes);
      if (rest) mine.steer.push(codes.length ? (leaves ? leaves[1] : order).slice(-rest.length) : leaves ? leaves[1] : order);
    } else if (section === "DO") mine.do.push(order);
    else if (section === "BREAK") mine.breaks.push(order);
    else if (section === "DAMAGE") mine.damage.push(order);
  }
  S = next;
  return told;
}

