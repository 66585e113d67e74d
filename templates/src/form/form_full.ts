/* The order form that asks for energy and orders. */
import { coursePart } from "./course_part.ts";
import { enemyPart } from "./enemy_part.ts";
import { energyPart } from "./energy_part.ts";
import { terrainBetween } from "./model/terrain.ts";
import { startPage } from "./start.ts";

startPage({
  energy: energyPart,
  courses: coursePart,
  enemies: enemyPart,
  terrain: terrainBetween,
});
