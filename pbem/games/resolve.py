"""Continue a game: play segments as jobs, until a side must give new orders.

A segment is the play from one request for orders to the next. It runs as a job in this process, in another one or
on another machine. A job contains the orders, the log, the key of its dice and the links of the dice chain that its
sitreps disclose. It contains neither future dice nor anybody's token or password, and it reads and writes no file of
the game. The same job gives the same bytes on every machine that runs the same version of the program
(:func:`fingerprint`); a machine with another version refuses the job.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection, Generator, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

import pbem
from pbem.ai.robot import commanders
from pbem.data.house_figures import looking_in
from pbem.data.scenarios import Scenario
from pbem.engine import dice, log
from pbem.engine.events import Record, Reran, Undone
from pbem.engine.play.resolve import DiceOrigin, Filed, resolve
from pbem.engine.state import Outcome, Request, State
from pbem.errors import Fault, GameError
from pbem.games.answers import SideAnswer, answers
from pbem.games.computer_sides import CaptainsOrders, captains_orders, computer_players
from pbem.games.proof.beacon import Beacon, Sealing, draw, seal
from pbem.games.proof.restored import as_before, pass_over
from pbem.games.proof.seals import kept_by, logged_segments, sealed_orders
from pbem.games.segments import segment
from pbem.games.storage.files import read_bytes, sweep, write_text
from pbem.games.storage.folder import GameFolder, turn_name
from pbem.games.storage.papers import ReportContext, ReportFiles, made_beside, report_files
from pbem.games.storage.players import note_version
from pbem.games.storage.publish import around, publish, renew, reports_folder, save_is_late
from pbem.games.storage.terms import scenario_of
from pbem.games.submit import submit
from pbem.games.vassal_files import POSITIONS
from pbem.reports.html.templates import templates_folder


class DiceLink(msgspec.Struct, frozen=True, kw_only=True):
    """The values that the sitreps after a segment of play disclose about the dice of that segment.

    ``link`` is the segment's link of the dice chain, and ``log_key`` the key of the log digest. ``salts`` has tuples
    (turn, request, side, salt).
    """

    link: bytes
    log_key: bytes
    salts: list[tuple[int, int, str, bytes]]


class DisclosedLinks:
    """A dice source that knows only what has been disclosed; sitreps take their dice proof from it."""

    def __init__(self, scheme: int, links: dict[int, DiceLink]) -> None:
        self.scheme = scheme
        self._links = links

    def link(self, segment: int) -> bytes:
        """Return the disclosed link of a segment in the dice chain."""
        return self._links[segment].link

    def salt(self, turn: int, request: int, side: str, segment: int) -> bytes:
        """Return the disclosed salt for a side's orders that answer one request."""
        return next(one[3] for one in self._links[segment].salts if one[:3] == (turn, request, side))

    def log_key(self, segment: int) -> bytes:
        """Return the disclosed key of the log digest of a segment."""
        return self._links[segment].log_key


class PlayJob(msgspec.Struct, frozen=True, kw_only=True):
    """All input needed to play one segment of play, possibly on another machine.

    A segment is the play from one request for orders to the next.

    Attributes:
        around: The data that reports need besides log and state.
        log: The log records so far.
        state: The state before the segment.
        filed: The orders of each side.
        key: The key of the dice of the segment.
        beacon: The value of the public beacon; empty if the game uses none.
        links: The links of the dice chain that reports disclose; ``None`` if the secret of the dice is not available.
        own: The content of the game's own files (figures, ships, scenarios), by path in the game folder.
        reports: Whether to make reports, too.
    """

    around: ReportContext
    log: list[Record]
    state: State
    filed: dict[str, Filed]
    key: bytes
    beacon: str
    links: dict[int, DiceLink] | None
    own: dict[str, bytes] = {}
    reports: bool = True

    @property
    def moves(self) -> bool:
        """Whether the job can run on another machine; false if it needs a VASSAL module file on this machine."""
        return self.around.binding is None or not self.around.binding.module


class PlayJobResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a :class:`PlayJob`.

    Attributes:
        records: The new log records.
        state: The state after them.
        save: A VASSAL save of the positions; empty if there is none.
        files: All report files; empty if the job did not ask for reports.
    """

    records: list[Record]
    state: State
    save: bytes
    files: ReportFiles


def links_for(source: dice.KeySource, before: Sequence[Record], state: State) -> dict[int, DiceLink]:
    """Return the values about dice that the sitreps after the next segment disclose, by segment number.

    The result covers that segment and the earlier segments of the same turn. If any play was taken back, it covers
    all segments.
    """
    request = state.request
    assert request is not None
    sides = sorted(state.sides)
    found: dict[int, DiceLink] = {}

    def add(segment: int, moment: tuple[int, int]) -> None:
        salts = [(*moment, side, source.salt(*moment, side, segment)) for side in sides]
        found[segment] = DiceLink(link=source.link(segment), log_key=source.log_key(segment), salts=salts)

    if any(isinstance(record.event, Undone | Reran) for record in before):
        for number, one in logged_segments(before).items():
            if one.before.request is not None:
                add(number, (one.before.request.turn, one.before.request.number))
    for _, asked, began in log.played(log.effective(before)):
        if asked.turn == request.turn:
            add(began.segment, (asked.turn, asked.number))
    add(state.segment + 1, (request.turn, request.number))
    return found


def run(errand: PlayJob, *, alone: bool = False) -> PlayJobResult:
    """Play the segment that a job describes, and make the reports it asks for; no files are changed.

    ``alone`` says that this command itself uses only one processor core. In this case, copies of the process make
    the VASSAL save and draw the map in the background.

    Raises:
        GameError: Playing failed.
    """
    scenario: Scenario = scenario_of(errand.around.terms)
    rolled = dice.SegmentDice(errand.key, errand.state.segment + 1)
    played = resolve(
        errand.state, scenario, errand.filed, rolled, robots=commanders(scenario), origin=DiceOrigin(errand.beacon)
    )
    if not errand.reports:
        return PlayJobResult(records=played.records, state=played.state, save=b"", files={})
    whole = [*errand.log, *played.records]
    counts = log.effective(whole)
    source = DisclosedLinks(errand.around.terms.dice.scheme, errand.links) if errand.links is not None else None
    with made_beside(errand.around, counts, played.state, scenario, alone=alone) as save:
        files = report_files(errand.around, whole, counts, played.state, scenario, source, save)
        return PlayJobResult(records=played.records, state=played.state, save=save(), files=files)


# --- jobs as bytes ----------------------------------------------------------------------------------------------------


class _Packed(msgspec.Struct, frozen=True):
    """A job to send to another process, with the fingerprint of the sending program."""

    fingerprint: str
    errand: PlayJob


class _Back(msgspec.Struct, frozen=True, kw_only=True):
    """The reply of a process that received a job: its result, or the faults that prevented it.

    ``other`` is the fingerprint of the receiving program if it differs from that of the sender.
    """

    done: PlayJobResult | None = None
    faults: tuple[Fault, ...] = ()
    other: str = ""


class OtherVersion(Exception):
    """Raised if another process refused a job, because its program or libraries are of another version."""


def packed(errand: PlayJob) -> bytes:
    """Return a job as bytes to send to another process, which runs it with :func:`carried`."""
    return msgspec.msgpack.encode(_Packed(fingerprint(), errand))


def carried(data: bytes) -> bytes:
    """Run a job that was received as bytes, and return the reply as bytes, for :func:`unpacked`."""
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


def unpacked(data: bytes) -> PlayJobResult:
    """Return the result of a job from the reply of the process that ran it.

    Raises:
        GameError: Playing failed, as in :func:`run`.
        OtherVersion: The other process runs another version.
    """
    back = msgspec.msgpack.decode(data, type=_Back)
    if back.other:
        raise OtherVersion(back.other)
    if back.done is None:
        raise GameError(*back.faults)
    return back.done


@cache
def fingerprint() -> str:
    """Return a hash of the program's files and library versions, which identifies this version.

    The result of a job depends only on the job and on this version.
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


ALONE = 25
"""Maximum number of turns that one call plays while only computer players have to give orders.

Without a limit, two of them could circle each other forever.
"""


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a command did to a game.

    ``what`` is one of:

    - ``played``: a segment (from one request for orders to the next) was played.
    - ``rewrote``: a derived file was written again.
    - ``waiting``: the sides in ``owing`` have not given orders yet.
    - ``sealed``: sealed orders wait for the public beacon (``sealing``).
    - ``over``: the game is over.
    - ``late``: a save of the positions could not be written yet.
    - ``alone``: computer players have played :data:`ALONE` turns on their own, and a person should decide whether to
      go on.

    ``turn`` and ``request`` identify the request that was answered; ``asked`` is the request in force afterwards.
    ``used`` names the order files that were played, ``outcome`` has the results of a game that is over, ``reports``
    is the folder of the new reports or the file concerned, and ``why`` is a remark in words.
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


Playing = Generator[PlayJob, PlayJobResult, list[Happening]]
"""A generator that plays a game; it yields each job to the caller, who sends back the result."""


def resolve_game(
    game: GameFolder, beacon: Beacon | None = None, *, captain: CaptainsOrders | None = None
) -> list[Happening]:
    """Play the game until a side must give orders, and return a list of what happened.

    It is not an error if orders are missing, or if the dice wait for the public beacon.

    Args:
        game: The opened game.
        beacon: The client that asks the public beacon for its value.
        captain: A function that gives the orders of computer players. It is called only when all people have answered.
            By default computer players decide at once.

    Raises:
        GameError: The folder is damaged, or a filed order file is no longer legal. Segments that were played before
            the error stay played.
    """
    playing = resolve_with_jobs(game, beacon, captain=captain)
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


