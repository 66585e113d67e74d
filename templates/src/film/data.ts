/* The data of a film, as a page embeds them. The structs of the program define them. */

import type { Frame, ReplayData } from "../generated/report.ts";

export type { Frame, ReplayData };

/** The range between two units, and the shields with which each faces the other. */
export type Reach = NonNullable<Frame["reach"]>[number];

/** Return the data of the film that a report page holds. */
export function readData(page: Document): ReplayData {
  return JSON.parse(page.getElementById("game")!.textContent!);
}
