/* The proof of a finished game, worked out with nothing but this file: SHA-256, the dice, and what is compared.
   The same functions run under node, where the tests hold them to the published vectors. */
"use strict";

/* --- SHA-256 and HMAC. Browsers have their own, but not for pages opened from a disk. */
const ROUNDS = new Uint32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
]);
const START = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
const encoder = new TextEncoder();

function sha256(bytes) {
  const length = bytes.length, blocks = (length + 9 + 63) >> 6;
  const padded = new Uint8Array(blocks * 64), view = new DataView(padded.buffer);
  padded.set(bytes);
  padded[length] = 0x80;
  view.setUint32(padded.length - 8, Math.floor(length / 0x20000000));
  view.setUint32(padded.length - 4, (length << 3) >>> 0);
  const state = new Uint32Array(START), w = new Uint32Array(64);
  const turn = (x, n) => (x >>> n) | (x << (32 - n));
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(block + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i] + w[i]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + one) | 0; d = c; c = b; b = a; a = (one + two) | 0;
    }
    state[0] += a; state[1] += b; state[2] += c; state[3] += d;
    state[4] += e; state[5] += f; state[6] += g; state[7] += h;
  }
  const out = new Uint8Array(32), told = new DataView(out.buffer);
  state.forEach((word, i) => told.setUint32(4 * i, word));
  return out;
}

function joined(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
}

function hmac(key, message) {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  return sha256(joined(block.map(x => x ^ 0x5c), sha256(joined(block.map(x => x ^ 0x36), message))));
}

const utf8 = text => encoder.encode(text);
const hex = bytes => Array.from(bytes, x => x.toString(16).padStart(2, "0")).join("");
const unhex = text => new Uint8Array((text.match(/../g) || []).map(x => parseInt(x, 16)));

/* --- the dice */
const salt = (base, turn, request, side, segment, word = "") => hmac(base, utf8(`salt|${turn}|${request}|${side}|${segment}${word && "|" + word}`));
const logKey = (base, segment) => hmac(base, utf8(`log|${segment}`));
const sealed = (text, saltedWith) => hex(sha256(joined(saltedWith, utf8(text))));
const byName = (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0);

function segmentKey(link, game, segment, seals, scheme, beacon) {
  const parts = [`pbem dice ${scheme}`, game, String(segment)];
  for (const [side, seal] of [...seals].sort(byName)) parts.push(`${side}=${seal}`);
  if (beacon) parts.push(`beacon=${beacon}`);
  return hmac(link, utf8(parts.join("|")));
}

/* A roll: its number, and the digest it was taken from. */
function roll(key, label, faces) {
  const limit = (1n << 64n) / BigInt(faces) * BigInt(faces);
  for (let block = 0; ; block++) {
    const digest = hmac(key, utf8(`${label}|${block}`)), view = new DataView(digest.buffer);
    for (let offset = 0; offset < 32; offset += 8) {
      const word = view.getBigUint64(offset);
      if (word < limit) return { die: Number(word % BigInt(faces)) + 1, digest: hex(digest) };
    }
  }
}

/* A link so many segments earlier. */
function earlier(link, steps) {
  for (; steps > 0; steps--) link = sha256(link);
  return link;
}

/* The last segment whose link is passed over where players were told of those up to `told` (0: nobody knows). */
const passedOver = (segment, told) => Math.ceil((told > segment ? told : segment + 32) / 64) * 64;

/* The running digest of the log after one more line. */
const linked = (before, line) => sha256(joined(before, sha256(utf8(line))));

/* What the umpire does between two segments. */
const ACTS = new Set(["undone", "reran", "dice_passed", "adjusted", "ruled", "options_ruled", "house_ruled", "decided"]);

/* --- the dice an event tells: [label, die] each. Where several were added up their labels are joined by " + ". */
function diceOf(event, known) {
  const found = [];
  if (event.roll) {
    const labels = known.has(event.roll) ? [event.roll] : event.roll.split(" + ");
    found.push([labels, event.die || 0]);
  }
  if (event.second_roll) found.push([[event.second_roll], event.second]);
  if (event.rolls) {
    const dice = [...(event.holders_dice || []), ...(event.raiders_dice || [])];
    event.rolls.forEach((label, i) => found.push([[label], dice[i]]));
  }
  return found;
}

/* A moment as one number, so that earlier ones are smaller: turn, impulse, step. */
const STEPS = ["energy", "announce", "lockon", "monsters", "move", "shuttles", "seek", "tac", "impact", "cloak", "tractor", "launch",
  "transport", "bay", "fire", "resolve", "end", "close"];
