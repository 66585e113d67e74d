"""Play repeated from a request with the same dice: other orders, other rulings or mended rules, and what then differs.

It is played on a copy of the game. Accepted, all of it becomes part of the log at one moment, where what was played
before stays: nobody can give orders in between, when the dice that are kept are known. What is played with new orders
gets new dice, and is not played here: they are put on file, and ``pbem resolve`` plays on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from pbem.data.words import FormKind
from pbem.engine import log
from pbem.engine.dice import CHAIN_LENGTH, ScriptedDice
from pbem.engine.events import (
    Adjusted,
    AnyEvent,
    OptionsRuled,
    OrdersFiled,
    Record,
    Requested,
    Reran,
    Ruled,
    SegmentBegan,
)
from pbem.engine.fold import fold_records
from pbem.engine.play.resolution import Table
from pbem.engine.state import Request
from pbem.engine.step_names import ORDER
from pbem.errors import GameError
from pbem.games.answers import Answer, answers, has_sop
from pbem.games.aside import in_force_from, lay_aside, name_of
from pbem.games.play import play_on
from pbem.games.proof.kept_dice import Place, cut, place_of, stretches
from pbem.games.proof.replay import Replay
from pbem.games.proof.restored import pass_told
from pbem.games.storage.files import read_bytes, remove, write_bytes
from pbem.games.storage.folder import GameFolder, OrderFile
from pbem.games.storage.publish import renew
from pbem.games.storage.versions import note_version
from pbem.games.submit import submit
from pbem.games.umpire.decrees import Decree, follow, tell, verify_words, write
from pbem.games.umpire.trial import Difference, copied, differences, sitrep_differences
from pbem.games.umpire.undo import played_request, told_again
from pbem.orders.model import Orders
from pbem.orders.reader import read_orders
from pbem.reports.html.public import players_of

replace = msgspec.structs.replace

Key = tuple[int, int]
"""A request: turn and number."""


class Unused(msgspec.Struct, frozen=True, kw_only=True):
    """An old answer that was laid aside, and why."""

    file: str
    why: str


class Repeated(msgspec.Struct, frozen=True, kw_only=True):
    """What a repetition came to. ``since`` is the request it begins with, ``kept`` the segments whose dice hold,
    ``segments`` how many stretches were played, ``asked`` where it stops, ``owing`` who has to write orders there.

    ``used`` are the given files, ``unused`` old answers that answer nothing any more, and why; ``newer`` says that the
    rules were mended since. ``differs`` goes as far as the repetition does; ``taken_back`` counts the stretches of old
    play behind that. ``sitreps`` are unified diffs by reader, of the request at which the repetition stops.
    ``stopped_at_new`` says that it stops since new orders are on file there, which get new dice.
    """

    since: Request
    kept: tuple[int, ...]
    segments: int
    asked: Request | None
    owing: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    unused: tuple[Unused, ...] = ()
    newer: bool = False
    differs: tuple[Difference, ...] = ()
    sitreps: dict[str, str] = {}
    stopped_at_new: bool = False
    taken_back: int
    accepted: bool = False


class _Old(msgspec.Struct, frozen=True):
    """A request as it was asked and answered, and what the umpire ruled while it was in force."""

    request: Request
    texts: dict[str, str]
    ruled: tuple[Record, ...]


class _Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A repetition to be: the act, what is ruled at its beginning, the old play it goes by, and the request at which it
    stops in any case. ``fresh``: new orders get new dice, so it stops at the first of them; without, it shows what
    comes of them with the same dice.
    """

    since: Request
    act: Reran
    decree: Decree
    old: dict[Key, _Old]
    until: Key = (1 << 30, 0)
    fresh: bool = False


