/* A ship's six shields as a ring: where its sides and numbers are, and how strong each side looks. */

import type { FilmShip } from "../generated/displays.ts";
import type { ShipState } from "./ship_states.ts";

/** Size of the ring in drawing units: from its middle to a corner, and to a number. */
const CORNER = 30;
const NUMBER = 15.5;
/** How far a side stays from the corners, in degrees. */
const GAP = 4;

export interface Shield {
  number: number;
  left: number;
  start: number;
  /** Share of the boxes that are left. */
  share: number;
  /** Whether boxes were lost in the impulse shown. */
  hit: boolean;
}

/** Return the shields of a ship in a state. A ship without shields has none. */
export function shieldsOf(ship: FilmShip, now: ShipState, before: ShipState): Shield[] {
  return ship.blocks
    .filter(([name, , , , start]) => name.startsWith("#") && start > 0)
    .map(([name, , , , start]) => {
      const left = now.boxes.get(name) ?? 0;
      const hit = left < (before.boxes.get(name) ?? 0);
      return { number: Number(name.slice(1)), left, start, share: left / start, hit };
    })
    .sort((a, b) => a.number - b.number);
}

const rounded = (value: number) => Math.round(value * 10) / 10;

function point(angle: number, distance: number): [x: number, y: number] {
  const radians = (angle * Math.PI) / 180;
  return [rounded(distance * Math.cos(radians)), rounded(distance * Math.sin(radians))];
}

/** The angle of the middle of a shield in degrees, clockwise from the right; shield #1 is at the top. */
const angleOf = (shield: number) => 60 * shield - 150;

/** Return the side of the ring for a shield as an SVG path. */
export function sidePath(shield: number): string {
  const angle = angleOf(shield);
  // A point of the side at an angle from its middle; the side is straight.
  const at = (off: number) =>
    point(angle + off, (CORNER * Math.cos(Math.PI / 6)) / Math.cos((off * Math.PI) / 180));
  return `M${at(GAP - 30).join(" ")}L${at(30 - GAP).join(" ")}`;
}

/** Return the place of the number of a shield. */
export const numberAt = (shield: number) => point(angleOf(shield), NUMBER);

/** Return the shields of a ship in words. */
export const shieldWords = (shields: readonly Shield[]) =>
  shields.length
    ? `Shields left: ${shields.map(({ number, left, start }) => `#${number} ${left} of ${start}`).join(", ")}.`
    : "No shields.";
