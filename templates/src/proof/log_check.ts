/* The check of the log: its order, its dice, its orders and its running digest. */

import type { CheckedSegment } from "./check.ts";
import type { LogEvent, LogRecord, ProofPage } from "./data.ts";
import { linked, passedOver } from "./dice.ts";
import type { Findings } from "./findings.ts";
import { diceOf } from "./log.ts";
import { hex, hmac, unhex } from "./sha256.ts";

type Orders = Record<string, string>;

/** Check the log of a game line by line. */
export function checkLog(
  data: ProofPage,
  byNumber: Map<number, CheckedSegment>,
  findings: Findings,
) {
  const check = new LogCheck(data, byNumber, findings);
  data.log.forEach((line, place) => check.line(line, place));
  const last = Math.max(0, ...[...byNumber.values()].map((one) => one.last));
  if (data.log.length < last) findings.log.wrong.push(`the log ends before record ${last}`);
}

class LogCheck {
  private running = new Uint8Array(32);
  private now: CheckedSegment | null = null;
  private standing: Orders = {};
  private readonly past: [n: number, standing: Orders][] = [];
  private readonly began: [n: number, segment: CheckedSegment | null][] = [];
  private count = 0;
  private passed = false;

  constructor(
    private readonly data: ProofPage,
    private readonly byNumber: Map<number, CheckedSegment>,
    private readonly findings: Findings,
  ) {}

  line(line: string, place: number) {
    this.running = linked(this.running, line);
    let record: LogRecord;
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
    // What was played by older rules is not played again; its rolls are not known.
    if (!this.now?.older) this.dice(record.n, event);
    if (this.now && record.n === this.now.last) this.segmentEnded(this.now);
  }

  private dicePassed(n: number, event: LogEvent) {
    const { log } = this.findings;
    const isWrong = this.passed || (event.fresh && event.told);
    if (isWrong || event.segment !== passedOver(this.count, event.told || 0)) {
      log.wrong.push(`record ${n}: links up to segment ${event.segment} are passed over`);
    }
    this.count = event.segment;
    this.passed = true;
  }

  private segmentBegan(n: number, event: LogEvent) {
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

  private ordersFiled(n: number, event: LogEvent, now: CheckedSegment) {
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

  private takenBack(event: LogEvent) {
    this.standing = this.past.findLast(([n]) => n <= event.to)?.[1] ?? {};
    for (const [n, one] of this.began) if (n > event.to && one) one.takenBack = true;
  }

  private dice(n: number, event: LogEvent) {
    const now = this.now;
    for (const [labels, die] of diceOf(event, now ? now.known : new Map())) {
      this.findings.events.looked++;
      const sum = labels.reduce((all, label) => all + (now?.known.get(label) ?? NaN), 0);
      if (sum !== die) this.findings.events.wrong.push(`record ${n}: ${labels.join(" + ")}`);
      if (!now) continue;
      const use = { n, said: this.data.told[n] || event.event, ok: sum === die };
      for (const label of labels) now.uses.set(label, [...(now.uses.get(label) || []), use]);
    }
  }

  private segmentEnded(now: CheckedSegment) {
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
}
