/* The proof page of a finished game. It works the dice out again with nothing but its own data. */

import { checkAll } from "./check.ts";
import type { ProofPage } from "./data.ts";
import { linked, logKey, roll, salt, sealed, segmentKey } from "./dice.ts";
import { compareKept, readKept } from "./kept.ts";
import { listen, show } from "./page.ts";
import { hex, hmac, sha256, unhex, utf8 } from "./sha256.ts";

/* For readers who want to try the parts by hand, and for tests. */
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
    compareKept,
  },
});

if (typeof document === "object") {
  const data: ProofPage = JSON.parse(document.getElementById("data")!.textContent!);
  show(data);
  listen(data);
}
