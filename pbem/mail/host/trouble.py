"""Problems in a round of the host: the umpire is told, and other games, emails and servers go on.

:class:`Troubles` collects the problems of a round. Other functions of this module handle problems that prevent
rounds altogether: then the umpire is told and nothing else is sent.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from pbem.errors import GameError
from pbem.mail import emails
from pbem.mail.emails import EmailText
from pbem.mail.host.backup import Elsewhere
from pbem.mail.host.overview import TroubleReports
from pbem.mail.people import FILE as PEOPLE, read_people
from pbem.mail.replies.reply import Reply, UmpireNotice, to_umpire
from pbem.mail.settings import Host, broken_by, printable
from pbem.mail.store import DAMAGED, FILE as DATABASE, GENERATION, NEWER, identity
from pbem.mail.transport.oauth import LOGIN_CODES
from pbem.mail.transport.outbox import FOLDER, MAIL, Carrier, Outbox

_MOST = 5
"""Maximum number of games named in the subject of an email to an umpire."""


class Troubles:
    """The problems found in a round of the host, and the emails to the umpires about them.

    ``now`` lists all problems, and ``news`` those not reported yet today. ``told`` remembers which problems were
    reported before.
    """

    def __init__(self, folder: Path, at: datetime) -> None:
        self.told = TroubleReports(folder, at)
        self.notices: list[tuple[UmpireNotice, str]] = []  # each with the key of its email
        self.now: list[str] = []
        self.news: list[str] = []

    @contextmanager
    def kept(self, where: str, *, game: str = "") -> Iterator[None]:
        """Context manager that reports any error in its block to the umpire and lets the round go on.

        An :class:`Elsewhere` error, which stops the whole host, is raised again. A problem with a ``game`` is
        reported under its name.
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
                # Whatever needs the log-in meets the same problem; it is one, and is told once.
                text = "; ".join(fault.text for fault in error.faults)
                self.tell(UmpireNotice(text=text, key=f"login {text}"))
            else:
                self.tell(UmpireNotice(text=text, key=f"trouble {text}", game=game))
        except Exception as error:
            # Whatever it is, a file nobody can read or a mistake of ours.
            text = f"{where}: {broken_by(error)}"
            self.tell(UmpireNotice(text=text, key=f"trouble {text}", game=game))

    def note(self, text: str, key: str) -> int:
        """Record a problem; return how often it has been reported, this time included.

        The result is 0 if it is not to be reported now.
        """
        self.now.append(text)
        times = self.told.again(key, text)
        if times:
            self.news.append(text)
        return times

    def tell(self, notice: UmpireNotice) -> None:
        """Collect a message for the umpire: information once for each key, a lasting problem once a day."""
        key = notice.key
        if notice.trouble:
            text, calm = notice.text, notice.calm
            times = self.told.again(key, text, calm=True) if calm else self.note(text, key)
            if not times:
                return
            if calm and times == 1:
                self.news.append(text)
            key = key if times < 2 else f"{key} ({times})"
        self.notices.append((notice, key))

    def emails(self, umpire: str, of_game: Callable[[str], tuple[str, str]]) -> list[Reply]:
        """Return the collected messages as one email per umpire, and forget them.

        An umpire who may rule by answering gets one email per game.

        Args:
            umpire: The address of the club's umpire; it may be empty.
            of_game: Returns the address of a game's umpire, and the token for ruling by email.
        """
        letters: dict[tuple[str, str], list[tuple[UmpireNotice, str]]] = {}
        for notice, key in self.notices:
            to, token = umpire, ""
            if notice.game:
                with suppress(GameError):
                    to, token = of_game(notice.game)
            if to:
                letters.setdefault((to, token), []).append((notice, key))
        self.notices = []
        return [_letter(self.told.folder, to, token, found) for (to, token), found in letters.items()]


def _letter(folder: Path, to: str, token: str, found: list[tuple[UmpireNotice, str]]) -> Reply:
    notices = [one for one, _ in found]
    games = list(dict.fromkeys(one.game for one in notices if one.game))
    texts = [[one.text] for one in notices]
    if len(found) > 1:
        texts = [[f"{number}. {one.text}"] for number, one in enumerate(notices, start=1)]
    said = emails.render(
        "umpire-wanted",
        folder,
        wanted=any(one.trouble for one in notices),
        games=games[:_MOST],
        token=token,
        texts=texts,
    )
    return to_umpire(
        to,
        printable(said.subject),
        said.text,
        " + ".join(key for _, key in found),
        game=games[0] if token else "",
        page=next((page for page in ("trouble", "late") if any(one.page == page for one in notices)), ""),
    )


# --- what keeps rounds from being done at all ---


def tell_elsewhere(
    folder: Path, host: Host, now: datetime, carrier: Carrier | None, error: Elsewhere
) -> tuple[str, int]:
    """Tell the umpire, once a day, that the host must not use this folder; send nothing else.

    The result is the problem, and the number of times it has been reported (0: it was not reported now).
    """
    text = error.faults[0].text
    said = emails.render(
        "host-stopped",
        folder,
        file="",
        database=False,
        machine=platform.node() or "unknown machine",
        folder=str(folder.absolute()),
        why=f"{text[0].upper()}{text[1:]}",
    )
    return text, _tell_alone(folder, host, now, carrier, said, text, code=error.faults[0].code, page="moving")


def verify_people(folder: Path, host: Host, now: datetime, carrier: Carrier | None) -> None:
    """Check players.toml. A mistake in it would make players unknown senders, so it stops the round.

    Raises:
        GameError: The file has mistakes. The umpire is told.
    """
    try:
        read_people(folder)
    except GameError as error:
        text = "; ".join(str(fault) for fault in error.faults)
        said = emails.render("host-stopped", folder, file=PEOPLE, database=False, machine="", folder="", why=text)
        _tell_alone(folder, host, now, carrier, said, text, page="trouble")
        raise


def verify_database(folder: Path, host: Host, now: datetime, carrier: Carrier | None) -> None:
    """Check that the database of the correspondence can be read; without it no round is possible.

    Raises:
        GameError: It cannot be read. If it is damaged or of a newer version, the umpire is told.
    """
    try:
        identity(folder / MAIL, GENERATION)
    except GameError as error:
        if error.faults[0].code in (DAMAGED, NEWER):
            text = error.faults[0].text
            file = f"mail/{DATABASE}"
            said = emails.render("host-stopped", folder, file=file, database=True, machine="", folder="", why=text)
            _tell_alone(folder, host, now, carrier, said, text, page="trouble")
        raise


def _tell_alone(
    folder: Path, host: Host, now: datetime, carrier: Carrier | None, said: EmailText, text: str, *,
    page: str, code: str = "",
) -> int:  # fmt: skip
    """Tell the umpire, once a day, about a problem that prevents rounds altogether; send nothing else.

    It returns how often the problem has been reported, or 0 if it is not reported now. ``code`` identifies the
    problem; without it the ``text`` does.
    """
    told = TroubleReports(folder, now)
    times = told.again(code or text, text)
    outbox = Outbox(folder / MAIL / FOLDER, host)
    if times and host.umpire:
        with suppress(GameError, OSError):
            letter = to_umpire(host.umpire, said.subject[:200], said.text, f"halted {now} {text}", page=page)
            if (path := outbox.put(letter)) is not None:
                outbox.deliver(carrier, now, only=path)
    with suppress(GameError, OSError):
        told.write(*outbox.counted(), done=False)
    return times
