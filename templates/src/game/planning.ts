/* Planning on the board: the order form of the side, in the rail and on the map. */

import type { Board, BoardListener, Spot } from "../board/board.ts";
import { allParts } from "../form/all_parts.ts";
import { element } from "../form/dom.ts";
import { refresh } from "../form/listen.ts";
import { addLine } from "../form/adding.ts";
import { fieldValues, loose } from "../form/model/builders.ts";
import { reach, walk } from "../form/model/courses.ts";
import { formData, mapData } from "../form/model/data.ts";
import { outlook } from "../form/model/outlook.ts";
import { hasNoEnergy, hasNoOrders, now, plan } from "../form/model/plan.ts";
import { draw } from "../form/patch.ts";
import { isFighting, pointOut } from "../form/pointers.ts";
import { type OrderForm, startForm } from "../form/start.ts";
import { parseHex, type Point } from "../geometry/hex.ts";
import { showCard } from "./card.ts";
import { energyPanel, loadPresets } from "./energy.ts";
import { paintFarthest } from "./farthest.ts";
import { officerButton } from "./officer.ts";
import { ordersList } from "./orders.ts";
import { byId, ifThere, type PageData } from "./page.ts";
import { showPanel, showShip } from "./rail.ts";
import { Selection } from "./selection.ts";
import { type Plan, Sending } from "./sending.ts";
import { hasEntries } from "./shelf.ts";
import { Strip } from "./strip.ts";
import { paintWhatIf, watchNearest } from "./whatif.ts";

export class Planning implements BoardListener, Plan {
  readonly form: OrderForm;
  readonly sending: Sending;
  private readonly strip: Strip;
  private readonly selection: Selection;
  private sent = "";
  /** Whether the pointers at the edge of the board will be drawn in the next picture. */
  private pointing = false;

