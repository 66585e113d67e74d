"""One stretch of play of one game as an errand: what it takes goes out, new records and all reports come back.

Whoever does the errand (this process, another one, another machine) reads and writes no file of the game and knows no
more than is told with this stretch: the orders, the log, the key of its dice and the links behind the sitreps it
writes; neither the chain of dice to come nor anybody's token or password. The same errand gives the same bytes,
wherever it is done, if both sides are the same pbem (:func:`fingerprint`); another one does nothing.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

import pbem
from pbem.ai.scripted import captains
from pbem.data.house_figures import looking_in
from pbem.data.scenarios import Scenario
from pbem.engine import dice, log
from pbem.engine.events import Record, Reran, Undone
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.state import State
from pbem.errors import Fault, GameError
from pbem.games.proof.kept_dice import stretches
from pbem.games.storage.bare import Papers
from pbem.games.storage.papers import Around, made_beside, papers
from pbem.games.storage.roster import scenario_of
from pbem.reports.html.templates import templates_folder


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """What is told of the dice of a stretch of play, or will be with the sitreps after it: its link, the key of the
    log's digest, and the salts of (turn, request, side).
    """

    link: bytes
    log_key: bytes
    salts: list[tuple[int, int, str, bytes]]


class Told:
    """Links that are told, as the source of what sitreps say of the dice; it knows no others."""

    def __init__(self, scheme: int, links: dict[int, Link]) -> None:
        self.scheme = scheme
        self._links = links

    def link(self, segment: int) -> bytes:
        return self._links[segment].link

    def salt(self, turn: int, request: int, side: str, segment: int) -> bytes:
        return next(one[3] for one in self._links[segment].salts if one[:3] == (turn, request, side))

    def log_key(self, segment: int) -> bytes:
        return self._links[segment].log_key


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of play: everything it is made of. ``links`` is ``None`` where the secret is not at hand, ``own`` are
    files of the game's own by their names in its folder.
    """

    around: Around
    log: list[Record]
    state: State
    filed: dict[str, Filed]
    key: bytes
    beacon: str
    links: dict[int, Link] | None
    own: dict[str, bytes] = {}

    @property
    def moves(self) -> bool:
        """Whether it may be done on another machine: a module for VASSAL lies on this one alone."""
        return self.around.binding is None or not self.around.binding.module


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an errand: new records, the state after them, the positions as a save and all reports."""

    records: list[Record]
    state: State
    save: bytes
    files: Papers


def links_for(source: dice.Source, before: Sequence[Record], state: State) -> dict[int, Link]:
    """What the sitreps after a stretch of play tell of the dice: of that stretch, and of those of its turn before it;
    of all before it where any was taken back.
    """
    request = state.request
    assert request is not None
    sides = sorted(state.sides)
    found: dict[int, Link] = {}

    def add(segment: int, moment: tuple[int, int]) -> None:
        salts = [(*moment, side, source.salt(*moment, side, segment)) for side in sides]
        found[segment] = Link(link=source.link(segment), log_key=source.log_key(segment), salts=salts)

    if any(isinstance(record.event, Undone | Reran) for record in before):
        for number, one in stretches(before).items():
            if one.before.request is not None:
                add(number, (one.before.request.turn, one.before.request.number))
    for _, asked, began in log.played(log.effective(before)):
        if asked.turn == request.turn:
            add(began.segment, (asked.turn, asked.number))
    add(state.segment + 1, (request.turn, request.number))
    return found


def run(errand: Errand, *, alone: bool = False) -> Done:
    """Play and write: pure. Raises :class:`GameError` as play does. ``alone`` says that no other work of this
    command wants the machine's other cores: one of them makes the save and draws the map meanwhile.
    """
    scenario: Scenario = scenario_of(errand.around.terms)
    rolled = dice.SegmentDice(errand.key, errand.state.segment + 1)
    played = resolve(
        errand.state, scenario, errand.filed, rolled, robots=captains(scenario), beacon=errand.beacon, kept=()
    )
    whole = [*errand.log, *played.records]
    counts = log.effective(whole)
    source = Told(errand.around.terms.dice.scheme, errand.links) if errand.links is not None else None
    with made_beside(errand.around, counts, played.state, scenario, alone=alone) as save:
        files = papers(errand.around, whole, counts, played.state, scenario, source, save)
        return Done(records=played.records, state=played.state, save=save(), files=files)


# --- as bytes ---------------------------------------------------------------------------------------------------------


class _Packed(msgspec.Struct, frozen=True):
    """An errand for another process, and which pbem hands it out."""

    fingerprint: str
    errand: Errand


class _Back(msgspec.Struct, frozen=True, kw_only=True):
    """What comes back: what was done, or the faults that kept it from being done; ``other`` where it is another
    pbem.
    """

    done: Done | None = None
    faults: tuple[Fault, ...] = ()
    other: str = ""


class OtherVersion(Exception):
    """Who was given the errand is another pbem, or draws and packs with other libraries: it did nothing."""


def packed(errand: Errand) -> bytes:
    """An errand as bytes, for :func:`carried`."""
    return msgspec.msgpack.encode(_Packed(fingerprint(), errand))


def carried(data: bytes) -> bytes:
    """Do a packed errand, in whatever process; what came of it is read by :func:`unpacked`."""
    given = msgspec.msgpack.decode(data, type=_Packed)
    if given.fingerprint != fingerprint():
        return msgspec.msgpack.encode(_Back(other=fingerprint()))
    errand = given.errand
    try:
        if not errand.own:
            done = run(errand)
        else:
            with TemporaryDirectory(prefix="pbem-") as scratch:
                for name, content in errand.own.items():
                    path = Path(scratch) / name
                    path.parent.mkdir(exist_ok=True)
                    path.write_bytes(content)
                with looking_in(Path(scratch)):
                    done = run(errand)
    except GameError as error:
        return msgspec.msgpack.encode(_Back(faults=error.faults))
    return msgspec.msgpack.encode(_Back(done=done))


def unpacked(data: bytes) -> Done:
    """What came of a packed errand. Raises :class:`GameError` as :func:`run` does, and :class:`OtherVersion`."""
    back = msgspec.msgpack.decode(data, type=_Back)
    if back.other:
        raise OtherVersion(back.other)
    if back.done is None:
        raise GameError(*back.faults)
    return back.done


@cache
def fingerprint() -> str:
    """What the bytes of an errand depend on beside the errand: every file of this program, and the libraries that draw
    and pack.
    """
    from importlib.metadata import version

    told = hashlib.sha256()
    here = Path(pbem.__file__).parent
    for folder in (here, here.parent / "vassal", templates_folder()):
        for path in sorted(folder.rglob("*")):
            if path.suffix != ".pyc" and path.is_file():
                told.update(f"{path.relative_to(folder).as_posix()}|{path.stat().st_size}|".encode())
                told.update(path.read_bytes())
    libraries = " ".join(f"{name} {version(name)}" for name in ("jinja2", "resvg-py", "msgspec"))
    return f"pbem {pbem.__version__} {told.hexdigest()[:16]} {libraries} zlib {zlib.ZLIB_RUNTIME_VERSION}"