class _Run:
    """The repetition on a copy of the game, whose reports nobody reads."""

    def __init__(self, game: GameFolder, plan: _Plan, files: Sequence[tuple[str, str]]) -> None:
        self.game, self.plan, self.files = game, plan, files
        self.segments = 0
        self.stopped_at_new = False
        self.visited: set[Key] = set()
        self.used: dict[str, tuple[Key, str]] = {}
        self.unused: list[Unused] = []
        self.both_in_one: set[tuple[int, str]] = set()
        self.owing: tuple[str, ...] = ()

    def begin(self) -> None:
        """The act stands in the log, with the rulings it begins with."""
        game, act = self.game, self.plan.act
        first = Record(n=len(game.records()) + 1, event=act)
        records = game.effective()
        kept = log.effective([*game.records(), first])
        rules = told_again(records, kept, first)
        kept += rules
        table = Table(fold_records(kept), game.scenario(), ScriptedDice(), {})
        if not self.plan.decree.empty:
            write(table, self.plan.decree, kept)
        game.commit(self.plan.since.turn, [first, *rules, *table.records], table.state)

    def play(self) -> None:
        """Request after request, as long as there are answers; where new ones get new dice, up to the first of them."""
        while (request := self.game.state().request) is not None:
            self.visited.add((request.turn, request.number))
            self._rule_again(request)
            self._take(request)
            found, faults = answers(self.game)
            illegal = {fault.file: fault.text for fault in faults}
            self._drop(request, {name: f"it is no longer legal: {text}" for name, text in illegal.items()}.get)
            self.owing = tuple(side for side in request.sides if side not in found)
            if self.owing:
                return
            if self.plan.fresh and not self._as_played(request, found):
                self.stopped_at_new = True
                return
            play_on(self.game, self.game.state(), request, found)
            self.segments += 1

    def repeat(self, stretches: int) -> None:
        """So many stretches, with the answers on file."""
        for _ in range(stretches):
            request = self.game.state().request
            assert request is not None
            self._rule_again(request)
            found, _ = answers(self.game)
            play_on(self.game, self.game.state(), request, found)
        if (request := self.game.state().request) is not None:
            self._rule_again(request)

    def _as_played(self, request: Request, found: Mapping[str, Answer]) -> bool:
        """Whether these are the answers the same request was played with."""
        old = self.plan.old.get((request.turn, request.number))
        return old is not None and old.texts == {side: answer.text for side, answer in found.items()}

    def _rule_again(self, request: Request) -> None:
        """What the umpire ruled while the same request was in force, he rules again."""
        old = self.plan.old.get((request.turn, request.number))
        if old is None or not old.ruled:
            return
        table = Table(self.game.state(), self.game.scenario(), ScriptedDice(), {})
        for record in old.ruled:
            event = replace(record.event, request=None) if isinstance(record.event, OptionsRuled) else record.event
            tell(table, record.only, event, record.shown)
            follow(table, event)
        self.game.commit(request.turn, table.records, table.state)

    def _take(self, request: Request) -> None:
        """The answers to a request: the files given for it, else the old ones if it asks the same as it did."""
        key = (request.turn, request.number)
        given = set()
        for name, text in self.files:
            if _answers_to(text) == key:
                side = submit(self.game, text, name).side
                given.add(side)
                self.used[name] = (key, text)
                if request.form == FormKind.EAF and has_sop(_orders(text)):
                    self.both_in_one.add((request.turn, side))
        old = self.plan.old.get(key)
        same = old is not None and _asks(old.request) == _asks(request)
        stale = {}
        for file in self._files(request):
            played = old is not None and file.side in old.texts
            anew = request.form == FormKind.SOP and (request.turn, file.side) in self.both_in_one
            if key >= self.plan.until:
                stale[name_of(file)] = "the repetition stops here"
            elif anew and file.side not in given:
                stale[name_of(file)] = "the file given for the energy form says it anew"
                self.both_in_one.discard((request.turn, file.side))
            elif file.side not in given and not (same and played):
                stale[name_of(file)] = "the request asks something else now" if played else "it had not been played"
        self._drop(request, stale.get)

    def _files(self, request: Request) -> list[OrderFile]:
        files = self.game.order_files(request.turn)
        return [file for file in files if file.number == request.number and not file.version]

    def lay_aside_unreached(self) -> None:
        """The answers on file to requests the repetition does not come to."""
        for file in in_force_from(self.game, self.plan.since):
            if (file.turn, file.number) not in self.visited:
                self.unused.append(Unused(file=name_of(file), why="the repetition does not come to its request"))
                lay_aside(self.game, file)

    def _drop(self, request: Request, why: Callable[[str], str | None]) -> None:
        """Lay aside the answers to a request against which something is said."""
        for file in self._files(request):
            if said := why(name_of(file)):
                self.unused.append(Unused(file=name_of(file), why=said))
                lay_aside(self.game, file)


