/* Sums and numbers in words. */

/** Return the sum of a number for each item of a list. */
export function sum<T>(list: readonly T[], amount: (item: T) => number): number {
  return list.reduce((total, item) => total + amount(item), 0);
}

/** Round to four decimals, which removes the errors of sums of fractions. */
export const rounded = (value: number) => Math.round(value * 1e4) / 1e4;

/** Return a number as text with at most two decimals. */
export function numberText(value: number): string {
  const near = rounded(value);
  return Number.isInteger(near) ? String(near) : String(Math.round(near * 100) / 100);
}

/** Return a count with its noun, in the plural unless the count is 1. */
export const counted = (count: number | string, noun: string) =>
  count + " " + noun + (String(count) === "1" ? "" : "s");