def resolve_with_jobs(
    game: GameFolder, beacon: Beacon | None = None, *, captain: CaptainsOrders | None = None
) -> Playing:
    """Play the game like :func:`resolve_game`, but let the caller run the jobs.

    Each job is yielded with all its input, and the caller sends back its result, which is then written to the game.
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
        if owing:
            if why_not := _computers_answer(game, owing, captain, alone=state.turn >= began + ALONE):
                return [*done, Happening(what=why_not, asked=state.request, owing=owing, reports=_reports(game))]
            continue
        if game.set_right():
            done.append(Happening(what="rewrote", reports=f"{turn_name(game.last_folder())}/state.json"))
            continue
        texts = {side: answer.text for side, answer in found.items()}
        if pass_over(game, state, texts):
            continue
        value = _beacon_value(game, state, texts, beacon)
        if isinstance(value, Happening):
            return [*done, value]
        note_version(game, state.segment + 1)
        yield from _play_and_publish(game, state, state.request, found, value)
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


def _computers_answer(game: GameFolder, owing: Collection[str], captain: CaptainsOrders | None, *, alone: bool) -> str:
    """File orders for the computer players among the sides that have to give orders.

    If ``captain`` is given, computer players are asked only if no person has to give orders.

    Returns:
        An empty text if any orders were filed, else the reason: ``waiting`` (people have to give orders) or ``alone``
        (computer players have played long enough on their own).
    """
    commanding = {side: level for side, level in computer_players(game).items() if side in owing}
    if not commanding or (captain is not None and len(commanding) < len(owing)):
        return "waiting"
    if alone:
        return "alone"
    for side, level in sorted(commanding.items()):
        submit(game, (captain or captains_orders)(game, side, level), f"{side}.orders")
    return ""


def _beacon_value(game: GameFolder, state: State, texts: Mapping[str, str], beacon: Beacon | None) -> str | Happening:
    """Return the value of the public beacon for the next segment, or ``""`` if the game's dice use no beacon.

    If the value is not known yet, the orders are sealed, and a :class:`Happening` that says so is returned instead.
    """
    if not game.terms.dice.beacon:
        return ""
    again = as_before(game, state, texts)
    sealing = seal(game, texts, beacon, again.round if again is not None else 0)
    value, why = draw(sealing, beacon)
    return value or Happening(what="sealed", asked=state.request, sealing=sealing, why=why)


def _play_and_publish(
    game: GameFolder, state: State, request: Request, found: Mapping[str, SideAnswer], value: str
) -> Generator[PlayJob, PlayJobResult, None]:
    """Play one segment, commit it and write its reports.

    The segment is yielded as a job. The exception is a segment of a rerun that uses the dice of earlier segments
    again; it is played in this process.
    """
    if kept_by(game.effective(), state.segment + 1):
        play_on(game, state, request, found, value)
        publish(game)
        return
    made = yield play_job_for(game, state, found, value)
    _take(game, request, found, made.records, made.state)
    publish(game, made.save, made.files)


def play_job_for(game: GameFolder, state: State, found: Mapping[str, SideAnswer], beacon: str = "") -> PlayJob:
    """Return the next segment of play as a job for :func:`run`, with all its input.

    ``found`` are the answers by side, and ``beacon`` is the value of the public beacon if the game uses one.
    """
    source, before = game.dice(), game.records()
    filed, key = sealed_orders(source, state, {side: answer.text for side, answer in found.items()}, beacon)
    own = {path.relative_to(game.path).as_posix(): read_bytes(path) for path in game.own_files()}
    return PlayJob(
        around=around(game, state.segment + 1), log=before, state=state, filed=filed, key=key, beacon=beacon,
        links=links_for(source, before, state) if not game.reports_late else None, own=own,
        reports=not game.reports_late,
    )  # fmt: skip


def mend(game: GameFolder) -> list[Happening]:
    """Write state file and reports again if an interrupted command left them out of date.

    Return one :class:`Happening` for each file or folder that was written.
    """
    sweep(game.path)
    mended, game.mended = game.mended, ()
    if game.renewed != len(game.records()):
        mended += renew(game)
    return [Happening(what="rewrote", reports=name) for name in mended]


def _reports(game: GameFolder) -> str:
    return reports_folder(game).relative_to(game.path).as_posix()


def play_on(
    game: GameFolder, state: State, request: Request, found: Mapping[str, SideAnswer], beacon: str = ""
) -> None:
    """Play one segment in this process, and commit its orders and new records to the game folder.

    ``found`` are the answers to ``request``, and ``beacon`` is the value of the public beacon if the game uses one.
    """
    texts = {side: answer.text for side, answer in found.items()}
    records, after = segment(game, state, texts, beacon=beacon)
    _take(game, request, found, records, after)


def _take(
    game: GameFolder, request: Request, found: Mapping[str, SideAnswer], records: Sequence[Record], after: State
) -> None:
    """Commit the order files and log records of one played segment to the game folder."""
    for side, answer in sorted(found.items()):
        if answer.from_form:
            write_text(game.order_file(request.turn, side, request.number), answer.sent, private=True)
    game.commit(request.turn, records, after)
