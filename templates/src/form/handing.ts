/* Handing the text of the orders over: copy, save, mail; and loading a text. */
import { draftText, formData } from "./model/data.ts";
import { counted } from "./model/numbers.ts";
import { load } from "./model/reading.ts";
import { orderText } from "./model/text.ts";
import { tell } from "./adding.ts";
import { byId, element, handle } from "./dom.ts";
import { refresh } from "./listen.ts";
import { noteHandedOver, replaceAll } from "./shelf.ts";
import { formOutlook } from "./verdict.ts";

/** The greatest length of a link that email programs take. */
const LONGEST_LINK = 1900;

/** Let the link open a mail with the orders in it, if they are short enough. */
export function setMailLink(): void {
  const { to, subject } = formData.mail;
  const address = encodeURIComponent(to).replace(/%40/g, "@");
  const link = "mailto:" + address + "?subject=" + encodeURIComponent(subject);
  const whole = link + "&body=" + encodeURIComponent(orderText().replace(/\n/g, "\r\n"));
  const fits = whole.length <= LONGEST_LINK;
  byId("mail").setAttribute("href", fits ? whole : link);
  byId("mail").dataset.fits = fits ? "yes" : "no";
}

async function copy(): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(orderText());
    return true;
  } catch {
    const range = document.createRange();
    range.selectNodeContents(byId("text"));
    getSelection()!.removeAllRanges();
    getSelection()!.addRange(range);
    return document.execCommand("copy");
  }
}

/** Return a sentence about things that are chosen and not in the text. */
function missingText(): string {
  const count = formOutlook().loose.length;
  if (!count) return "";
  return " It leaves out " + counted(count, "thing") + " that you have not added: see above.";
}

/** Say that the text was handed over. */
function handedOver(text: string): void {
  noteHandedOver();
  tell(text + missingText());
}

async function hearCopy(): Promise<void> {
  if (await copy()) handedOver("Copied. Paste it into your answer to the sitrep.");
  else tell("Select the text above and copy it.");
}

function hearSave(): void {
  const file = new Blob([orderText()], { type: "text/plain" });
  const link = element("a", { href: URL.createObjectURL(file), download: formData.file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  handedOver("Saved as " + formData.file + ". Attach it to your answer to the sitrep.");
}

async function hearMail(): Promise<void> {
  if (byId("mail").dataset.fits === "yes") {
    handedOver("Your email program opens with the orders in it.");
    return;
  }
  await copy();
  handedOver(
    "The orders are too long to open in an email, so they were copied. Paste them into the email.",
  );
}

/** Load a text in place of everything that is chosen. */
function take(text: string): void {
  const notes = replaceAll(() => load(text), "The form was filled with other orders.");
  tell(notes.length ? "Loaded. " + notes.join(". ") + "." : "Loaded: every line is in the form.");
}

/** Let the buttons below the text work. */
export function prepareHanding(): void {
  const pasted = byId<HTMLTextAreaElement>("load-text");
  const box = byId("load-box");
  const click = (id: string, listener: () => void) => byId(id).addEventListener("click", listener);
  click("copy", hearCopy);
  click("save", hearSave);
  click("mail", hearMail);
  click("load", () => {
    box.hidden = !box.hidden;
    if (!box.hidden) pasted.focus();
  });
  handle(pasted, "input", refresh);
  click("load-go", () => take(pasted.value));
  click("load-draft", () => take(draftText));
  byId("load-file").addEventListener("change", (event) => {
    const file = (event.target as HTMLInputElement).files?.[0];
    if (file) file.text().then(take);
  });
}
