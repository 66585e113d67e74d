/* Made by `python -m tests.page_types` from the structs of the program; do not change it by hand. */

/**
 * The data of the replay script in a page.
 *
 * ``mine`` is the name of the reader's first ship, or empty. ``planets`` maps planets to their hexes. ``replay``
 * holds the frames, ``shown`` is the turn that the page shows, and ``steps`` holds the titles of the frames' steps.
 */
export interface ReplayData {
  mine: string;
  planets: Record<string, string>;
  replay: Frame[];
  shown: number;
  steps: Record<string, string>;
}

/**
 * The changes on the map in one step of the replay, compared with the previous frame.
 *
 * ``at`` maps units that moved, turned or appeared to their hex and facing. ``shields`` maps units that were hit
 * to their shield boxes left. ``gone`` maps units that left play to the reason. ``cloak`` maps units to a text on
 * what others see of their cloaking device; the text is empty if the device is off again. ``reach`` lists all
 * ranges to show if any of them changed; otherwise it is ``None``. The first frame of a turn (impulse 0, empty
 * step) holds the whole state at the start of the turn. ``turn`` is set only if the replay covers several turns.
 */
export interface Frame {
  impulse: number;
  step?: string;
  turn?: number;
  at?: Record<string, string>;
  shields?: Record<string, number[]>;
  gone?: Record<string, string>;
  cloak?: Record<string, string>;
  reach?: [string, string, number, number[], number[]][] | null;
}