const moment = (turn, impulse, step) => (Number(turn) * 1000 + Number(impulse)) * 100 + STEPS.indexOf(step);

function momentOf(label) {
  const [turn, impulse, step] = label.split(" ")[0].split(".");
  return moment(turn, impulse, step);
}

/* From which moment until before which other each segment was played, as the log has it. */
function spans(lines) {
  const found = new Map();
  let now = null;
  for (const line of lines) {
    let event;
    try { event = JSON.parse(line).event; } catch { continue; }
    if (event.event === "segment_began") found.set(now = event.segment, [moment(event.turn, event.impulse || 0, event.step), Infinity]);
    else if (ACTS.has(event.event)) now = null;
    else if (event.event === "requested" && now) {
      const next = event.request, here = next.turn === event.turn;
      found.get(now)[1] = here ? moment(event.turn, event.impulse || 0, event.step) : moment(next.turn, 0, "energy");
    }
  }
  return found;
}

/* Whose dice a segment shows at a moment: those of the first it keeps that covers it, perhaps through a third; else its own. */
function whoseDice(byNumber, began, one, when) {
  for (const number of one.kept || []) {
    const [begin, end] = began.get(number) || [Infinity, 0];
    if (number < one.segment && byNumber.has(number) && begin <= when && when < end) return whoseDice(byNumber, began, byNumber.get(number), when);
  }
  return one.segment;
}

/* The new words that went into the salts where a backup was put back: after which segment, the word, and its hash in the log. */
function freshWords(data) {
  const words = data.proof.fresh || [], found = [];
  for (const line of data.log) {
    let event;
    try { event = JSON.parse(line).event; } catch { continue; }
    if (event.event === "dice_passed" && event.fresh) found.push({ after: event.segment, word: words[found.length] || "", told: event.fresh });
  }
  return found;
}

/* --- everything in turn. Each check says how many things it looked at and which were wrong. */
function checkAll(data) {
  const proof = data.proof, checks = {}, wrong = (check, text) => check.wrong.push(text);
  const begin = (id, title) => (checks[id] = { id, title, looked: 0, wrong: [] });
  const chain = begin("chain", "Every link of the dice chain leads to the hash committed to before the game");
  const salts = proof.scheme > 1 ? begin("salts", "Every salt comes from the salt chain committed to before the game") : null;
  const orders = begin("orders", "The hash of every side’s orders is that of the orders, and the one in the log");
  const beacons = proof.beacon ? begin("beacon", "Every segment has a value of the public beacon, of a later round each") : null;
  const rolls = begin("rolls", "Every roll follows from the segment’s key and its own label");
  const events = begin("events", "Every die in the log is the one rolled under its label");
  const log = begin("log", "Every record of the log is the one its sitrep committed to");

  const fresh = freshWords(data);
  if (fresh.length !== (proof.fresh || []).length || fresh.some(one => !/^[0-9a-f]{64}$/.test(one.word) || hex(sha256(unhex(one.word))) !== one.told)) {
    wrong(orders, "the new words of the salts are not those the log committed to");
  }
  const segments = proof.segments.map(one => ({ ...one, rows: [], uses: new Map(), takenBack: false }));
  const byNumber = new Map(segments.map(one => [one.segment, one]));
  let wanted = proof.commitment, before = 0;
  segments.forEach(one => {
    chain.looked++;
    // Between two segments links may have been passed over; whether that was so the log says.
    const steps = one.segment - before;
    if (!(steps > 0 && one.segment <= 4096)) wrong(chain, `segment ${one.segment} stands behind segment ${before}`);
    else if (hex(earlier(unhex(one.link), steps)) !== wanted) wrong(chain, `the link of segment ${one.segment}`);
    wanted = one.link;
    before = one.segment;
  });
  if (salts && segments.length) {
    let base = unhex(proof.salt_link), last = segments[segments.length - 1].segment;
    for (const one of [...segments].reverse()) {
      base = earlier(base, last - one.segment);
      last = one.segment;
      for (const sent of one.orders) {
        salts.looked++;
        const word = fresh.reduce((last, { after, word }) => after < one.segment ? word : last, "");
        const made = hex(salt(base, one.turn, one.request, sent.side, one.segment, word));
        if (made !== sent.salt) wrong(salts, `the salt of ${sent.side} in segment ${one.segment}`);
      }
      salts.looked++;
      if (hex(logKey(base, one.segment)) !== one.log_key) wrong(salts, `the log key of segment ${one.segment}`);
    }
    base = earlier(base, Math.min(last, 4096));
    if (hex(base) !== proof.salts) wrong(salts, "the salt chain does not lead to the hash committed to");
  }
  let round = 0;
  for (const one of segments) {
    for (const sent of one.orders) {
      orders.looked++;
      if (sealed(sent.text, unhex(sent.salt)) !== sent.sealed) wrong(orders, `the orders of ${sent.side} in segment ${one.segment}`);
    }
    if (beacons && !(one.kept || []).length) {
      beacons.looked++;
      const found = /^(\d+):[0-9a-f]{64}$/.exec(one.beacon);
      if (!found || Number(found[1]) <= round) wrong(beacons, `segment ${one.segment}`);
      round = found ? Number(found[1]) : round;
    }
    one.key = segmentKey(unhex(one.link), proof.game, one.segment, one.orders.map(o => [o.side, o.sealed]), proof.scheme, one.beacon);
  }
  const played = spans(data.log);
  for (const one of segments) {
    one.known = new Map();
    for (const [label, faces, die] of one.rolls) {
      rolls.looked++;
      // Play that the umpire had repeated keeps the dice of earlier segments.
      const whose = whoseDice(byNumber, played, one, momentOf(label)), told = (one.of || {})[label] || one.segment;
      if (whose !== told) wrong(rolls, `${label} in segment ${one.segment}: the dice of segment ${told} were told, those of ${whose} hold`);
      const key = (byNumber.get(whose) || one).key;
      const made = roll(key, label, faces), ok = made.die === die;
      if (!ok) wrong(rolls, `${label} in segment ${one.segment}: ${die} was told, ${made.die} is rolled`);
      one.known.set(label, die);
      one.rows.push({ label, faces, die, digest: made.digest, rolled: made.die, ok });
    }
  }
  walkLog(data, byNumber, { orders, events, log, beacons }, wrong);
  return { checks: Object.values(checks), segments };
}

