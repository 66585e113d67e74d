/*
 * The page around the form, if it is another than the mailed one.
 *
 * The game page shows the map on its own board and adds to the rail. The mailed form has no host.
 */

/** What another page does for the form. */
export interface Host {
  /** Show what matters on the map. */
  frame(): void;
  /** Show these hexes. */
  seePlaces(hexes: string[]): void;
  /** Return whether these hexes are on the part of the map that is shown. */
  isInSight(hexes: string[]): boolean;
  /** Bring the unit whose orders are written into sight. */
  showCurrent(): void;
  /** Draw what the page adds to the form; called before the map is drawn. */
  beforeMap(): void;
}

export let host: Host | null = null;

/** Set the page around the form. */
export function setHost(next: Host | null): void {
  host = next;
}