def _asks(request: Request) -> tuple[object, ...]:
    """What makes a request the same for who answers it."""
    return request.form, request.impulse, request.through, request.sides


def _orders(text: str) -> Orders:
    return read_orders(text).orders


def _answers_to(text: str) -> Key:
    orders = _orders(text)
    return orders.turn or 0, orders.reply or 0


def rerun(
    game: GameFolder,
    *,
    turn: int = 0,
    request: int = 0,
    until: Key = (1 << 30, 0),
    files: Sequence[tuple[str, str]] = (),
    decree: Decree | None = None,
    accept: bool = False,
) -> Repeated:
    """Repeat play from a request that was played (the last one, if none is named) with the same dice. ``files`` are
    names and texts of orders that stand for those that were played; ``decree`` holds the rulings it begins with, and
    the reason. ``until`` is a request that nobody is taken to have answered. Without ``accept`` nothing in the game
    is changed.

    Raises :class:`GameError` with everything that cannot be.
    """
    decree = decree or Decree()
    reason = _reason(decree, accept=accept)
    _verify_headers(files)
    records = game.effective()
    verify_words({"--reason": reason}, players_of(records))
    target = played_request(records, turn, request)
    if accept:
        pass_told(game)
        records = game.effective()
    played = [record for record in records if record.n > target.n]
    before = fold_records([record for record in records if record.n <= target.n])
    since = before.request
    assert since is not None
    act = Reran(
        turn=before.turn,
        impulse=before.impulse,
        step=before.step,
        to=target.n,
        reason=reason,
        segment=game.state().segment,
        through=CHAIN_LENGTH,
        kept=tuple(record.event.segment for record in played if isinstance(record.event, SegmentBegan)),
        since=f"request {since.number} of turn {since.turn}",
        newer=_plays_otherwise(game, played),
        by=decree.by,
    )
    plan = _Plan(
        since=since,
        act=act,
        decree=replace(decree, reason=reason),
        old=_old(since, played),
        until=until,
        fresh=accept,
    )
    with copied(game) as copy:
        run = _Run(copy, plan, files)
        run.begin()
        run.play()
        _verify_reached(run)
        run.lay_aside_unreached()
        result, act = _came_to(game, run, records, played)
        orders = _changed(game, copy)
    if accept:
        _accept(game, replace(plan, act=act), run.segments, orders)
        result = replace(result, accepted=True)
    return result


def _reason(decree: Decree, *, accept: bool) -> str:
    reason = " ".join(decree.reason.split()).rstrip(".")
    if accept and not reason:
        raise GameError.saying("no-reason", "a reason is wanted; it stands in the log and in the players' sitreps")
    return reason or "tried"


def _verify_headers(files: Sequence[tuple[str, str]]) -> None:
    for name, text in files:
        if not all(_answers_to(text)):
            said = "its header does not say which request it answers: TURN and REPLY are wanted"
            raise GameError.saying("header-incomplete", said, file=name)


def _verify_reached(run: _Run) -> None:
    """The repetition came to the requests of all files it was given."""
    for name, text in run.files:
        if name not in run.used:
            number = "request {1} of turn {0}".format(*_answers_to(text))
            why = "stops before it, where new orders get new dice" if run.stopped_at_new else "does not come to it"
            raise GameError.saying("not-reached", f"this answers {number}, and the repetition {why}", file=name)


