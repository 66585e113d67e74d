"""The last section of a sitrep: what players keep to check the dice with when the game is over.

The lines are read again by `pbem verify --sent` and by the proof page: each value stands alone at the end of a line of
at most 78 columns, so that mail programs leave it whole.
"""

from __future__ import annotations

from pbem.reports.view.view_proof import Proof, SegmentProof

_NAMES = 12
"""Columns of what a value is called."""


def proof_lines(game: str, proof: Proof) -> list[str]:
    """The section without its title. Pure: same proof, same lines."""
    if proof.segments:
        lines = [
            "Keep this sitrep. The archive you are sent when the game is over, and the page",
            "in it, work out every die again and compare these lines.",
        ]
    else:
        lines = ["Keep this sitrep: these hashes fix the dice before anybody has given orders."]
    lines += [f"Dice of {game}, scheme {proof.scheme}", _line("committed", proof.commitment)]
    if proof.salts:
        lines.append(_line("salts", proof.salts))
    if proof.beacon:
        lines.append(_line("beacon", f"{proof.beacon} (quicknet), the round told when orders are sealed"))
    for segment in proof.segments:
        lines += _segment(segment)
    return lines


def _segment(segment: SegmentProof) -> list[str]:
    lines = [
        f"Segment {segment.segment}: request {segment.request} of turn {segment.turn}",
        *(["  played, and taken back by the umpire"] if segment.taken_back else []),
        _line("link", segment.link),
        _line("log", segment.log),
    ]
    if segment.beacon:
        number, _, value = segment.beacon.partition(":")
        lines += [f"  beacon, round {number}", _line("", value)]
    if segment.salt:
        lines.append(_line("your salt", segment.salt))
    for side, seal in segment.seals:
        lines += [f"  orders of {side}", _line("", seal)]
    return lines


def _line(name: str, value: str) -> str:
    return f"  {name.ljust(_NAMES)}{value}"
