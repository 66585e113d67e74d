/* What a club's game page does beside planning: it tells that the game was played on, and takes plots from VASSAL. */

import { byId, ifThere, type PageData } from "./page.ts";
import type { Planning } from "./planning.ts";
import { showPanel } from "./rail.ts";
import { post, silence } from "./server.ts";

const FIRST_LOOK = 5_000; // milliseconds
const NEXT_LOOK = 20_000;
/** The largest save that the server takes, in bytes. */
const LARGEST = 180_000;

/** Offer what is new when others have played on. What the player has entered stays. */
export function watchForNews(page: PageData): void {
  if (!page.stamp) return;
  const look = async () => {
    if (document.visibilityState === "visible" && (await hasNews(page))) {
      byId("news").hidden = false;
      return;
    }
    setTimeout(() => void look(), NEXT_LOOK);
  };
  setTimeout(() => void look(), FIRST_LOOK);
}

async function hasNews(page: PageData): Promise<boolean> {
  try {
    const answer = await fetch(`${page.base}stamp`, { headers: { Accept: "application/json" } });
    const { stamp } = (await answer.json()) as { stamp?: string };
    return Boolean(stamp && stamp !== page.stamp);
  } catch {
    return false; // the next time
  }
}

/** Take the plots of a VASSAL save or log into the plan. They are shown and not sent. */
export function startPlotsFromVassal(page: PageData, planning: Planning): void {
  const field = ifThere<HTMLInputElement>("tried");
  if (!field) return;
  byId("tried-box").hidden = false;
  field.addEventListener("change", () => {
    const file = field.files?.[0];
    if (file) void takePlots(file, page, planning);
    field.value = "";
  });
}

async function takePlots(file: File, page: PageData, planning: Planning): Promise<void> {
  const { sending, form } = planning;
  if (file.size > LARGEST) {
    sending.announce("This save is too large for the web page: email it to the umpire.");
    return;
  }
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const save = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    const found = await post(page, "tried", { save, name: file.name, orders: form.text() });
    sending.show(found.faults, form.text());
    if (!found.orders) {
      sending.refuse(`${file.name} could not be read. See the errors below.`);
      return;
    }
    showPanel("plan");
    form.load(found.orders);
    const taken = `The plots of ${file.name} are in the plan. They are not sent yet.`;
    sending.announce([taken, ...(found.said ?? [])].join(" "));
  } catch (error) {
    sending.refuse(silence(page, error));
  }
}
