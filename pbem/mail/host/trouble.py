"""Collect a host round's problems, report them to the umpire, and record unreachable players.

:class:`Heartbeat` (``mail/status.json``) is written at the end of each round. It records the problems and when each
was reported to the umpire, so that a lasting problem is reported once a day. :class:`Troubles` collects the problems of
a round and reports them, while other games, emails and servers go on. Other functions of this module handle problems
that prevent rounds altogether: then the umpire is informed and nothing else is sent.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.errors import GameError
from pbem.games.storage.files import keep, read_kept
from pbem.mail import emails
from pbem.mail.emails import EmailText
from pbem.mail.host.backup import Elsewhere
from pbem.mail.host.deadlines import written
from pbem.mail.people import FILE as PEOPLE, read_people
from pbem.mail.replies.reply import Reply, UmpireNotice, to_umpire
from pbem.mail.seats import Seat
from pbem.mail.settings import Host, broken_by, printable
from pbem.mail.store import DAMAGED, FILE as DATABASE, GENERATION, NEWER, identity, keep_fact, read_fact
from pbem.mail.transport.oauth import LOGIN_CODES
from pbem.mail.transport.outbox import FOLDER, MAIL, Carrier, Outbox

STATUS_FILE: Final = "status.json"
AGAIN: Final = timedelta(days=1)
"""A lasting problem is reported again after this time."""
FORGOTTEN: Final = timedelta(days=30)
UNREACHABLE: Final = "unreachable"
"""Name of the fact in the club's database that holds the addresses that email does not reach."""
_MOST = 5
"""Maximum number of games named in the subject of an email to an umpire."""


# --- problems that were reported --------------------------------------------------------------------------------------


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """A problem of a club.

    Attributes:
        text: A description.
        first: When it began.
        seen: When it was last found.
        told: When it was last reported.
        times: How often it was reported.
        calm: Whether it needs no urgent action, such as a late player.
    """

    text: str
    first: datetime
    seen: datetime
    told: datetime
    times: int = 1
    calm: bool = False


