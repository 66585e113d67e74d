/* The game page: board, film, plan and rail in one document. */

import { Board, type BoardListener } from "../board/board.ts";
import { writeNumbers } from "../geometry/numbers.ts";
import { startPlotsFromVassal, watchForNews } from "./club.ts";
import { byId, ifThere, pageData } from "./page.ts";
import { Planning } from "./planning.ts";
import { showPanel, startRail } from "./rail.ts";
import { startResult } from "./result.ts";
import { ShipsInRail } from "./ships_in_rail.ts";
import { forget, forgetOthers } from "./shelf.ts";
import { Watching } from "./watching.ts";

const page = pageData();
const arrived = new URLSearchParams(location.search);
forgetOthers(page);
if (arrived.has("undone")) forget(page);

startRail();
const map = document.querySelector<SVGSVGElement>("#map-box .map")!;
writeNumbers(map);
/* The names of my own ships are drawn over all others. */
const own = `.label.s${document.body.dataset.mine}:not(.seeker)`;
for (const label of map.querySelectorAll(own)) label.parentNode!.append(label);
let planning: Planning | null = null;
/* The board tells the plan, which is made after it. */
const listener: Required<BoardListener> = {
  click: (spot) => planning?.click(spot),
  hover: (spot) => planning?.hover(spot),
  dragStarts: (unit) => planning?.dragStarts(unit) ?? false,
  dragged: (hex) => planning?.dragged(hex),
  dragEnds: () => planning?.dragEnds(),
  moved: () => planning?.moved(),
};
const board = new Board(map, byId("map-box"), listener);
/* What lies over the lower and the right edge of the board must not hide what is brought into view. */
const below = ["strip", "whatif", "film"].map((id) => byId(id));
board.cover(
  () => Math.max(0, ...below.map((one) => one.offsetHeight)) + 12,
  () => byId("zoom-in").offsetWidth + 12,
);
const watching = new Watching(page, board, (on) => {
  if (!on) {
    planning?.showAll();
    ships.showEnd();
  }
  if (planning) showPanel(on ? "ships" : "plan");
});
const ships = new ShipsInRail(document, watching);
if (ifThere("form"))
  planning = new Planning(
    page,
    board,
    () => watching.isOn,
    (mine, theirs) => ships.status.select(mine, theirs),
    () => watching.film?.measureFrom(""),
  );

watchForNews(page);
if (planning) startPlotsFromVassal(page, planning);

byId("zoom-in").addEventListener("click", () => board.zoom(0.75));
byId("zoom-out").addEventListener("click", () => board.zoom(1 / 0.75));
byId("zoom-home").addEventListener("click", () => board.showSheet());

startResult(() => watching.watch(0));
if (arrived.has("played")) watching.watchNews();
if (arrived.has("played") || arrived.has("undone"))
  history.replaceState(null, "", location.pathname);
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
document.documentElement.dataset.table = "ready";
