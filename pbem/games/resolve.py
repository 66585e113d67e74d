"""One stretch of play of one game as an errand: what it takes goes out, new records and all reports come back.

Whoever does the errand (this process, another one, another machine) reads and writes no file of the game and knows no
more than is told with this stretch: the orders, the log, the key of its dice and the links behind the sitreps it
writes; neither the chain of dice to come nor anybody's token or password. The same errand gives the same bytes,
wherever it is done, if both sides are the same pbem (:func:`fingerprint`); another one does nothing.

How a game begins, and one segment of play, from answers to a request to the next one: a matter of terms, state,
orders, dice and log.

Playing on: from the answers on file to the next request, again and again until somebody owes orders.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Generator, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

import pbem
from pbem.ai.robot import captains
from pbem.data.house_figures import looking_in
from pbem.data.scenarios import Scenario
from pbem.engine import dice, log
from pbem.engine.events import Record, Reran, Undone
from pbem.engine.log import effective
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.play.setup import set_up
from pbem.engine.state import Outcome, Request, State
from pbem.errors import Fault, GameError
from pbem.games.answers import Answer, answers
from pbem.games.computer_sides import captains_orders, computer_players
from pbem.games.proof.beacon import Beacon, Sealing, draw, seal
from pbem.games.proof.restored import as_before, pass_over
from pbem.games.proof.seals import kept_by, kept_dice, sealed_orders, stretches
from pbem.games.storage.files import read_bytes, sweep, write_text
from pbem.games.storage.folder import GameFolder, turn_name
from pbem.games.storage.papers import Around, Papers, made_beside, report_files
from pbem.games.storage.players import note_version
from pbem.games.storage.publish import around, publish, renew, reports_folder, save_is_late
from pbem.games.storage.terms import Terms, scenario_of
from pbem.games.submit import submit
from pbem.games.vassal_files import POSITIONS
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
        files = report_files(errand.around, whole, counts, played.state, scenario, source, save)
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


def opening(terms: Terms) -> list[Record]:
    """The records every game with these terms begins with."""
    played = set_up(
        scenario_of(terms),
        terms.name,
        players={side: seat.player for side, seat in terms.sides.items()},
        options=terms.options,
        ships=terms.ships,
        extra=terms.units,
        facings=terms.facings,
        key=terms.scenario,
        grid=terms.grid,
    )
    return played.records


def segment(
    game: GameFolder,
    state: State,
    texts: Mapping[str, str],
    earlier: Sequence[Record] | None = None,
    *,
    beacon: str = "",
    heard: list[dice.Heard] | None = None,
) -> tuple[list[Record], State]:
    """Play from the request in force with these answers in normal form; a pure matter of state, orders, dice and log.

    ``earlier`` is the whole log before it (that of the game, if none is given): it says whether the umpire has play
    repeated here with the dice kept. ``heard`` is given the dice, which then know what was rolled.
    """
    before = game.records() if earlier is None else earlier
    kept = kept_by(effective(before), state.segment + 1)
    return play_segment(
        game.scenario(), game.dice(), state, texts, beacon=beacon, heard=heard, kept=kept, earlier=before
    )


def play_segment(
    scenario: Scenario,
    source: dice.Source,
    state: State,
    texts: Mapping[str, str],
    *,
    beacon: str = "",
    heard: list[dice.Heard] | None = None,
    kept: tuple[int, ...] = (),
    earlier: Sequence[Record] = (),
) -> tuple[list[Record], State]:
    """The same for a game that is in no folder: random games are played with the dice they would have in one."""
    filed, key = sealed_orders(source, state, texts, beacon)
    rolled: dice.Dice = dice.SegmentDice(key, state.segment + 1)
    if kept:
        rolled = kept_dice(source, earlier, kept, rolled)
    if heard is not None:
        rolled = dice.Heard(rolled)
        heard.append(rolled)
    played = resolve(state, scenario, filed, rolled, robots=captains(scenario), beacon=beacon, kept=kept)
    return played.records, played.state


ALONE = 25
"""So many turns are played in one go where nobody but computer captains is asked: two of them may circle each other for
ever.
"""


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """One thing a command did to a game. ``what`` is ``played``, ``rewrote``, ``waiting``, ``sealed``, ``over``,
    ``late`` for a save of the positions that could not be written yet, or ``alone`` where captains played for so long
    by themselves (:data:`ALONE`) that somebody should say whether they shall go on.

    ``turn`` and ``request`` are those answered; ``asked`` is the request in force afterwards; ``owing``
    who has not answered it; ``sealing`` what orders wait for that are sealed until a beacon speaks.
    """

    what: str
    turn: int = 0
    request: int = 0
    asked: Request | None = None
    owing: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    outcome: tuple[Outcome, ...] = ()
    reports: str = ""
    sealing: Sealing | None = None
    why: str = ""


Playing = Generator[Errand, Done, list[Happening]]
"""Play of a game that hands out its errands, and is sent what came of each."""


def resolve_game(game: GameFolder, beacon: Beacon | None = None) -> list[Happening]:
    """Play on while everybody has answered. Waiting for orders is no error, nor is waiting for the public beacon of
    a game whose dice take one; ``beacon`` asks it.

    Raises :class:`GameError` if the folder is damaged, or a file on record is no longer legal; what was
    played before that stays played.
    """
    playing = resolve_with_jobs(game, beacon)
    try:
        errand = next(playing)
        while True:
            try:
                done = run(errand, alone=True)
            except Exception as error:
                errand = playing.throw(error)
            else:
                errand = playing.send(done)
    except StopIteration as end:
        happened: list[Happening] = end.value
        return happened
    finally:
        playing.close()


def resolve_with_jobs(game: GameFolder, beacon: Beacon | None = None) -> Playing:
    """:func:`resolve`, with somebody else to do the errands: what they need is gathered here, and what came of them is
    written here.
    """
    done = mend(game)
    began = game.state().turn
    while True:
        state = game.state()
        if state.over or state.request is None:
            return [*done, Happening(what="over", outcome=state.outcome, reports=_reports(game))]
        found, faults = answers(game)
        if faults:
            raise GameError(*faults)
        owing = tuple(side for side in state.request.sides if side not in found)
        if owing and (commanding := {side: one for side, one in computer_players(game).items() if side in owing}):
            if state.turn >= began + ALONE:
                return [*done, Happening(what="alone", asked=state.request, owing=owing, reports=_reports(game))]
            for side, level in sorted(commanding.items()):
                submit(game, captains_orders(game, side, level), f"{side}.orders")
            continue
        if owing:
            return [*done, Happening(what="waiting", asked=state.request, owing=owing, reports=_reports(game))]
        if game.set_right():
            done.append(Happening(what="rewrote", reports=f"{turn_name(game.last_folder())}/state.json"))
            continue
        texts = {side: answer.text for side, answer in found.items()}
        if pass_over(game, state, texts):
            continue
        value = ""
        if game.terms.dice.beacon:
            again = as_before(game, state, texts)
            sealing = seal(game, texts, beacon, again.round if again is not None else 0)
            value, why = draw(sealing, beacon)
            if not value:
                return [*done, Happening(what="sealed", asked=state.request, sealing=sealing, why=why)]
        note_version(game, state.segment + 1)
        if kept_by(game.effective(), state.segment + 1):
            play_on(game, state, state.request, found, value)
            publish(game)
        else:
            made = yield errand_for(game, state, found, value)
            _take(game, state.request, found, made.records, made.state)
            publish(game, made.save, made.files)
        done.append(
            Happening(
                what="played",
                turn=state.request.turn,
                request=state.request.number,
                asked=game.state().request,
                used=tuple(found[side].file for side in sorted(found)),
                reports=_reports(game),
            )
        )
        if save_is_late(game):
            done.append(Happening(what="late", reports=f"{_reports(game).partition('/')[0]}/{POSITIONS}"))


def errand_for(game: GameFolder, state: State, found: Mapping[str, Answer], beacon: str = "") -> Errand:
    """The next stretch of play, with everything it is made of."""
    source, before = game.dice(), game.records()
    filed, key = sealed_orders(source, state, {side: answer.text for side, answer in found.items()}, beacon)
    own = {path.relative_to(game.path).as_posix(): read_bytes(path) for path in game.own_files()}
    return Errand(
        around=around(game, state.segment + 1), log=before, state=state, filed=filed, key=key, beacon=beacon,
        links=links_for(source, before, state), own=own,
    )  # fmt: skip


def mend(game: GameFolder) -> list[Happening]:
    """Write what a command that was stopped half-way left behind: the state file and the reports follow the
    log.
    """
    sweep(game.path)
    mended, game.mended = game.mended, ()
    if game.renewed != len(game.records()):
        mended += renew(game)
    return [Happening(what="rewrote", reports=name) for name in mended]


def _reports(game: GameFolder) -> str:
    return reports_folder(game).relative_to(game.path).as_posix()


def play_on(game: GameFolder, state: State, request: Request, found: Mapping[str, Answer], beacon: str = "") -> None:
    """One segment: the orders become part of the record, the dice are made from them, and the turn is
    played.
    """
    texts = {side: answer.text for side, answer in found.items()}
    records, after = segment(game, state, texts, beacon=beacon)
    _take(game, request, found, records, after)


def _take(
    game: GameFolder, request: Request, found: Mapping[str, Answer], records: Sequence[Record], after: State
) -> None:
    """Put what was played into the record."""
    for side, answer in sorted(found.items()):
        if answer.from_form:
            write_text(game.order_file(request.turn, side, request.number), answer.sent, private=True)
    game.commit(request.turn, records, after)
