/* A film of a turn or a game on a map: it steps through the frames and plays them. It knows no rule of the game. */

import { gridOf } from "../geometry/numbers.ts";
import { type Camera, createCamera } from "./camera.ts";
import { addControls } from "./controls.ts";
import type { ReplayData } from "./data.ts";
import { Drawing } from "./draw.ts";
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

/** Functions that are called when something happens. */
class Listeners<Value> {
  readonly #all = new Set<(value: Value) => void>();

  add(listener: (value: Value) => void): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  call(value: Value): void {
    for (const listener of [...this.#all]) listener(value);
  }

  clear(): void {
    this.#all.clear();
  }
}

class RunningFilm implements Film {
  readonly timeline: Timeline;
  readonly drawing: Drawing;
  readonly camera: Camera | null = null;
  readonly told: readonly ToldFrame[];
  speed = 1;
  readonly #pace: { quiet: number; told: number };
  #current: number;
  #playing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #ended = new AbortController();
  readonly #frameListeners = new Listeners<number>();
  readonly #endListeners = new Listeners<void>();
  readonly #playingListeners = new Listeners<boolean>();
  readonly #measureListeners = new Listeners<string>();

  constructor({ data, map, root, controls, section, camera = true, pace, start }: FilmOptions) {
    this.#pace = pace ?? USUAL_PACE;
    const grid = gridOf(map);
    if (!grid) throw new Error("the map has no numbers");
    const { signal } = this.#ended;
    this.timeline = new Timeline(data);
    this.told = toldFrames(root, this.timeline);
    this.drawing = new Drawing(map, grid, this.timeline, data.planets);
    this.#current = firstShown(this.timeline, start);
    const filmCamera = camera ? createCamera(this.drawing, data.mine, signal) : null;
    this.camera = filmCamera;
    this.#listen(signal);
    if (controls) addControls(this, { controls, root, section: section ?? null, signal });
    if (filmCamera?.beginsClose) filmCamera.closeUp(true, this.#current);
    this.go(this.#current);
    // Counters glide from the second frame on.
    map.classList.add("live");
  }

  get current(): number {
    return this.#current;
  }

  get last(): number {
    return this.timeline.last;
  }

  get playing(): boolean {
    return this.#playing;
  }

  go(k: number): void {
    this.#current = this.timeline.clamp(k);
    this.drawing.draw(this.#current);
    this.camera?.follow(this.#current);
    this.#frameListeners.call(this.#current);
    if (this.#current === this.last) this.stop();
  }

  play(): void {
    if (this.#playing) return;
    this.#playing = true;
    this.#playingListeners.call(true);
    this.#onward();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#playing = false;
    this.#playingListeners.call(false);
  }

  nextEvent(): number {
    return this.told.find(({ k }) => k > this.#current)?.k ?? this.last;
  }

  previousEvent(): number {
    return this.told.findLast(({ k }) => k < this.#current)?.k ?? 0;
  }

  measureFrom(unit: string): void {
    this.drawing.measureFrom(unit);
    this.#measureListeners.call(unit);
  }

  onFrame(listener: (k: number) => void): () => void {
    return this.#frameListeners.add(listener);
  }

  onEnd(listener: () => void): () => void {
    return this.#endListeners.add(listener);
  }

  onPlaying(listener: (playing: boolean) => void): () => void {
    return this.#playingListeners.add(listener);
  }

  onMeasure(listener: (unit: string) => void): () => void {
    return this.#measureListeners.add(listener);
  }

  destroy(): void {
    this.stop();
    this.measureFrom("");
    for (const listeners of [this.#frameListeners, this.#playingListeners]) listeners.clear();
    for (const listeners of [this.#endListeners, this.#measureListeners]) listeners.clear();
    this.#ended.abort();
    this.drawing.map.classList.remove("live");
  }

  /** Show the next frame, and the one after it when there was time to read what is told. */
  #onward(): void {
    this.go(this.#current === this.last ? 0 : this.#current + 1);
    if (!this.#playing) return this.#endListeners.call();
    const reads = this.told.some(({ k }) => k === this.#current);
    const { told, quiet } = this.#pace;
    const time = (reads ? told : quiet) / this.speed;
    this.#timer = setTimeout(() => this.#onward(), time);
  }

  /** A click on a counter draws ranges from it; another click removes them. */
  #listen(signal: AbortSignal): void {
    const { map, counters } = this.drawing;
    for (const { g, unit } of counters) {
      const click = () => {
        if (map.classList.contains("held")) return;
        this.measureFrom(this.drawing.measured === unit ? "" : unit);
      };
      g.addEventListener("click", click, { signal });
    }
  }
}

/** Return the frame with which a film begins. */
function firstShown(timeline: Timeline, start: number | string | undefined): number {
  const k = typeof start === "string" ? timeline.linked(start) : (start ?? -1);
  return k < 0 ? timeline.last : timeline.clamp(k);
}

/** Show a film on a map, and return what steps through it. */
export function startFilm(options: FilmOptions): Film {
  return new RunningFilm(options);
}
