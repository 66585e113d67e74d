/* What the player has chosen in the form: for each unit its fields, plot and lines of orders. */
import { formData, request, type Block, type CourseBlock, type EnergyField } from "./data.ts";

/** What is chosen in a field of the energy form: the number of the option, a source, and the number of a mix. */
export interface FieldChoice {
  opt: number;
  src: string;
  mix: number;
}

/** The parts of orders that are lists of lines. */
export type OrderList = "do" | "breaks" | "damage" | "steer" | "rest";

/** The course of a unit: an own one, or a sketch of an enemy's (see sketches.ts). */
export interface Course {
  block: CourseBlock;
  fields: Record<string, FieldChoice>;
  /** The speed chosen; null leaves it as it is. */
  speed: number | null;
  codes: string[];
  /** What is typed in the box of the plot, while the form does not understand all of it. */
  typed: string | null;
  /** A COURSE order of the text that was loaded, instead of codes. */
  course: string;
  steer: string[];
  leave: boolean;
  /** The way in which the cloak of a sketched enemy works; own units have none. */
  veil?: number;
}

/** All that is chosen for one unit. */
export interface UnitPlan extends Course {
  block: Block;
  /** Entries of the energy form that it has no field for. */
  rest: string[];
  /** The place that a loaded text names for the unit. */
  at: string;
  /** Whether the player said that nothing is wanted. */
  meant: boolean;
  do: string[];
  breaks: string[];
  damage: string[];
}

/** All that is chosen in the form. */
export interface Plan {
  /** Whether the orders so far stay as they are (CONTINUE). */
  keepsOrders: boolean;
  units: UnitPlan[];
  /** Blocks of the text that the form has no page for. */
  otherBlocks: string[];
  /** The number of the unit that is shown. */
  current: number;
}

export let plan: Plan;
/** Whether orders from before are in force that CONTINUE would keep. */
export let hasStandingOrders = false;

/** The orders from before of each unit, with which the form begins. */
const standing = new Map<Block, { orders: string[]; course: string }>();

/** Replace all that is chosen. */
export function setPlan(next: Plan): void {
  plan = next;
}

/** Return the plan of a unit for which nothing is chosen. */
export const emptyUnit = (block: Block): UnitPlan => ({
  block,
  fields: {},
  rest: [],
  speed: null,
  at: "",
  codes: [],
  typed: null,
  meant: false,
  course: "",
  steer: [],
  leave: false,
  do: [],
  breaks: [],
  damage: [],
});

/** Return a plan in which nothing is chosen, with the given unit shown. */
export const emptyPlan = (current = 0): Plan => ({
  keepsOrders: false,
  units: formData.blocks.map(emptyUnit),
  otherBlocks: [],
  current: Math.max(0, Math.min(current, formData.blocks.length - 1)),
});

/** Return the unit that is shown. */
export const now = (): UnitPlan => plan.units[plan.current];

/** Return what is chosen in a field. */
export const chosen = (unit: Course, field: EnergyField): FieldChoice =>
  unit.fields[field.id] || { opt: 0, src: "", mix: 0 };

/** Return the option that is chosen in a field. */
export const optionOf = (unit: Course, field: EnergyField) =>
  field.options[chosen(unit, field).opt];

/** Return the field of the energy form with this id. */
export const fieldOf = (unit: Course, id: string): EnergyField | undefined =>
  unit.block.energy!.fields.find((field) => field.id === id);

/**
 * Note the orders in force, with which the form begins. They are not refused for what changed since: they do what they
 * still can.
 */
export function noteStandingOrders(): void {
  hasStandingOrders = false;
  standing.clear();
  if (!request.continues) return;
  for (const unit of plan.units)
    standing.set(unit.block, { orders: [...unit.do], course: steering(unit) });
  hasStandingOrders = plan.otherBlocks.length > 0 || plan.units.some((unit) => !hasNoOrders(unit));
}

/** Return everything that steers a unit as one text, for comparison. */
const steering = (unit: Course) =>
  JSON.stringify([unit.codes, unit.typed, unit.course, unit.steer, unit.leave]);

/** Return whether the course of a unit is in force from before. */
export const isStandingCourse = (unit: UnitPlan) =>
  standing.get(unit.block)?.course === steering(unit);

/** Return whether a DO line of a unit is in force from before. */
export const isStandingOrder = (unit: UnitPlan, line: string) =>
  Boolean(standing.get(unit.block)?.orders.includes(line));

/** A line that steers by another unit. */
export const PILOT = /^(TOWARDS?|AWAY|KEEP)\b/i;

/** Add a line of orders; only one line may steer by another unit, so it replaces the one before. */
export function enterLine(unit: UnitPlan, list: OrderList, text: string): void {
  if (list === "steer" && PILOT.test(text))
    unit.steer = unit.steer.filter((line) => !PILOT.test(line));
  unit[list].push(text);
}

/** Return whether no order at all is chosen for a unit. */
export const hasNoOrders = (unit: UnitPlan): boolean =>
  unit.speed === null &&
  !unit.course &&
  unit.typed === null &&
  !unit.leave &&
  !(["rest", "codes", "steer", "do", "breaks", "damage"] as const).some(
    (list) => unit[list].length,
  );

/** Return whether the energy form of a unit is as empty as it came. */
export const hasNoEnergy = (unit: UnitPlan): boolean =>
  Boolean(unit.block.energy) && !unit.rest.length && !Object.keys(unit.fields).length;
