/* Requests of the game page to its server. */

import { type PageData } from "./page.ts";

/** A fault in orders, as the check reports it. */
export interface Fault {
  code: string;
  text: string;
  line?: number;
  rule?: string;
}

export interface Answer {
  faults: Fault[];
  /** Where the game goes on after orders were taken. */
  next?: string;
  /** Orders that the server suggests. */
  orders?: string;
  /** What it says about them. */
  said?: string[];
}

/** Error: the server does not know this browser. */
export class Stranger extends Error {}

/** Send fields to one of the side's addresses, such as `check`, and return the answer. */
export async function post(
  page: PageData,
  what: string,
  fields: Record<string, string>,
  signal?: AbortSignal,
): Promise<Answer> {
  const answer = await fetch(page.base + what, {
    signal,
    method: "POST",
    headers: {
      Accept: "application/json",
      "Content-Type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams(page.nonce ? { ...fields, nonce: page.nonce } : fields),
  });
  if (answer.status === 403) throw new Stranger();
  return (await answer.json()) as Answer;
}

/** Say why there was no answer. */
export const silence = (page: PageData, error: unknown): string =>
  error instanceof Stranger ? page.stranger : page.silent;

/** Faults of orders for a request that was already played: the page is old. */
const BYGONE = ["wrong-turn", "wrong-request", "nothing-asked", "not-asked"];

/** Say that the page is old, if faults show that; otherwise return an empty text. */
export const bygone = (faults: readonly Fault[]): string =>
  faults.some((fault) => BYGONE.includes(fault.code))
    ? "Load this page again: the game has moved on, perhaps in another window."
    : "";