def _came_to(
    game: GameFolder, run: _Run, records: Sequence[Record], played: Sequence[Record]
) -> tuple[Repeated, Reran]:
    """What a repetition that was played came to, and the act with only those dice kept that it came to. ``records`` is
    the game's log, ``played`` what is repeated of it.
    """
    copy, act = run.game, run.plan.act
    end = place_of(copy.state())
    begins = [(one.number, place_of(one.before)) for one in stretches(records).values() if one.number in act.kept]
    kept = tuple(number for number, begin in begins if begin < end)
    asked = copy.state().request
    result = Repeated(
        since=run.plan.since,
        kept=kept,
        segments=run.segments,
        asked=asked,
        owing=run.owing,
        used=tuple(sorted(run.used)),
        unused=tuple(run.unused),
        newer=act.newer,
        differs=differences(
            [record for record in played if _before(record, end)],
            [record for record in copy.effective() if record.n > len(game.records())],
        ),
        taken_back=len(begins) - len(kept),
        sitreps=sitrep_differences(_when_asked(records, asked), copy.records(), news=False),
        stopped_at_new=run.stopped_at_new,
    )
    return result, replace(act, kept=kept, through=act.segment + run.segments)


def _accept(game: GameFolder, plan: _Plan, stretches: int, orders: Mapping[str, bytes | None]) -> None:
    """Play it once more, with the order files as they are to be, and put it into the game: what is played is the same,
    its records say which dice were kept.
    """
    with copied(game) as copy:
        for name, data in orders.items():
            _put(copy.path / name, data)
        again = _Run(copy, plan, [])
        again.begin()
        again.repeat(stretches)
        after = len(game.records())
        made = {turn: [r for r in found if r.n > after] for turn, found in copy.log_files().items()}
    note_version(game, plan.act.segment + 1)
    game.carry_out("rerun", {turn: found for turn, found in made.items() if found}, orders)
    renew(game)


def _put(file: Path, data: bytes | None) -> None:
    if data is None:
        remove(file)
    else:
        write_bytes(file, data, private=True)


def _changed(game: GameFolder, copy: GameFolder) -> dict[str, bytes | None]:
    """The order files of a copy that are other than the game's, by name; ``None`` for those it has not."""
    was, now = (
        {name_of(f): read_bytes(f.path) for t in one.turns() for f in one.order_files(t)} for one in (game, copy)
    )
    return {name: now.get(name) for name in sorted(was.keys() | now.keys()) if was.get(name) != now.get(name)}


def _before(record: Record, end: Place) -> bool:
    event = record.event
    return (event.turn, event.impulse, ORDER.get(event.step, 0)) < end


def _when_asked(records: Sequence[Record], asked: Request | None) -> list[Record]:
    """The log as it was when this request was in force; all of it, if it never was."""
    found: list[Record] = []
    there = False
    for record in records:
        event = record.event
        if there and isinstance(event, SegmentBegan):
            return found
        found.append(record)
        if isinstance(event, Requested) and asked is not None:
            there = (event.request.turn, event.request.number) == (asked.turn, asked.number)
    return found


def _old(since: Request, played: Sequence[Record]) -> dict[Key, _Old]:
    """The requests of old play, by turn and number."""
    found: dict[Key, _Old] = {}
    asked: Request | None = since
    texts: dict[str, str] = {}
    ruled: list[Record] = []

    def end() -> None:
        if asked is not None:
            found[asked.turn, asked.number] = _Old(asked, dict(texts), tuple(ruled))

    for record in played:
        event: AnyEvent = record.event
        match event:
            case Requested(request=request):
                end()
                asked, texts, ruled = request, {}, []
            case OrdersFiled(side=side, text=text):
                texts[side] = text
            case Ruled() | Adjusted() | OptionsRuled():
                ruled.append(record)
    end()
    return found


def _plays_otherwise(game: GameFolder, played: Sequence[Record]) -> bool:
    """Whether the rules of this version make something else of the same orders and dice."""
    replay = Replay(game, game.records())
    before = {number: one.before for number, one in stretches(game.records()).items()}
    return any(
        replay.difference(stretch, before[stretch[0].event.segment]) is not None
        for stretch in cut(played)
        if stretch and isinstance(stretch[0].event, SegmentBegan)
    )
