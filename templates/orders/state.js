/* --- the form's own state: for each unit what is chosen, and every line that is written ------------------------- */
/* The data of the page as it is meant: pbem/reports/html/compact.py says how it was shortened for the mail. */
for (const b of D.blocks) {
  if (b.acts) b.acts = b.acts.map(act => ({ it: false, needs: "", by: [], spoiled: "", unpaid: {}, ...act, drained: (act.drained || []).map(n => b.said[n]) }));
  if (b.weapons) b.weapons = b.weapons.map(gun => ({ state: "", battery: false, idle: "", needs: "", unpaid: {}, not: {}, tables: {}, ...gun }));
}
D.charts = D.charts.map(chart => chart.flatMap(([times, ...row]) => Array(times).fill(row)));
for (const table of Object.values(D.tables)) table.rows = table.rows.map(row => row.map(cell => cell < 0 ? table.why[-1 - cell] : cell));
for (const kind of ["headings", "energy", "weapons"]) if (W[kind]) W[kind] = Object.fromEntries(Object.entries(W[kind]).flatMap(([word, all]) => all.split(" ").map(one => [one, word])));
const unfold = field => {
  if (field.series) {
    const { text, ask, to } = field.series;
    for (let n = 1; n <= to; n++) field.options.push({ text: text + n, show: String(n), ask: Object.fromEntries(Object.entries(ask).map(([k, v]) => [k, v * n])) });
  }
  return field;
};
for (const b of D.blocks) if (b.energy) b.energy.fields.forEach(unfold);
for (const gun of [...D.blocks.flatMap(b => b.weapons || []), ...D.foes.flatMap(one => one.guns)]) {
  gun.table = D.charts[gun.table];
  for (const through of Object.keys(gun.tables || {})) gun.tables[through] = D.charts[gun.tables[through]];
}
const empty = b => ({ b, fields: {}, rest: [], speed: null, at: "", codes: [], typed: null, meant: false, course: "", steer: [], leave: false, do: [], breaks: [], damage: [] });
let S = { on: false, blocks: D.blocks.map(empty), other: [], at: 0 };
const now = () => S.blocks[S.at];
const chosen = (u, field) => u.fields[field.id] || { opt: 0, src: "", mix: 0 };
const optionOf = (u, field) => field.options[chosen(u, field).opt];

/* Orders in force, with which the form begins. They are not refused for what has become of them: they do what they still
   can, as by CONTINUE. `stands` is whether there is anything that CONTINUE would keep. */
let stands = false;
function stand() {
  if (!R.continues) return;
  for (const u of S.blocks) { u.b.stood = [...u.do]; u.b.flown = flownBy(u); }
  stands = S.other.length > 0 || S.blocks.some(u => !noOrders(u));
}
/* All that steers a unit: of a plot in force, too, the check only notes where it leads nowhere. */
const flownBy = u => JSON.stringify([u.codes, u.typed, u.course, u.steer, u.leave]);
const stood = (u, text) => Boolean(u.b.stood) && u.b.stood.includes(text);
/* The map as it came, and what is drawn on if courses are plotted; what weapons are aimed at, for a look at it. */
const chart = document.querySelector("#map-box .map"), svg = M ? chart : null;
let aim = null;
/* What only some forms have: enemies whose courses may be sketched, and planets or asteroids in a line of fire. */
let foe = () => null, whatIfStep = () => "", drawSketches = null, between = () => 0;
/* Whose course a click on the map draws. */
const helmed = () => (memory.helmed !== "mine" && foe()) || now();
