/* The first officer: fills the plan with the orders that a computer player would give, and says why. */

import { button } from "../form/dom.ts";
import type { OrderForm } from "../form/start.ts";
import type { PageData } from "./page.ts";
import type { Sending } from "./sending.ts";
import { post, silence } from "./server.ts";

let asking = false;

/** Return the button of the first officer. */
export const officerButton = (page: PageData, form: OrderForm, sending: Sending): HTMLElement =>
  button(
    "officer",
    () => void ask(page, form, sending),
    {
      title:
        "Fills the plan with what a computer player would order for you. Change what you like.",
      disabled: asking,
    },
    "First officer: suggest orders",
  );

async function ask(page: PageData, form: OrderForm, sending: Sending): Promise<void> {
  if (asking) return;
  asking = true;
  sending.hold("The first officer is thinking …");
  try {
    const found = await post(page, "advice", {});
    if (found.orders) form.load(found.orders);
    const said = found.faults?.[0]?.text ?? `First officer: “${found.said?.[0] ?? "aye"}.”`;
    sending.announce(said);
  } catch (error) {
    sending.announce(silence(page, error));
  }
  asking = false;
  sending.release();
}
