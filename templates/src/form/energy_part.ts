/* The part of the form that allots energy. */
import { enterEnergy } from "./model/energy_text.ts";
import { type EnergyPart } from "./model/optional.ts";
import { energyStep } from "./energy_step.ts";

export const energyPart: EnergyPart = { step: energyStep, enter: enterEnergy };
