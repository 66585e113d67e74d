/* Checks the plan while it is made, shows its faults, and sends it. */

import { byId, element, type PageData } from "./page.ts";
import { type Answer, bygone, type Fault, post, silence } from "./server.ts";
import { forget } from "./shelf.ts";

/** What this module needs of the order form. */
export interface Plan {
  /** The text of the orders. */
  text(): string;
  /** What the form itself finds open, in a sentence; empty if nothing is. */
  open(): string;
  /** Choices that no order holds yet, as the lines they would be. */
  loose(): string[];
  addLoose(): void;
  /** Show the place of a fault: the unit, and the line of the text. */
  showLine(line: number): void;
}

const PAUSE = 350; // milliseconds after the last change until the check is asked

/** Show words in the bar; the title holds them whole where the bar has not enough room. */
function say(words: string): void {
  const told = byId("told");
  told.textContent = words;
  told.title = words;
}

export class Sending {
  private timer = 0;
  private asked = 0;
  private busy = false;
  /** Why the plan cannot be sent at the moment; empty if it can. */
  private held = "";
  private looked = false;
  private refused = "";
  /** Said of a file or an undo until the next check has been answered. */
  private news = "";
  /** What was open when it was last told. */
  private open = "";
  /** The choices that the player is asked about; empty if there is no question. */
  private question = "";
  private asking = new AbortController();

  constructor(
    private readonly page: PageData,
    private readonly plan: Plan,
  ) {
    const send = byId<HTMLButtonElement>("send");
    send.hidden = false;
    send.addEventListener("click", () => void this.send());
    for (const one of document.forms) one.addEventListener("submit", () => this.stop());
  }

  /** The plan has changed: check it when there is a pause. */
  changed(): void {
    [this.looked, this.refused] = [false, ""];
    this.asked++; // the answer to an earlier text says nothing of this one
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.check(), PAUSE);
    if (!this.news) this.tell();
  }

  /** The text of the plan is the same, but what is open may have changed: tell it anew. */
  reconsider(): void {
    const isAnswered = this.question && this.plan.loose().join("; ") !== this.question;
    if (isAnswered) this.show([], "");
    if (isAnswered || (!this.question && this.plan.open() !== this.open)) this.tell();
  }

  /** Say something that stays until the next check was answered. */
  announce(news: string): void {
    this.news = news;
    say(news);
  }

  /** Keep the plan from being sent until `release`, and say why. */
  hold(why: string): void {
    this.held = why;
    byId<HTMLButtonElement>("send").disabled = true;
    this.announce(why);
  }

  /** Let the plan be sent again. */
  release(): void {
    this.held = "";
    byId<HTMLButtonElement>("send").disabled = false;
  }

  /** Say that something was refused. It stays until the plan changes. */
  refuse(words: string): void {
    clearTimeout(this.timer);
    this.asked++;
    this.news = "";
    say(words);
  }

  /** Ask nothing more, for example because another player sits down. */
  stop(): void {
    this.busy = true;
    clearTimeout(this.timer);
    this.asking.abort();
  }

  /** Show faults above the board, with buttons that lead to their places. */
  show(faults: readonly Fault[], orders: string): void {
    const list = byId("wrong");
    this.question = "";
    list.hidden = !faults.length;
    list.replaceChildren(...faults.map((fault) => this.item(fault, orders)));
  }

  private item(fault: Fault, orders: string): HTMLElement {
    const said = fault.text + (fault.rule ? ` (${fault.rule})` : "");
    if (!fault.line) return element("li", {}, said);
    const lines = orders.split("\n");
    const before = lines
      .slice(0, fault.line)
      .map((line) => /^\s*(?:SHIP|SHUTTLE)\s+"?([^"]+?)"?\s*$/i.exec(line));
    const unit = before.findLast(Boolean)?.[1];
    const quoted = [unit, lines[fault.line - 1]?.trim()].filter(Boolean).join(": ");
    const button = element("button", { type: "button", textContent: quoted });
    button.addEventListener("click", () => this.plan.showLine(fault.line!));
    return element("li", {}, button, " ", said);
  }

  private tell(): void {
    if (this.busy) return;
    this.open = this.plan.open();
    const standing =
      this.refused || this.open || (this.looked ? "Ready to send: no faults found." : "");
    say([this.news, standing].join(" ").trim());
    document.body.classList.toggle("ready", this.looked && !this.refused);
  }

  private async check(): Promise<void> {
    if (this.busy) return;
    const number = ++this.asked;
    const orders = this.plan.text();
    this.asking.abort();
    this.asking = new AbortController();
    let found: Answer;
    try {
      found = await post(this.page, "check", { orders }, this.asking.signal);
    } catch (error) {
      if (number === this.asked && !this.busy) say(silence(this.page, error));
      return;
    }
    if (number !== this.asked || this.busy) return;
    this.show(found.faults, orders);
    this.looked = true;
    this.refused = found.faults.length
      ? bygone(found.faults) || "There are errors in this plan."
      : "";
    this.tell();
    this.news = "";
  }

  /** Send the plan; if choices are not in it yet, ask about them first. */
  async send(without = false): Promise<void> {
    if (this.busy) return;
    if (this.held) return this.announce(this.held); // the key for Send works without the button
    const loose = without ? [] : this.plan.loose();
    if (loose.length) return this.askAbout(loose);
    const orders = this.plan.text();
    this.stop();
    document.body.classList.add("busy");
    say(this.page.sending);
    try {
      const found = await post(this.page, "send", { orders });
      if (found.next) return this.goOn(found.next);
      this.show(found.faults, orders);
      say(bygone(found.faults) || "Not sent. See the faults listed.");
    } catch (error) {
      say(silence(this.page, error));
    }
    this.busy = false;
    document.body.classList.remove("busy");
    if (this.plan.text() !== orders) this.changed();
  }

  private goOn(next: string): void {
    if (!this.page.stamp) forget(this.page);
    try {
      sessionStorage.setItem(`pbem seen/${this.page.game}`, this.page.moment);
    } catch {
      // then the film shows the whole turn
    }
    location.assign(next);
  }

  private askAbout(loose: readonly string[]): void {
    /* The answer to a check would hide the question. */
    this.asked++;
    clearTimeout(this.timer);
    this.question = loose.join("; ");
    say("");
    document.body.classList.remove("ready");
    const list = byId("wrong");
    const add = element("button", {
      type: "button",
      className: "main",
      textContent: "Add and send",
    });
    const leave = element("button", { type: "button", textContent: "Send without it" });
    add.addEventListener("click", () => {
      this.plan.addLoose();
      void this.send();
    });
    leave.addEventListener("click", () => void this.send(true));
    const said =
      loose.length === 1
        ? "You have not added this order yet: "
        : "You have not added these orders yet: ";
    list.replaceChildren(element("li", {}, said, loose.join("; "), ". ", add, " ", leave));
    list.hidden = false;
    add.focus();
  }
}
