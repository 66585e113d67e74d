/* Compares templates/built/proof.js with vectors.json; returns the names of what differs. Run by node and inside Chromium. */
function checkVectors(lib, vectors) {
  const wrong = [], { hex, unhex, utf8 } = lib;
  const same = (name, made, wanted) => { if (made !== wanted) wrong.push(`${name}: ${made} is not ${wanted}`); };
  for (const one of vectors.sha256) same("sha256", hex(lib.sha256(utf8(one.text))), one.digest);
  for (const one of vectors.hmac) same("hmac", hex(lib.hmac(unhex(one.key), utf8(one.text))), one.digest);
  for (const scheme of vectors.schemes) {
    for (const one of scheme.segments) {
      const seals = [];
      for (const sent of one.orders) {
        if (scheme.scheme > 1) same("salt", hex(lib.salt(unhex(one.salt_link), one.turn, one.request, sent.side, one.segment)), sent.salt);
        same("sealed", lib.sealed(sent.text, unhex(sent.salt)), sent.sealed);
        seals.unshift([sent.side, sent.sealed]);
      }
      if (scheme.scheme > 1) same("log key", hex(lib.logKey(unhex(one.salt_link), one.segment)), one.log_key);
      same("key", hex(lib.segmentKey(unhex(one.link), scheme.game, one.segment, seals, scheme.scheme, one.beacon)), one.key);
      let link = unhex(one.link);
      for (let n = 0; n < one.segment; n++) link = lib.sha256(link);
      same("commitment", hex(link), scheme.commitment);
    }
  }
  // BigInt takes faces as text, so that those beyond 2^53 are exact; their dice are compared as texts.
  for (const one of vectors.rolls) {
    if (one.faces.length < 16) same(one.label, String(lib.roll(unhex(vectors.rolls_key), one.label, one.faces).die), one.die);
    else same(one.label, String(BigInt(lib.roll(unhex(vectors.rolls_key), one.label, one.faces).die)), String(BigInt(Number(one.die))));
  }
  let running = new Uint8Array(32);
  for (const line of vectors.log.lines) running = lib.linked(running, line);
  same("running", hex(running), vectors.log.running);
  same("told", hex(lib.hmac(unhex(vectors.log.key), running)), vectors.log.told);
  for (const front of ["", "> ", "> > "]) {
    const kept = lib.readKept(vectors.kept.text.split("\n").map(line => front + line).join("\r\n"));
    const told = new Map(kept.told.map(one => [`${one.segment}|${one.what}|${one.side}`, one.value]));
    for (const [segment, what, side, value] of vectors.kept.told) same(`kept ${what}`, told.get(`${segment}|${what}|${side}`), value);
  }
  return wrong;
}
if (typeof module === "object") {
  const [script, file] = process.argv.slice(2), crypto = require("crypto");
  require(script);
  const lib = globalThis.proofPage;
  const wrong = checkVectors(lib, JSON.parse(require("fs").readFileSync(file, "utf8")));
  for (let length = 0; length < 300; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length) & 255);
    if (lib.hex(lib.sha256(bytes)) !== crypto.createHash("sha256").update(bytes).digest("hex")) wrong.push(`sha256 of ${length} bytes`);
  }
  console.log(JSON.stringify(wrong));
}
