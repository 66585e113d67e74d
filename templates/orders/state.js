/* --- the form's own state: for each unit what is chosen, and every line that is written ------------------------- */
const unfold = field => {
  if (field.series) {
    const { text, ask, to } = field.series;
    for (let n = 1; n <= to; n++) field.options.push({ text: text + n, show: String(n), ask: Object.fromEntries(Object.entries(ask).map(([k, v]) => [k, v * n])) });
  }
  return field;
};
for (const b of D.blocks) if (b.energy) b.energy.fields.forEach(unfold);
for (const gun of [...D.blocks.flatMap(b => b.weapons || []), ...D.foes.flatMap(one => one.guns)]) gun.table = D.charts[gun.table];
const empty = b => ({ b, fields: {}, rest: [], speed: null, at: "", codes: [], typed: null, meant: false, course: "", steer: [], leave: false, do: [], breaks: [], damage: [] });
let S = { on: false, blocks: D.blocks.map(empty), other: [], at: 0 };
const now = () => S.blocks[S.at];
const chosen = (u, field) => u.fields[field.id] || { opt: 0, src: "", mix: 0 };
const optionOf = (u, field) => field.options[chosen(u, field).opt];

