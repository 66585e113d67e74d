"""Rerun play from an earlier request with the same dice, and make clones of a game for experiments.

A request is the question to the sides for new orders. A rerun plays again from an earlier request with other
orders, other rulings or corrected rules, and shows what differs. It works on a copy of the game. If the umpire
accepts the rerun, the new play is added to the log in one transaction, and the earlier play stays in the log. In
between nobody can give orders knowing which dice come. A rerun uses dice again only for the part of the game that
was already played. Orders for later parts get new dice: they are put on file, and ``pbem resolve`` plays them.

A clone is a copy of a game that continues from any of its requests. A clone has another name and its own dice.
Otherwise an experiment would reveal future dice, and the sitreps of the clone would disclose secrets of the game's
dice chain. Therefore the play copied from the log cannot be proven in the clone. ``game.toml`` (``clone``) and a
house rule in every report say so, and ``pbem verify`` refuses a clone. A clone has no players, no email and no
messages between players.
"""

from __future__ import annotations

import difflib
import glob
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from pbem.data.terms import FormKind
from pbem.engine import dice, log
from pbem.engine.dice import CHAIN_LENGTH, ScriptedDice
from pbem.engine.events import (
    ACTS,
    UMPIRE,
    Adjusted,
    AnyEvent,
    GameStarted,
    OptionsRuled,
    OrdersFiled,
    Record,
    Requested,
    Reran,
    Ruled,
    SegmentBegan,
    Stopped,
)
from pbem.engine.log import fold_records
from pbem.engine.play.resolution import Resolution
from pbem.engine.state import Request
from pbem.engine.step_names import ORDER
from pbem.engine.steps.guidance import follow_ruling
from pbem.errors import GameError
from pbem.games.answers import SideAnswer, answers, has_sop, in_force_from, lay_aside, name_of
from pbem.games.proof.replay import Replay
from pbem.games.proof.restored import pass_told
from pbem.games.proof.seals import SequencePlace, cut, logged_segments, place_of
from pbem.games.resolve import play_on
from pbem.games.storage.files import (
    cannot,
    make_folder,
    patiently,
    read_bytes,
    read_order_file,
    remove,
    sync_folder,
    write_bytes,
    write_text,
)
from pbem.games.storage.folder import GameFolder, OrderFile, turn_name
from pbem.games.storage.opening import opened
from pbem.games.storage.players import VERSIONS_FILE as VERSIONS, by_computer, elsewhere, note_version
from pbem.games.storage.publish import publish_all, renew
from pbem.games.storage.terms import DiceTerms, SideTerms, Terms, terms_text, verify_name
from pbem.games.submit import submit
from pbem.games.umpire.decree import Decree, override, tell, verify_words, write
from pbem.games.umpire.undo import played_request, told_again, undo
from pbem.games.vassal_files import BINDING
from pbem.orders.model import Orders
from pbem.orders.reader import read_orders
from pbem.reports.html.public import players_of
from pbem.reports.text.sentences import sentence
from pbem.reports.text.sitrep import sitrep_text
from pbem.reports.view.build import build_view

_BUILDING: Final = ".tmp"
"""Suffix of the temporary folder in which a clone is made before it is renamed to its final name."""
_BESIDE: Final = ("scenarios", "ships", "figures")
_FILES: Final = (VERSIONS, BINDING)


class Cloned(msgspec.Struct, frozen=True, kw_only=True):
    """The result of :func:`clone`: the clone's name, its source, and the request it is now waiting for.

    ``of`` names the game and the request from which the clone was made.
    """

    game: str
    of: str
    asked: Request | None


