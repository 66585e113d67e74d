/* Starting the form in a page that has its elements (see templates/orders.html.j2). */
import { draftText, formData, loadData, type OrderFormData } from "./model/data.ts";
import { balance, type EnergyFault } from "./model/energy.ts";
import { rounded } from "./model/numbers.ts";
import { chooseParts, optional, type Fault, type Parts } from "./model/optional.ts";
import { noteStandingOrders, plan, type FieldChoice } from "./model/plan.ts";
import { load } from "./model/reading.ts";
import { faultsOf, orderText, unitText } from "./model/text.ts";
import { writeNumbers } from "../geometry/numbers.ts";
import { byId } from "./dom.ts";
import { prepareHanding } from "./handing.ts";
import { type Host, setHost } from "./host.ts";
import { listen, paintWith, refresh } from "./listen.ts";
import { listenToTabs, paint } from "./page.ts";
import { askBeforeLeaving, keptBefore, restore } from "./shelf.ts";
import { frame, prepareView } from "./view.ts";

/** The sums of a unit's energy form, by line. */
interface Sums {
  lines: Record<number, number>;
  used: number;
  drained: number;
  short: boolean;
  faults: number;
  text: string;
}

/** What the form offers to a page that shows it, and to tests. */
export interface OrderForm {
  data: OrderFormData;
  /** Show what matters on the map. */
  frame(): void;
  /** Return range, bearing and terrain between two hexes. */
  between(from: string, to: string): number[];
  text(): string;
  load(text: string): string[];
  faults(): Fault[];
  /** Choose options of the energy form of a unit. */
  fill(unit: number, picks: Record<string, Partial<FieldChoice> & { opt: number }>): void;
  sums(unit: number): Sums;
}

declare global {
  interface Window {
    orderForm: OrderForm;
  }
}

function sumsOf(number: number): Sums {
  const unit = plan.units[number];
  const {
    rows,
    used,
    drained,
    short,
    faults,
  }: { faults: EnergyFault[] } & ReturnType<typeof balance> = balance(unit);
  const lines: Record<number, number> = {};
  for (const { field, points } of rows)
    lines[field.line] = rounded((lines[field.line] || 0) + points);
  return { lines, used, drained, short, faults: faults.length, text: unitText(unit) };
}

function fill(number: number, picks: Parameters<OrderForm["fill"]>[1]): void {
  const unit = plan.units[number];
  unit.fields = {};
  unit.rest = [];
  for (const [id, pick] of Object.entries(picks)) unit.fields[id] = { src: "", mix: 0, ...pick };
}

/** Start the form with these data and the optional parts of the bundle, inside another page if it has a host. */
export function startForm(json: string, parts: Parts, host: Host | null = null): OrderForm {
  setHost(host);
  const drawn = document.querySelector("#map-box .map");
  if (drawn) writeNumbers(drawn);
  loadData(json);
  chooseParts(parts);
  prepareView();
  optional.courses?.prepareMap();
  prepareHanding();
  listen();
  listenToTabs();
  askBeforeLeaving();
  paintWith(paint);
  load(draftText);
  noteStandingOrders();
  byId("main").hidden = false;
  const before = keptBefore();
  paint();
  if (before) restore(before, paint);
  frame();
  return {
    data: formData,
    frame,
    between: (from, to) => [
      optional.courses!.range(from, to),
      optional.courses!.bearing(from, to),
      optional.terrain?.(from, to) || 0,
    ],
    text: orderText,
    load: (text) => {
      const notes = load(text);
      refresh();
      return notes;
    },
    faults: () => plan.units.flatMap(faultsOf).filter(({ stands }) => !stands),
    fill,
    sums: sumsOf,
  };
}

/** Start the form of this page: its data are in the element `form`. */
export function startPage(parts: Parts): void {
  window.orderForm = startForm(byId("form").textContent!, parts);
  document.documentElement.dataset.form = "ready";
}
