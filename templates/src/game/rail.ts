/* The rail beside the board: tabs for plan, ships, log, and the desk of a player in a club. */

import { byId } from "./page.ts";

export type Panel = "plan" | "ships" | "log" | "desk";

/** Show one panel of the rail. */
export function showPanel(panel: Panel): void {
  for (const tab of tabs()) {
    const chosen = tab.id === `tab-${panel}`;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    byId(tab.getAttribute("aria-controls")!).hidden = !chosen;
  }
}

const tabs = () => [...document.querySelectorAll<HTMLButtonElement>(".tablist [role=tab]")];

/** Let clicks and arrow keys change the panel. */
export function startRail(): void {
  const all = tabs();
  for (const [n, tab] of all.entries()) {
    tab.addEventListener("click", () => showPanel(tab.id.slice(4) as Panel));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = all[(n + step + all.length) % all.length];
      next.click();
      next.focus();
    });
  }
}

/** Bring the display of a ship into sight, if the rail shows the ships. */
export function showShip(unit: string): void {
  const found = [...document.querySelectorAll<HTMLElement>("#rail-ships .ssd")];
  found
    .find((one) => one.dataset.unit === unit)
    ?.scrollIntoView({ block: "nearest", behavior: "smooth" });
}