def clone(game: GameFolder, target: Path, *, turn: int = 0, request: int = 0, name: str = "") -> Cloned:
    """Write a clone of ``game`` into the new folder ``target``; the game itself is not changed.

    By default the clone continues from the present request. ``turn`` and ``request`` select an earlier request that
    was already played.

    Raises:
        GameError: The selected request was not played, the folder exists, or the name is not valid.
    """
    name = name or target.absolute().name
    verify_name(name)
    if name.casefold() == game.terms.name.casefold():
        raise GameError.saying("game-name", f"give the clone of {name} a different name", file=str(target))
    if target.exists():
        raise GameError.saying("not-empty", "name a new folder for the clone; this one exists", file=str(target))
    now = game.state().request
    if now is None and not (turn or request):
        text = "the game is over; name a request with --at, like --at 2.1"
        raise GameError.saying("game-over", text, file=str(game.path))
    stands = now is not None and (turn, request or 1) == (now.turn, now.number)
    back = bool(turn or request) and not stands
    if back:
        played_request(game.effective(), turn, request)
    if now is not None and not back:
        turn, request = now.turn, now.number
    at = f"request {request or 1} of turn {turn}"
    whole = target.absolute()
    building = whole.parent / f".{whole.name}.{secrets.token_hex(4)}{_BUILDING}"
    try:
        make_folder(whole.parent)
        for left in whole.parent.glob(f".{glob.escape(whole.name)}.*{_BUILDING}"):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)  # left by an interrupted command; it contains all orders
        building.mkdir()
        _write_clone(game, building, name, at)
        with opened(building) as copy:
            copy.write_state()
            if back:
                undo(copy, turn=turn, request=request, reason=f"a clone of {game.terms.name} goes on from here")
            said = f"A clone of {game.terms.name}, at {at}: dice of its own, no players; it counts for nothing."
            override(copy, Decree(ruling=said, reason="a clone"))
            publish_all(copy)
            asked = copy.state().request
        patiently(building.replace, whole)
        sync_folder(whole.parent)
    except OSError as error:
        raise cannot("write", target, error) from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return Cloned(game=name, of=game.terms.name, asked=asked)


def _write_clone(game: GameFolder, folder: Path, name: str, at: str) -> None:
    """Write the files of a clone: the game's log, orders and own data under the clone's name, with new dice."""
    old, secret = game.terms, secrets.token_bytes(32)
    made = dice.Secret(secret, dice.SCHEMES[-1])
    terms = msgspec.structs.replace(
        old,
        name=name,
        clone=f"{old.name}, {at}",
        sides={side: msgspec.structs.replace(seat, player=_player(seat)) for side, seat in old.sides.items()},
        dice=DiceTerms(
            scheme=made.scheme, commitment=made.commitment, length=made.length, salts=made.salt_commitment, beacon=""
        ),
    )
    write_bytes(folder / "secret" / "dice.secret", secret.hex().encode() + b"\n", private=True)
    write_text(folder / "game.toml", terms_text(terms), private=True)
    for turn, records in game.log_files().items():
        data = log.encode_records(_renamed(record, terms) for record in sorted(records, key=lambda one: one.n))
        write_bytes(folder / turn_name(turn) / "events.jsonl", data, private=True)
        header = re.compile(rf"(?im)^([^\S\n]*+GAME\s+){re.escape(old.name)}\b")
        for file in game.order_files(turn):
            text = header.sub(rf"\g<1>{name}", read_order_file(file.path))
            write_text(folder / turn_name(turn) / "orders" / file.path.name, text, private=True)
    for kind in _BESIDE:
        if (game.path / kind).is_dir():
            shutil.copytree(game.path / kind, folder / kind)
    for beside in _FILES:
        if (game.path / beside).is_file():
            write_bytes(folder / beside, read_bytes(game.path / beside), private=True)


def _player(seat: SideTerms) -> str:
    return seat.player if by_computer(seat.player) else ""


def _renamed(record: Record, terms: Terms) -> Record:
    event = record.event
    if not isinstance(event, GameStarted):
        return record
    sides = tuple(side if side.robot else msgspec.structs.replace(side, player="") for side in event.sides)
    return msgspec.structs.replace(record, event=msgspec.structs.replace(event, game=terms.name, sides=sides))


class PlayDifference(msgspec.Struct, frozen=True, kw_only=True):
    """The differences between two versions of play in one impulse, as sentences.

    ``was`` are sentences of the old play that no longer apply. ``now`` are the sentences that replace them.
    """

    turn: int
    impulse: int
    was: tuple[str, ...] = ()
    now: tuple[str, ...] = ()


@contextmanager
def copied(game: GameFolder) -> Iterator[GameFolder]:
    """Provide a temporary copy of the whole game for an experiment; it is deleted when the context ends."""
    try:
        with tempfile.TemporaryDirectory(prefix="pbem-") as folder:
            copy = Path(folder) / game.path.absolute().name
            shutil.copytree(game.path, copy, ignore=shutil.ignore_patterns("*.lock", ".*.tmp", "*.vsav"))
            with opened(copy) as trial:
                yield trial
    except OSError as error:
        raise cannot("read", game.path, error) from error


