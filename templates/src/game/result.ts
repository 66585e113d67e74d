/* The banner at the end of a game. It closes by its button without a script; here by Escape as well. */

import { ifThere } from "./page.ts";

/** Let Escape close the banner, so that the board is free, and its button play the film of the whole game. */
export function startResult(watchWhole: () => void): void {
  const banner = ifThere<HTMLDialogElement>("result");
  if (!banner) return;
  document.addEventListener("keydown", (event) => {
    // While a film runs, Escape ends it; the banner is hidden meanwhile.
    const film = document.body.dataset.mode === "film";
    if (event.key === "Escape" && !film) banner.close();
  });
  ifThere("watch-whole")?.addEventListener("click", () => {
    banner.close();
    watchWhole();
  });
}
