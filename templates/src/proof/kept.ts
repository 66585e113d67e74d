/* What a player kept: the dice proof in the text of a sitrep. */

import { earlier } from "./dice.ts";
import { hex, unhex } from "./sha256.ts";
import type { Proof } from "./data.ts";

/** One value of the dice proof in a sitrep. */
export interface KeptValue {
  segment: number;
  what: string;
  side: string;
  value: string;
}

/** The dice proof in the text of a sitrep. */
export interface Kept {
  game: string;
  side: string;
  told: KeptValue[];
}

/** A line that announces a value on the next line. */
interface Named {
  what: string;
  side: string;
  before: string;
}

/** Read the dice proof out of the text of a sitrep, which may be quoted. */
export function readKept(text: string): Kept {
  if (/^Content-Transfer-Encoding: *quoted-printable/im.test(text))
    text = text.replace(/=\r?\n/g, "").replace(/=3D/g, "=");
  const reader = new KeptReader();
  for (const raw of text.split(/\r?\n/)) reader.line(raw.replace(/^(\s*>)+/, "").trim());
  return reader.kept;
}

class KeptReader {
  readonly kept: Kept = { game: "", side: "", told: [] };
  private segment = 0;
  private named: Named | null = null;

  line(line: string) {
    let found;
    if ((found = /^This sitrep is for (\S+)\.$/.exec(line))) this.kept.side = found[1];
    else if ((found = /^Dice of (\S+), scheme (\d+)$/.exec(line))) {
      this.kept.game = found[1];
      this.segment = 0;
      this.named = null;
      this.add("scheme", found[2]);
    } else if (this.kept.game) this.proofLine(line);
  }

  private proofLine(line: string) {
    let found;
    if ((found = /^Segment (\d+): request (\d+) of turn (\d+)$/.exec(line))) {
      this.segment = Number(found[1]);
      this.named = null;
    } else if ((found = /^(committed|salts|link|log|your salt)\s+([0-9a-f]{64})$/.exec(line))) {
      this.add(found[1], found[2], found[1] === "your salt" ? this.kept.side : "");
    } else if ((found = /^orders of (\S+)$/.exec(line))) {
      this.named = { what: "orders", side: found[1], before: "" };
    } else if ((found = /^beacon, round (\d+)$/.exec(line))) {
      this.named = { what: "beacon", side: "", before: `${found[1]}:` };
    } else if ((found = /^awaits round (\d+) of the beacon$/.exec(line))) {
      this.add("round", found[1]);
    } else if (this.named && /^[0-9a-f]{64}$/.test(line)) {
      this.add(this.named.what, this.named.before + line, this.named.side);
      this.named = null;
    }
  }

  private add(what: string, value: string, side = "") {
    this.kept.told.push({ segment: this.segment, what, side, value });
  }
}

/** Return a sentence for each value that a player was told and the archive does not have. */
export function compareKept(kept: Kept, proof: Proof): string[] {
  const wrong: string[] = [];
  for (const told of kept.told) {
    const known = archived(told, proof);
    if (known === null || known === told.value) continue;
    const what =
      told.what +
      (told.side ? " of " + told.side : "") +
      (told.segment ? ", segment " + told.segment : "");
    const archive = known || "nothing";
    wrong.push(`${what}: you were told ${told.value}, the archive has ${archive}`);
  }
  return wrong;
}

/** Return what the archive has in the place of a value: empty for nothing, null if it cannot be compared. */
function archived({ segment, what, side }: KeptValue, proof: Proof): string | null {
  if (!segment) {
    const { scheme, commitment, salts } = proof;
    const known: Record<string, string> = { scheme: String(scheme), committed: commitment, salts };
    return known[what] || "";
  }
  const one = proof.segments.find((each) => each.segment === segment);
  if (!one) {
    // Told before a backup was put back, and played otherwise since: only its link is in the chain.
    const later = proof.segments.find((other) => other.segment > segment);
    if (later && what !== "link") return null;
    return later ? hex(earlier(unhex(later.link), later.segment - segment)) : "";
  }
  if (what === "orders" || what === "your salt") {
    const sent = one.orders.find((each) => each.side === side);
    return (what === "orders" ? sent?.sealed : sent?.salt) ?? "";
  }
  const { link, log, beacon } = one;
  const known: Record<string, string> = { link, log, beacon, round: beacon.split(":")[0] };
  return known[what] || "";
}