_NOT_PLAY = (SegmentBegan, OrdersFiled, Requested, Stopped, *ACTS)
"""Event types that only do bookkeeping; they differ in every rerun, so the comparison ignores them."""


def differences(was: Sequence[Record], now: Sequence[Record]) -> tuple[PlayDifference, ...]:
    """Return what differs between two versions of the same play, impulse by impulse, as the umpire sees it.

    ``was`` is the log of the old play, ``now`` that of the new play.
    """
    before, after = _by_moment(was), _by_moment(now)
    found = []
    for moment in sorted(before.keys() | after.keys()):
        old, new = before.get(moment, []), after.get(moment, [])
        steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        lost = [line for how, i, j, _, _ in steps if how != "equal" for line in old[i:j]]
        gained = [line for how, _, _, i, j in steps if how != "equal" for line in new[i:j]]
        if lost or gained:
            found.append(PlayDifference(turn=moment[0], impulse=moment[1], was=tuple(lost), now=tuple(gained)))
    return tuple(found)


def _by_moment(records: Sequence[Record]) -> dict[tuple[int, int], list[str]]:
    found: dict[tuple[int, int], list[str]] = {}
    for record in records:
        event = record.event
        if not isinstance(event, _NOT_PLAY):
            found.setdefault((event.turn, event.impulse), []).append(sentence(event))
    return found


def sitrep_differences(was: Sequence[Record], now: Sequence[Record], *, news: bool = True) -> dict[str, str]:
    """Return the differences between the sitreps of two logs as a dict of reader to unified diff.

    ``was`` is the old log, ``now`` the new one. Readers whose sitreps are equal are left out. With ``news`` false, the
    news since a reader's last sitrep is not compared.
    """

    def text(records: Sequence[Record], reader: str) -> list[str]:
        view = build_view(records, reader)
        if not news:
            said = tuple(msgspec.structs.replace(one, fresh=False) for one in view.said)
            view = msgspec.structs.replace(view, since=(), said=said)
        return sitrep_text(view).splitlines()

    players = [player.side for player in build_view(was, UMPIRE).players if not player.robot]
    found = {}
    for reader in (*players, UMPIRE):
        old, new = text(was, reader), text(now, reader)
        lines = difflib.unified_diff(old, new, f"{reader}, now", f"{reader}, after the change", lineterm="", n=1)
        if differs := "\n".join(lines):
            found[reader] = differs
    return found


Key = tuple[int, int]
"""The turn and the number that identify a request for orders."""


class Unused(msgspec.Struct, frozen=True, kw_only=True):
    """An order file of the earlier play that the rerun set aside, and the reason."""

    file: str
    why: str


