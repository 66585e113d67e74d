/* Drawing the whole form. */
import { hasLooseLine } from "./model/builders.ts";
import { request } from "./model/data.ts";
import { speedOf } from "./model/energy.ts";
import { optional } from "./model/optional.ts";
import { hasStandingOrders, now, plan, type UnitPlan } from "./model/plan.ts";
import { faultsOf, orderText } from "./model/text.ts";
import { setAim } from "./aim.ts";
import { button, byId, element, valueIn, type Child } from "./dom.ts";
import { card, checkbox, idOf, line, remark } from "./fields.ts";
import { setMailLink } from "./handing.ts";
import { host } from "./host.ts";
import { refresh, settle } from "./listen.ts";
import { draw } from "./patch.ts";
import { keepChoices, keptBar } from "./shelf.ts";
import { speedStep } from "./speed_step.ts";
import { verdict } from "./verdict.ts";
import { showCurrent } from "./view.ts";

/** Show the orders of another unit. */
function turnTo(number: number): void {
  plan.current = number;
  refresh();
}

/** Return the tab of a unit, with the number of its faults. */
function tab(unit: UnitPlan, number: number): HTMLElement {
  const isCurrent = number === plan.current;
  const faults = faultsOf(unit).filter(({ stands }) => !stands).length;
  const choose = () => {
    turnTo(number);
    showCurrent();
  };
  const sign = faults
    ? element("span", { class: "bad" }, " (" + faults + ")")
    : hasLooseLine(unit) &&
      element("span", { class: "left-over", title: "something chosen is not added yet" }, " •");
  return button(
    "tab" + number,
    choose,
    {
      ...{ role: "tab", tabindex: isCurrent ? "0" : "-1", "aria-controls": "steps" },
      "aria-selected": String(isCurrent),
    },
    unit.block.name,
    sign,
  );
}

/** Return what the form begins with: a box that keeps the orders so far, if there are any. */
function continueBox(): Child {
  if (!request.continues || !(plan.keepsOrders || hasStandingOrders)) return "";
  const set = (ticked: boolean) => {
    plan.keepsOrders = ticked;
    refresh();
  };
  const words = "CONTINUE: my orders so far stay as they are";
  const label = checkbox("continue", words, plan.keepsOrders, set);
  label.className = "line";
  return element("div", { class: "done", id: "continue-box" }, label);
}

/** Return the cards of a unit. */
function unitCards(unit: UnitPlan): Child[] {
  const { name, about, hex, facing, energy, speeds } = unit.block;
  const facts = [about, hex ? "at " + hex + facing : "", energy ? "" : "speed " + speedOf(unit)];
  const cards: Child[] = [];
  const next = () => cards.filter(Boolean).length + 1;
  if (energy) cards.push(optional.energy!.step(unit, next()));
  if (speeds) cards.push(speedStep(unit, next()));
  if (optional.courses) cards.push(...optional.courses.steps(unit, next()));
  const number = next() - (optional.enemies && cards.some(Boolean) ? whatIfCards(unit) : 0);
  const boat = boatCard(unit, number);
  cards.push(boat, otherBlocksCard(boat ? number + 1 : number));
  return [
    element(
      "p",
      { class: "unithead", key: "head" },
      element("b", {}, name),
      element("span", { class: "soft" }, facts.filter(Boolean).join(", ")),
    ),
    cards,
  ];
}

/** Return how many cards of a unit have no number. */
const whatIfCards = (unit: UnitPlan) => (unit.block.helm ? 1 : 0);

/** Return the card that gives orders to a shuttle that is launched. */
function boatCard(unit: UnitPlan, number: number): HTMLElement | "" {
  const { boat } = unit.block;
  const isLaunched = unit.do.some((text) => /LAUNCH SHUTTLE/i.test(text));
  const head = boat?.split("\n")[0] || "";
  if (!boat || !isLaunched || plan.otherBlocks.some((text) => text.startsWith(head))) return "";
  const add = () => {
    plan.otherBlocks.push(boat);
    refresh();
  };
  const name = head.replace("SHUTTLE ", "");
  return card(
    number,
    "The shuttle you launch",
    line(
      {},
      button(idOf(unit) + "-boat", add, {}, "Give it orders of its own"),
      element(
        "span",
        { class: "tiny" },
        "It will be " + name + "; without orders it flies straight on (J1.21).",
      ),
    ),
  );
}

/** Return the card with the blocks of orders that the form has no page for. */
function otherBlocksCard(number: number): HTMLElement | "" {
  if (!plan.otherBlocks.length) return "";
  const box = (text: string, n: number) =>
    element("textarea", {
      ...{ id: "other" + n, "aria-label": "Block " + (n + 1), value: text, spellcheck: "false" },
      rows: Math.max(2, text.split("\n").length + 1),
      oninput: (event) => {
        plan.otherBlocks[n] = valueIn(event);
        refresh();
      },
    });
  return card(
    number,
    "Kept as it is",
    remark("This form cannot show these blocks. They are sent unchanged, unless they are empty."),
    plan.otherBlocks.map(box),
  );
}

/** Draw the form as it is now. */
export function paint(): void {
  const focus = document.activeElement;
  const place = focus?.closest<HTMLElement>(".step-card");
  const unit = now();
  const isShown = unit && !plan.keepsOrders;
  draw(byId("units"), plan.units.length > 1 && isShown && plan.units.map(tab));
  setAim(null);
  draw(byId("steps"), continueBox(), isShown && unitCards(unit));
  host?.beforeMap();
  if (optional.courses) optional.courses.drawMap();
  else byId("map-hint").textContent ||= "You plot the course after speeds are announced.";
  const text = orderText();
  if (byId("text").textContent !== text) byId("text").textContent = text;
  const [state, ...parts] = verdict();
  byId("verdict").className = state;
  draw(byId("verdict"), parts);
  setMailLink();
  keepChoices();
  draw(byId("kept"), keptBar());
  byId("kept").hidden = !byId("kept").firstChild;
  focusAgain(focus, place);
}

/** Focus the field that had the focus before the page was drawn, or its card if the field is gone. */
function focusAgain(focus: Element | null, place: HTMLElement | null | undefined): void {
  if (!focus?.id || focus.isConnected) return;
  const again = byId(focus.id) || (place?.isConnected && place);
  if (again) again.focus({ preventScroll: true });
}

/** Let arrow keys go from tab to tab, so that one press of Tab passes all of them. */
export function listenToTabs(): void {
  document.addEventListener("keydown", (event) => {
    const isTab = (event.target as Element).getAttribute("role") === "tab";
    if (!isTab || event.ctrlKey || event.altKey || event.metaKey) return;
    const last = plan.units.length - 1;
    const { current } = plan;
    const to: number | undefined = {
      ...{ ArrowRight: current + 1, ArrowDown: current + 1, ArrowLeft: current - 1 },
      ...{ ArrowUp: current - 1, Home: 0, End: last },
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    turnTo(to < 0 ? last : to > last ? 0 : to);
    settle();
    showCurrent();
    byId("tab" + plan.current).focus();
  });
}
