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
  const address = new Address(film, section);
  printEnd(film, address);
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
function linkMoments(page: Document): void {
  for (const place of all(page, "[id]")) {
    if (!/^t\d+i/.test(place.id)) continue;
    const link = element("a", place.textContent!);
    place.replaceWith(Object.assign(link, { href: `#${place.id}`, title: "See it on the map" }));
  }
}

/** The address of the page names the frame shown, and an address with a moment leads to its frame. */
class Address {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #quiet = false;

  constructor(
    readonly film: Film,
    readonly section: HTMLElement,
  ) {
    this.#follow();
    film.onFrame(() => {
      if (!this.#quiet) this.#write();
    });
    addEventListener("load", () => this.#follow());
    addEventListener("hashchange", () => {
      film.stop();
      this.#follow();
    });
  }

  /** Show a frame and leave the address as it is. */
  goQuietly(k: number): void {
    this.#quiet = true;
    this.film.go(k);
    this.#quiet = false;
  }

  #follow(): void {
    const k = this.film.timeline.linked(location.hash);
    if (k < 0) return;
    this.goQuietly(k);
    this.section.scrollIntoView({ behavior: "instant" });
  }

  /** Write the address later: browsers limit how often a page changes it. */
  #write(): void {
    clearTimeout(this.#timer);
    const { film } = this;
    const write = () => history.replaceState(null, "", `#${film.timeline.anchor(film.current)}`);
    this.#timer = setTimeout(write, 250);
  }
}

/** Print the last frame. */
function printEnd(film: Film, address: Address): void {
  let kept = film.last;
  addEventListener("beforeprint", () => {
    kept = film.current;
    film.stop();
    address.goQuietly(film.last);
  });
  addEventListener("afterprint", () => address.goQuietly(kept));
}
