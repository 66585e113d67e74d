/* The board: the drawn map with a view that is moved by mouse, wheel, touch and keys. It knows no rule of the game.

   What happens on it is told to listeners: a click with the hex and the unit under it, the pointer over a unit or hex,
   and a drag that began on a unit. A drag that begins anywhere else moves the view. */

import { type Grid, type Hex, type Point, centreOf, hasHex, hexName } from "../geometry/hex.ts";
import { gridOf } from "../geometry/numbers.ts";
import { type Box, around, between, keptOn, shows, withProportion, zoomed } from "./box.ts";
import { NearbyNumbers } from "./nearby.ts";

/** What is under the pointer: a hex of the map, and the unit whose counter is there, both empty if there is none. */
export interface Spot {
  hex: string;
  unit: string;
  /** Where the pointer is, in pixels from the upper left corner of the board. */
  at: Point;
}

export interface BoardListener {
  click?(spot: Spot): void;
  hover?(spot: Spot): void;
  /** A drag that began on this unit reaches another hex. Return whether the drag belongs to the listener. */
  dragStarts?(unit: string): boolean;
  dragged?(hex: string): void;
  dragEnds?(): void;
  /** The part of the map that is seen has changed. */
  moved?(): void;
}

const STILL = 5; // pixels that a pointer may move during a click
const FINGER = 44; // pixels that a finger needs
const GLIDE = 320; // milliseconds
const NEAREST = 300; // units of the drawing across the board at the largest zoom
const MARGIN = 110; // around what is brought into view
const SMALLEST = 0.42; // pixels for a unit of the drawing: hexes are about 23 pixels high

export class Board {
  readonly grid: Grid | null;
  readonly sheet: Box;
  private box: Box;
  /** Return the part that was asked for last; a board of another size is fitted to it anew. */
  private wanted: () => Box;
  private gliding = 0;
  private coveredPixels = () => 0;
  private coveredRight = () => 0;
  /** What was covered when something was last brought into view. */
  private covered = 0;
  /** The size of the board in pixels. Reading it from the page each time would lay the page out anew. */
  private size = { width: 0, height: 0 };
  private readonly pointers = new Map<number, Point>();
  private pressedAt: Point | null = null;
  private dragging: "" | "map" | "unit" = "";
  private lastHex = "";
  private readonly numbers: NearbyNumbers | null;
  private readonly calm = matchMedia("(prefers-reduced-motion: reduce)").matches;

  constructor(
    readonly map: SVGSVGElement,
    private readonly frame: HTMLElement,
    private readonly listener: BoardListener,
  ) {
    const { x, y, width, height } = map.viewBox.baseVal;
    this.sheet = { x, y, width, height };
    this.measure();
    this.wanted = () => this.sheet;
    this.box = this.fitted(this.sheet);
    this.grid = gridOf(map);
    this.numbers = this.grid && new NearbyNumbers(map, this.grid);
    map.setAttribute("preserveAspectRatio", "xMidYMid slice");
    map.addEventListener("wheel", (event) => this.turned(event), { passive: false });
    map.addEventListener("pointerdown", (event) => this.pressed(event));
    map.addEventListener("pointermove", (event) => this.moves(event));
    for (const end of ["pointerup", "pointercancel"] as const)
      map.addEventListener(end, (event) => this.released(event));
    map.addEventListener("pointerleave", () => this.left());
    new ResizeObserver(() => {
      this.measure();
      this.bring(this.wanted, false);
    }).observe(frame);
    this.look(this.box, false);
  }

  private measure(): void {
    const { clientWidth, clientHeight } = this.frame;
    this.size = { width: clientWidth, height: clientHeight };
  }

  /** Show this part of the map, or a little more where its proportion is another than the board's. */
  look(box: Box, smooth = true): void {
    this.bring(() => box, smooth);
  }

  /** Show the part of the map that a function finds. It is asked again when the board has another size. */
  private bring(wanted: () => Box, smooth: boolean): void {
    cancelAnimationFrame(this.gliding);
    this.wanted = wanted;
    const box = wanted();
    const to = keptOn(this.sheet, this.fitted(box));
    if (!smooth || this.calm || document.hidden) return this.set(to);
    const from = this.box;
    const began = performance.now();
    const step = (now: number) => {
      const part = Math.max(0, Math.min(1, (now - began) / GLIDE)); // a frame may have begun before
      this.set(between(from, to, part * (2 - part)));
      if (part < 1) this.gliding = requestAnimationFrame(step);
    };
    this.gliding = requestAnimationFrame(step);
  }

