/* What the log says of segments and dice. */

import { ACTS } from "./dice.ts";
import type { LogEvent, ProofPage, Segment } from "./data.ts";

/**
 * Return the dice that an event tells, with their labels.
 * Where several were added up, their labels are joined by " + ".
 */
export function diceOf(event: LogEvent, known: Map<string, number>) {
  const found: [labels: string[], die: number][] = [];
  if (event.roll) {
    const labels = known.has(event.roll) ? [event.roll] : event.roll.split(" + ");
    found.push([labels, event.die || 0]);
  }
  if (event.second_roll) found.push([[event.second_roll], event.second]);
  if (event.rolls) {
    const dice = [...(event.holders_dice || []), ...(event.raiders_dice || [])];
    event.rolls.forEach((label: string, i) => found.push([[label], dice[i]]));
  }
  return found;
}

/** A moment as one number, so that earlier ones are smaller: turn, impulse, step. */
const STEPS = [
  "energy",
  "announce",
  "lockon",
  "monsters",
  "move",
  "shuttles",
  "seek",
  "tac",
  "impact",
  "cloak",
  "tractor",
  "launch",
  "transport",
  "bay",
  "fire",
  "resolve",
  "end",
  "close",
];
const moment = (turn: number | string, impulse: number | string, step: string) =>
  (Number(turn) * 1000 + Number(impulse)) * 100 + STEPS.indexOf(step);

export function momentOf(label: string) {
  const [turn, impulse, step] = label.split(" ")[0].split(".");
  return moment(turn, impulse, step);
}

/** Return from which moment until before which other each segment was played. */
export function spans(lines: string[]) {
  const found = new Map<number, [number, number]>();
  let now: number | null = null;
  for (const line of lines) {
    let event: LogEvent;
    try {
      event = JSON.parse(line).event;
    } catch {
      continue;
    }
    if (event.event === "segment_began") {
      now = event.segment;
      found.set(now, [moment(event.turn, event.impulse || 0, event.step), Infinity]);
    } else if (ACTS.has(event.event)) now = null;
    else if (event.event === "requested" && now) {
      const next = event.request;
      const here = next.turn === event.turn;
      found.get(now)![1] = here
        ? moment(event.turn, event.impulse || 0, event.step)
        : moment(next.turn, 0, "energy");
    }
  }
  return found;
}

/**
 * Return the segment whose dice a segment shows at a moment.
 * It is the first that it keeps and that covers the moment, perhaps through a third; else itself.
 */
export function whoseDice(
  byNumber: Map<number, Segment>,
  began: Map<number, [number, number]>,
  one: Segment,
  when: number,
) {
  for (const number of one.kept || []) {
    const [begin, end] = began.get(number) || [Infinity, 0];
    if (number < one.segment && byNumber.has(number) && begin <= when && when < end)
      return whoseDice(byNumber, began, byNumber.get(number)!, when);
  }
  return one.segment;
}

/** A new word that went into the salts after a segment, with its hash in the log. */
export interface FreshWord {
  after: number;
  word: string;
  told: string;
}

/** Return the new words that went into the salts where a backup was put back. */
export function freshWords(data: ProofPage) {
  const words = data.proof.fresh || [];
  const found: FreshWord[] = [];
  for (const line of data.log) {
    let event: LogEvent;
    try {
      event = JSON.parse(line).event;
    } catch {
      continue;
    }
    if (event.event === "dice_passed" && event.fresh)
      found.push({ after: event.segment, word: words[found.length] || "", told: event.fresh });
  }
  return found;
}