class Heartbeat(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the host at the end of its last round: time, problems, and how many emails wait.

    Attributes:
        format: The version of the format.
        at: When the last round ended, or was attempted.
        done: When a round was last completed; only set if the last round was not completed.
        troubles: The known problems, by their keys.
        waiting: How many emails wait to be sent.
        failed: How many emails failed.
    """

    format: int = 1
    at: datetime | None = None
    done: datetime | None = None
    troubles: dict[str, Trouble] = {}
    waiting: int = 0
    failed: int = 0

    def now(self) -> tuple[Trouble, ...]:
        """Return the problems found in the last round, oldest first; late players are left out."""
        found = [one for one in self.troubles.values() if one.seen == self.at and not one.calm]
        return tuple(sorted(found, key=lambda one: one.first))

    def late(self) -> tuple[Trouble, ...]:
        """Return a problem for each game that waits for players whose grace period is over."""
        return tuple(one for one in self.troubles.values() if one.seen == self.at and one.calm)


def read_heartbeat(folder: Path) -> Heartbeat:
    """Return the state of a host at the end of its last round; empty if the file is damaged or missing."""
    return read_kept(folder / "mail" / STATUS_FILE, Heartbeat) or Heartbeat()


# --- problems of a round ----------------------------------------------------------------------------------------------


class Troubles:
    """The problems found in a round of the host, and the notices to umpires.

    ``now`` lists all problems of this round, and ``news`` the problems among them that had not yet been reported today.
    ``known`` are the problems of all rounds, with the time when each was reported.
    """

    def __init__(self, folder: Path, at: datetime) -> None:
        self.folder, self.at = folder, at
        self.before = read_heartbeat(folder)
        self.known = dict(self.before.troubles)
        self.notices: list[UmpireNotice] = []
        self.now: list[str] = []
        self.news: list[str] = []

    def again(self, key: str, text: str, *, calm: bool = False) -> int:
        """Record a problem; return how often it has been reported, this time included, or 0.

        The result is 0 if the problem is not to be reported now, since a problem is reported once a day
        (:data:`AGAIN`).
        """
        one = self.known.get(key)
        back = one is not None and self.at < one.told  # the clock was set back
        tell = one is None or back or (one.told != self.at and self.at - one.told >= AGAIN)
        lasts = one is not None and one.seen in (self.before.at, self.at)
        self.known[key] = Trouble(
            text=text,
            first=one.first if one is not None and lasts else self.at,
            seen=self.at,
            told=self.at if tell or one is None else one.told,
            times=one.times + tell if one is not None else 1,
            calm=calm,
        )
        return self.known[key].times if tell else 0

    def write(self, waiting: int, failed: int, *, done: bool = True) -> None:
        """Save the problems of this round in the heartbeat file.

        Args:
            waiting: How many emails wait to be sent.
            failed: How many emails failed.
            done: Whether the round was completed.
        """
        kept = {key: one for key, one in self.known.items() if self.at - one.seen < FORGOTTEN}
        before = None if done else self.before.done or self.before.at
        heartbeat = Heartbeat(at=self.at, done=before, troubles=kept, waiting=waiting, failed=failed)
        keep(self.folder / "mail" / STATUS_FILE, heartbeat, indent=True)

    @contextmanager
    def kept(self, where: str, *, game: str = "") -> Iterator[None]:
        """Report any error in this context to the umpire, so that the round goes on.

        An :class:`Elsewhere` error, which stops the whole host, is raised again.

        Args:
            where: The first words of the report.
            game: The name of the game that the error concerns, if any.
        """
        try:
            yield
        except Elsewhere:
            raise
        except GameError as error:
            text = printable(f"{where}: " + "; ".join(str(fault) for fault in error.faults))
            if all(fault.code == "game-locked" for fault in error.faults):
                self.note(text, f"locked {where}")
            elif all(fault.code in LOGIN_CODES for fault in error.faults):
                # Everything that needs the login has the same problem, which is reported once.
                text = "; ".join(fault.text for fault in error.faults)
                self.tell(UmpireNotice(text=text, key=f"login {text}"))
            else:
                self.tell(UmpireNotice(text=text, key=f"trouble {text}", game=game))
        except Exception as error:
            # Any other error, such as an unreadable file or a bug.
            text = f"{where}: {broken_by(error)}"
            self.tell(UmpireNotice(text=text, key=f"trouble {text}", game=game))

    def note(self, text: str, key: str) -> int:
        """Record a problem of this round; return how often it has been reported, this time included, or 0.

        The result is 0 if the problem is not to be reported now.
        """
        self.now.append(text)
        times = self.again(key, text)
        if times:
            self.news.append(text)
        return times

    def tell(self, notice: UmpireNotice) -> None:
        """Add a message to the messages for the umpire, unless it was sent before.

        Information is sent once for each key, a lasting problem once a day.
        """
        text, key = notice.text, notice.key
        if notice.trouble:
            times = self.again(key, text, calm=True) if notice.calm else self.note(text, key)
            if not times:
                return
            if notice.calm and times == 1:
                self.news.append(text)
            if times > 1:
                notice = msgspec.structs.replace(notice, key=f"{key} ({times})")
        self.notices.append(notice)

    def emails(self, umpire: str, of_game: Callable[[str], tuple[str, str]]) -> list[Reply]:
        """Return the collected messages as one email per umpire, and clear them.

        An umpire who may rule by answering gets one email per game.

        Args:
            umpire: The address of the club's umpire; it may be empty.
            of_game: Returns the address of a game's umpire, and the token for ruling by email.
        """
        letters: dict[tuple[str, str], list[UmpireNotice]] = {}
        for notice in self.notices:
            to, token = umpire, ""
            if notice.game:
                with suppress(GameError, OSError):
                    to, token = of_game(notice.game)
            if to:
                letters.setdefault((to, token), []).append(notice)
        self.notices = []
        return [_letter(self.folder, to, token, found) for (to, token), found in letters.items()]


def _letter(folder: Path, to: str, token: str, notices: list[UmpireNotice]) -> Reply:
    games = list(dict.fromkeys(one.game for one in notices if one.game))
    texts = [[one.text] for one in notices]
    if len(notices) > 1:
        texts = [[f"{number}. {one.text}"] for number, one in enumerate(notices, start=1)]
    email = emails.render(
        "umpire-wanted",
        folder,
        wanted=any(one.trouble for one in notices),
        games=games[:_MOST],
        token=token,
        texts=texts,
    )
    return to_umpire(
        to,
        printable(email.subject),
        email.text,
        " + ".join(one.key for one in notices),
        game=games[0] if token else "",
        page=next((page for page in ("trouble", "late") if any(one.page == page for one in notices)), ""),
    )


# --- players whom email does not reach --------------------------------------------------------------------------------


class Lost(msgspec.Struct, frozen=True, kw_only=True):
    """An address that email does not reach.

    Attributes:
        since: When email first did not arrive.
        why: The mail system's message.
        sides: Pairs (game, side) whose email went to this address and has not gone to another one since.
    """

    since: datetime
    why: str
    sides: tuple[tuple[str, str], ...] = ()


class UnreachablePlayers:
    """The record of the addresses of a host's players that email does not reach."""

    def __init__(self, folder: Path) -> None:
        self.post = folder / "mail"
        self.before = read_fact(self.post, UNREACHABLE, dict[str, Lost]) or {}
        self.known = dict(self.before)

    def lose(self, addresses: Iterable[str], why: str, now: datetime, seats: Iterable[Seat] = ()) -> None:
        """Record that emails to these addresses did not arrive, for the reason ``why``.

        ``seats`` are the seats the emails were for, if these have other addresses by now.
        """
        sides = {(seat.game, seat.side) for seat in seats}
        for address in map(str.lower, addresses):
            lost = self.known.get(address, Lost(since=now, why=why))
            self.known[address] = msgspec.structs.replace(lost, sides=_in_order(sides.union(lost.sides)))

    def hear(self, address: str) -> None:
        """Delete the entry of an address, because an email was received from it."""
        self.known.pop(address.lower(), None)

    def elsewhere(self, seat: Seat) -> datetime | None:
        """Return since when email failed to reach the player of a seat at a former address.

        Return ``None`` if email reached the player, or if they still have the address that failed.
        """
        one, to = (seat.game, seat.side), seat.addresses[0]
        return min(
            (lost.since for address, lost in self.known.items() if one in lost.sides and address != to), default=None
        )

    def settle(self, seat: Seat) -> None:
        """Record that a player's new address has restarted their deadline, so that it restarts only once."""
        one, to = (seat.game, seat.side), seat.addresses[0]
        for address, lost in self.known.items():
            if address != to:
                self.known[address] = msgspec.structs.replace(lost, sides=_in_order({*lost.sides} - {one}))

    def write(self, seats: Iterable[Seat], others: Iterable[str] = ()) -> None:
        """Save the entries that are still needed, and drop the others.

        An entry is needed if its address belongs to the player of one of the ``seats`` or is among the ``others``. It
        is also needed until the deadline of a side that had this address was restarted.
        """
        here, mine = set[tuple[str, str]](), dict[str, set[tuple[str, str]]]()
        for seat in seats if self.known else ():
            here.add((seat.game, seat.side))
            mine.setdefault(seat.addresses[0], set()).add((seat.game, seat.side))
            for address in seat.addresses[1:]:
                mine.setdefault(address, set())
        now = {
            address: msgspec.structs.replace(
                lost, sides=_in_order(here.intersection(lost.sides) | mine.get(address, set()))
            )
            for address, lost in self.known.items()
        }
        theirs = mine.keys() | {*others}
        self.known = {address: lost for address, lost in now.items() if address in theirs or lost.sides}
        if self.known != self.before:
            keep_fact(self.post, UNREACHABLE, self.known)

    def told(self, seats: Iterable[Seat], zone: str) -> list[str]:
        """Return a sentence for each address that email does not reach, with its sides and games.

        ``zone`` is the time zone for times in the sentences.
        """
        return [text for _, text in self.told_by_address(seats, zone)]

    def told_by_address(self, seats: Iterable[Seat], zone: str) -> list[tuple[str, str]]:
        """Return (address, sentence) for each address that email does not reach, as in :meth:`told`."""
        sentences: list[tuple[str, str]] = []
        places: dict[str, list[str]] = {}
        for seat in seats:
            for address in seat.addresses:
                places.setdefault(address, []).append(f"{seat.side} in {seat.game}")
        for address, lost in sorted(self.known.items()):
            if address in places:
                whose = ", ".join(places[address])
                text = f"No email has reached {address} ({whose}) since {written(lost.since, zone)}: {lost.why}"
                sentences.append((address, text))
        return sentences


def _in_order(sides: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(sides))


# --- what keeps rounds from being done at all -------------------------------------------------------------------------


def tell_elsewhere(
    folder: Path, host: Host, now: datetime, carrier: Carrier | None, error: Elsewhere
) -> tuple[str, int]:
    """Inform the umpire, once a day, that the host must not use this folder; send nothing else.

    Returns:
        The problem, and how often it has been reported, 0 if it was not reported now.
    """
    text = error.faults[0].text
    machine, why = platform.node() or "unknown machine", f"{text[0].upper()}{text[1:]}"
    email = _stopped(folder, why, machine=machine, where=str(folder.absolute()))
    return text, _tell_alone(folder, host, now, carrier, email, text, code=error.faults[0].code, page="moving")


def verify_people(folder: Path, host: Host, now: datetime, carrier: Carrier | None) -> None:
    """Check players.toml. A mistake in it would make players unknown senders, so it stops the round.

    Raises:
        GameError: The file has mistakes. The umpire was informed.
    """
    try:
        read_people(folder)
    except GameError as error:
        text = "; ".join(str(fault) for fault in error.faults)
        email = _stopped(folder, text, file=PEOPLE)
        _tell_alone(folder, host, now, carrier, email, text, page="trouble")
        raise


def verify_database(folder: Path, host: Host, now: datetime, carrier: Carrier | None) -> None:
    """Check that the database of the correspondence can be read; without it no round is possible.

    Raises:
        GameError: It cannot be read. If it is damaged or of a newer version, the umpire was informed.
    """
    try:
        identity(folder / MAIL, GENERATION)
    except GameError as error:
        if error.faults[0].code in (DAMAGED, NEWER):
            text = error.faults[0].text
            email = _stopped(folder, text, file=f"mail/{DATABASE}", database=True)
            _tell_alone(folder, host, now, carrier, email, text, page="trouble")
        raise


def _stopped(
    folder: Path, why: str, *, file: str = "", database: bool = False, machine: str = "", where: str = ""
) -> EmailText:
    return emails.render("host-stopped", folder, file=file, database=database, machine=machine, folder=where, why=why)


def _tell_alone(
    folder: Path, host: Host, now: datetime, carrier: Carrier | None, email: EmailText, text: str, *,
    page: str, code: str = "",
) -> int:  # fmt: skip
    """Inform the umpire, once a day, of a problem that prevents rounds altogether; send nothing else.

    Return how often the problem has been reported, or 0 if it is not reported now.

    Args:
        folder: The club's folder.
        host: Its settings.
        now: The time.
        carrier: Sends emails.
        email: The email's subject and text.
        text: The problem.
        page: The guide page that explains what to do.
        code: Identifies the problem; without it ``text`` does.
    """
    troubles = Troubles(folder, now)
    times = troubles.again(code or text, text)
    outbox = Outbox(folder / MAIL / FOLDER, host)
    if times and host.umpire:
        with suppress(GameError, OSError):
            letter = to_umpire(host.umpire, email.subject[:200], email.text, f"halted {now} {text}", page=page)
            if (path := outbox.put(letter)) is not None:
                outbox.deliver(carrier, now, only=path)
    with suppress(GameError, OSError):
        troubles.write(*outbox.counted(), done=False)
    return times
