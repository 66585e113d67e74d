/* The bar under the map: buttons, slider, keys, and what is told of the frame. */

import { element } from "./dom.ts";
import type { Film } from "./film.ts";
import { rangesTold, toldItems } from "./told.ts";

export interface ControlOptions {
  controls: HTMLElement;
  root: ParentNode;
  section: HTMLElement | null;
  signal: AbortSignal;
}

type Action = () => void;

/** Let the bar step through a film and tell of its frames until `signal` is aborted. */
export function addControls(film: Film, options: ControlOptions): void {
  new Controls(film, options).start();
}

class Controls {
  readonly #at: HTMLInputElement;
  readonly #from: HTMLSelectElement;
  readonly #speed: HTMLSelectElement;
  readonly #title: HTMLElement;
  readonly #actions: Record<string, Action>;

  constructor(
    readonly film: Film,
    readonly options: ControlOptions,
  ) {
    this.#at = this.#part("at");
    this.#from = this.#part("from");
    this.#speed = this.#part("speed");
    this.#title = this.#part("title");
    const { timeline } = film;
    this.#actions = {
      ArrowLeft: () => film.go(film.current - 1),
      ArrowRight: () => film.go(film.current + 1),
      Home: () => film.go(0),
      End: () => film.go(film.last),
      n: () => film.go(film.nextEvent()),
      p: () => film.go(film.previousEvent()),
      PageUp: () => film.go(timeline.previousImpulse(film.current)),
      PageDown: () => film.go(timeline.nextImpulse(film.current)),
      "+": () => film.camera?.zoom(0.8),
      "-": () => film.camera?.zoom(1.25),
      " ": () => this.#toggle(),
    };
  }

  start(): void {
    const { film } = this;
    const { controls, signal } = this.options;
    this.#at.max = String(film.last);
    this.#addTicks();
    for (const { unit } of film.drawing.counters) this.#from.append(new Option(unit, unit));
    this.#listen();
    film.onFrame((k) => this.#show(k));
    film.onPlaying((playing) => this.#showPlaying(playing));
    film.onMeasure((unit) => {
      this.#from.value = unit;
    });
    controls.hidden = false;
    signal.addEventListener("abort", () => {
      controls.hidden = true;
      this.#part("ticks").replaceChildren();
      this.#from.length = 1;
    });
  }

  #part<T extends HTMLElement>(name: string): T {
    return this.options.controls.querySelector<T>(`#replay-${name}`)!;
  }

  #listen(): void {
    const { film } = this;
    const { signal } = this.options;
    this.#press("first", this.#actions.Home);
    this.#press("back", this.#actions.ArrowLeft);
    this.#press("event", this.#actions.n);
    this.#press("on", this.#actions.ArrowRight);
    this.#press("last", this.#actions.End);
    this.#on("play", "click", () => this.#toggle());
    this.#on("close", "click", () => this.#closeUp(!this.#isClose()));
    this.#on("from", "change", () => film.measureFrom(this.#from.value));
    this.#on("speed", "change", () => {
      film.speed = Number(this.#speed.value);
      if (film.playing) {
        film.stop();
        film.play();
      }
    });
    // While the slider is dragged counters jump; they glide when it is let go.
    this.#on("at", "input", () => {
      film.stop();
      film.drawing.map.classList.remove("live");
      film.go(Number(this.#at.value));
    });
    this.#on("at", "change", () => film.drawing.map.classList.add("live"));
    if (this.options.section)
      document.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  #on(name: string, type: string, handler: Action): void {
    this.#part(name).addEventListener(type, handler, { signal: this.options.signal });
  }

  #press(name: string, action: Action): void {
    this.#on(name, "click", () => {
      this.film.stop();
      action();
    });
  }

  #toggle(): void {
    const { film } = this;
    film.speed = Number(this.#speed.value);
    if (film.playing) film.stop();
    else film.play();
  }

  #isClose(): boolean {
    return this.#part("close").getAttribute("aria-pressed") === "true";
  }

  #closeUp(yes: boolean): void {
    this.film.camera?.closeUp(yes, this.film.current);
    this.#part("close").setAttribute("aria-pressed", String(yes));
  }

  #key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const action = this.#actions[event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey || !this.#takesKeys(target))
      return;
    if (target.closest("select") || (event.key === " " && target.closest("button, a"))) return;
    event.preventDefault();
    if (!" +-".includes(event.key)) this.film.stop();
    action();
  }

  /** Return whether keys pressed in an element are for the map: the map is in sight, and nothing else takes them. */
  #takesKeys(target: HTMLElement): boolean {
    const section = this.options.section!;
    if (section.contains(target)) return true;
    const { top, bottom } = section.getBoundingClientRect();
    return target === document.body && top < innerHeight / 2 && bottom > innerHeight / 3;
  }

  #addTicks(): void {
    const ticks = this.film.told.map(({ k, rolled }) => {
      const tick = element("i", "", rolled ? "rolled" : "");
      tick.style.left = `${(100 * k) / this.film.last}%`;
      return tick;
    });
    this.#part("ticks").append(...ticks);
  }

  #show(k: number): void {
    const { timeline, camera } = this.film;
    const title = timeline.title(k);
    this.#at.value = String(k);
    this.#at.setAttribute("aria-valuetext", title);
    this.#title.textContent = title;
    this.#part<HTMLAnchorElement>("link").href = `#${timeline.anchor(k)}`;
    this.#part("close").setAttribute("aria-pressed", String(camera?.isClose ?? false));
    this.#part("said").replaceChildren(...toldItems(this.options.root, timeline, k));
    this.#part("reach").textContent = rangesTold(timeline.full[k]);
  }

  /** What the player steps to is read aloud, not every step that plays. */
  #showPlaying(playing: boolean): void {
    this.#part("play").textContent = playing ? "Pause" : "Play";
    this.#title.parentElement!.setAttribute("aria-live", playing ? "off" : "polite");
  }
}
