/* What is said of the DO lines of a unit. */
import { walk } from "./model/courses.ts";
import { judge } from "./model/judging.ts";
import { isStandingOrder, type UnitPlan } from "./model/plan.ts";
import type { LineVerdict } from "./adding.ts";

/** Return a function that judges the DO lines of a unit, which it gets in their order. */
export function judgeDoLines(unit: UnitPlan): (text: string) => LineVerdict {
  const course = walk(unit);
  const used = new Map<string, number>();
  return (text) => ({
    why: judge(unit, course, text, used),
    stands: isStandingOrder(unit, text),
  });
}
