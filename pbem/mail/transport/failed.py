"""Mails that could not be sent for good: to whom, why, and which of them nobody needs any more.

They lie in the outbox until the umpire has them sent again or gives them up (``pbem mail failed``). One whose reader
has another address by now is given up by the round, as soon as a report of its game has gone there after it was
written: that tells all it told. A player may ask for an older report by RESEND. Nothing is deleted here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from pbem.counts import several
from pbem.games.typed import typed

NOBODY = "nobody"
"""Whom the command calls so: a mail without an address."""
_MOST = 5
"""Readers who are named one by one."""


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A mail that lies in ``failed``: its file, its bare ``reader``, and ``why`` no server took it. ``about`` is the
    game and side in the file's name, ``written`` when it was, in ns.
    """

    path: Path
    reader: str
    why: str
    about: str
    written: int


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """A report that went out: game and side as in its name, its reader, and when, in ns."""

    about: str
    reader: str
    at: int


def by_reader(failures: Iterable[Failure]) -> dict[str, list[Failure]]:
    """The same for each reader."""
    found: dict[str, list[Failure]] = {}
    for one in failures:
        found.setdefault(one.reader, []).append(one)
    return found


def told(failures: Iterable[Failure]) -> list[tuple[str, str]]:
    """The readers mails could not be sent to, as the command is told them (all of them, where there are many), each
    with a sentence and the last reason.
    """
    groups = by_reader(failures)
    said = [
        (reader or NOBODY, f"{several(len(found), 'mail')} to {reader or NOBODY} could not be sent: {found[-1].why}")
        for reader, found in groups.items()
    ]
    if (more := len(said) - _MOST) <= 0:
        return said
    return [*said[:_MOST], ("", f"Mails to {several(more, 'more reader')} could not be sent")]


def chosen(failures: Collection[Failure], who: str) -> list[Failure]:
    """Those of a reader, or of a file's name; all of them where nobody is named."""
    wanted = who.strip().lower()
    return [one for one in failures if wanted in ("", (one.reader or NOBODY).lower(), one.path.name.lower())]


def commands(club: Path, who: str = "") -> tuple[str, str]:
    """What the umpire may do: have them sent again, or give them up."""
    line = command(club, who)
    return f"{line} --again", f"{line} --give-up"


def command(club: Path, who: str = "") -> str:
    """The command that shows them."""
    return f"pbem mail failed {typed(club)}" + (f" {typed(who)}" if who else "")


def stale(
    failures: Collection[Failure],
    reports: Iterable[Sent],
    addresses: Mapping[str, str],
    moved: Mapping[str, str],
) -> Iterator[Failure]:
    """Those nobody needs: their reader has another address, and a later report has gone there. ``addresses`` are where
    mail of each side (as in names) goes now, ``moved`` from where to where people's mail went, all in small letters.
    """
    still = {*addresses.values()}
    if all(one.reader.lower() in still and addresses.get(one.about) in (None, one.reader.lower()) for one in failures):
        return  # most often: nobody has moved, and no report has to be looked at
    went: dict[tuple[str, str], int] = {}
    for one in reports:
        key = one.about, one.reader.lower()
        went[key] = max(went.get(key, 0), one.at)
    for reader, found in by_reader(failures).items():
        old = reader.lower()
        done = [one for one in found if _replaced(one, old, addresses, went)]
        yield from done
        if old in still:
            continue
        # What is about no game (that his address is another one) needs a report at the address he has now.
        now = {addresses[one.about] for one in done} | {_last(old, moved)}
        there = [at for (_, to), at in went.items() if to in now]
        yield from (one for one in found if one.about not in addresses and any(one.written <= at for at in there))


def _replaced(one: Failure, old: str, addresses: Mapping[str, str], went: Mapping[tuple[str, str], int]) -> bool:
    now = addresses.get(one.about, old)
    return now != old and went.get((one.about, now), 0) >= one.written


def _last(address: str, moved: Mapping[str, str]) -> str:
    """Where mail to an address goes in the end; nowhere where it never moved."""
    seen: list[str] = []
    while (to := moved.get(seen[-1] if seen else address, "")) and to not in seen:
        seen.append(to)
    return seen[-1] if seen else ""
