/* A spectator's page of a game: the board with the film of all turns, and beside it a rail with game, ships and log. */

import { Board } from "../board/board.ts";
import { followAddress, linkMoments, printEnd } from "../film/page.ts";
import { showTurns } from "../film/turns.ts";
import { writeNumbers } from "../geometry/numbers.ts";
import { byId, pageData } from "./page.ts";
import { showPanel, startRail } from "./rail.ts";
import { ShipsInRail } from "./ships_in_rail.ts";
import { Watching } from "./watching.ts";

startRail();
const map = document.querySelector<SVGSVGElement>("#map-box .map")!;
writeNumbers(map);
const board = new Board(map, byId("map-box"), {});
board.cover(
  () => byId("film").offsetHeight + 12,
  () => byId("zoom-in").offsetWidth + 12,
);
const watching = new Watching(pageData(), board, () => {});
const ships = new ShipsInRail(document, watching);
const { film } = watching;
if (film) {
  showTurns(film, document);
  watching.watch(film.last, false);
  ships.showEnd();
  linkMoments(document);
  printEnd(film, followAddress(film, byId("map")));
  /* Who plays the film wants to see the displays, but may prefer another panel. */
  const stopListening = film.onPlaying((playing) => {
    if (!playing) return;
    stopListening();
    showPanel("ships");
  });
}

byId("zoom-in").addEventListener("click", () => board.zoom(0.75));
byId("zoom-out").addEventListener("click", () => board.zoom(1 / 0.75));
byId("zoom-home").addEventListener("click", () => board.showSheet());
document.documentElement.dataset.table = "ready";