  /** Keep strips at the lower and right edges free of what is brought into view, because something covers them. */
  cover(below: () => number, right: () => number): void {
    this.coveredPixels = below;
    this.coveredRight = right;
  }

  /**
   * Show all these places of the drawing, as large as is sensible.
   * Show `more` places as well, unless hexes become too small for that.
   */
  showAll(places: readonly Point[], smooth = true, more: readonly Point[] = []): void {
    if (!places.length) return this.look(this.sheet, smooth);
    this.bring(() => this.boxOf(places, more), smooth);
  }

  private boxOf(places: readonly Point[], more: readonly Point[]): Box {
    const margin = this.frame.clientHeight < 420 ? MARGIN / 2 : MARGIN;
    const whole = this.fittedBeside(around([...places, ...more], margin));
    const isSmall = this.frame.clientWidth < SMALLEST * whole.width;
    const wanted = isSmall ? this.fittedBeside(around(places, margin)) : whole;
    const least = Math.max(1, Math.min(this.size.width, 900) / Math.max(1, wanted.width));
    return least > 1 ? zoomed(wanted, least, { x: 0.5, y: 0.5 }) : wanted;
  }

  /** Show the whole map. */
  showSheet(): void {
    this.bring(() => this.fittedBeside(this.sheet), true);
  }

  /** Return whether a place of the drawing is seen. */
  isShown(place: Point, margin = 0): boolean {
    const part = 1 - this.covered / Math.max(1, this.size.height);
    return shows({ ...this.box, height: this.box.height * part }, place, margin);
  }

  /** Enlarge (`factor` below 1) or shrink what is seen around a place, by default the middle. */
  zoom(factor: number, at: Point = { x: 0.5, y: 0.5 }): void {
    const widest = this.fitted(this.sheet).width * 1.15;
    const limited = Math.min(widest / this.box.width, Math.max(NEAREST / this.box.width, factor));
    this.look(zoomed(this.box, limited, at), false);
  }

  /** Move what is seen by a part of its size. */
  pan(x: number, y: number): void {
    this.look({
      ...this.box,
      x: this.box.x + x * this.box.width,
      y: this.box.y + y * this.box.height,
    });
  }

  /** Return where a place of the drawing is seen, in pixels from the upper left corner of the board. */
  pixelOf({ x, y }: Point): Point {
    const scale = this.size.width / this.box.width;
    return { x: (x - this.box.x) * scale, y: (y - this.box.y) * scale };
  }

  /** Return the height of the strip at the lower edge that something covers now, in pixels. */
  coveredBelow(): number {
    return Math.min(this.coveredPixels(), this.size.height * 0.65);
  }

  /** Return the centre of a hex in the drawing. */
  centre(hex: Hex): Point {
    return this.grid ? centreOf(this.grid, hex) : { x: 0, y: 0 };
  }

  /** Return a box that shows the given one beside the covered strips. */
  private fittedBeside(box: Box): Box {
    const { width: clientWidth, height: clientHeight } = this.size;
    this.covered = this.coveredBelow();
    const free = clientHeight - this.covered;
    if (!clientWidth || free <= 0) return box;
    const freeWidth = clientWidth - Math.min(this.coveredRight(), clientWidth / 4);
    const above = withProportion(box, freeWidth / free);
    const [width, height] = [(above.width * clientWidth) / freeWidth, above.height];
    return { ...above, width, height: (height * clientHeight) / free };
  }

  private fitted(box: Box): Box {
    const { width: clientWidth, height: clientHeight } = this.size;
    return clientWidth && clientHeight ? withProportion(box, clientWidth / clientHeight) : box;
  }

  private set(box: Box): void {
    this.box = box;
    this.map.setAttribute(
      "viewBox",
      [box.x, box.y, box.width, box.height].map((n) => n.toFixed(1)).join(" "),
    );
    this.listener.moved?.();
  }