function walkLog(data, byNumber, { orders, events, log, beacons }, wrong) {
  let running = new Uint8Array(32), now = null, standing = {}, past = [], began = [], count = 0, passed = false;
  data.log.forEach((line, place) => {
    running = linked(running, line);
    let record;
    try { record = JSON.parse(line); } catch { wrong(log, `line ${place + 1} cannot be read`); return; }
    const event = record.event;
    if (record.n !== place + 1) wrong(log, `record ${record.n} stands where ${place + 1} belongs`);
    if (event.event === "dice_passed") {
      if (passed || (event.fresh && event.told) || event.segment !== passedOver(count, event.told || 0)) wrong(log, `record ${record.n}: links up to segment ${event.segment} are passed over`);
      [count, passed] = [event.segment, true];
    }
    if (event.event === "segment_began") {
      if (event.segment !== count + 1) wrong(log, `segment ${event.segment} stands where ${count + 1} belongs`);
      [count, passed] = [event.segment, false];
      now = byNumber.get(event.segment) || null;
      began.push([record.n, now]);
      if (!now) wrong(log, `segment ${event.segment} has no proof`);
      else if (beacons && event.beacon !== now.beacon) wrong(beacons, `segment ${event.segment}: the log has another value`);
    }
    if (event.event === "orders_filed" && now) {
      if (!event.continued || !(event.side in standing)) standing = { ...standing, [event.side]: event.text };
      past.push([record.n, standing]);
      const sent = now.orders.find(one => one.side === event.side);
      orders.looked++;
      if (!sent || sent.sealed !== event.sealed) wrong(orders, `the log has another hash for ${event.side} in segment ${now.segment}`);
    }
    if (event.event === "undone" || event.event === "reran") {
      standing = (past.filter(([n]) => n <= event.to).pop() || [0, {}])[1];
      for (const [n, one] of began) if (n > event.to && one) one.takenBack = true;
    }
    // What was played by older rules is not played again; its rolls are not known.
    for (const [labels, die] of now && now.older ? [] : diceOf(event, now ? now.known : new Map())) {
      events.looked++;
      const sum = now ? labels.reduce((all, label) => all + (now.known.get(label) ?? NaN), 0) : NaN;
      if (sum !== die) wrong(events, `record ${record.n}: ${labels.join(" + ")}`);
      for (const label of labels) {
        if (!now) break;
        now.uses.set(label, [...(now.uses.get(label) || []), { n: record.n, said: data.told[record.n] || event.event, ok: sum === die }]);
      }
    }
    if (now && record.n === now.last) {
      log.looked++;
      if (hex(hmac(unhex(now.log_key), running)) !== now.log) wrong(log, `the log up to segment ${now.segment}`);
      for (const sent of now.orders) {
        if (sent.text !== standing[sent.side]) wrong(orders, `the log has other orders of ${sent.side} in segment ${now.segment}`);
      }
      now = null;
    }
  });
  const last = Math.max(0, ...[...byNumber.values()].map(one => one.last));
  if (data.log.length < last) wrong(log, `the log ends before record ${last}`);
}

