/* What weapons are aimed at in the form, so that the map can show it. */
import type { Chances } from "./model/data.ts";

/** Weapons that are aimed at a target in an impulse. */
export interface Aim {
  impulse: number;
  targetHex: string;
  weapons: Chances[];
}

export let aim: Aim | null = null;

/** Set what weapons are aimed at. */
export function setAim(next: Aim | null): void {
  aim = next;
}
