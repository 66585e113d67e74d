/* The script of the page of a whole game. */

import { startPage } from "./page.ts";
import { showTurns } from "./turns.ts";

const film = startPage(document);
if (film) showTurns(film, document);
