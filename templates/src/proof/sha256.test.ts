import { createHash, createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { hex, hmac, sha256, utf8 } from "./sha256.ts";

test("digests of all lengths around a block are those of Node", () => {
  for (let length = 0; length < 300; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length) & 255);
    expect(hex(sha256(bytes))).toBe(createHash("sha256").update(bytes).digest("hex"));
  }
});

test.each([3, 64, 65, 200])("an HMAC with a key of %i bytes is that of Node", (length) => {
  const key = new Uint8Array(length).fill(7);
  expect(hex(hmac(key, utf8("label|0")))).toBe(
    createHmac("sha256", key).update("label|0").digest("hex"),
  );
});
