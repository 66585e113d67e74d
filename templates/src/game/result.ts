/* The banner at the end of a game. It closes by its button without a script; here by Escape as well. */

import { ifThere } from "./page.ts";

/** Let Escape close the banner, so that the board is free, and its button play the film of the whole game. */
export function startResult(watchWhole: () => void): void {
  const banner = ifThere<HTMLDialogElement>("result");
  if (!banner) return;
  document.addEventListener("keydown", (event) => {
    // The film takes Escape for itself.
    if (event.key === "Escape" && !event.defaultPrevented) banner.close();
  });
  ifThere("watch-whole")?.addEventListener("click", () => {
    banner.close();
    watchWhole();
  });
}
