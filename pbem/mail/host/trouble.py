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

import msgspec

from pbem.errors import GameError
from pbem.mail import emails
from pbem.mail.emails import EmailText
from pbem.mail.host.backup import Elsewhere
from pbem.mail.host.overview import TroubleReports
from pbem.mail.people import FILE as PEOPLE, read_people
from pbem.mail.replies.reply import Reply, to_umpire
from pbem.mail.settings import Host, broken_by, printable
from pbem.mail.store import DAMAGED, FILE as DATABASE, GENERATION, NEWER, identity
from pbem.mail.transport.oauth import LOGIN_CODES
from pbem.mail.transport.outbox import FOLDER, MAIL, Carrier, Outbox

_MOST = 5
"""Maximum number of games named in the subject of an email to an umpire."""


class UmpireNotice(msgspec.Struct, frozen=True, kw_only=True):
    """A message to an umpire: a problem (``trouble``) or mere information.

    ``game`` is the game it concerns. ``token`` lets the umpire rule in that game by answering the email.
    """

    to: str
    text: str
    key: str
    trouble: bool = True
    game: str = ""
    token: str = ""
    calm: bool = False

    @property
    def page(self) -> str:
        """The name of the guide page that explains what to do; empty for mere information.

        A problem that is not urgent is always a late player.
        """
        return "" if not self.trouble else "late" if self.calm else "trouble"


class Troubles:
    """The problems found in a round of the host, and the emails to the umpires about them.

    ``now`` lists all problems, and ``news`` those not reported yet today. ``put`` puts an email into the outbox.
    ``told`` remembers which problems were reported before. ``of_game`` returns the address of a game's umpire and
    the token for ruling by email. Each umpire gets one email per round (see :meth:`gathered`).
    """

    def __init__(
        self,
        folder: Path,
        at: datetime,
        umpire: str,
        put: Callable[[Reply], object],
        of_game: Callable[[str], tuple[str, str]] | None = None,
    ) -> None:
        self.told = TroubleReports(folder, at)
        self.umpire, self.put, self.of_game = umpire, put, of_game
        self.notices: list[UmpireNotice] = []
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
                self.tell(text, f"login {text}")
            else:
                self.tell(text, f"trouble {text}", game=game)
        except Exception as error:
            # Whatever it is, a file nobody can read or a mistake of ours.
            text = f"{where}: {broken_by(error)}"
            self.tell(text, f"trouble {text}", game=game)

    def note(self, text: str, key: str) -> int:
        """Record a problem; return how often it has been reported, this time included.

        The result is 0 if it is not to be reported now.
        """
        self.now.append(text)
        times = self.told.again(key, text)
        if times:
            self.news.append(text)
        return times

    def tell(self, text: str, key: str, *, trouble: bool = True, calm: bool = False, game: str = "") -> None:
        """Tell the umpire something: information once for each key, a lasting problem once a day.

        A ``calm`` problem needs no urgent action. The ``game`` it concerns is named in the subject.
        """
        if trouble:
            times = self.told.again(key, text, calm=True) if calm else self.note(text, key)
            key = key if times < 2 else f"{key} ({times})"
            if calm and times == 1:
                self.news.append(text)
            if not times:
                return
        to, token = self.umpire, ""
        if game and self.of_game is not None:
            with suppress(GameError):
                to, token = self.of_game(game)
        if to:
            self.notices.append(
                UmpireNotice(to=to, text=text, key=key, trouble=trouble, game=game, token=token, calm=calm)
            )

    def gathered(self) -> None:
        """Put the collected messages into the outbox as one email per umpire.

        An umpire who may rule by answering gets one email per game.
        """
        letters: dict[tuple[str, str], list[UmpireNotice]] = {}
        for one in self.notices:
            letters.setdefault((one.to, one.token), []).append(one)
        self.notices = []
        for (to, token), found in letters.items():
            try:
                self.put(_letter(self.told.folder, to, token, found))
            except (GameError, OSError) as error:
                # A full disk cannot hold the letter that tells of it.
                self.now.append(f"the umpire could not be told: {error}")


def _letter(folder: Path, to: str, token: str, found: list[UmpireNotice]) -> Reply:
    games = list(dict.fromkeys(one.game for one in found if one.game))
    texts = [[one.text] for one in found]
    if len(found) > 1:
        texts = [[f"{number}. {one.text}"] for number, one in enumerate(found, start=1)]
    said = emails.render(
        "umpire-wanted",
        folder,
        wanted=any(one.trouble for one in found),
        games=games[:_MOST],
        token=token,
        texts=texts,
    )
    return to_umpire(
        to,
        printable(said.subject),
        said.text,
        " + ".join(one.key for one in found),
        game=games[0] if token else "",
        page=next((page for page in ("trouble", "late") if any(one.page == page for one in found)), ""),
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
