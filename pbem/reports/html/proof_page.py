"""The proof page of a finished game: one HTML file that recomputes every die roll in the browser.

The page works offline.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec
from markupsafe import Markup

from pbem.engine.events import Record
from pbem.reports.html.page import allowed, built_script, part_of_page, script_safe
from pbem.reports.html.templates import environment
from pbem.reports.text import sentences

EARLIER = (
    "07fcb477ea8d00ed116a9b09d71f17b1b28a5945b5ca305317d5d978c3bc4238",
    "8c2df9118c50f177a23b48b3029adadafcffb21b472dd7c042c9edd3faef4b7c",
    "3c012249e95efdd3579476158a4596c116502b499a5896b9158c6b1981f5f1c0",
    "3971ab73eb9240dd12e3be5af9819010466c056a1e67973a003a88113af271fb",
    "c91587af0affb1d9a991c134cb3cef9eae9ca3b1a0ee499b8e8a49101315d176",
    "3bdef29fd9b3f66a25c9d71ee6e1258fbafd3776f337a257c8bd6512eae3ab67",
    "a1749cfecd8f72e6b17a19dbbb2e6cd6d18a664f8e68fd253af9014f5c862c28",
)
"""Hashes of proof pages that earlier versions made; archives with such a page are still valid.

Each is the SHA-256 of the style, a zero byte and the script. The words of these pages are in ``_EARLIER_WORDS``.
"""

_WORDS, _EARLIER_WORDS = "proof.html.j2", "_proof_earlier.html.j2"


class Proven(Protocol):
    """The values of a game's dice proof that the page prints; the browser computes all others."""

    @property
    def game(self) -> str:
        """The name of the game."""

    @property
    def scheme(self) -> int:
        """The version of the dice scheme."""

    @property
    def commitment(self) -> str:
        """The host's commitment to the dice: the last link of the dice chain, in hex."""

    @property
    def salts(self) -> str:
        """The last link of the chain from which the salts come, in hex; empty in scheme 1."""

    @property
    def beacon(self) -> str:
        """The public beacon whose values are mixed into the keys: ``drand``, or empty for none."""

    @property
    def played_by(self) -> dict[str, str]:
        """By side, a text that says who played it, for sides where ``game.toml`` does not tell everything."""


def proof_html(proof: Proven, records: Sequence[Record], lines: Sequence[bytes]) -> str:
    """Return the proof page of a game; the same game always gives the same text.

    ``proof`` is the content of proof.json. ``lines`` are the lines of the log, one for each of ``records`` in the
    same order.
    """
    return _page(proof, records, lines, _parts(), _dice_sentences(records))


def is_proof_page(
    page: str, proof: Proven, records: Sequence[Record], lines: Sequence[bytes], *, own_words: bool = True
) -> bool:
    """Return whether a page is the proof page of this game, made by this version or an earlier one.

    Pages made by earlier versions are recognized by the hash of their style sheet and script (:data:`EARLIER`). With
    ``own_words`` false, the sentences about the dice may differ from those of this version.
    """
    own = _parts()
    style = page.partition("<style>")[2].partition("</style>")[0]
    data, _, rest = page.rpartition('<script type="application/json"')[2].partition("</script>\n<script>")
    theirs = style, rest.rpartition("</script>")[0]
    words = _WORDS if theirs == own else _EARLIER_WORDS
    if theirs != own and hashlib.sha256("\0".join(theirs).encode()).hexdigest() not in EARLIER:
        return False
    told = _dice_sentences(records) if own_words else _dice_sentences_in(data, records)
    return page == _page(proof, records, lines, theirs, told, words)


def _dice_sentences(records: Sequence[Record]) -> dict[str, str]:
    """Return the sentences about dice that the page shows, as a dict of record number to sentence.

    Only log records with a die roll have an entry.
    """
    return {str(r.n): _sentence(r) for r in records if getattr(r.event, "roll", "") or getattr(r.event, "rolls", ())}


def _dice_sentences_in(data: str, records: Sequence[Record]) -> dict[str, str]:
    """Return the sentences about dice that another version of the page contains, by record number.

    ``data`` is the data in that page. If a sentence is missing there, this version's sentence is returned.
    """
    try:
        found = msgspec.json.decode(data.partition(">")[2], type=_PageData).told
    except msgspec.DecodeError:
        found = {}
    return {number: found.get(number, words) for number, words in _dice_sentences(records).items()}


class _PageData(msgspec.Struct):
    told: dict[str, str] = {}


def _parts() -> tuple[str, str]:
    return f"{part_of_page('report.css')}\n{part_of_page('proof.css')}", built_script("proof")


def _page(
    proof: Proven,
    records: Sequence[Record],
    lines: Sequence[bytes],
    parts: tuple[str, str],
    told: Mapping[str, str],
    words: str = _WORDS,
) -> str:
    style, script = parts
    data: dict[str, Any] = {"proof": proof, "log": [line.decode("utf-8") for line in lines], "told": told}
    return (
        environment()
        .get_template(words)
        .render(
            proof=proof,
            style=Markup(style),
            style_hash=Markup(allowed(style)),
            script=Markup(script),
            script_hash=Markup(allowed(script)),
            figures=next((sentences.played_with(f) for r in records if (f := getattr(r.event, "figures", ()))), ""),
            data=Markup(script_safe(msgspec.json.encode(data, order="deterministic").decode("utf-8"))),
        )
    )


def _sentence(record: Record) -> str:
    event = record.event
    return f"{event.turn}.{event.impulse} {sentences.sentence(event)}"
