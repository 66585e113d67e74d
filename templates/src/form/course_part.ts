/* The part of the form for courses and everything that is done on the way. */
import { codesText, enterPlot, reach, walk } from "./model/courses.ts";
import { bearing, centre, range } from "./model/hexes.ts";
import { courseFaults } from "./model/judging.ts";
import { optional, type CoursePart } from "./model/optional.ts";
import { breakStep } from "./break_step.ts";
import { drawMap, prepareMap } from "./drawing.ts";
import { fireStep } from "./fire_step.ts";
import { plotStep } from "./plot_step.ts";

export const coursePart: CoursePart = {
  steps: (unit, number) => [
    plotStep(unit, number),
    optional.enemies?.step(unit) || "",
    fireStep(unit, number + 1),
    unit.block.kind === "ship" ? breakStep(unit, number + 2) : "",
  ],
  faults: courseFaults,
  spareCodes: (unit) => walk(unit).spare,
  codesText,
  enterPlot,
  reachableHexes: (unit) => [...reach(unit, walk(unit)).keys()],
  centre,
  range,
  bearing,
  prepareMap,
  drawMap,
};
