/* Made by `python -m tests.page_types` from the structs of the program; do not change it by hand. */

/**
 * The displays of all ships and their changes during the replay.
 *
 * ``begins`` has the number of the first frame of each impulse. ``changes`` are in the order of the frames.
 */
export interface FilmDisplays {
  ships: Record<string, FilmShip>;
  begins: number[];
  changes: DisplayChange[];
}

/**
 * A ship in the replay: whether it is the reader's, the number of its side's colour, and where its boxes are.
 */
export interface FilmShip {
  mine: boolean;
  place: number;
  blocks: DisplayBlock[];
}

/**
 * The place of the boxes of one shield or system in the drawing of a display.
 *
 * It has the position of the first box, the number of columns, and the number of boxes at the start of the game.
 */
export type DisplayBlock = [
  name: string,
  x: number,
  y: number,
  columns: number,
  start: number,
];

/**
 * What changed on the display of one ship in one frame of the replay, whose number is ``frame``.
 *
 * A ship has no display before her first change. The first change has all her boxes. Other values that it leaves out
 * are 0 or empty, and weapons that it leaves out work.
 */
export interface DisplayChange {
  frame: number;
  unit: string;
  now: DisplayState;
}

/**
 * The state of a ship's display, or those parts of it that changed.
 *
 * ``boxes`` maps shields (``#1``) and systems to their boxes left. ``working`` maps weapons to whether they work, and
 * ``words`` to what the reader may know of their state. ``internals``, ``speed`` and ``gone`` are ``None`` if they
 * did not change.
 */
export interface DisplayState {
  boxes?: Record<string, number>;
  working?: Record<string, boolean>;
  words?: Record<string, string>;
  internals?: number | null;
  speed?: number | null;
  gone?: string | null;
}
