/* The game page: board, film, plan and rail in one document. */

import { Board } from "../board/board.ts";
import { byId } from "./page.ts";
import { startRail } from "./rail.ts";
import { startResult } from "./result.ts";

startRail();
startResult();
const map = document.querySelector<SVGSVGElement>("#map-box .map")!;
const board = new Board(map, byId("map-box"), {});
byId("zoom-in").addEventListener("click", () => board.zoom(0.75));
byId("zoom-out").addEventListener("click", () => board.zoom(1 / 0.75));
byId("zoom-home").addEventListener("click", () => board.showSheet());
if (document.getElementById("main")) byId("main").hidden = false;
