/* An energy form to begin with. */
import { type EnergyField } from "./data.ts";
import { balance } from "./energy.ts";
import { fieldOf, type UnitPlan } from "./plan.ts";

/** Arm or hold the weapons, then charge phasers, then move up to the speed of last turn, without batteries. */
export function fillInTheUsual(unit: UnitPlan): void {
  const { fields, prior } = unit.block.energy!;
  const fits = (field: EnergyField, opt: number) => {
    unit.fields[field.id] = { opt, src: "", mix: 0 };
    const { faults, drained } = balance(unit);
    return !faults.length && !drained;
  };
  /* Choose the option with this number, or the first one before it that the ship can pay. */
  const chooseUpTo = (field: EnergyField, opt: number) => {
    while (opt > 0 && !fits(field, opt)) opt--;
    if (!opt) delete unit.fields[field.id];
  };
  unit.fields = {};
  for (const field of fields.filter(({ line, options }) => line === 10 && options.length > 1)) {
    const opt = field.options.findIndex((option) => option.text && option.uses);
    if (!fits(field, Math.max(1, opt))) delete unit.fields[field.id];
  }
  const phasers = fieldOf(unit, "PHASERS");
  if (phasers) chooseUpTo(phasers, phasers.options.length - 1);
  const speed = fieldOf(unit, "SPEED")!;
  const last = speed.options.findIndex((option) => option.hexes === prior);
  chooseUpTo(speed, last > 0 ? last : speed.options.length - 1);
}
