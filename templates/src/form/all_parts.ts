/* All optional parts of the form, for bundles that are not mailed. */
import { coursePart } from "./course_part.ts";
import { enemyPart } from "./enemy_part.ts";
import { energyPart } from "./energy_part.ts";
import { terrainBetween } from "./model/terrain.ts";
import type { Parts } from "./model/optional.ts";

export const allParts: Parts = {
  energy: energyPart,
  courses: coursePart,
  enemies: enemyPart,
  terrain: terrainBetween,
};
