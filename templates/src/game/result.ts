/* The banner at the end of a game. It closes by its button without a script; here by Escape as well. */

import { ifThere } from "./page.ts";

/** Let Escape and the film of the whole game close the banner, so that the board is free. */
export function startResult(): void {
  const banner = ifThere<HTMLDialogElement>("result");
  if (!banner) return;
  document.addEventListener("keydown", (event) => {
    // While a film is running, Escape ends the film; the banner is hidden meanwhile.
    if (event.key !== "Escape" || !banner.open || banner.checkVisibility?.() === false) return;
    banner.close();
    event.stopPropagation();
  });
  ifThere("watch-whole")?.addEventListener("click", () => banner.close());
}
