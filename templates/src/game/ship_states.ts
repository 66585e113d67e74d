/* The public state of each ship after every frame of the film: boxes, weapons, internal damage and speed. */

import type { DisplayState, FilmDisplays, FilmShip } from "../generated/displays.ts";

/** All that the display of a ship shows. */
export interface ShipState {
  readonly boxes: ReadonlyMap<string, number>;
  /** The weapons that do not work. */
  readonly out: ReadonlySet<string>;
  readonly words: ReadonlyMap<string, string>;
  readonly internals: number;
  readonly speed: number;
  readonly gone: string;
}

interface Kept {
  frame: number;
  state: ShipState;
}

const NOTHING: ShipState = {
  boxes: new Map(),
  out: new Set(),
  words: new Map(),
  internals: 0,
  speed: 0,
  gone: "",
};

const joined = <Value>(before: ReadonlyMap<string, Value>, now: Record<string, Value> = {}) =>
  new Map([...before, ...Object.entries(now)]);

/** Return a state with the changes of a frame. */
function changed(before: ShipState, now: DisplayState): ShipState {
  const out = new Set(before.out);
  for (const [weapon, works] of Object.entries(now.working ?? {}))
    if (works) out.delete(weapon);
    else out.add(weapon);
  return {
    boxes: joined(before.boxes, now.boxes),
    out,
    words: joined(before.words, now.words),
    internals: now.internals ?? before.internals,
    speed: now.speed ?? before.speed,
    gone: now.gone ?? before.gone,
  };
}

export class ShipStates {
  readonly ships: ReadonlyMap<string, FilmShip>;
  readonly #begins: readonly number[];
  readonly #kept = new Map<string, Kept[]>();

  constructor(data: FilmDisplays) {
    this.ships = new Map(Object.entries(data.ships));
    this.#begins = data.begins;
    for (const { frame, unit, now } of data.changes) {
      const kept = this.#kept.get(unit) ?? [];
      kept.push({ frame, state: changed(kept.at(-1)?.state ?? NOTHING, now) });
      this.#kept.set(unit, kept);
    }
  }

  /** Return the state of a ship after a frame; null if she is not on the map yet. */
  at(unit: string, k: number): ShipState | null {
    return this.#kept.get(unit)?.findLast(({ frame }) => frame <= k)?.state ?? null;
  }

  /** Return the state of a ship after the last frame. */
  atEnd(unit: string): ShipState | null {
    return this.at(unit, Infinity);
  }

  /** Return the state of a ship before the impulse of a frame; for a ship that is new, her first state. */
  beforeImpulse(unit: string, k: number): ShipState | null {
    const begins = this.#begins.findLast((frame) => frame <= k) ?? 0;
    return this.at(unit, Math.max(0, begins - 1)) ?? this.#kept.get(unit)?.[0].state ?? null;
  }
}

/** Read the states of ships from the element of the page that holds them. */
export function readStates(page: Document): ShipStates {
  return new ShipStates(JSON.parse(page.getElementById("displays")!.textContent!));
}
