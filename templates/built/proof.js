"use strict";
(() => {
  // src/proof/findings.ts
  function beginCheck(id, title) {
    return { id, title, looked: 0, wrong: [] };
  }

  // src/proof/sha256.ts
  var words = (text) => text.trim().split(/\s+/).map((word) => parseInt(word, 16));
  var ROUNDS = new Uint32Array(
    words(`
    428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5
    d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174
    e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da
    983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967
    27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85
    a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070
    19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3
    748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2
  `)
  );
  var START = words("6a09e667 bb67ae85 3c6ef372 a54ff53a 510e527f 9b05688c 1f83d9ab 5be0cd19");
  var encoder = new TextEncoder();
  function sha256(bytes) {
    const length = bytes.length;
    const blocks = length + 9 + 63 >> 6;
    const padded = new Uint8Array(blocks * 64);
    const view = new DataView(padded.buffer);
    padded.set(bytes);
    padded[length] = 128;
    view.setUint32(padded.length - 8, Math.floor(length / 536870912));
    view.setUint32(padded.length - 4, length << 3 >>> 0);
    const state = new Uint32Array(START);
    const w = new Uint32Array(64);
    const turn = (x, n) => x >>> n | x << 32 - n;
    for (let block = 0; block < padded.length; block += 64) {
      for (let i = 0; i < 16; i++) w[i] = view.getUint32(block + 4 * i);
      for (let i = 16; i < 64; i++) {
        const a2 = w[i - 15];
        const b2 = w[i - 2];
        w[i] = w[i - 16] + (turn(a2, 7) ^ turn(a2, 18) ^ a2 >>> 3) + w[i - 7] + (turn(b2, 17) ^ turn(b2, 19) ^ b2 >>> 10);
      }
      let [a, b, c, d, e, f, g, h] = state;
      for (let i = 0; i < 64; i++) {
        const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & f ^ ~e & g) + ROUNDS[i] + w[i] | 0;
        const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c) | 0;
        h = g;
        g = f;
        f = e;
        e = d + one | 0;
        d = c;
        c = b;
        b = a;
        a = one + two | 0;
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
  function joined(...parts) {
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
  function hmac(key, message) {
    const block = new Uint8Array(64);
    block.set(key.length > 64 ? sha256(key) : key);
    return sha256(
      joined(
        block.map((x) => x ^ 92),
        sha256(
          joined(
            block.map((x) => x ^ 54),
            message
          )
        )
      )
    );
  }
  var utf8 = (text) => encoder.encode(text);
  var hex = (bytes) => Array.from(bytes, (x) => x.toString(16).padStart(2, "0")).join("");
  var unhex = (text) => new Uint8Array((text.match(/../g) ?? []).map((x) => parseInt(x, 16)));

  // src/proof/dice.ts
  var salt = (base, turn, request, side, segment, word = "") => hmac(base, utf8(`salt|${turn}|${request}|${side}|${segment}${word && "|" + word}`));
  var logKey = (base, segment) => hmac(base, utf8(`log|${segment}`));
  var sealed = (text, saltedWith) => hex(sha256(joined(saltedWith, utf8(text))));
  var byName = (a, b) => a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
  function segmentKey(link, game, segment, seals, scheme, beacon) {
    const parts = [`pbem dice ${scheme}`, game, String(segment)];
    for (const [side, seal] of [...seals].sort(byName)) parts.push(`${side}=${seal}`);
    if (beacon) parts.push(`beacon=${beacon}`);
    return hmac(link, utf8(parts.join("|")));
  }
  function roll(key, label, faces) {
    const limit = (1n << 64n) / BigInt(faces) * BigInt(faces);
    for (let block = 0; ; block++) {
      const digest = hmac(key, utf8(`${label}|${block}`));
      const view = new DataView(digest.buffer);
      for (let offset = 0; offset < 32; offset += 8) {
        const word = view.getBigUint64(offset);
        if (word < limit) return { die: Number(word % BigInt(faces)) + 1, digest: hex(digest) };
      }
    }
  }
  function earlier(link, steps) {
    for (; steps > 0; steps--) link = sha256(link);
    return link;
  }
  var passedOver = (segment, told) => Math.ceil((told > segment ? told : segment + 32) / 64) * 64;
  var linked = (before, line) => sha256(joined(before, sha256(utf8(line))));
  var ACTS = /* @__PURE__ */ new Set([
    "undone",
    "reran",
    "dice_passed",
    "adjusted",
    "ruled",
    "options_ruled",
    "house_ruled",
    "decided"
  ]);

  // src/proof/log.ts
  function diceOf(event, known) {
    const found = [];
    if (event.roll) {
      const labels = known.has(event.roll) ? [event.roll] : event.roll.split(" + ");
      found.push([labels, event.die || 0]);
    }
    if (event.second_roll) found.push([[event.second_roll], event.second]);
    if (event.rolls) {
      const dice = [...event.holders_dice || [], ...event.raiders_dice || []];
      event.rolls.forEach((label, i) => found.push([[label], dice[i]]));
    }
    return found;
  }
  var STEPS = [
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
    "close"
  ];
  var moment = (turn, impulse, step) => (Number(turn) * 1e3 + Number(impulse)) * 100 + STEPS.indexOf(step);
  function momentOf(label) {
    const [turn, impulse, step] = label.split(" ")[0].split(".");
    return moment(turn, impulse, step);
  }
  function spans(lines) {
    const found = /* @__PURE__ */ new Map();
    let now = null;
    for (const line of lines) {
      let event;
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
        found.get(now)[1] = here ? moment(event.turn, event.impulse || 0, event.step) : moment(next.turn, 0, "energy");
      }
    }
    return found;
  }
  function whoseDice(byNumber, began, one, when) {
    for (const number of one.kept || []) {
      const [begin, end] = began.get(number) || [Infinity, 0];
      if (number < one.segment && byNumber.has(number) && begin <= when && when < end)
        return whoseDice(byNumber, began, byNumber.get(number), when);
    }
    return one.segment;
  }
  function freshWords(data) {
    const words2 = data.proof.fresh || [];
    const found = [];
    for (const line of data.log) {
      let event;
      try {
        event = JSON.parse(line).event;
      } catch {
        continue;
      }
      if (event.event === "dice_passed" && event.fresh)
        found.push({ after: event.segment, word: words2[found.length] || "", told: event.fresh });
    }
    return found;
  }

  // src/proof/log_check.ts
  function checkLog(data, byNumber, findings) {
    const check = new LogCheck(data, byNumber, findings);
    data.log.forEach((line, place) => check.line(line, place));
    const last = Math.max(0, ...[...byNumber.values()].map((one) => one.last));
    if (data.log.length < last) findings.log.wrong.push(`the log ends before record ${last}`);
  }
  var LogCheck = class {
    constructor(data, byNumber, findings) {
      this.data = data;
      this.byNumber = byNumber;
      this.findings = findings;
    }
    data;
    byNumber;
    findings;
    running = new Uint8Array(32);
    now = null;
    standing = {};
    past = [];
    began = [];
    count = 0;
    passed = false;
    line(line, place) {
      this.running = linked(this.running, line);
      let record;
      try {
        record = JSON.parse(line);
      } catch {
        this.findings.log.wrong.push(`line ${place + 1} cannot be read`);
        return;
      }
      if (record.n !== place + 1) {
        this.findings.log.wrong.push(`record ${record.n} stands where ${place + 1} belongs`);
      }
      const event = record.event;
      if (event.event === "dice_passed") this.dicePassed(record.n, event);
      if (event.event === "segment_began") this.segmentBegan(record.n, event);
      if (event.event === "orders_filed" && this.now) this.ordersFiled(record.n, event, this.now);
      if (event.event === "undone" || event.event === "reran") this.takenBack(event);
      if (!this.now?.older) this.dice(record.n, event);
      if (this.now && record.n === this.now.last) this.segmentEnded(this.now);
    }
    dicePassed(n, event) {
      const { log } = this.findings;
      const isWrong = this.passed || event.fresh && event.told;
      if (isWrong || event.segment !== passedOver(this.count, event.told || 0)) {
        log.wrong.push(`record ${n}: links up to segment ${event.segment} are passed over`);
      }
      this.count = event.segment;
      this.passed = true;
    }
    segmentBegan(n, event) {
      const { log, beacons } = this.findings;
      if (event.segment !== this.count + 1) {
        log.wrong.push(`segment ${event.segment} stands where ${this.count + 1} belongs`);
      }
      this.count = event.segment;
      this.passed = false;
      this.now = this.byNumber.get(event.segment) || null;
      this.began.push([n, this.now]);
      if (!this.now) log.wrong.push(`segment ${event.segment} has no proof`);
      else if (beacons && event.beacon !== this.now.beacon) {
        beacons.wrong.push(`segment ${event.segment}: the log has another value`);
      }
    }
    ordersFiled(n, event, now) {
      const { orders } = this.findings;
      if (!event.continued || !(event.side in this.standing)) {
        this.standing = { ...this.standing, [event.side]: event.text };
      }
      this.past.push([n, this.standing]);
      const sent = now.orders.find((one) => one.side === event.side);
      orders.looked++;
      if (!sent || sent.sealed !== event.sealed) {
        orders.wrong.push(`the log has another hash for ${event.side} in segment ${now.segment}`);
      }
    }
    takenBack(event) {
      this.standing = this.past.findLast(([n]) => n <= event.to)?.[1] ?? {};
      for (const [n, one] of this.began) if (n > event.to && one) one.takenBack = true;
    }
    dice(n, event) {
      const now = this.now;
      for (const [labels, die] of diceOf(event, now ? now.known : /* @__PURE__ */ new Map())) {
        this.findings.events.looked++;
        const sum = labels.reduce((all, label) => all + (now?.known.get(label) ?? NaN), 0);
        if (sum !== die) this.findings.events.wrong.push(`record ${n}: ${labels.join(" + ")}`);
        if (!now) continue;
        const use = { n, said: this.data.told[n] || event.event, ok: sum === die };
        for (const label of labels) now.uses.set(label, [...now.uses.get(label) || [], use]);
      }
    }
    segmentEnded(now) {
      const { log, orders } = this.findings;
      log.looked++;
      if (hex(hmac(unhex(now.log_key), this.running)) !== now.log) {
        log.wrong.push(`the log up to segment ${now.segment}`);
      }
      for (const sent of now.orders) {
        if (sent.text !== this.standing[sent.side]) {
          orders.wrong.push(`the log has other orders of ${sent.side} in segment ${now.segment}`);
        }
      }
      this.now = null;
    }
  };

  // src/proof/check.ts
  var LONGEST_CHAIN = 4096;
  function checkAll(data) {
    const proof = data.proof;
    const findings = {
      chain: beginCheck(
        "chain",
        "Every link of the dice chain leads to the hash that was committed before the game"
      ),
      salts: proof.scheme > 1 ? beginCheck(
        "salts",
        "Every salt comes from the salt chain that was committed before the game"
      ) : null,
      orders: beginCheck(
        "orders",
        "The hash of every side’s orders is correct and is the one in the log"
      ),
      beacons: proof.beacon ? beginCheck(
        "beacon",
        "Every segment has a value of the public beacon, each of a later round"
      ) : null,
      rolls: beginCheck("rolls", "Every roll follows from the segment’s key and its own label"),
      events: beginCheck("events", "Every die in the log is the one rolled under its label"),
      log: beginCheck("log", "Every record of the log is the one its sitrep committed to")
    };
    const fresh = freshWords(data);
    const isUnknown = (one) => !/^[0-9a-f]{64}$/.test(one.word) || hex(sha256(unhex(one.word))) !== one.told;
    if (fresh.length !== (proof.fresh || []).length || fresh.some(isUnknown)) {
      findings.orders.wrong.push("the new words of the salts are not those the log committed to");
    }
    const segments = proof.segments.map((one) => ({
      ...one,
      key: new Uint8Array(),
      rows: [],
      uses: /* @__PURE__ */ new Map(),
      known: /* @__PURE__ */ new Map(),
      takenBack: false
    }));
    checkChain(proof.commitment, segments, findings.chain);
    if (findings.salts && segments.length) checkSalts(data, segments, fresh, findings.salts);
    checkOrders(data, segments, findings);
    const byNumber = new Map(segments.map((one) => [one.segment, one]));
    checkRolls(data, segments, byNumber, findings.rolls);
    checkLog(data, byNumber, findings);
    const checks = Object.values(findings).filter((check) => check !== null);
    return { checks, segments };
  }
  function checkChain(commitment, segments, chain) {
    let wanted = commitment;
    let before = 0;
    for (const one of segments) {
      chain.looked++;
      const steps = one.segment - before;
      if (!(steps > 0 && one.segment <= LONGEST_CHAIN)) {
        chain.wrong.push(`segment ${one.segment} stands behind segment ${before}`);
      } else if (hex(earlier(unhex(one.link), steps)) !== wanted) {
        chain.wrong.push(`the link of segment ${one.segment}`);
      }
      wanted = one.link;
      before = one.segment;
    }
  }
  function checkSalts(data, segments, fresh, salts) {
    let base = unhex(data.proof.salt_link);
    let last = segments[segments.length - 1].segment;
    for (const one of [...segments].reverse()) {
      base = earlier(base, last - one.segment);
      last = one.segment;
      for (const sent of one.orders) {
        salts.looked++;
        const word = fresh.findLast(({ after }) => after < one.segment)?.word ?? "";
        const made = hex(salt(base, one.turn, one.request, sent.side, one.segment, word));
        if (made !== sent.salt) {
          salts.wrong.push(`the salt of ${sent.side} in segment ${one.segment}`);
        }
      }
      salts.looked++;
      if (hex(logKey(base, one.segment)) !== one.log_key) {
        salts.wrong.push(`the log key of segment ${one.segment}`);
      }
    }
    base = earlier(base, Math.min(last, LONGEST_CHAIN));
    if (hex(base) !== data.proof.salts) {
      salts.wrong.push("the salt chain does not lead to the hash committed to");
    }
  }
  function checkOrders(data, segments, findings) {
    const { orders, beacons } = findings;
    let round = 0;
    for (const one of segments) {
      for (const sent of one.orders) {
        orders.looked++;
        if (sealed(sent.text, unhex(sent.salt)) !== sent.sealed) {
          orders.wrong.push(`the orders of ${sent.side} in segment ${one.segment}`);
        }
      }
      if (beacons && !(one.kept || []).length) {
        beacons.looked++;
        const found = /^(\d+):[0-9a-f]{64}$/.exec(one.beacon);
        if (!found || Number(found[1]) <= round) beacons.wrong.push(`segment ${one.segment}`);
        round = found ? Number(found[1]) : round;
      }
      const seals = one.orders.map((sent) => [sent.side, sent.sealed]);
      const { game, scheme } = data.proof;
      one.key = segmentKey(unhex(one.link), game, one.segment, seals, scheme, one.beacon);
    }
  }
  function checkRolls(data, segments, byNumber, rolls) {
    const played = spans(data.log);
    for (const one of segments) {
      for (const [label, faces, die] of one.rolls) {
        rolls.looked++;
        const whose = whoseDice(byNumber, played, one, momentOf(label));
        const told = (one.of || {})[label] || one.segment;
        if (whose !== told) {
          rolls.wrong.push(
            `${label} in segment ${one.segment}: the dice of segment ${told} were told, those of ${whose} hold`
          );
        }
        const made = roll((byNumber.get(whose) || one).key, label, faces);
        const ok = made.die === die;
        if (!ok) {
          rolls.wrong.push(
            `${label} in segment ${one.segment}: ${die} was told, ${made.die} is rolled`
          );
        }
        one.known.set(label, die);
        one.rows.push({ label, faces, die, digest: made.digest, rolled: made.die, ok });
      }
    }
  }

  // src/proof/kept.ts
  function readKept(text) {
    if (/^Content-Transfer-Encoding: *quoted-printable/im.test(text))
      text = text.replace(/=\r?\n/g, "").replace(/=3D/g, "=");
    const reader = new KeptReader();
    for (const raw of text.split(/\r?\n/)) reader.line(raw.replace(/^(\s*>)+/, "").trim());
    return reader.kept;
  }
  var KeptReader = class {
    kept = { game: "", side: "", told: [] };
    segment = 0;
    named = null;
    line(line) {
      let found;
      if (found = /^This sitrep is for (\S+)\.$/.exec(line)) this.kept.side = found[1];
      else if (found = /^Dice of (\S+), scheme (\d+)$/.exec(line)) {
        this.kept.game = found[1];
        this.segment = 0;
        this.named = null;
        this.add("scheme", found[2]);
      } else if (this.kept.game) this.proofLine(line);
    }
    proofLine(line) {
      let found;
      if (found = /^Segment (\d+): request (\d+) of turn (\d+)$/.exec(line)) {
        this.segment = Number(found[1]);
        this.named = null;
      } else if (found = /^(committed|salts|link|log|your salt)\s+([0-9a-f]{64})$/.exec(line)) {
        this.add(found[1], found[2], found[1] === "your salt" ? this.kept.side : "");
      } else if (found = /^orders of (\S+)$/.exec(line)) {
        this.named = { what: "orders", side: found[1], before: "" };
      } else if (found = /^beacon, round (\d+)$/.exec(line)) {
        this.named = { what: "beacon", side: "", before: `${found[1]}:` };
      } else if (found = /^awaits round (\d+) of the beacon$/.exec(line)) {
        this.add("round", found[1]);
      } else if (this.named && /^[0-9a-f]{64}$/.test(line)) {
        this.add(this.named.what, this.named.before + line, this.named.side);
        this.named = null;
      }
    }
    add(what, value, side = "") {
      this.kept.told.push({ segment: this.segment, what, side, value });
    }
  };
  function compareKept(kept, proof) {
    const wrong = [];
    for (const told of kept.told) {
      const known = archived(told, proof);
      if (known === null || known === told.value) continue;
      const what = told.what + (told.side ? " of " + told.side : "") + (told.segment ? ", segment " + told.segment : "");
      const archive = known || "nothing";
      wrong.push(`${what}: you were told ${told.value}, the archive has ${archive}`);
    }
    return wrong;
  }
  function archived({ segment, what, side }, proof) {
    if (!segment) {
      const { scheme, commitment, salts } = proof;
      const known2 = { scheme: String(scheme), committed: commitment, salts };
      return known2[what] || "";
    }
    const one = proof.segments.find((each) => each.segment === segment);
    if (!one) {
      const later = proof.segments.find((other) => other.segment > segment);
      if (later && what !== "link") return null;
      return later ? hex(earlier(unhex(later.link), later.segment - segment)) : "";
    }
    if (what === "orders" || what === "your salt") {
      const sent = one.orders.find((each) => each.side === side);
      return (what === "orders" ? sent?.sealed : sent?.salt) ?? "";
    }
    const { link, log, beacon } = one;
    const known = { link, log, beacon, round: beacon.split(":")[0] };
    return known[what] || "";
  }

  // src/proof/page.ts
  var byId = (id) => document.getElementById(id);
  function element(tag, text, ...children) {
    const [name, ...classes] = tag.split(".");
    const made = document.createElement(name);
    if (classes.length) made.className = classes.join(" ");
    if (text) made.textContent = text;
    made.append(...children);
    return made;
  }
  var mark = (ok) => element(ok ? "span.yes" : "span.no", ok ? "✓" : "✗");
  function show(data) {
    const { checks, segments } = checkAll(data);
    const all = checks.every((check) => !check.wrong.length);
    const verdict = byId("verdict");
    verdict.className = all ? "lead yes" : "lead no";
    const made = segments.reduce((sum, one) => sum + one.rows.length, 0);
    verdict.textContent = all ? `✓ Everything matches: ${made} rolls in ${segments.length} segments, ${data.log.length} records of the log.` : "✗ Something does not match. See below.";
    const list = byId("checks");
    list.replaceChildren(
      ...checks.map(
        (check) => element(
          "li",
          "",
          mark(!check.wrong.length),
          element(
            "div",
            "",
            element("span", check.title),
            element("span.soft", ` (${check.looked})`),
            ...check.wrong.slice(0, 20).map((text) => element("div.no", text)),
            ...check.wrong.length > 20 ? [element("div.no", `and ${check.wrong.length - 20} more`)] : []
          )
        )
      )
    );
    byId("segments").replaceChildren(...segments.map(segmentShown));
    document.body.dataset.verdict = all ? "fits" : "differs";
  }
  function segmentShown(one) {
    const ok = one.rows.every((row) => row.ok) && [...one.uses.values()].flat().every((use) => use.ok);
    const count = one.rows.length === 0 ? "no rolls" : one.rows.length === 1 ? "1 roll" : `${one.rows.length} rolls`;
    const title = element(
      "summary",
      "",
      mark(ok),
      element("b", ` Segment ${one.segment}`),
      element(
        "span.soft",
        `: request ${one.request} of turn ${one.turn}, ${count}` + (one.takenBack ? ", taken back by the umpire" : "")
      )
    );
    const facts = element("dl.facts", "", element("dt", "link"), element("dd.mono", one.link));
    if (one.beacon) facts.append(element("dt", "beacon"), element("dd.mono", one.beacon));
    for (const sent of one.orders) {
      facts.append(
        element("dt", `orders of ${sent.side}`),
        element(
          "dd",
          "",
          element("div.mono", sent.sealed),
          element(
            "details",
            "",
            element("summary", "salt and text"),
            element("div.mono", sent.salt),
            element("pre", sent.text)
          )
        )
      );
    }
    facts.append(element("dt", "key"), element("dd.mono", hex(one.key)));
    const box = element("details.segment", "", title, facts);
    box.open = !ok;
    if (one.rows.length) {
      const head = element(
        "tr",
        "",
        ...["", "Label", "Die", "HMAC of the label", "Where it was used"].map(
          (text) => element("th", text)
        )
      );
      const rows = one.rows.map((row) => {
        const uses = one.uses.get(row.label) || [];
        const used = uses.length ? uses.map((use) => element("div", `${use.said} `, element("span.soft", `record ${use.n}`))) : [element("span.soft", "not in the log")];
        const die = row.ok ? `${row.die}` : `${row.die}, must be ${row.rolled}`;
        return element(
          row.ok ? "tr" : "tr.wrong",
          "",
          element("td", "", mark(row.ok && uses.every((use) => use.ok))),
          element("td.mono", row.label),
          element("td", die, element("span.soft", ` of ${row.faces}`)),
          element("td.mono.digest", row.digest),
          element("td", "", ...used)
        );
      });
      box.append(
        element(
          "div.scroll",
          "",
          element("table.rolls", "", element("thead", "", head), element("tbody", "", ...rows))
        )
      );
    }
    return box;
  }
  function compareTexts(named, data) {
    const results = named.map(({ name, text }) => {
      const kept = readKept(text);
      if (!kept.game)
        return element(
          "li",
          "",
          element("span.soft", "–"),
          element("div", "", element("b", name), ": no dice proof was found in this text")
        );
      if (kept.game !== data.proof.game)
        return element(
          "li",
          "",
          element("span.soft", "–"),
          element("div", "", element("b", name), `: this is about another game, ${kept.game}`)
        );
      const wrong = compareKept(kept, data.proof);
      const said = wrong.length ? `: ${wrong.length} of ${kept.told.length} values differ from the archive` : `: all ${kept.told.length} values match the archive`;
      return element(
        "li",
        "",
        mark(!wrong.length),
        element("div", "", element("b", name), said, ...wrong.map((text2) => element("div.no", text2)))
      );
    });
    byId("compared").replaceChildren(...results);
  }
  function listen(data) {
    const files = byId("files");
    const pasted = byId("pasted");
    const drop = byId("drop");
    const read = async (chosen) => compareTexts(
      await Promise.all(
        [...chosen ?? []].map(async (file) => ({ name: file.name, text: await file.text() }))
      ),
      data
    );
    files.addEventListener("change", () => read(files.files));
    pasted.addEventListener(
      "input",
      () => pasted.value.trim() && compareTexts([{ name: "The pasted text", text: pasted.value }], data)
    );
    for (const kind of ["dragover", "drop"])
      drop.addEventListener(kind, (event) => {
        if (event.dataTransfer?.types.includes("Files")) {
          event.preventDefault();
          if (kind === "drop") read(event.dataTransfer.files);
        }
      });
  }

  // src/proof/main.ts
  Object.assign(globalThis, {
    proofPage: {
      sha256,
      hmac,
      hex,
      unhex,
      utf8,
      salt,
      logKey,
      sealed,
      segmentKey,
      roll,
      linked,
      checkAll,
      readKept,
      compareKept
    }
  });
  if (typeof document === "object") {
    const data = JSON.parse(document.getElementById("data").textContent);
    show(data);
    listen(data);
  }
})();
