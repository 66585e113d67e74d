/* The order form that asks for orders where no enemy ship can be sketched. */
import { coursePart } from "./course_part.ts";
import { terrainBetween } from "./model/terrain.ts";
import { startPage } from "./start.ts";

startPage({ courses: coursePart, terrain: terrainBetween });
