"""What goes wrong in a host's round: it is told to the umpire, and keeps no other game, letter or server waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from pbem.faults import GameError
from pbem.post.apart import Elsewhere
from pbem.post.heartbeat import Told
from pbem.post.replies import Reply, to_umpire
from pbem.post.settings import broken_by, printable


class Troubles:
    """What is not in order in a round (``now``), and what of it was not told yet today (``news``). ``put`` takes the
    letters to the ``umpire``; ``told`` is the heartbeat that remembers them.
    """

    def __init__(self, folder: Path, at: datetime, umpire: str, put: Callable[[Reply], object]) -> None:
        self.told = Told(folder, at)
        self.umpire, self.put = umpire, put
        self.now: list[str] = []
        self.news: list[str] = []

    @contextmanager
    def kept(self, where: str, *, game: str = "") -> Iterator[None]:
        """Whatever goes wrong here is told, and the others go on; but for what stops the whole host. What
        goes wrong in a ``game`` is told under its name.
        """
        try:
            yield
        except Elsewhere:
            raise
        except GameError as error:
            text = printable(f"{where}: " + "; ".join(str(fault) for fault in error.faults))
            if all(fault.code == "game-locked" for fault in error.faults):
                self.note(text, f"locked {where}")
            else:
                self.tell(text, f"trouble {text}", game=game)
        except Exception as error:
            # Whatever it is, a file nobody can read or a mistake of ours.
            text = f"{where}: {broken_by(error)}"
            self.tell(text, f"trouble {text}", game=game)

    def note(self, text: str, key: str) -> int:
        """Something is not in order now. Whether it is to be told, and for the how many-th time."""
        self.now.append(text)
        times = self.told.again(key, text)
        if times:
            self.news.append(text)
        return times

    def tell(self, text: str, key: str, *, trouble: bool = True, calm: bool = False, game: str = "") -> None:
        """Tell the umpire, once for the same key; a trouble that lasts once a day. ``calm`` is what wakes nobody. The
        ``game`` it is about stands in the subject.
        """
        if trouble:
            times = self.told.again(key, text, calm=True) if calm else self.note(text, key)
            key = key if times < 2 else f"{key} ({times})"
            if calm and times == 1:
                self.news.append(text)
            if not times:
                return
        if not self.umpire:
            return
        subject = "pbem: the umpire is wanted" if trouble else "pbem: for the umpire"
        subject += f": {game}" if game else ""
        try:
            self.put(to_umpire(self.umpire, printable(subject), text, key))
        except (GameError, OSError) as error:
            # A full disk cannot hold the letter that tells of it.
            self.now.append(f"the umpire could not be told: {error}")
