/* The check of a finished game: every link, salt, order, roll, die and record. */

import { type Check, type Findings, beginCheck } from "./findings.ts";
import type { ProofPage, Segment } from "./data.ts";
import { earlier, logKey, roll, salt, sealed, segmentKey } from "./dice.ts";
import { type FreshWord, freshWords, momentOf, spans, whoseDice } from "./log.ts";
import { checkLog } from "./log_check.ts";
import { type Bytes, hex, sha256, unhex } from "./sha256.ts";

/** The longest chain of links that a game may have. */
const LONGEST_CHAIN = 4096;

/** A roll as the archive tells it (`die`) and as it follows from the key (`rolled`). */
export interface RollRow {
  label: string;
  faces: number;
  die: number;
  digest: string;
  rolled: number;
  ok: boolean;
}

/** A place in the log where a roll was used. */
export interface RollUse {
  n: number;
  said: string;
  ok: boolean;
}

/** A segment with everything the check finds out about it. */
export interface CheckedSegment extends Segment {
  key: Bytes;
  rows: RollRow[];
  uses: Map<string, RollUse[]>;
  known: Map<string, number>;
  takenBack: boolean;
}

/** Check a whole game. Each check says how many things it looked at and which were wrong. */
export function checkAll(data: ProofPage): { checks: Check[]; segments: CheckedSegment[] } {
  const proof = data.proof;
  const findings: Findings = {
    chain: beginCheck(
      "chain",
      "Every link of the dice chain leads to the hash that was committed before the game",
    ),
    salts:
      proof.scheme > 1
        ? beginCheck(
            "salts",
            "Every salt comes from the salt chain that was committed before the game",
          )
        : null,
    orders: beginCheck(
      "orders",
      "The hash of every side’s orders is correct and is the one in the log",
    ),
    beacons: proof.beacon
      ? beginCheck(
          "beacon",
          "Every segment has a value of the public beacon, each of a later round",
        )
      : null,
    rolls: beginCheck("rolls", "Every roll follows from the segment’s key and its own label"),
    events: beginCheck("events", "Every die in the log is the one rolled under its label"),
    log: beginCheck("log", "Every record of the log is the one its sitrep committed to"),
  };
  const fresh = freshWords(data);
  const isUnknown = (one: FreshWord) =>
    !/^[0-9a-f]{64}$/.test(one.word) || hex(sha256(unhex(one.word))) !== one.told;
  if (fresh.length !== (proof.fresh || []).length || fresh.some(isUnknown)) {
    findings.orders.wrong.push("the new words of the salts are not those the log committed to");
  }
  const segments = proof.segments.map((one) => ({
    ...one,
    key: new Uint8Array(),
    rows: [],
    uses: new Map(),
    known: new Map(),
    takenBack: false,
  })) as CheckedSegment[];
  checkChain(proof.commitment, segments, findings.chain);
  if (findings.salts && segments.length) checkSalts(data, segments, fresh, findings.salts);
  checkOrders(data, segments, findings);
  const byNumber = new Map(segments.map((one) => [one.segment, one]));
  checkRolls(data, segments, byNumber, findings.rolls);
  checkLog(data, byNumber, findings);
  const checks = Object.values(findings).filter((check): check is Check => check !== null);
  return { checks, segments };
}

function checkChain(commitment: string, segments: CheckedSegment[], chain: Check) {
  let wanted = commitment;
  let before = 0;
  for (const one of segments) {
    chain.looked++;
    // Between two segments links may have been passed over; the log says whether that was so.
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

function checkSalts(data: ProofPage, segments: CheckedSegment[], fresh: FreshWord[], salts: Check) {
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

function checkOrders(data: ProofPage, segments: CheckedSegment[], findings: Findings) {
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
    const seals = one.orders.map((sent): [string, string] => [sent.side, sent.sealed]);
    const { game, scheme } = data.proof;
    one.key = segmentKey(unhex(one.link), game, one.segment, seals, scheme, one.beacon);
  }
}

function checkRolls(
  data: ProofPage,
  segments: CheckedSegment[],
  byNumber: Map<number, CheckedSegment>,
  rolls: Check,
) {
  const played = spans(data.log);
  for (const one of segments) {
    for (const [label, faces, die] of one.rolls) {
      rolls.looked++;
      // Play that the umpire had repeated keeps the dice of earlier segments.
      const whose = whoseDice(byNumber, played, one, momentOf(label));
      const told = (one.of || {})[label] || one.segment;
      if (whose !== told) {
        rolls.wrong.push(
          `${label} in segment ${one.segment}: the dice of segment ${told} were told, ` +
            `those of ${whose} hold`,
        );
      }
      const made = roll((byNumber.get(whose) || one).key, label, faces);
      const ok = made.die === die;
      if (!ok) {
        rolls.wrong.push(
          `${label} in segment ${one.segment}: ${die} was told, ${made.die} is rolled`,
        );
      }
      one.known.set(label, die);
      one.rows.push({ label, faces, die, digest: made.digest, rolled: made.die, ok });
    }
  }
}
