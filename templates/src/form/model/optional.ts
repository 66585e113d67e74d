/*
 * The parts of the form that only some forms need.
 *
 * Emails must stay small. A form without courses, enemies or terrain embeds a bundle without their code. The bundle's
 * entry module registers the parts that it has, and everything else asks here.
 */
import { formData } from "./data.ts";
import type { UnitPlan } from "./plan.ts";
import type { Sketch } from "./sketches.ts";

/** Something that is wrong with the orders of a unit. */
export interface Fault {
  step: string;
  text: string;
  /** The number of the DO line. */
  n?: number;
  /** Whether it is only worth a note, because the order is in force from before. */
  stands?: boolean;
}

/** The allotment of energy. */
export interface EnergyPart {
  /** Return the card in which energy is allotted. */
  step(unit: UnitPlan, number: number): HTMLElement;
  /** Enter a line of an order text into the energy form. */
  enter(unit: UnitPlan, text: string): void;
}

/** Plots, orders on the way, and the drawing of courses on the map. */
export interface CoursePart {
  /** Return the cards of a unit (plot, what if, fire and activities, breaks), numbered from `number` on. */
  steps(unit: UnitPlan, number: number): (HTMLElement | "")[];
  faults(unit: UnitPlan): Fault[];
  /** Return the number of plot codes beyond the hexes that the unit moves. */
  spareCodes(unit: UnitPlan): number;
  codesText(codes: string[]): string;
  enterPlot(unit: UnitPlan, text: string): void;
  reachableHexes(unit: UnitPlan): string[];
  centre(hex: string): number[];
  range(from: string, to: string): number;
  bearing(from: string, to: string): number;
  prepareMap(): void;
  drawMap(): void;
}

/** Sketches of the courses of enemies. */
export interface EnemyPart {
  /** Return the sketch that the player looks at, or null. */
  sketch(): Sketch | null;
  /** Return whether the course of any enemy is sketched. */
  hasSketches(): boolean;
  step(unit: UnitPlan): HTMLElement | "";
  /** Draw the sketches on the map. */
  draw(unit: UnitPlan, sketch: Sketch): void;
}

/** The optional parts, as far as a bundle has them. */
export interface Parts {
  energy?: EnergyPart;
  courses?: CoursePart;
  enemies?: EnemyPart;
  /** Return what terrain between two hexes adds to the die; -1 if a planet blocks the line of fire. */
  terrain?: (from: string, to: string) => number;
}

/** The optional parts that this form uses. */
export const optional: Parts = {};

/** Choose those parts of a bundle that the form uses whose data were loaded. */
export function chooseParts({ energy, courses, enemies, terrain }: Parts): void {
  const { map, foes } = formData;
  const plots = map && courses;
  optional.energy = energy;
  optional.courses = plots || undefined;
  optional.enemies = plots && foes.length ? enemies : undefined;
  optional.terrain = plots && (Object.keys(map.closed).length || map.rocks) ? terrain : undefined;
}
