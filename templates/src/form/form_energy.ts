/* The order form that asks only for energy. */
import { energyPart } from "./energy_part.ts";
import { startPage } from "./start.ts";

startPage({ energy: energyPart });
