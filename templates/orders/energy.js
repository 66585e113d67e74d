/* --- energy: only sums -------------------------------------------------------------------------------------------- */
const SOURCE = ["WARP", "IMPULSE", "APR", "BATTERY"];
/* As SOURCE_WORDS in pbem/data/terms.py: 11 warp + 1 impulse + 2 APR. */
const inWords = sources => sources.toLowerCase().replace(/\bapr\b/g, "APR");
const total = ask => sum(Object.values(ask), x => x);
function askOf(u, field, bound) {
  const pick = chosen(u, field), option = field.options[pick.opt];
  if (!option.mixes) return pick.src && total(option.ask) ? { [pick.src]: total(option.ask) } : option.ask;
  if (!option.mixes.length) return option.ask;
  if (pick.mix) return (option.mixes[pick.mix - 1] || option.mixes[0]).ask;
  const power = u.b.energy.power, fits = source => ask => (ask[source] || 0) <= near(power[source] - (bound[source] || 0));
  const whole = option.mixes.find(mix => fits("WARP")(mix.ask) && fits("IMPULSE")(mix.ask));
  const half = option.mixes.find(mix => mix.ask.IMPULSE && fits("IMPULSE")(mix.ask)) || option.mixes.find(mix => !mix.ask.IMPULSE);
  return (whole || half || option.mixes[0]).ask;
}
/* Every line's points, what is spent and from where, and what is wrong with it. */
function balance(u) {
  const e = u.b.energy, bound = { WARP: 0, IMPULSE: 0, APR: 0 }, rows = [], faults = [];
  const fields = [...e.fields.filter(f => f.id !== "SPEED"), ...e.fields.filter(f => f.id === "SPEED")];
  for (const field of fields) {
    const ask = askOf(u, field, bound), points = total(ask);
    rows.push({ field, ask, points });
    for (const source of SOURCE.slice(0, 3)) bound[source] += ask[source] || 0;
  }
  const power = e.power, made = power.WARP + power.IMPULSE + power.APR, used = near(sum(rows, r => r.points));
  let left = made, short = false;
  for (const source of SOURCE.slice(0, 3)) {
    left -= Math.min(bound[source], power[source]);
    if (near(bound[source]) > power[source] && !short) {
      short = true;
      faults.push({ at: source, text: say(bound[source]) + " points of " + source + " power are spent, the ship has " + power[source] + " (line " + { WARP: 1, IMPULSE: 2, APR: 3 }[source] + " of the form) (B3.0)" });
    }
  }
  const recharge = sum(rows, r => r.field.line === 16 ? r.ask[""] || 0 : 0);
  if (!short && near(recharge) > near(left)) { short = true; faults.push({ at: "RECHARGE", text: "batteries are recharged from power generated this turn, and " + say(left) + " points of it are left (B3.0, line 16 of the form)" }); }
  const drained = near(Math.max(0, used - made));
  if (!short && drained > near(power.BATTERY)) { short = true; faults.push({ at: "", text: say(used) + " points are spent; the ship has " + made + " and " + say(power.BATTERY) + " in batteries (lines 20, 4 and 5 of the form) (B3.0)" }); }
  const has = id => { const f = e.fields.find(one => one.id === id); return f && (f.id in u.fields) && chosen(u, f).opt > 0; };
  for (const clash of e.clashes) if (has(clash.a) && has(clash.b)) faults.push({ at: clash.b, text: clash.text });
  for (const cap of e.caps) if (sum(rows, r => r.field.line === cap.line ? r.points : 0) > cap.most) faults.push({ at: "REPAIR", text: cap.text });
  return { rows, made, used, drained, bound, faults, short };
}
const batteriesLeft = u => { const b = balance(u); return near(u.b.energy.power.BATTERY - b.drained + sum(b.rows, r => r.field.line === 16 ? r.points : 0)); };
/* Points that are made this turn and go nowhere; 0 while nothing is chosen. */
const unusedPower = u => { const b = balance(u); return u.rest.length || b.short ? 0 : near(Math.max(0, b.made - b.used)); };
const fieldText = (u, field) => {
  const pick = chosen(u, field), option = field.options[pick.opt];
  if (option.mixes && pick.mix && option.mixes[pick.mix - 1]) return option.mixes[pick.mix - 1].text;
  return option.text && pick.src ? option.text + " " + pick.src : option.text;
};
/* Whether a form that asks for the speed has one already: left alone it says 0. */
const speedChosen = u => !u.b.energy || Boolean(chosen(u, u.b.energy.fields.find(f => f.id === "SPEED")).opt);
const speedOf = u => {
  if (!u.b.energy) return u.b.speeds ? (u.speed === null ? u.b.speeds.now : u.speed) : u.b.speed;
  const field = u.b.energy.fields.find(f => f.id === "SPEED");
  const option = optionOf(u, field), tows = u.b.energy.fields.some(f => f.holds && chosen(u, f).opt);
  return tows && option.tows !== undefined ? option.tows : option.hexes || 0;
};

