/* The replay of a whole game: where turns begin on the slider, and the ways of the turn that is looked at. Comes before
   the replay, which says what it has drawn. */
(() => {
const frames = JSON.parse(document.getElementById("game").textContent).replay;
const map = document.querySelector("svg.map"), marks = [...document.querySelectorAll("#replay-turns a")];
if (!map || frames.length < 2) return;
const begin = new Map();
frames.forEach((frame, k) => { if (!begin.has(frame.turn)) begin.set(frame.turn, k); });
for (const mark of marks) {
  const k = begin.get(+mark.dataset.turn), { turn, impulse, step } = frames[k];
  mark.style.left = 100 * k / (frames.length - 1) + "%";
  mark.href = `#t${turn}i${impulse}` + (step ? "-" + step : "");
}
/* Drones that went in earlier turns have left no wreck to look at. */
const small = new Set([...map.querySelectorAll(".label.seeker")].map(label => label.dataset.unit)), went = new Map();
for (const frame of frames) for (const unit in frame.gone) if (small.has(unit)) went.set(unit, frame.turn);
const traces = [...map.querySelectorAll(".lost, .label.seeker")].filter(one => went.has(one.dataset.unit));
const ways = [...map.querySelectorAll(".counter")].map(counter => {
  const line = document.createElementNS(map.namespaceURI, "path"), side = /\bs\d\b/.exec(counter.getAttribute("class"))[0];
  line.setAttribute("class", "way " + side);
  map.querySelector(".counter").before(line);
  return { line, unit: counter.dataset.unit };
});
map.addEventListener("drawn", event => {
  const k = event.detail, turn = frames[k].turn;
  for (const mark of marks) mark.classList.toggle("on", +mark.dataset.turn === turn);
  for (const one of traces) one.classList.toggle("bygone", went.get(one.dataset.unit) < turn);
  const hexes = new Map([...map.querySelectorAll(".no text")].map(t => [t.textContent, t.getAttribute("x") + " " + (+t.getAttribute("y") + 15)]));
  for (const { line, unit } of ways) {
    let points = [], here = null;
    for (const frame of frames.slice(0, k + 1)) {
      if (frame.turn === turn && !points.length && here) points.push(here);
      const at = Object.hasOwn(frame.at || {}, unit) && frame.at[unit];
      if (at) here = hexes.get(at.slice(0, 4));
      if (Object.hasOwn(frame.gone || {}, unit)) { here = null; points = []; }
      if (frame.turn === turn && here && points[points.length - 1] !== here) points.push(here);
    }
    line.setAttribute("d", points.length > 1 ? "M" + points.join("L") : "");
  }
});
})();