/* --- what a player kept: the dice proof in the text of a sitrep */
function readKept(text) {
  if (/^Content-Transfer-Encoding: *quoted-printable/im.test(text)) text = text.replace(/=\r?\n/g, "").replace(/=3D/g, "=");
  const kept = { game: "", side: "", told: [] };
  let segment = 0, named = null, found;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.replace(/^(\s*>)+/, "").trim();
    if ((found = /^This sitrep is for (\S+)\.$/.exec(line))) kept.side = found[1];
    else if ((found = /^Dice of (\S+), scheme (\d+)$/.exec(line))) {
      kept.game = found[1]; segment = 0; named = null;
      kept.told.push({ segment, what: "scheme", side: "", value: found[2] });
    } else if (!kept.game) continue;
    else if ((found = /^Segment (\d+): request (\d+) of turn (\d+)$/.exec(line))) { segment = Number(found[1]); named = null; }
    else if ((found = /^(committed|salts|link|log|your salt)\s+([0-9a-f]{64})$/.exec(line))) {
      kept.told.push({ segment, what: found[1], side: found[1] === "your salt" ? kept.side : "", value: found[2] });
    } else if ((found = /^orders of (\S+)$/.exec(line))) named = { what: "orders", side: found[1], before: "" };
    else if ((found = /^beacon, round (\d+)$/.exec(line))) named = { what: "beacon", side: "", before: `${found[1]}:` };
    else if ((found = /^awaits round (\d+) of the beacon$/.exec(line))) kept.told.push({ segment, what: "round", side: "", value: found[1] });
    else if (named && (found = /^([0-9a-f]{64})$/.exec(line))) {
      kept.told.push({ segment, what: named.what, side: named.side, value: named.before + found[1] });
      named = null;
    }
  }
  return kept;
}

function compareKept(kept, proof) {
  const wrong = [];
  const segments = new Map(proof.segments.map(one => [one.segment, one]));
  for (const told of kept.told) {
    const one = segments.get(told.segment);
    let known = "";
    if (!told.segment) known = { scheme: String(proof.scheme), committed: proof.commitment, salts: proof.salts }[told.what] || "";
    else if (one && (told.what === "orders" || told.what === "your salt")) {
      const sent = one.orders.find(o => o.side === told.side);
      known = sent ? (told.what === "orders" ? sent.sealed : sent.salt) : "";
    } else if (one) known = { link: one.link, log: one.log, beacon: one.beacon, round: one.beacon.split(":")[0] }[told.what] || "";
    else {
      // Told before a backup was put back, and played otherwise since: only its link is in the chain.
      const later = proof.segments.find(other => other.segment > told.segment);
      if (later && told.what !== "link") continue;
      if (later) known = hex(earlier(unhex(later.link), later.segment - told.segment));
    }
    if (known !== told.value) {
      wrong.push(`${told.what}${told.side ? " of " + told.side : ""}${told.segment ? ", segment " + told.segment : ""}: you were told ${told.value}, the archive has ${known || "nothing"}`);
    }
  }
  return wrong;
}

