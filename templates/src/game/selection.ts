/* What clicks and drags on the board mean while a turn is planned. */

import type { BoardListener, Spot } from "../board/board.ts";
import { fieldValues } from "../form/model/builders.ts";
import { endOf, plotByClick, plotTo, replot, walk } from "../form/model/courses.ts";
import { formData } from "../form/model/data.ts";
import { now, plan, type Course } from "../form/model/plan.ts";
import { optional } from "../form/model/optional.ts";
import { refresh } from "../form/listen.ts";
import type { Strip } from "./strip.ts";
import { watchEnemy } from "./whatif.ts";

const unitNamed = (name: string) => formData.units.find((unit) => unit.name === name);

export class Selection implements BoardListener {
  /** The course that is being dragged: the own ship's, or the guess of an enemy's. */
  private dragged_: Course | null = null;

  constructor(
    private readonly strip: Strip,
    /** Shows a unit in the rail. */
    private readonly show: (unit: string) => void,
  ) {}

  click({ unit, hex }: Spot): void {
    if (unit) this.select(unit);
    else if (hex && this.canPlot() && plotByClick(now(), hex)) refresh();
    else if (this.strip.isOpen) this.strip.aimAt("");
  }

  /** Select an own unit, or aim at another one. */
  select(name: string): void {
    const place = plan.units.findIndex((unit) => unit.block.name === name);
    this.show(name);
    if (place >= 0) {
      plan.current = place;
      this.strip.aimAt("");
      return;
    }
    watchEnemy(name);
    if (unitNamed(name)?.enemy) this.strip.aimAt(name);
    else refresh();
  }

  dragStarts(name: string): boolean {
    const own = plan.units.find((unit) => unit.block.name === name);
    if (own?.block.helm) {
      plan.current = plan.units.indexOf(own);
      replot(own, []);
      this.dragged_ = own;
    } else {
      watchEnemy(name);
      const sketch = optional.enemies?.sketch() ?? null;
      if (sketch?.block.name !== name) return false;
      replot(sketch as Course & { id: string }, []);
      this.dragged_ = sketch;
    }
    refresh();
    return true;
  }

  dragged(hex: string): void {
    const course = this.dragged_ && this.current(this.dragged_);
    if (!course) return;
    const { path } = walk(course);
    const back = path.findIndex((place) => place.hex === hex);
    if (back >= 0 && back < path.length - 1) replot(course, course.codes.slice(0, back));
    else if (endOf(walk(course)).hex === hex || !plotTo(course, hex)) return;
    refresh();
  }

  dragEnds(): void {
    this.dragged_ = null;
  }

  /** Take back the last step: the orders against the target, or the last code of the plot. */
  takeBack(): void {
    if (this.strip.isOpen && this.strip.clear()) return;
    const unit = now();
    if (!unit?.codes.length) return;
    replot(unit, unit.codes.slice(0, -1));
    refresh();
  }

  private canPlot(): boolean {
    return !plan.keepsOrders && Boolean(now()?.block.helm);
  }

  /** A sketch is made anew from the values of its fields each time. */
  private current(course: Course): Course | null {
    return course.veil === undefined ? course : (optional.enemies?.sketch() ?? null);
  }
}

/** Forget the impulse and the enemy that are looked at, for example after other orders were loaded. */
export function forgetLooks(): void {
  delete fieldValues["foe-watch"];
}
