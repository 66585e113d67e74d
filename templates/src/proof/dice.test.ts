import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { linked, logKey, roll, salt, sealed, segmentKey } from "./dice.ts";
import { readKept } from "./kept.ts";
import { hex, unhex } from "./sha256.ts";

const file = new URL("../../../tests/proof/vectors.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8"));

test("salts, seals and keys are those of the published vectors", () => {
  for (const { scheme, game, segments } of vectors.schemes) {
    for (const one of segments) {
      const seals: [string, string][] = [];
      for (const sent of one.orders) {
        if (scheme > 1) {
          const made = salt(unhex(one.salt_link), one.turn, one.request, sent.side, one.segment);
          expect(hex(made)).toBe(sent.salt);
        }
        expect(sealed(sent.text, unhex(sent.salt))).toBe(sent.sealed);
        seals.unshift([sent.side, sent.sealed]);
      }
      if (scheme > 1) expect(hex(logKey(unhex(one.salt_link), one.segment))).toBe(one.log_key);
      const key = segmentKey(unhex(one.link), game, one.segment, seals, scheme, one.beacon);
      expect(hex(key)).toBe(one.key);
    }
  }
});

test("rolls are those of the published vectors", () => {
  for (const { label, faces, die } of vectors.rolls) {
    const made = roll(unhex(vectors.rolls_key), label, faces);
    expect(made.die).toBe(Number(die));
  }
});

test("the digest of the log is that of the published vectors", () => {
  let running = new Uint8Array(32);
  for (const line of vectors.log.lines) running = linked(running, line);
  expect(hex(running)).toBe(vectors.log.running);
});

test.each(["", "> ", "> > "])("a sitrep quoted by %j is read", (front) => {
  const kept = readKept(
    vectors.kept.text
      .split("\n")
      .map((line: string) => front + line)
      .join("\r\n"),
  );
  const told = kept.told.map((one) => [one.segment, one.what, one.side, one.value]);
  for (const wanted of vectors.kept.told) expect(told).toContainEqual(wanted);
});
