/* Made by `python -m tests.page_types` from the structs of the program; do not change it by hand. */

/**
 * The displays of all ships and their changes during the replay.
 *
 * ``begins`` has the number of the first frame of each impulse. ``changes`` has one entry for each frame with
 * changes, in order.
 */
export interface FilmDisplays {
  ships: Record<string, FilmShip>;
  begins: number[];
  changes: DisplayChange[];
}

/**
 * A ship in the replay: whether the reader owns it, its side's color number, and its boxes.
 */
export interface FilmShip {
  mine: boolean;
  place: number;
  blocks: DisplayBlock[];
}

/**
 * The position of the boxes of one shield or system in the drawing of a display.
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
 * The changes on the display of one ship in the frame number ``frame`` of the replay.
 *
 * A ship has no display before her first change. The first change contains all her boxes. Other values that the
 * first change leaves out are 0 or empty, and weapons that it leaves out are working.
 */
export interface DisplayChange {
  frame: number;
  unit: string;
  now: DisplayState;
}

/**
 * The state of a ship's display, or only the changed parts of the state.
 *
 * ``boxes`` maps shields (``#1``) and systems to their boxes left. ``working`` maps each weapon to whether it
 * works, and ``words`` maps it to a description of what the reader may know of its state. ``internals``, ``speed``
 * and ``gone`` are ``None`` if they did not change.
 */
export interface DisplayState {
  boxes?: Record<string, number>;
  working?: Record<string, boolean>;
  words?: Record<string, string>;
  internals?: number | null;
  speed?: number | null;
  gone?: string | null;
}
