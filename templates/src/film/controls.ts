/* The bar under the map: buttons, slider, keys, and what is told of the frame. */

import { element } from "./dom.ts";
import type { Film } from "./film.ts";
import { rangesTold, toldItems } from "./told.ts";

export interface ControlOptions {
  controls: HTMLElement;
  root: ParentNode;
  section?: HTMLElement | null;
  signal: AbortSignal;
}

/** Let the bar step through a film and tell of its frames until `signal` is aborted. */
export function addControls(film: Film, { controls, root, section, signal }: ControlOptions): void {
  const { timeline, drawing, camera, last } = film;
  const part = <T extends HTMLElement>(name: string) =>
    controls.querySelector<T>(`#replay-${name}`)!;
  const on = (name: string, type: string, handler: () => void) =>
    part(name).addEventListener(type, handler, { signal });
  const slider = part<HTMLInputElement>("at");
  const from = part<HTMLSelectElement>("from");
  const speed = part<HTMLSelectElement>("speed");
  const title = part("title");
  const closeUp = part("close");
  const ticks = part("ticks");

  function toggle(): void {
    film.speed = Number(speed.value);
    if (film.playing) film.stop();
    else film.play();
  }

  const actions: Record<string, () => void> = {
    ArrowLeft: () => film.go(film.current - 1),
    ArrowRight: () => film.go(film.current + 1),
    Home: () => film.go(0),
    End: () => film.go(last),
    n: () => film.go(film.nextEvent()),
    p: () => film.go(film.previousEvent()),
    PageUp: () => film.go(timeline.previousImpulse(film.current)),
    PageDown: () => film.go(timeline.nextImpulse(film.current)),
    "+": () => camera?.zoom(0.8),
    "-": () => camera?.zoom(1.25),
    " ": toggle,
  };

  /** Return whether keys pressed in an element are for the map: the map is in sight, and nothing else takes them. */
  function takesKeys(target: HTMLElement): boolean {
    if (!section || section.contains(target)) return Boolean(section);
    const { top, bottom } = section.getBoundingClientRect();
    return target === document.body && top < innerHeight / 2 && bottom > innerHeight / 3;
  }

  function pressKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const action = actions[event.key];
    const free = !event.ctrlKey && !event.altKey && !event.metaKey;
    if (!action || !free || !takesKeys(target)) return;
    if (target.closest("select") || (event.key === " " && target.closest("button, a"))) return;
    event.preventDefault();
    if (!" +-".includes(event.key)) film.stop();
    action();
  }

  function show(k: number): void {
    const words = timeline.title(k);
    slider.value = String(k);
    slider.setAttribute("aria-valuetext", words);
    title.textContent = words;
    part<HTMLAnchorElement>("link").href = `#${timeline.anchor(k)}`;
    part("said").replaceChildren(...toldItems(root, timeline, k));
    part("reach").textContent = rangesTold(timeline.full[k]);
  }

  const press = (name: string, action: () => void) =>
    on(name, "click", () => {
      film.stop();
      action();
    });
  press("first", actions.Home);
  press("back", actions.ArrowLeft);
  press("event", actions.n);
  press("on", actions.ArrowRight);
  press("last", actions.End);
  on("play", "click", toggle);
  on("close", "click", () =>
    camera?.closeUp(closeUp.getAttribute("aria-pressed") !== "true", film.current),
  );
  on("from", "change", () => film.measureFrom(from.value));
  on("speed", "change", () => {
    if (!film.playing) return;
    toggle();
    toggle();
  });
  // While the slider is dragged counters jump; they glide when it is let go.
  on("at", "input", () => {
    film.stop();
    drawing.map.classList.remove("live");
    film.go(Number(slider.value));
  });
  on("at", "change", () => drawing.map.classList.add("live"));
  document.addEventListener("keydown", pressKey, { signal });
  signal.addEventListener("abort", () => {
    controls.hidden = true;
    ticks.replaceChildren();
    from.length = 1;
  });

  film.onFrame(show);
  // What the player steps to is read aloud, not every step that plays.
  film.onPlaying((playing) => {
    part("play").textContent = playing ? "Pause" : "Play";
    title.parentElement!.setAttribute("aria-live", playing ? "off" : "polite");
  });
  film.onMeasure((unit) => {
    from.value = unit;
  });
  camera?.onCloseUp((yes) => closeUp.setAttribute("aria-pressed", String(yes)));

  slider.max = String(last);
  for (const { unit } of drawing.counters) from.append(new Option(unit, unit));
  for (const { k, rolled } of film.told) {
    const tick = element("i", "", rolled ? "rolled" : "");
    tick.style.left = `${(100 * k) / last}%`;
    ticks.append(tick);
  }
  controls.hidden = false;
}
