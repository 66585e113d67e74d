/* Panels beside the board of ships follows the film: their displays, and the summary above the tabs. */

import { readData } from "../film/data.ts";
import { fullFrames } from "../film/frames.ts";
import { Displays } from "./displays.ts";
import { byId } from "./page.ts";
import { readStates } from "./ship_states.ts";
import { Status } from "./status.ts";
import type { Watching } from "./watching.ts";

export class ShipsInRail {
  readonly displays: Displays;
  readonly status: Status;

  constructor(page: Document, watching: Watching) {
    const states = readStates(page);
    const frames = watching.film?.timeline.full ?? fullFrames(readData(page).replay);
    this.displays = new Displays(states, byId("rail-ships"));
    this.status = new Status(states, frames, byId("status"));
    watching.film?.onFrame((k) => {
      if (watching.isOn) this.show(k);
    });
  }

  /** Show the ships as they are after a frame of the film. */
  show(k: number): void {
    this.displays.show(k);
    this.status.show(k);
  }

  /** Show the ships as they are now. */
  showEnd(): void {
    this.displays.showEnd();
    this.status.showEnd();
  }
}
