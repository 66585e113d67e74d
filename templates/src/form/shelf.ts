/*
 * What the browser keeps between two visits.
 *
 * It is kept for this request alone: the same game, turn, side and number, and the same data. So what was entered for
 * another form never gets into this one.
 */
import { clearBuilders, fieldValues } from "./model/builders.ts";
import { draftText, fingerprint, formData, request } from "./model/data.ts";
import { optional } from "./model/optional.ts";
import { packedAt, packedChoices, packedForm, unpackForm } from "./model/packing.ts";
import { load } from "./model/reading.ts";
import { orderText } from "./model/text.ts";
import { button, byId, element, type Child } from "./dom.ts";
import { refresh, settle } from "./listen.ts";

const SHELF = "pbem orders/";
const LIFETIME = 60 * 864e5;

/** Whether the browser keeps something at all. */
let keeps = true;
/** The text that was copied, saved or mailed last. */
let handedOver = "";
/** What was chosen when the page was opened, and what was kept last. */
let begun = "";
let kept = "";
/** Everything as it was before it was replaced, and what is said of that. */
let before = "";
let notice = "";

/** Return the name under which this form is kept. */
const shelfName = () =>
  SHELF +
  [formData.game, request.turn, formData.side, request.number].map(encodeURIComponent).join("/") +
  "/" +
  fingerprint;

const pasted = () => byId<HTMLTextAreaElement>("load-text");
const choices = () => packedChoices(pasted().value);

function setPasted(text: string): void {
  pasted().value = text;
  byId("load-box").hidden = !text;
}

/** Note that the text of the orders was handed over. */
export function noteHandedOver(): void {
  handedOver = orderText();
}

/*
 * A page that was opened from a file may find nothing kept when it is loaded again, although something is (Chromium
 * on a busy machine, once in thirty times). So the history entry keeps it, too. A page that a program served does not
 * need that, and must leave nothing in a window that others use.
 */
const isFromFile = () => location.protocol === "file:";

function keepInHistory(text: string | null): void {
  if (!isFromFile()) return;
  try {
    history.replaceState(text && { [shelfName()]: text }, "");
  } catch {
    /* Browsers refuse it if it is done too often; local storage has the text. */
  }
}

const fromHistory = (): string => (isFromFile() && history.state?.[shelfName()]) || "";

/** Keep what is chosen, if anything is. */
function keep(): void {
  const now = choices();
  const all = now + JSON.stringify(fieldValues);
  if (all === kept) return;
  kept = all;
  const text =
    now === begun && !optional.enemies?.hasSketches() ? null : packedForm(pasted().value);
  keepInHistory(text);
  try {
    if (text === null) localStorage.removeItem(shelfName());
    else localStorage.setItem(shelfName(), text);
    keeps = true;
  } catch {
    keeps = false;
  }
}

/** Keep what is chosen; the first time, note what was chosen when the page was opened. */
export function keepChoices(): void {
  if (begun) keep();
  else begun = choices();
}

/** Throw away what old forms kept. */
function removeOld(): void {
  for (const name of Object.keys(localStorage))
    if (name.startsWith(SHELF) && name !== shelfName())
      if (!(Date.now() - packedAt(localStorage.getItem(name)!) < LIFETIME))
        localStorage.removeItem(name);
}

/** Return what was entered here before; "" if there is nothing or nothing can be kept. */
export function keptBefore(): string {
  try {
    localStorage.setItem(SHELF, "");
    localStorage.removeItem(SHELF);
    removeOld();
    const stored = localStorage.getItem(shelfName()) || "";
    const visit = fromHistory();
    return packedAt(visit) > packedAt(stored) ? visit : stored;
  } catch {
    keeps = false;
    return fromHistory();
  }
}

/** Restore what was entered here before; a text that does not fit this form is ignored. */
export function restore(text: string, paint: () => void): void {
  try {
    setPasted(unpackForm(text));
    notice = "Your earlier entries were restored.";
    paint();
  } catch {
    notice = "";
    replaceAll(() => load(draftText), "");
    before = "";
  }
}

/** Replace everything in the form; the player can have it back. */
export function replaceAll<T>(change: () => T, said: string): T {
  before = packedForm(pasted().value);
  clearBuilders();
  setPasted("");
  const result = change();
  notice = said;
  refresh();
  return result;
}

/** Return what is said of things that were kept or replaced, with buttons. */
export function keptBar(): Child {
  if (!notice)
    return (
      !keeps &&
      choices() !== begun &&
      element(
        "span",
        { class: "warn" },
        "Copy or save the text before you leave the page: this program does not keep your entries.",
      )
    );
  const takeBack = () => {
    setPasted(unpackForm(before));
    before = notice = "";
    refresh();
  };
  const startOver = () => replaceAll(() => load(draftText), "The form was reset to the draft.");
  return [
    element("span", {}, notice),
    before
      ? button("undo-over", takeBack, {}, "Undo")
      : button("start-over", startOver, {}, "Start over"),
  ];
}

/** Ask before the page is left, if nothing can be kept and something was not handed over. */
export function askBeforeLeaving(): void {
  addEventListener("beforeunload", (event) => {
    settle();
    if (!keeps && choices() !== begun && orderText() !== handedOver) {
      event.preventDefault();
      event.returnValue = "";
    }
  });
}