  private pixel(event: Pick<MouseEvent, "clientX" | "clientY">): Point {
    const { left, top } = this.frame.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  private place(pixel: Point): Point {
    const scale = this.box.width / this.size.width;
    return { x: this.box.x + pixel.x * scale, y: this.box.y + pixel.y * scale };
  }

  private hexAt(place: Point): string {
    if (!this.grid) return "";
    const { first, at, across, down } = this.grid;
    const column = Math.round((place.x - at.x) / across) + first.column;
    const row = Math.round((place.y - at.y) / down) + first.row;
    let best = "";
    let least = 0.62 * down;
    for (let c = column - 1; c <= column + 1; c++)
      for (let r = row - 1; r <= row + 1; r++) {
        const hex = { column: c, row: r };
        if (!hasHex(this.grid, hex)) continue;
        const centre = centreOf(this.grid, hex);
        const far = Math.hypot(place.x - centre.x, place.y - centre.y);
        if (far < least) [best, least] = [hexName(hex), far];
      }
    return best;
  }

  private spot(event: MouseEvent): Spot {
    const at = this.pixel(event);
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const counter = under?.closest<SVGElement>(".counter:not(.off)");
    const hex = this.hexAt(this.place(at));
    const isTouch = (event as PointerEvent).pointerType === "touch";
    const unit = counter?.dataset.unit ?? (isTouch ? this.smallUnitIn(hex) : "");
    return { hex, unit, at };
  }

  /** Return the unit in a hex whose counter is too small for a finger. */
  private smallUnitIn(hex: string): string {
    for (const counter of this.map.querySelectorAll<SVGElement>(".counter:not(.off)")) {
      const { left, top, width, height } = counter.getBoundingClientRect();
      const middle = this.pixel({ clientX: left + width / 2, clientY: top + height / 2 });
      if (width < FINGER && hex && this.hexAt(this.place(middle)) === hex)
        return counter.dataset.unit ?? "";
    }
    return "";
  }

  private turned(event: WheelEvent): void {
    event.preventDefault();
    const { x, y } = this.pixel(event);
    const factor = Math.exp(
      Math.max(-120, Math.min(120, event.deltaY)) / (event.ctrlKey ? 100 : 400),
    );
    this.zoom(factor, { x: x / this.size.width, y: y / this.size.height });
  }

  private pressed(event: PointerEvent): void {
    if (event.button > 0) return;
    this.pointers.set(event.pointerId, this.pixel(event));
    this.pressedAt = this.pointers.size === 1 ? this.pixel(event) : null;
    this.dragging = this.pointers.size > 1 ? "map" : "";
    this.lastHex = "";
  }

  private moves(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    const now = this.pixel(event);
    if (!before) {
      const spot = this.spot(event);
      this.numbers?.show(spot.hex);
      this.listener.hover?.(spot);
      return;
    }
    if (this.pointers.size === 2) this.pinched(event.pointerId, before, now);
    else this.drags(event, before, now);
    this.pointers.set(event.pointerId, now);
  }

  private drags(event: PointerEvent, before: Point, now: Point): void {
    if (!this.dragging) {
      const from = this.pressedAt;
      if (!from || Math.hypot(now.x - from.x, now.y - from.y) < STILL) return;
      this.map.setPointerCapture(event.pointerId);
      const { left, top } = this.frame.getBoundingClientRect();
      const under = document.elementsFromPoint(from.x + left, from.y + top);
      const counter = under
        .map((one) => one.closest<SVGElement>(".counter:not(.off)"))
        .find(Boolean);
      const unit = counter?.dataset.unit ?? "";
      this.dragging = unit && this.listener.dragStarts?.(unit) ? "unit" : "map";
      this.map.classList.toggle("dragged", this.dragging === "map");
    }
    if (this.dragging === "unit") {
      const hex = this.hexAt(this.place(now));
      if (hex && hex !== this.lastHex) this.listener.dragged?.(hex);
      this.lastHex = hex || this.lastHex;
      return;
    }
    const scale = this.box.width / this.size.width;
    const [x, y] = [(before.x - now.x) * scale, (before.y - now.y) * scale];
    this.look({ ...this.box, x: this.box.x + x, y: this.box.y + y }, false);
  }

  private pinched(moving: number, before: Point, now: Point): void {
    const other = [...this.pointers].find(([id]) => id !== moving)![1];
    const was = Math.hypot(before.x - other.x, before.y - other.y);
    const is = Math.hypot(now.x - other.x, now.y - other.y);
    if (!was || !is) return;
    const { width: clientWidth, height: clientHeight } = this.size;
    this.zoom(was / is, {
      x: (now.x + other.x) / 2 / clientWidth,
      y: (now.y + other.y) / 2 / clientHeight,
    });
  }

  private released(event: PointerEvent): void {
    if (!this.pointers.delete(event.pointerId)) return;
    if (this.dragging === "unit") this.listener.dragEnds?.();
    else if (!this.dragging && this.pressedAt && event.type === "pointerup")
      this.listener.click?.(this.spot(event));
    if (this.pointers.size) return;
    this.map.classList.remove("dragged");
    this.dragging = "";
    this.pressedAt = null;
  }

  private left(): void {
    this.numbers?.show("");
    this.listener.hover?.({ hex: "", unit: "", at: { x: 0, y: 0 } });
  }
}