class Repeated(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a rerun.

    A request is a question to the sides for orders. A segment is the play from one request to the next.

    Attributes:
        since: The request from which the rerun begins.
        kept: Numbers of the segments whose dice are used again.
        segments: Number of segments played in the rerun.
        asked: The request at which the rerun stops, or ``None`` if it played to the end of the game.
        owing: Sides that must write orders for ``asked``.
        used: Names of the given order files that were used.
        unused: Old order files that no longer fit any request, with reasons.
        newer: Whether the rules in this version give another result for the old play.
        differs: Differences in play, up to the point where the rerun stops.
        sitreps: Unified diffs of the sitreps at ``asked``, by reader.
        stopped_at_new: Whether the rerun stops at ``asked`` because new orders are on file there, which get new dice.
        taken_back: Number of segments of the old play after the point where the rerun stops.
        accepted: Whether the rerun became part of the game.
    """

    since: Request
    kept: tuple[int, ...]
    segments: int
    asked: Request | None
    owing: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    unused: tuple[Unused, ...] = ()
    newer: bool = False
    differs: tuple[PlayDifference, ...] = ()
    sitreps: dict[str, str] = {}
    stopped_at_new: bool = False
    taken_back: int
    accepted: bool = False


class _EarlierRequest(msgspec.Struct, frozen=True):
    """A request of the earlier play, the answers to it, and the rulings made while it was in force."""

    request: Request
    texts: dict[str, str]
    ruled: tuple[Record, ...]


class _Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a rerun is to do: where it begins and stops, and which orders and rulings it uses.

    Attributes:
        since: The request with which the rerun begins.
        act: The event that the rerun adds to the log.
        decree: Rulings to apply before play begins.
        old: The earlier requests with their answers and rulings, which the rerun uses again.
        until: Turn and number of a request that counts as unanswered, so that the rerun stops there.
        fresh: Whether new orders get new dice. If true, the rerun stops at the first new orders. If false, it plays
            them with the old dice to show their effect.
    """

    since: Request
    act: Reran
    decree: Decree
    old: dict[Key, _EarlierRequest]
    until: Key = (1 << 30, 0)
    fresh: bool = False


class _Run:
    """One rerun in progress on a copy of the game; it writes no reports."""

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
        """Add the rerun's event and the rulings made at its beginning to the log of the copy."""
        game, act = self.game, self.plan.act
        first = Record(n=len(game.records()) + 1, event=act)
        records = game.effective()
        kept = log.effective([*game.records(), first])
        rules = told_again(records, kept, first)
        kept += rules
        table = Resolution(fold_records(kept), game.scenario(), ScriptedDice(), {})
        if not self.plan.decree.empty:
            write(table, self.plan.decree, kept)
        game.commit(self.plan.since.turn, [first, *rules, *table.records], table.state)

    def play(self) -> None:
        """Play one request after another until answers are missing.

        If new orders get new dice (``fresh``), play stops at the first answers that differ from the earlier play.
        """
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
        """Play the given number of segments with the order files of the copy.

        A segment is the play from one request for orders to the next.
        """
        for _ in range(stretches):
            request = self.game.state().request
            assert request is not None
            self._rule_again(request)
            found, _ = answers(self.game)
            play_on(self.game, self.game.state(), request, found)
        if (request := self.game.state().request) is not None:
            self._rule_again(request)

    def _as_played(self, request: Request, found: Mapping[str, SideAnswer]) -> bool:
        """Return whether the earlier play answered this request with exactly the orders in ``found``."""
        old = self.plan.old.get((request.turn, request.number))
        return old is not None and old.texts == {side: answer.text for side, answer in found.items()}

    def _rule_again(self, request: Request) -> None:
        """Apply the rulings again that the umpire made in the earlier play while this request was in force."""
        old = self.plan.old.get((request.turn, request.number))
        if old is None or not old.ruled:
            return
        table = Resolution(self.game.state(), self.game.scenario(), ScriptedDice(), {})
        for record in old.ruled:
            event = replace(record.event, request=None) if isinstance(record.event, OptionsRuled) else record.event
            tell(table, record.only, event, record.shown)
            follow_ruling(table, event)
        self.game.commit(request.turn, table.records, table.state)

    def _take(self, request: Request) -> None:
        """Select the order files that answer a request, and set the others aside.

        A file that the umpire gave for the rerun comes first. Otherwise an old answer is used if the request asks
        for the same as in the earlier play.
        """
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
                stale[name_of(file)] = "the rerun stops here"
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
        """Set aside the order files that answer requests which the rerun does not reach."""
        for file in in_force_from(self.game, self.plan.since):
            if (file.turn, file.number) not in self.visited:
                self.unused.append(Unused(file=name_of(file), why="the rerun never reaches that request"))
                lay_aside(self.game, file)

    def _drop(self, request: Request, why: Callable[[str], str | None]) -> None:
        """Set aside each order file for a request for which ``why`` returns a reason.

        ``why`` is called with the name of the file; it returns ``None`` for a file to keep.
        """
        for file in self._files(request):
            if said := why(name_of(file)):
                self.unused.append(Unused(file=name_of(file), why=said))
                lay_aside(self.game, file)


def _asks(request: Request) -> tuple[object, ...]:
    """Return what a request asks for as a key: its form, first and last impulse, and sides.

    An old answer still fits the new request if both requests have the same key.
    """
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
    """Play again from an earlier request (by default the last one played) with the same dice.

    Args:
        game: The opened game.
        turn: Turn of the request from which to play again.
        request: Number of that request.
        until: Turn and number of a request that counts as unanswered, so that the rerun stops there.
        files: Names and texts of order files that replace those that were played.
        decree: Rulings to apply at the beginning, and the reason for the rerun.
        accept: Make the rerun part of the game. Otherwise the rerun is only tried out, and the game is not changed.

    Raises:
        GameError: The rerun is not possible. The error lists every obstacle.
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
        newer=_gives_other_play(game, played),
        by=decree.by,
    )
    plan = _Plan(
        since=since,
        act=act,
        decree=replace(decree, reason=reason),
        old=_earlier_requests(since, played),
        until=until,
        fresh=accept,
    )
    with copied(game) as copy:
        run = _Run(copy, plan, files)
        run.begin()
        run.play()
        _verify_reached(run)
        run.lay_aside_unreached()
        result, act = _result(game, run, records, played)
        orders = _changed(game, copy)
    if accept:
        _accept(game, replace(plan, act=act), run.segments, orders)
        result = replace(result, accepted=True)
    return result


def _reason(decree: Decree, *, accept: bool) -> str:
    reason = " ".join(decree.reason.split()).rstrip(".")
    if accept and not reason:
        raise GameError.saying("no-reason", "give a reason; it goes into the log and the players' sitreps")
    return reason or "tried"


def _verify_headers(files: Sequence[tuple[str, str]]) -> None:
    for name, text in files:
        if not all(_answers_to(text)):
            said = "write TURN and REPLY in its header: it does not say which request it answers"
            raise GameError.saying("header-incomplete", said, file=name)


def _verify_reached(run: _Run) -> None:
    """Check that the rerun reached the requests that the given order files answer.

    Raises:
        GameError: A file answers a request that the rerun did not reach.
    """
    for name, text in run.files:
        if name not in run.used:
            number = "request {1} of turn {0}".format(*_answers_to(text))
            why = (
                "stops before that request, because new orders get new dice"
                if run.stopped_at_new
                else "never reaches that request"
            )
            raise GameError.saying("not-reached", f"this answers {number}, but the rerun {why}", file=name)


def _result(game: GameFolder, run: _Run, records: Sequence[Record], played: Sequence[Record]) -> tuple[Repeated, Reran]:
    """Return the result of a rerun as the caller gets it, and the event that records the rerun in the log.

    The event names only the dice that were used. ``records`` is the game's log, and ``played`` the part of the log that
    is repeated.
    """
    copy, act = run.game, run.plan.act
    end = place_of(copy.state())
    begins = [(one.number, place_of(one.before)) for one in logged_segments(records).values() if one.number in act.kept]
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
        sitreps=sitrep_differences(_log_while_in_force(records, asked), copy.records(), news=False),
        stopped_at_new=run.stopped_at_new,
    )
    return result, replace(act, kept=kept, through=act.segment + run.segments)


def _accept(game: GameFolder, plan: _Plan, stretches: int, orders: Mapping[str, bytes | None]) -> None:
    """Commit an accepted rerun to the game, after playing it again on a copy with the final order files.

    The second pass gives the same play, but its event now names exactly the dice that were reused.
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
    """Return the order files that differ between the game and a copy, by name, with the copy's content.

    The content is ``None`` for a file that the copy does not have.
    """
    was, now = (
        {name_of(f): read_bytes(f.path) for t in one.turns() for f in one.order_files(t)} for one in (game, copy)
    )
    return {name: now.get(name) for name in sorted(was.keys() | now.keys()) if was.get(name) != now.get(name)}


def _before(record: Record, end: SequencePlace) -> bool:
    event = record.event
    return (event.turn, event.impulse, ORDER.get(event.step, 0)) < end


def _log_while_in_force(records: Sequence[Record], asked: Request | None) -> list[Record]:
    """Return the log up to the end of the time in which the given request was in force.

    If that request was never in force, the whole log is returned.
    """
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


def _earlier_requests(since: Request, played: Sequence[Record]) -> dict[Key, _EarlierRequest]:
    """Return the requests of the earlier play: dict of (turn, number) to request, answers and rulings."""
    found: dict[Key, _EarlierRequest] = {}
    asked: Request | None = since
    texts: dict[str, str] = {}
    ruled: list[Record] = []

    def end() -> None:
        if asked is not None:
            found[asked.turn, asked.number] = _EarlierRequest(asked, dict(texts), tuple(ruled))

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


def _gives_other_play(game: GameFolder, played: Sequence[Record]) -> bool:
    """Return whether the rules of this version give another result for the old orders and dice."""
    replay = Replay(game, game.records(), elsewhere=elsewhere(game))
    before = {number: one.before for number, one in logged_segments(game.records()).items()}
    return any(
        replay.difference(stretch, before[stretch[0].event.segment]) is not None
        for stretch in cut(played)
        if stretch and isinstance(stretch[0].event, SegmentBegan)
    )
