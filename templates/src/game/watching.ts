/* The film on the board: it plays what happened since the player last looked, and then planning begins. */

import type { Board } from "../board/board.ts";
import { createEffects } from "../film/effects.ts";
import { type Film, startFilm } from "../film/film.ts";
import { readData } from "../film/data.ts";
import { centreAt } from "../film/geometry.ts";
import type { Point } from "../geometry/hex.ts";
import { byId, type PageData } from "./page.ts";
import { Sound } from "./sound.ts";

/** Time in milliseconds from the last frame until planning begins. */
const REST = 900;
/** For how many milliseconds a frame is shown: with moves only, and with something to read. */
const PACE = { quiet: 170, told: 900 };
/** Room in drawing units that units should have to the edge of the board. */
const EDGE = 60;

export class Watching {
  readonly film: Film | null;
  private resting = 0;

  constructor(
    page: PageData,
    private readonly board: Board,
    /** Called when the board begins or ceases to show the film. */
    private readonly changed: (watching: boolean) => void,
  ) {
    const data = readData(document);
    const sound = new Sound(byId("film-sound"));
    this.film =
      data.replay.length < 2
        ? null
        : startFilm({
            data,
            map: board.map,
            root: document,
            controls: byId("replay"),
            camera: false,
            centresLast: !page.watches,
            pace: PACE,
            effects: (drawing) => createEffects(drawing, sound),
          });
    const { film } = this;
    if (!film) return;
    const open = byId<HTMLButtonElement>("film-open");
    open.hidden = Boolean(page.watches);
    open.addEventListener("click", () => this.watch(0));
    byId("film-end").addEventListener("click", () => this.end());
    film.onFrame((k) => this.follow(k));
    film.onEnd(() => {
      if (page.watches) return;
      this.resting = window.setTimeout(() => this.end(), REST);
    });
    document.addEventListener("keydown", (event) => this.key(event));
    this.seen = seenIn(page);
    this.stays = Boolean(page.watches);
  }

  private readonly seen: string = "";
  /** Whether the page shows nothing but the film, so that nothing closes it. */
  private readonly stays: boolean = false;

  get isOn(): boolean {
    return document.body.dataset.mode === "film";
  }

  /** Play what is new. Without motion, or if nothing is new, nothing is played. */
  watchNews(): void {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (this.film && !calm) this.watch(this.firstNew());
  }

  /** Show the film from a frame on. */
  watch(from: number, plays = true): void {
    const { film } = this;
    if (!film) return;
    clearTimeout(this.resting);
    document.body.dataset.mode = "film";
    byId("film").hidden = false;
    this.changed(true);
    film.go(this.stays ? from : Math.min(from, film.last - 1));
    this.showWhole(false);
    if (plays) film.play();
    if (this.stays) return;
    /* There Space pauses; on the button that ends the film it would end it. */
    byId("replay-play").focus({ preventScroll: true });
  }

  /** Close the film: the board shows the present, ready to plan. */
  end(): void {
    const { film } = this;
    if (!film || !this.isOn || this.stays) return;
    clearTimeout(this.resting);
    film.stop();
    film.go(film.last);
    byId("film").hidden = true;
    document.body.dataset.mode = "plan";
    this.changed(false);
  }

  /** Return the frame before the first one that the player has not seen. */
  private firstNew(): number {
    const { timeline, last } = this.film!;
    const [turn, impulse] = this.seen.split(".").map(Number);
    if (!turn) return 0;
    for (let k = last; k > 0; k--)
      if (timeline.moment(k) < 100 * turn + Math.max(impulse, 0)) return k;
    return 0;
  }

  /** Keep all units that moved in view. */
  private follow(k: number): void {
    if (!this.isOn) return;
    const places = this.places(k);
    if (!places.every((place) => this.board.isShown(place, EDGE))) this.showWhole(true);
  }

  private places(k: number): Point[] {
    const { drawing, timeline } = this.film!;
    return Object.values(timeline.full[k].at).flatMap((at) => centreAt(drawing.grid, at) ?? []);
  }

  /** Show all places from this frame to the end of its turn. */
  private showWhole(smooth: boolean): void {
    const film = this.film!;
    const places: Point[] = [];
    const { timeline, current, last } = film;
    const turn = timeline.turn(current);
    for (let k = current; k <= last && timeline.turn(k) === turn; k++)
      places.push(...this.places(k));
    this.board.showAll(places, smooth);
  }

  private key(event: KeyboardEvent): void {
    const film = this.film!;
    if (!this.isOn || event.ctrlKey || event.altKey || event.metaKey) return;
    const target = event.target as HTMLElement;
    if (target.closest("select, textarea, input:not([type=range])")) return;
    if (event.key === " " && target.closest("button, a")) return;
    const actions: Record<string, () => void> = {
      Escape: () => this.end(),
      ArrowLeft: () => film.go(film.current - 1),
      ArrowRight: () => film.go(film.current + 1),
      Home: () => film.go(0),
      n: () => film.go(film.nextEvent()),
      p: () => film.go(film.previousEvent()),
      " ": () => (film.playing ? film.stop() : film.play()),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    clearTimeout(this.resting);
    if (event.key !== " ") film.stop();
    action();
  }
}

/** Return turn and impulse up to which the player has seen the game, if the browser kept them. */
function seenIn(page: PageData): string {
  try {
    return sessionStorage.getItem(`pbem seen/${page.game}`) ?? "";
  } catch {
    return "";
  }
}
