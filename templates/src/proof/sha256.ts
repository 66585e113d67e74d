/* SHA-256 and HMAC. Browsers have their own, but not for pages opened from a disk. */

/** Bytes, as all functions here take and return them. */
export type Bytes = Uint8Array<ArrayBuffer>;

const words = (text: string) =>
  text
    .trim()
    .split(/\s+/)
    .map((word) => parseInt(word, 16));
const ROUNDS = new Uint32Array(
  words(`
    428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5
    d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174
    e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da
    983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967
    27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85
    a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070
    19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3
    748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2
  `),
);
const START = words("6a09e667 bb67ae85 3c6ef372 a54ff53a " + "510e527f 9b05688c 1f83d9ab 5be0cd19");
const encoder = new TextEncoder();

export function sha256(bytes: Bytes) {
  const length = bytes.length;
  const blocks = (length + 9 + 63) >> 6;
  const padded = new Uint8Array(blocks * 64);
  const view = new DataView(padded.buffer);
  padded.set(bytes);
  padded[length] = 0x80;
  view.setUint32(padded.length - 8, Math.floor(length / 0x20000000));
  view.setUint32(padded.length - 4, (length << 3) >>> 0);
  const state = new Uint32Array(START);
  const w = new Uint32Array(64);
  const turn = (x: number, n: number) => (x >>> n) | (x << (32 - n));
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(block + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = w[i - 15];
      const b = w[i - 2];
      w[i] =
        w[i - 16] +
        (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) +
        w[i - 7] +
        (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const one =
        (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i] + w[i]) |
        0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + two) | 0;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }
  const out = new Uint8Array(32);
  const told = new DataView(out.buffer);
  state.forEach((word, i) => told.setUint32(4 * i, word));
  return out;
}

export function joined(...parts: Bytes[]) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export function hmac(key: Bytes, message: Bytes) {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  return sha256(
    joined(
      block.map((x) => x ^ 0x5c),
      sha256(
        joined(
          block.map((x) => x ^ 0x36),
          message,
        ),
      ),
    ),
  );
}

export const utf8 = (text: string) => encoder.encode(text);
export const hex = (bytes: Bytes) =>
  Array.from(bytes, (x) => x.toString(16).padStart(2, "0")).join("");
export const unhex = (text: string) =>
  new Uint8Array((text.match(/../g) ?? []).map((x: string) => parseInt(x, 16)));
