/* The order form that asks for orders, after energy was allotted. */
import { coursePart } from "./course_part.ts";
import { enemyPart } from "./enemy_part.ts";
import { terrainBetween } from "./model/terrain.ts";
import { startPage } from "./start.ts";

startPage({ courses: coursePart, enemies: enemyPart, terrain: terrainBetween });
