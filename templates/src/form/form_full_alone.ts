/* The order form that asks for energy and orders where no enemy ship can be sketched. */
import { coursePart } from "./course_part.ts";
import { energyPart } from "./energy_part.ts";
import { terrainBetween } from "./model/terrain.ts";
import { startPage } from "./start.ts";

startPage({ energy: energyPart, courses: coursePart, terrain: terrainBetween });
