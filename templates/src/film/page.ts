/* A page with a film: the report, and the page of a whole game. */

import { writeNumbers } from "../geometry/numbers.ts";
import { readData } from "./data.ts";
import { all, element } from "./dom.ts";
import { type Film, startFilm } from "./film.ts";

/** Start the film of a page. The result is null if the page has no map, or nothing happened yet. */
export function startPage(page: Document): Film | null {
  const map = page.querySelector<SVGSVGElement>("svg.map");
  if (map) writeNumbers(map);
  const data = readData(page);
  if (!map || data.replay.length < 2) return null;
  nameDice(page);
  linkMoments(page);
  const section = page.getElementById("map")!;
  const controls = page.getElementById("replay");
  const film = startFilm({ data, map, root: page, controls, section, start: location.hash });
  printEnd(film, followAddress(film, section));
  page.documentElement.dataset.replay = "ready";
  return film;
}

/** Give each die a title that says what it was rolled for. The table of dice has it, in the same order. */
function nameDice(page: Document): void {
  const rolled = all(page, "#dice td:last-child");
  all(page, ".imp .die").forEach((die, n) => {
    if (rolled[n]) die.title = rolled[n].textContent!;
  });
}

/** Let the headings of moments lead to the map. Readers without scripts get no such links. */
export function linkMoments(page: Document): void {
  for (const place of all(page, "[id]")) {
    if (!/^t\d+i/.test(place.id)) continue;
    const link = element("a", place.textContent!);
    place.replaceWith(Object.assign(link, { href: `#${place.id}`, title: "See it on the map" }));
  }
}

/** Show a frame and leave the address of the page as it is. */
export type GoQuietly = (k: number) => void;

/** Let the address of the page name the frame shown, and an address with a moment lead to its frame. */
export function followAddress(film: Film, section: HTMLElement): GoQuietly {
  const { timeline } = film;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let quiet = false;
  function goQuietly(k: number): void {
    quiet = true;
    film.go(k);
    quiet = false;
  }
  function follow(): void {
    const k = timeline.linked(location.hash);
    if (k < 0) return;
    goQuietly(k);
    section.scrollIntoView({ behavior: "instant" });
  }
  // The address is written later: browsers limit how often a page changes it.
  film.onFrame(() => {
    clearTimeout(timer);
    if (quiet) return;
    const write = () => history.replaceState(null, "", `#${timeline.anchor(film.current)}`);
    timer = setTimeout(write, 250);
  });
  follow();
  addEventListener("load", follow);
  addEventListener("hashchange", () => {
    film.stop();
    follow();
  });
  return goQuietly;
}

/** Print the last frame, with all counters at their places at once. */
export function printEnd(film: Film, goQuietly: GoQuietly): void {
  const { classList } = film.drawing.map;
  let kept = film.last;
  addEventListener("beforeprint", () => {
    kept = film.current;
    film.stop();
    classList.remove("live");
    goQuietly(film.last);
  });
  addEventListener("afterprint", () => {
    goQuietly(kept);
    classList.add("live");
  });
}