/* --- on the page */
function element(tag, text, ...children) {
  const [name, ...classes] = tag.split(".");
  const made = document.createElement(name);
  if (classes.length) made.className = classes.join(" ");
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

const mark = ok => element(ok ? "span.yes" : "span.no", ok ? "✓" : "✗");

function show(data) {
  const { checks, segments } = checkAll(data);
  const all = checks.every(check => !check.wrong.length);
  const verdict = document.getElementById("verdict");
  verdict.className = all ? "lead yes" : "lead no";
  const made = segments.reduce((sum, one) => sum + one.rows.length, 0);
  verdict.textContent = all
    ? `✓ Everything fits: ${made} rolls in ${segments.length} segments, ${data.log.length} records of the log.`
    : "✗ Something does not fit. What it is stands below.";
  const list = document.getElementById("checks");
  list.replaceChildren(...checks.map(check => element("li", "", mark(!check.wrong.length), element("div", "",
    element("span", check.title), element("span.soft", ` (${check.looked})`),
    ...check.wrong.slice(0, 20).map(text => element("div.no", text)),
    ...(check.wrong.length > 20 ? [element("div.no", `and ${check.wrong.length - 20} more`)] : [])))));
  document.getElementById("segments").replaceChildren(...segments.map(segmentShown));
  document.body.dataset.verdict = all ? "fits" : "differs";
}

function segmentShown(one) {
  const ok = one.rows.every(row => row.ok) && [...one.uses.values()].flat().every(use => use.ok);
  const count = one.rows.length === 0 ? "no rolls" : one.rows.length === 1 ? "1 roll" : `${one.rows.length} rolls`;
  const title = element("summary", "", mark(ok), element("b", ` Segment ${one.segment}`),
    element("span.soft", `: request ${one.request} of turn ${one.turn}, ${count}${one.takenBack ? ", taken back by the umpire" : ""}`));
  const facts = element("dl.facts", "", element("dt", "link"), element("dd.mono", one.link));
  if (one.beacon) facts.append(element("dt", "beacon"), element("dd.mono", one.beacon));
  for (const sent of one.orders) {
    facts.append(element("dt", `orders of ${sent.side}`), element("dd", "", element("div.mono", sent.sealed),
      element("details", "", element("summary", "salt and text"), element("div.mono", sent.salt), element("pre", sent.text))));
  }
  facts.append(element("dt", "key"), element("dd.mono", hex(one.key)));
  const box = element("details.segment", "", title, facts);
  box.open = !ok;
  if (one.rows.length) {
    const head = element("tr", "", ...["", "Label", "Die", "HMAC of the label", "Where it was used"].map(text => element("th", text)));
    const rows = one.rows.map(row => {
      const uses = one.uses.get(row.label) || [];
      const used = uses.length ? uses.map(use => element("div", `${use.said} `, element("span.soft", `record ${use.n}`)))
        : [element("span.soft", "not told in the log")];
      const die = row.ok ? `${row.die}` : `${row.die}, must be ${row.rolled}`;
      return element(row.ok ? "tr" : "tr.wrong", "", element("td", "", mark(row.ok && uses.every(use => use.ok))), element("td.mono", row.label),
        element("td", die, element("span.soft", ` of ${row.faces}`)), element("td.mono.digest", row.digest), element("td", "", ...used));
    });
    box.append(element("div.scroll", "", element("table.rolls", "", element("thead", "", head), element("tbody", "", ...rows))));
  }
  return box;
}

function compareTexts(named, data) {
  const results = named.map(({ name, text }) => {
    const kept = readKept(text);
    if (!kept.game) return element("li", "", element("span.soft", "–"), element("div", "", element("b", name), ": no dice proof was found in this text"));
    if (kept.game !== data.proof.game) return element("li", "", element("span.soft", "–"), element("div", "", element("b", name), `: this is about ${kept.game}, another game`));
    const wrong = compareKept(kept, data.proof);
    const said = wrong.length ? `: ${wrong.length} of ${kept.told.length} values are not those of the archive` : `: all ${kept.told.length} values are those of the archive`;
    return element("li", "", mark(!wrong.length), element("div", "", element("b", name), said, ...wrong.map(text => element("div.no", text))));
  });
  document.getElementById("compared").replaceChildren(...results);
}

function listen(data) {
  const files = document.getElementById("files"), pasted = document.getElementById("pasted"), drop = document.getElementById("drop");
  const read = async chosen => compareTexts(await Promise.all([...chosen].map(async file => ({ name: file.name, text: await file.text() }))), data);
  files.addEventListener("change", () => read(files.files));
  pasted.addEventListener("input", () => pasted.value.trim() && compareTexts([{ name: "The pasted text", text: pasted.value }], data));
  for (const kind of ["dragover", "drop"]) drop.addEventListener(kind, event => {
    if (event.dataTransfer.types.includes("Files")) {
      event.preventDefault();
      if (kind === "drop") read(event.dataTransfer.files);
    }
  });
}

if (typeof module === "object") {
  module.exports = { sha256, hmac, hex, unhex, utf8, salt, logKey, sealed, segmentKey, roll, linked, checkAll, readKept, compareKept };
} else {
  const data = JSON.parse(document.getElementById("data").textContent);
  show(data);
  listen(data);
}
