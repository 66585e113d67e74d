/* A film of a turn or a game on a map: it steps through the frames and plays them. It knows no rule of the game. */

import { gridOf } from "../geometry/numbers.ts";
import { type Camera, createCamera } from "./camera.ts";
import { addControls } from "./controls.ts";
import type { ReplayData } from "./data.ts";
import { type Drawing, createDrawing } from "./draw.ts";
import type { CreateEffects } from "./effects.ts";
import { Timeline } from "./frames.ts";
import { type ToldFrame, toldFrames } from "./told.ts";

/** The pace of the film of a report, which is read beside it. */
const USUAL_PACE = { quiet: 550, told: 1100 };

export interface FilmOptions {
  data: ReplayData;
  /** A map drawn by `map.svg.j2`, with the numbers of its hexes in `data-numbers`. */
  map: SVGSVGElement;
  /** What holds the events of the report, impulse by impulse: elements with ids such as `t2.i7`. */
  root: ParentNode;
  /** The bar of buttons (`_replay.html.j2`). Without it the film obeys its methods only. */
  controls?: HTMLElement | null;
  /** The part of the page in which keys step through the film. */
  section?: HTMLElement | null;
  /** Whether the map follows the fight, and can be zoomed and dragged. It is so if this is left out. */
  camera?: boolean;
  /**
   * What draws beams and explosions: `createEffects` of `effects.ts`, or nothing.
   *
   * It is handed over because mailed pages must not hold it.
   */
  effects?: CreateEffects | null;
  /** Whether the last frame, in which the player plans, shows a unit that is alone in the middle of its hex. */
  centresLast?: boolean;
  /** For how many milliseconds a frame is shown: with moves only, and with something to read. */
  pace?: { quiet: number; told: number };
  /** What is shown at first: a frame or an address such as `#t2i9-fire`; the last frame if this is left out. */
  start?: number | string;
}

export interface Film {
  readonly timeline: Timeline;
  readonly drawing: Drawing;
  readonly camera: Camera | null;
  /** The frames in which something happened besides moves. */
  readonly told: readonly ToldFrame[];
  readonly current: number;
  readonly last: number;
  readonly playing: boolean;
  /** How many times as fast as usual the film plays. */
  speed: number;
  /** Show a frame; numbers outside the film mean its first or last frame. */
  go(k: number): void;
  /** Play from the frame shown, or from the first frame if the last is shown. */
  play(): void;
  stop(): void;
  /** Return the next frame in which something happened, or the last frame. */
  nextEvent(): number;
  /** Return the frame before in which something happened, or the first frame. */
  previousEvent(): number;
  /** Draw ranges from a unit to all others; an empty name removes them. */
  measureFrom(unit: string): void;
  /** Call a function after each frame that is shown. The result of all these methods ends the calls. */
  onFrame(listener: (k: number) => void): () => void;
  /** Call a function when the film has played to its end. */
  onEnd(listener: () => void): () => void;
  /** Call a function when the film begins and ceases to play. */
  onPlaying(listener: (playing: boolean) => void): () => void;
  /** Call a function when ranges are drawn from another unit. */
  onMeasure(listener: (unit: string) => void): () => void;
  /** Stop, and take everything off the page that the film added. */
  destroy(): void;
}

/** Return functions that are called when something happens, and what calls them. */
function createListeners<Value>() {
  const listeners = new Set<(value: Value) => void>();
  return {
    add(listener: (value: Value) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    call(value: Value) {
      for (const listener of [...listeners]) listener(value);
    },
    clear: () => listeners.clear(),
  };
}

/** Return the frame with which a film begins. */
function firstShown(timeline: Timeline, start: number | string | undefined): number {
  const k = typeof start === "string" ? timeline.linked(start) : (start ?? -1);
  return k < 0 ? timeline.last : timeline.clamp(k);
}

/** Show a film on a map, and return what steps through it. */
export function startFilm(options: FilmOptions): Film {
  const { data, map, root, controls } = options;
  const grid = gridOf(map);
  if (!grid) throw new Error("the map has no numbers");
  const timeline = new Timeline(data);
  const { last } = timeline;
  const drawing = createDrawing(map, grid, timeline, data.planets, options.centresLast);
  const told = toldFrames(root, timeline);
  const ended = new AbortController();
  const { signal } = ended;
  const frames = createListeners<number>();
  const ends = createListeners<void>();
  const plays = createListeners<boolean>();
  const measures = createListeners<string>();
  const camera = options.camera === false ? null : createCamera(drawing, data.mine, signal);
  const effects = options.effects?.(drawing);
  let current = firstShown(timeline, options.start);
  let playing = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Show the next frame, and the one after it when there was time to read what is told. */
  function onward(): void {
    film.go(current === last ? 0 : current + 1);
    if (!playing) return ends.call();
    const pace = options.pace ?? USUAL_PACE;
    const time = told.some(({ k }) => k === current) ? pace.told : pace.quiet;
    timer = setTimeout(onward, time / film.speed);
  }

  const film: Film = {
    timeline,
    drawing,
    camera,
    told,
    last,
    speed: 1,
    get current() {
      return current;
    },
    get playing() {
      return playing;
    },
    go(k) {
      const before = current;
      current = timeline.clamp(k);
      drawing.draw(current);
      camera?.follow(current);
      if (current === before + 1) effects?.play(current, playing ? film.speed : 1);
      else effects?.clear();
      frames.call(current);
      if (current === last) film.stop();
    },
    play() {
      if (playing) return;
      playing = true;
      plays.call(true);
      onward();
    },
    stop() {
      clearTimeout(timer);
      playing = false;
      plays.call(false);
    },
    nextEvent: () => told.find(({ k }) => k > current)?.k ?? last,
    previousEvent: () => told.findLast(({ k }) => k < current)?.k ?? 0,
    measureFrom(unit) {
      drawing.measureFrom(unit);
      measures.call(unit);
    },
    onFrame: frames.add,
    onEnd: ends.add,
    onPlaying: plays.add,
    onMeasure: measures.add,
    destroy() {
      film.stop();
      film.measureFrom("");
      for (const listeners of [frames, ends, plays, measures]) listeners.clear();
      ended.abort();
      effects?.destroy();
      map.classList.remove("live");
    },
  };

  // A click on a counter draws ranges from it; another click removes them.
  for (const { g, unit } of drawing.counters) {
    const click = () => {
      if (map.classList.contains("held")) return;
      film.measureFrom(drawing.measured() === unit ? "" : unit);
    };
    g.addEventListener("click", click, { signal });
  }
  if (controls) addControls(film, { controls, root, section: options.section, signal });
  if (camera?.beginsClose()) camera.closeUp(true, current);
  film.go(current);
  // Counters glide from the second frame on.
  map.classList.add("live");
  return film;
}
