/* The part of the form that sketches the courses of enemies. */
import { type EnemyPart } from "./model/optional.ts";
import { currentSketch, hasSketches } from "./model/sketches.ts";
import { drawSketches } from "./sketch_drawing.ts";
import { whatIfStep } from "./what_if.ts";

export const enemyPart: EnemyPart = {
  sketch: currentSketch,
  hasSketches,
  step: whatIfStep,
  draw: drawSketches,
};
