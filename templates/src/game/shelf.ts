/* What was entered and not sent is kept by the browser for each request (see src/form). This module throws it away when
   it is no longer wanted: after Send, and when another player sits down at the same keyboard. */

import { type PageData } from "./page.ts";

const shelfOf = (page: PageData) => `pbem orders/${encodeURIComponent(page.game)}/`;

function keysOf(page: PageData): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(shelfOf(page)));
  } catch {
    return []; // nothing can be kept here, so nothing is there
  }
}

function remove(keys: string[]): void {
  try {
    for (const key of keys) localStorage.removeItem(key);
  } catch {
    // nothing can be kept here
  }
}

/** Forget what was entered in this game. */
export const forget = (page: PageData): void => remove(keysOf(page));

/** Forget what other sides have entered, if several people share this keyboard. */
export function forgetOthers(page: PageData): void {
  if (page.shared !== "yes") return;
  const side = (key: string) =>
    decodeURIComponent(key.slice(shelfOf(page).length).split("/")[1] ?? "");
  remove(keysOf(page).filter((key) => side(key) !== page.side));
}

/** Return whether something was entered for the request of the page. */
export const hasEntries = (page: PageData): boolean =>
  keysOf(page).some((key) => key.startsWith(`${shelfOf(page)}${page.request}/`));