  constructor(
    private readonly page: PageData,
    private readonly board: Board,
    /** Whether the board shows a film now. */
    private readonly isWatching: () => boolean,
    /** Called with the selected unit and the enemy in focus each time the plan is drawn. */
    private readonly looks: (mine: string, theirs: string) => void,
    /** Removes the range lines that a click on a unit draws. */
    clearRanges: () => void,
  ) {
    this.strip = new Strip(clearRanges);
    this.selection = new Selection(this.strip, showShip);
    loadPresets();
    this.sending = new Sending(page, this);
    this.form = startForm(byId("form").textContent!, allParts, {
      frame: () => this.showAll(false),
      seePlaces: (hexes) => this.board.showAll(hexes.map((hex) => this.pointOf(hex))),
      isInSight: (hexes) => hexes.every((hex) => this.board.isShown(this.pointOf(hex), 40)),
      showCurrent: () => this.showCurrent(),
      beforeMap: () => this.paint(),
    });
    window.orderForm = this.form;
    watchNearest();
    this.again();
    refresh();
    /* Now the panels are there that cover the lower edge of the board. */
    this.showAll(false);
    document.addEventListener("keydown", (event) => this.key(event));
    board.map.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      if (!this.isWatching()) this.selection.takeBack();
    });
  }

  /** After an Undo, put the orders that were taken back into the plan, unless something newer was entered. */
  private again(): void {
    const { page } = this;
    const undone = new URLSearchParams(location.search).has("undone");
    if (!page.again || !(undone || !hasEntries(page))) return;
    this.form.load(page.again);
    this.sending.announce(page.undone ?? "");
  }

  // the board

  click(spot: Spot): void {
    if (this.isWatching()) return;
    this.selection.click(spot);
    if (spot.unit)
      requestAnimationFrame(() => requestAnimationFrame(() => this.keepInView(spot.unit)));
  }

  hover(spot: Spot): void {
    showCard(spot, Boolean(mapData));
  }

  dragStarts(unit: string): boolean {
    return !this.isWatching() && Boolean(mapData) && this.selection.dragStarts(unit);
  }

  dragged(hex: string): void {
    this.selection.dragged(hex);
  }

  dragEnds(): void {
    this.selection.dragEnds();
  }

  /** The part of the map that is seen has changed: point at its edge to enemies that are beyond. */
  moved(): void {
    if (this.pointing) return;
    this.pointing = true;
    requestAnimationFrame(() => {
      this.pointing = false;
      if (!this.isWatching()) this.pointOut();
    });
  }

  private pointOut(): void {
    const { board } = this;
    const pointed = formData.units.filter((unit) => unit.enemy && unit.hex && isFighting(unit));
    const places = pointed.map(({ name, hex }): [string, number[]] => {
      const { x, y } = this.pointOf(hex);
      return [name, [x, y]];
    });
    /* Measuring the page in every picture would make each click slower. */
    const isAllShown = places.every(([, [x, y]]) => board.isShown({ x, y }));
    if (isAllShown && !byId("beyond").firstChild) return;
    pointOut({
      box: byId("map-box"),
      covered: board.coveredBelow(),
      places,
      pixelOf([x, y]) {
        const pixel = board.pixelOf({ x, y });
        return [pixel.x, pixel.y];
      },
      centreOn: ([x, y]) => {
        const own = now()?.block.hex;
        board.showAll([{ x, y }, ...(own ? [this.pointOf(own)] : [])]);
      },
    });
  }

  /** Show my ships, the enemies near them, and where the selected ship may go. */
  showAll(smooth = true): void {
    const near = formData.units.filter((unit) => unit.mine || unit.enemy);
    const places = near.flatMap((unit) => (unit.hex ? [this.pointOf(unit.hex)] : []));
    const unit = now();
    const steers = mapData && unit?.block.helm;
    const far = steers ? [...reach(unit, walk(unit)).keys()].map((hex) => this.pointOf(hex)) : [];
    this.board.showAll(places, smooth, far);
  }

  /** Move the view if the strip covers the selected ship or the unit that was clicked. */
  private keepInView(name: string): void {
    const unit = formData.units.find((one) => one.name === name);
    const own = now()?.block.hex;
    const places = [unit?.hex, own].flatMap((hex) => (hex ? [this.pointOf(hex)] : []));
    if (!places.every((place) => this.board.isShown(place, 25))) this.board.showAll(places);
  }

  private pointOf(hex: string): Point {
    return this.board.centre(parseHex(hex));
  }

  private showCurrent(): void {
    const hex = now()?.block.hex;
    if (hex && !this.board.isShown(this.pointOf(hex), 40)) this.board.showAll([this.pointOf(hex)]);
  }

  // the rail

  /** Draw what the game page adds to the form; called each time the plan is drawn, before the map. */
  private paint(): void {
    if (!this.form) return;
    this.strip.paint();
    this.moved();
    paintWhatIf(this.strip.isOpen);
    paintFarthest(this.board, now());
    this.looks(now()?.block.name ?? "", this.strip.targetName || String(fieldValues.foe ?? ""));
    const keeps = plan.keepsOrders;
    draw(
      byId("quick"),
      keeps || this.page.officer !== "yes"
        ? ""
        : element(
            "p",
            { class: "buttons", key: "officer" },
            officerButton(this.page, this.form, this.sending),
          ),
      keeps ? "" : energyPanel(),
      ordersList(now()),
    );
    queueMicrotask(() => this.compare());
  }

  /** Ask for a check if the text of the orders has changed. */
  private compare(): void {
    const text = this.text();
    if (text === this.sent) return this.sending.reconsider();
    this.sent = text;
    this.sending.changed();
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (
      this.isWatching() ||
      target.closest("input:not([type=checkbox]):not([type=range]), textarea, select")
    )
      return;
    if (event.key === "Escape" && this.strip.isOpen) this.strip.aimAt("");
    else if (event.key === "Delete") this.selection.takeBack();
    else return;
    event.preventDefault();
  }

  // what Sending asks

  text(): string {
    return this.form.text();
  }

  /** Say what is wrong or missing in the plan, if anything is. */
  open(): string {
    const units = plan.keepsOrders ? [] : plan.units.filter((unit) => !unit.meant);
    const powerless = units.filter(hasNoEnergy).map((unit) => unit.block.name);
    const idle = units.filter((unit) => hasNoOrders(unit) && !unit.block.energy);
    const faults = this.form.faults();
    if (faults.length)
      return `Correct ${faults.length === 1 ? "a fault" : `${faults.length} faults`} first: ${faults[0].text}.`;
    if (powerless.length)
      return `Choose how to spend the energy of ${powerless.join(", ")}. Without energy nothing moves or is armed.`;
    const { impossible } = outlook();
    if (impossible.length)
      return `You can send this, but ${
        impossible.length === 1
          ? "an earlier order is impossible and is"
          : `${impossible.length} earlier orders are impossible and are`
      } not carried out: ${impossible[0]}.`;
    if (idle.length && idle.length === plan.units.length)
      return "Nothing is planned yet. Click a hex to fly there, or an enemy to fire at it.";
    return "";
  }

  loose(): string[] {
    return Object.values(loose).flatMap(([, , text, why]) => (why ? [] : [text]));
  }

  addLoose(): void {
    for (const [id, [unit, list, text, why]] of Object.entries(loose))
      if (!why) addLine(id, plan.units[unit], list, text);
  }

  showLine(line: number): void {
    showPanel("plan");
    const fold = ifThere<HTMLDetailsElement>("astext");
    if (fold) fold.open = true;
    const pre = byId("text");
    const node = pre.firstChild;
    const lines = this.text().split("\n");
    const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    if (!node) return;
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, Math.min(node.textContent!.length, from + lines[line - 1].length));
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(range);
    pre.scrollIntoView({ block: "center" });
    pre.focus({ preventScroll: true });
  }
}
