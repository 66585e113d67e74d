/* The frames of a film in full, and where turns, impulses and steps are among them. */

import type { Frame, Reach, ReplayData } from "./data.ts";

/** Values by the names of units. It has no prototype, because a unit may be called "constructor". */
export type ByUnit<Value> = Record<string, Value>;

/** All that a frame shows: positions, shields, units that left play, cloaks and ranges. */
export interface FullFrame {
  at: ByUnit<string>;
  shields: ByUnit<number[]>;
  gone: ByUnit<string>;
  cloak: ByUnit<string>;
  reach: Reach[];
}

const joined = <Value>(before: ByUnit<Value> | undefined, changes: ByUnit<Value> | undefined) =>
  Object.assign(Object.create(null), before, changes) as ByUnit<Value>;

/** Return a frame in full: the frame before it with the changes of this one. */
export function nextFrame(before: FullFrame | undefined, frame: Frame): FullFrame {
  const now: FullFrame = {
    at: joined(before?.at, frame.at),
    shields: joined(before?.shields, frame.shields),
    gone: joined(before?.gone, frame.gone),
    cloak: joined(before?.cloak, frame.cloak),
    reach: frame.reach ?? before?.reach ?? [],
  };
  for (const unit of Object.keys(frame.gone ?? {})) delete now.at[unit];
  for (const unit of Object.keys(frame.at ?? {})) delete now.gone[unit];
  return now;
}

/** Return all frames in full. */
export function fullFrames(frames: readonly Frame[]): FullFrame[] {
  const full: FullFrame[] = [];
  for (const frame of frames) full.push(nextFrame(full.at(-1), frame));
  return full;
}

/** Return a number for an impulse of a turn; later impulses have higher numbers. */
export const momentOf = (turn: number, impulse: number) => 100 * turn + impulse;

const LINK = /^#t(\d+)i(\d+)(?:-(\w+))?$/;

/** The frames of a film in the order of play. Frames are known by their numbers from 0 to `last`. */
export class Timeline {
  readonly frames: readonly Frame[];
  readonly full: FullFrame[];
  readonly last: number;
  readonly #shown: number;
  readonly #steps: Record<string, string>;
  readonly #moments: number[];
  /** The first frame of each moment, and of each step of a moment. */
  readonly #begins = new Map<number, number>();
  readonly #firsts = new Map<string, number>();
  /** The last frame in which a unit moved in an impulse, by unit and impulse. */
  readonly #moved = new Map<string, number>();

  constructor({ replay, shown, steps }: Pick<ReplayData, "replay" | "shown" | "steps">) {
    this.frames = replay;
    this.full = fullFrames(replay);
    this.last = replay.length - 1;
    this.#shown = shown;
    this.#steps = steps;
    this.#moments = replay.map((frame, k) => momentOf(this.turn(k), frame.impulse));
    for (let k = this.last; k >= 0; k--) {
      this.#begins.set(this.#moments[k], k);
      this.#firsts.set(`${this.#moments[k]} ${this.step(k)}`, k);
    }
    replay.forEach((frame, k) => {
      for (const unit of Object.keys(frame.at ?? {}))
        this.#moved.set(`${unit} ${frame.impulse}`, k);
    });
  }

  /** Return the number of the nearest frame. */
  clamp(k: number): number {
    return Math.max(0, Math.min(this.last, k));
  }

  /** Return the frame in which a unit moved in an impulse; 0 if it did not move. */
  movedAt(unit: string, impulse: number): number {
    return this.#moved.get(`${unit} ${impulse}`) ?? 0;
  }

  /** Return the turn of a frame; only frames of a whole game hold it. */
  turn(k: number): number {
    return this.frames[k].turn || this.#shown;
  }

  step(k: number): string {
    return this.frames[k].step ?? "";
  }

  moment(k: number): number {
    return this.#moments[k];
  }

  /** Return the first frame of a step of an impulse, or -1. Without a turn it is the turn of the page. */
  find(turn: number | undefined, impulse: number, step: string): number {
    return this.#firsts.get(`${momentOf(turn || this.#shown, impulse)} ${step}`) ?? -1;
  }

  /** Return the first frame of the impulse of a frame. */
  begins(k: number): number {
    return this.#begins.get(this.#moments[k])!;
  }

  /** Return the first frame of the next impulse, or the last frame. */
  nextImpulse(k: number): number {
    const next = this.#moments.findIndex((moment) => moment > this.#moments[k]);
    return next < 0 ? this.last : next;
  }

  /** Return the first frame of this impulse, or of the one before it for a frame that is the first. */
  previousImpulse(k: number): number {
    return this.begins(Math.max(0, k - 1));
  }

  /** Return the names of the steps of an impulse up to a frame. */
  stepsUpTo(k: number): Set<string> {
    const steps = new Set<string>();
    for (let at = this.begins(k); at <= k; at++) steps.add(this.step(at));
    return steps;
  }

  /** Return the part of an address that links to a frame, such as `t2i9-fire`. */
  anchor(k: number): string {
    const step = this.step(k);
    return `t${this.turn(k)}i${this.frames[k].impulse}` + (step && `-${step}`);
  }

  /**
   * Return the frame to which `#t2i9-fire` or `#t2i9` leads, or -1.
   *
   * `#t2i9` leads to the end of impulse 9 of turn 2.
   */
  linked(hash: string): number {
    const parts = LINK.exec(hash);
    if (!parts) return -1;
    const [turn, impulse] = [Number(parts[1]), Number(parts[2])];
    if (!this.frames.some((_, k) => this.turn(k) === turn)) return -1;
    const exact = parts[3] ? this.find(turn, impulse, parts[3]) : -1;
    if (exact >= 0) return exact;
    return this.#moments.findLastIndex((moment) => moment <= momentOf(turn, impulse));
  }

  /** Return the title of a frame in words. */
  title(k: number): string {
    const { turn, impulse } = this.frames[k];
    const step = this.step(k);
    if (!k) return `Start of turn ${this.turn(k)}`;
    const when = impulse ? `impulse ${impulse}` : "before impulse 1";
    const place = turn ? `Turn ${turn}, ${when}` : when[0].toUpperCase() + when.slice(1);
    return `${place}: ${Object.hasOwn(this.#steps, step) ? this.#steps[step] : step}`;
  }
}
