/* Planets and asteroids in a line of fire (P2.0, P3.0). Only forms whose map has any need this part. */
import { countOnLine } from "../../geometry/line.ts";
import { mapData } from "./data.ts";

/** Return what terrain between two hexes adds to the die; -1 if a planet blocks the line of fire. */
export function terrainBetween(from: string, to: string): number {
  const { closed, rocks, adds, lower } = mapData;
  if (countOnLine(from, to, Object.keys(closed), lower)) return -1;
  const count = countOnLine(from, to, rocks || [], lower);
  const additions = (adds || []).filter(([least]) => count >= least).map(([, added]) => added);
  return Math.max(0, ...additions);
}
