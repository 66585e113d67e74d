/* The page: shows what the check finds, and compares texts that a player kept. */

import { type CheckedSegment, checkAll } from "./check.ts";
import { compareKept, readKept } from "./kept.ts";
import { hex } from "./sha256.ts";
import type { ProofPage } from "./data.ts";

/** Return an element of the page that must be there. */
const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

function element(tag: string, text: string, ...children: (Node | string)[]) {
  const [name, ...classes] = tag.split(".");
  const made = document.createElement(name);
  if (classes.length) made.className = classes.join(" ");
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

const mark = (ok: boolean) => element(ok ? "span.yes" : "span.no", ok ? "✓" : "✗");

/** Check the game and show what the check finds. */
export function show(data: ProofPage) {
  const { checks, segments } = checkAll(data);
  const all = checks.every((check) => !check.wrong.length);
  const verdict = byId("verdict");
  verdict.className = all ? "lead yes" : "lead no";
  const made = segments.reduce((sum, one: CheckedSegment) => sum + one.rows.length, 0);
  verdict.textContent = all
    ? `✓ Everything matches: ${made} rolls in ${segments.length} segments, ` +
      `${data.log.length} records of the log.`
    : "✗ Something does not match. See below.";
  const list = byId("checks");
  list.replaceChildren(
    ...checks.map((check) =>
      element(
        "li",
        "",
        mark(!check.wrong.length),
        element(
          "div",
          "",
          element("span", check.title),
          element("span.soft", ` (${check.looked})`),
          ...check.wrong.slice(0, 20).map((text: string) => element("div.no", text)),
          ...(check.wrong.length > 20
            ? [element("div.no", `and ${check.wrong.length - 20} more`)]
            : []),
        ),
      ),
    ),
  );
  byId("segments").replaceChildren(...segments.map(segmentShown));
  document.body.dataset.verdict = all ? "fits" : "differs";
}

function segmentShown(one: CheckedSegment) {
  const ok =
    one.rows.every((row) => row.ok) && [...one.uses.values()].flat().every((use) => use.ok);
  const count =
    one.rows.length === 0
      ? "no rolls"
      : one.rows.length === 1
        ? "1 roll"
        : `${one.rows.length} rolls`;
  const title = element(
    "summary",
    "",
    mark(ok),
    element("b", ` Segment ${one.segment}`),
    element(
      "span.soft",
      `: request ${one.request} of turn ${one.turn}, ${count}` +
        (one.takenBack ? ", taken back by the umpire" : ""),
    ),
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
          element("pre", sent.text),
        ),
      ),
    );
  }
  facts.append(element("dt", "key"), element("dd.mono", hex(one.key)));
  const box = element("details.segment", "", title, facts) as HTMLDetailsElement;
  box.open = !ok;
  if (one.rows.length) {
    const head = element(
      "tr",
      "",
      ...["", "Label", "Die", "HMAC of the label", "Where it was used"].map((text) =>
        element("th", text),
      ),
    );
    const rows = one.rows.map((row) => {
      const uses = one.uses.get(row.label) || [];
      const used = uses.length
        ? uses.map((use) => element("div", `${use.said} `, element("span.soft", `record ${use.n}`)))
        : [element("span.soft", "not in the log")];
      const die = row.ok ? `${row.die}` : `${row.die}, must be ${row.rolled}`;
      return element(
        row.ok ? "tr" : "tr.wrong",
        "",
        element("td", "", mark(row.ok && uses.every((use) => use.ok))),
        element("td.mono", row.label),
        element("td", die, element("span.soft", ` of ${row.faces}`)),
        element("td.mono.digest", row.digest),
        element("td", "", ...used),
      );
    });
    box.append(
      element(
        "div.scroll",
        "",
        element("table.rolls", "", element("thead", "", head), element("tbody", "", ...rows)),
      ),
    );
  }
  return box;
}

interface NamedText {
  name: string;
  text: string;
}

function compareTexts(named: NamedText[], data: ProofPage) {
  const results = named.map(({ name, text }) => {
    const kept = readKept(text);
    if (!kept.game)
      return element(
        "li",
        "",
        element("span.soft", "–"),
        element("div", "", element("b", name), ": no dice proof was found in this text"),
      );
    if (kept.game !== data.proof.game)
      return element(
        "li",
        "",
        element("span.soft", "–"),
        element("div", "", element("b", name), `: this is about another game, ${kept.game}`),
      );
    const wrong = compareKept(kept, data.proof);
    const said = wrong.length
      ? `: ${wrong.length} of ${kept.told.length} values differ from the archive`
      : `: all ${kept.told.length} values match the archive`;
    return element(
      "li",
      "",
      mark(!wrong.length),
      element("div", "", element("b", name), said, ...wrong.map((text) => element("div.no", text))),
    );
  });
  byId("compared").replaceChildren(...results);
}

/** Compare the files and texts that the reader chooses. */
export function listen(data: ProofPage) {
  const files = byId<HTMLInputElement>("files");
  const pasted = byId<HTMLTextAreaElement>("pasted");
  const drop = byId("drop");
  const read = async (chosen: FileList | null) =>
    compareTexts(
      await Promise.all(
        [...(chosen ?? [])].map(async (file) => ({ name: file.name, text: await file.text() })),
      ),
      data,
    );
  files.addEventListener("change", () => read(files.files));
  pasted.addEventListener(
    "input",
    () =>
      pasted.value.trim() && compareTexts([{ name: "The pasted text", text: pasted.value }], data),
  );
  for (const kind of ["dragover", "drop"] as const)
    drop.addEventListener(kind, (event) => {
      if (event.dataTransfer?.types.includes("Files")) {
        event.preventDefault();
        if (kind === "drop") read(event.dataTransfer.files);
      }
    });
}
