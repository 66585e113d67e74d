/* The dice: keys, salts and rolls. */

import { type Bytes, hex, hmac, joined, sha256, utf8 } from "./sha256.ts";

export const salt = (
  base: Bytes,
  turn: number,
  request: number,
  side: string,
  segment: number,
  word = "",
) => hmac(base, utf8(`salt|${turn}|${request}|${side}|${segment}${word && "|" + word}`));
export const logKey = (base: Bytes, segment: number) => hmac(base, utf8(`log|${segment}`));
export const sealed = (text: string, saltedWith: Bytes) =>
  hex(sha256(joined(saltedWith, utf8(text))));
const byName = (a: [string, string], b: [string, string]) =>
  a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;

export function segmentKey(
  link: Bytes,
  game: string,
  segment: number,
  seals: [string, string][],
  scheme: number,
  beacon: string,
) {
  const parts = [`pbem dice ${scheme}`, game, String(segment)];
  for (const [side, seal] of [...seals].sort(byName)) parts.push(`${side}=${seal}`);
  if (beacon) parts.push(`beacon=${beacon}`);
  return hmac(link, utf8(parts.join("|")));
}

/** A roll: its number, and the digest it was taken from. */
export function roll(key: Bytes, label: string, faces: number | bigint | string) {
  const limit = ((1n << 64n) / BigInt(faces)) * BigInt(faces);
  for (let block = 0; ; block++) {
    const digest = hmac(key, utf8(`${label}|${block}`));
    const view = new DataView(digest.buffer);
    for (let offset = 0; offset < 32; offset += 8) {
      const word = view.getBigUint64(offset);
      if (word < limit) return { die: Number(word % BigInt(faces)) + 1, digest: hex(digest) };
    }
  }
}

/** A link so many segments earlier. */
export function earlier(link: Bytes, steps: number) {
  for (; steps > 0; steps--) link = sha256(link);
  return link;
}

/**
 * The last segment whose link is passed over, where players were told of those up to `told`.
 * If nobody knows, `told` is 0.
 */
export const passedOver = (segment: number, told: number) =>
  Math.ceil((told > segment ? told : segment + 32) / 64) * 64;

/** The running digest of the log after one more line. */
export const linked = (before: Bytes, line: string) => sha256(joined(before, sha256(utf8(line))));

/** What the umpire does between two segments. */
export const ACTS = new Set([
  "undone",
  "reran",
  "dice_passed",
  "adjusted",
  "ruled",
  "options_ruled",
  "house_ruled",
  "decided",
]);
