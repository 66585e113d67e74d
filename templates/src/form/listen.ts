/*
 * When the page is drawn, and what it hears.
 *
 * From press to release nothing is drawn. Leaving a field may change the form, and then the button under the pointer
 * would be gone before it is released. What is due is drawn before the click is heard, so that the click does what the
 * form says now.
 */
import { handlerOf } from "./dom.ts";
import { setSwitched } from "./patch.ts";

let pressed = false;
let due = false;
let paint = () => {};

/** Set the function that draws the page. */
export function paintWith(draws: () => void): void {
  paint = draws;
}

/** Draw the page, or have it drawn once nothing is pressed. */
export function refresh(): void {
  due = true;
  if (!pressed) settle();
}

/** Draw the page now, if that is due. */
export function settle(): void {
  if (!due) return;
  due = false;
  paint();
}

const release = () =>
  setTimeout(() => {
    pressed = false;
    settle();
  });

function listenToPointer(): void {
  for (const type of ["pointerdown", "mousedown"])
    addEventListener(type, () => (pressed = true), true);
  for (const type of ["pointerup", "pointercancel", "mouseup", "dragend", "blur"])
    addEventListener(
      type,
      (event) => {
        if (type !== "blur" || event.target === window) release();
      },
      true,
    );
  addEventListener(
    "pointermove",
    (event) => {
      if (pressed && !event.buttons) release();
    },
    true,
  );
  /* A list opens in a window of its own, which gets the release. */
  addEventListener(
    "change",
    (event) => {
      if ((event.target as Element).nodeName === "SELECT") pressed = false;
    },
    true,
  );
  addEventListener(
    "keydown",
    () => {
      pressed = false;
      settle();
    },
    true,
  );
  addEventListener(
    "click",
    (event) => {
      pressed = false;
      setSwitched(event.target);
      settle();
      setSwitched(null);
    },
    true,
  );
}

/** Let the first element do something that has a handler for an event. */
function hear(event: Event): void {
  for (const target of event.composedPath()) {
    const handler = (target as Node).isConnected && handlerOf(target, event.type);
    if (handler) {
      handler(event);
      return;
    }
  }
}

/** Enter in a field adds the line that is made there, or takes the field as it is. */
function hearEnter(event: KeyboardEvent): void {
  const field = event.target as HTMLInputElement;
  if (event.key !== "Enter" || event.isComposing || field.nodeName !== "INPUT") return;
  const add = field.closest(".build")?.querySelector("button[data-add]");
  if (field.type !== "checkbox" && field.type !== "file") event.preventDefault();
  const adds = add && handlerOf(add, "click");
  if (adds) {
    adds(event);
    settle();
  } else handlerOf(field, "change")?.(event);
}

/** Listen to the events of the page. */
export function listen(): void {
  listenToPointer();
  for (const type of ["click", "input", "change"]) document.addEventListener(type, hear);
  document.addEventListener("toggle", hear, true);
  document.addEventListener("keydown", hearEnter);
}
