/* Reading single lines of orders. */
import { vocabulary } from "./data.ts";

/** What the form understands of a DO line. */
export interface DoLine {
  impulse: number | null;
  condition: string;
  act: string;
  /** For the use of weapons: the verb, whether one of the weapons suffices, the weapons, and the target. */
  verb?: string;
  one?: boolean;
  weapons?: string[] | null;
  target?: string;
  reserve?: boolean;
}

/** Return the single weapons that an order names, or null if it names something else. */
export function weaponsIn(words: string): string[] | null {
  const found: string[] = [];
  let kind = "";
  const tokens = words
    .toUpperCase()
    .replace(/\bAND\b|\+/g, " ")
    .replace(/\s*,\s*/g, " ");
  for (const token of tokens.split(/\s+/).filter(Boolean)) {
    if (token in vocabulary.weapons) {
      kind = vocabulary.weapons[token];
      continue;
    }
    const letters = kind && lettersOf(token);
    if (!letters) return null;
    found.push(...letters.map((letter) => kind + " " + letter));
  }
  return found;
}

/** Return the numbers or letters of weapons: of "3", "B", "1-4" or "A-C"; null for other texts. */
function lettersOf(token: string): string[] | null {
  const numbers = /^(\d+)-(\d+)$/.exec(token);
  if (numbers) {
    const found = [];
    for (let n = Number(numbers[1]); n <= Number(numbers[2]) && n < 99; n++) found.push(String(n));
    return found;
  }
  const letters = /^([A-Z])-([A-Z])$/.exec(token);
  if (letters) {
    const found = [];
    const last = letters[2].charCodeAt(0);
    for (let n = letters[1].charCodeAt(0); n <= last; n++) found.push(String.fromCharCode(n));
    return found;
  }
  return /^(\d+|[A-Z])$/.test(token) ? [token] : null;
}

const LINE =
  /^(?:EVERY\s+)?(?:AT\s+(\d+)\s+|LAST\s+)?(?:EVERY\s+)?(?:IF\s+(.+?)\s+THEN\s+)?(.+?)(?:\s+IF\s+(.+))?$/i;
const SHOT =
  /^(FIRE|LAUNCH)\s+(ONE OF\s+)?(.+?)\s+AT\s+(.+?)(\s+DIR\s+[A-F])?(\s+WITH (?:RESERVE|BATTERY))?$/i;

/** Return a name without the quotation marks of the order text. */
export const withoutQuotes = (name: string) =>
  name
    .replace(/^"(.*)"$/, "$1")
    .replace(/""/g, '"')
    .trim();

/** Read a DO line; null for an empty one. */
export function readLine(text: string): DoLine | null {
  const parts = LINE.exec(text.replace(/\s+/g, " ").trim());
  if (!parts) return null;
  const line: DoLine = {
    impulse: parts[1] ? Number(parts[1]) : null,
    condition: parts[2] || parts[4] || "",
    act: parts[3],
  };
  const shot = SHOT.exec(line.act);
  if (!shot || /\bAND\b/i.test(shot[4])) return line;
  return {
    ...line,
    verb: shot[1].toUpperCase(),
    one: Boolean(shot[2]),
    weapons: weaponsIn(shot[3]),
    target: withoutQuotes(shot[4]),
    reserve: Boolean(shot[6]),
  };
}

/** Return the names of weapons as orders write them, with PH 1,2 for PH 1 PH 2. */
export function weaponNames(names: string[]): string {
  const kinds = new Map<string, string[]>();
  for (const name of names) {
    const [kind, letter] = name.split(" ");
    kinds.set(kind, [...(kinds.get(kind) || []), letter]);
  }
  return [...kinds].map(([kind, letters]) => kind + " " + letters.join(",")).join(" ");
}
