"""Play repeated with the same dice: what differs, what stays, and that the record says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from pbem.data.terms import FormKind
from pbem.engine import dice, log
from pbem.engine.events import Fired, Record, Reran, SegmentBegan
from pbem.engine.state import Request
from pbem.errors import GameError
from pbem.games.proof.replay import Replay
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.storage.folder import GameFolder, OrderFile
from pbem.games.submit import Receipt, submit
from pbem.games.umpire.decree import Decree, override
from pbem.games.umpire.rerun import _Run, rerun
from pbem.rules.direct_fire import FACES, AimedShot, shot

Send = Callable[..., Receipt]
Snapshot = Callable[[Path], dict[str, bytes]]
CONTINUE = "GAME duel TURN 1 SIDE klingon REPLY 3\nCONTINUE\nEND\n"
HOLD_FIRE = """GAME duel TURN 1 SIDE federation REPLY 2
SHIP Constellation
PLOT TOWARD Destruction
DO
  IF RANGE Destruction <= 4 THEN FIRE PH 1 AT Destruction
END
"""
WHY = Decree(reason="An order was misread")


@pytest.fixture
def played(at_break: GameFolder) -> GameFolder:
    """The duel after the fire of turn 1."""
    submit(at_break, CONTINUE, "k3.txt")
    resolve_game(at_break)
    return at_break


def shots(records: list[Record]) -> dict[str, int]:
    return {record.event.roll: record.event.die for record in records if isinstance(record.event, Fired)}


def test_the_same_orders_come_out_the_same_and_nothing_is_changed(
    played: GameFolder, duel: Path, snapshot: Snapshot
) -> None:
    before = snapshot(duel)
    done = rerun(played, turn=1, request=1)
    assert (done.segments, done.kept, done.differs, done.taken_back) == (3, (1, 2, 3), (), 0)
    assert done.asked == played.state().request
    assert snapshot(duel) == before


def test_other_orders_are_shown_with_the_same_dice_and_get_new_ones(
    played: GameFolder, duel: Path, snapshot: Snapshot
) -> None:
    old = shots(played.effective())
    before = snapshot(duel)
    tried = rerun(played, turn=1, request=2, files=[("f2.txt", HOLD_FIRE)])
    assert snapshot(duel) == before
    assert (tried.used, tried.segments, tried.stopped_at_new) == (("f2.txt",), 2, False)
    sentences = " ".join(text for one in tried.differs for text in one.was)
    assert "Constellation fires PH 2" in sentences
    assert "Constellation fires PH 1" not in sentences, "what happens again is no difference"
    assert set(tried.sitreps) == {"federation", "klingon", "umpire"}
    assert "-    Constellation fires PH 2" in tried.sitreps["klingon"]
    head = tried.sitreps["klingon"].splitlines()[:3]
    assert head[:2] == ["--- klingon, now", "+++ klingon, after the change"] and head[2].startswith("@@")

    done = rerun(played, turn=1, request=2, files=[("f2.txt", HOLD_FIRE)], decree=WHY, accept=True)
    assert done.accepted and (done.segments, done.stopped_at_new, done.kept) == (0, True, ())
    assert [one.file for one in done.unused] == ["01/orders/klingon.r3.orders"], "it answers another course of things"
    # Both answers to the request are on file: the new one, and the other side's old one.
    resolve_game(played)
    submit(played, CONTINUE, "k3.txt")
    resolve_game(played)
    new = shots(played.effective())
    assert new.keys() < old.keys() and any(old[roll] != new[roll] for roll in new)
    found = verify(played)
    assert (found.faults, found.segments, found.repeated) == ((), 5, 0)


def test_dice_are_kept_as_far_as_the_orders_are_the_same(played: GameFolder, duel: Path) -> None:
    other = CONTINUE.replace("CONTINUE", "SHIP Destruction\nPLOT TOWARD Constellation")
    done = rerun(played, turn=1, request=1, files=[("k3.txt", other)], decree=WHY, accept=True)
    assert (done.segments, done.kept, done.stopped_at_new, done.unused) == (2, (1, 2), True, ())
    assert (duel / "01/orders/klingon.r3.orders").read_text(encoding="utf-8") == other
    resolve_game(played)
    begun = [record.event for record in played.effective() if isinstance(record.event, SegmentBegan)]
    assert [(one.segment, one.link, one.kept) for one in begun] == [
        (4, dice.link_for(4), (1, 2)), (5, dice.link_for(5), (1, 2)), (6, dice.link_for(6), ()),
    ]  # fmt: skip
    assert verify(played).faults == ()


def test_orders_for_a_request_behind_the_first_new_ones_are_not_taken(
    played: GameFolder, duel: Path, snapshot: Snapshot
) -> None:
    before = snapshot(duel)
    files = [("f2.txt", HOLD_FIRE), ("k3.txt", CONTINUE)]
    with pytest.raises(GameError, match=r"k3\.txt: not-reached: .* new orders get new dice"):
        rerun(played, turn=1, request=2, files=files, decree=WHY, accept=True)
    assert snapshot(duel) == before


def test_what_was_played_before_stays_in_the_log_and_the_sitreps_say_it(played: GameFolder, duel: Path) -> None:
    log = (duel / "01/events.jsonl").read_bytes()
    begins = Decree(changes=("Destruction shield 2 = 5",), reason="An order was misread")
    rerun(played, turn=1, request=2, decree=begins, accept=True)
    assert (duel / "01/events.jsonl").read_bytes().startswith(log)
    [act] = [record.event for record in played.records() if isinstance(record.event, Reran)]
    assert (act.kept, act.segment, act.through) == ((2, 3), 3, 5)
    request = played.state().request
    assert request is not None
    for side in ("federation", "klingon"):
        told = (played.request_folder(1, request.number) / side / "sitrep.txt").read_text(encoding="utf-8")
        news = " ".join(told.partition("SINCE YOUR LAST SITREP")[2].partition("--- CURRENT")[0].split())
        assert "repeated from request 2 of turn 1 with the same dice (those of segments 2 and 3): An order" in news
        # All of the repetition is news, not its last stretch alone.
        stopped = {"federation": "A secret break of klingon stops play", "klingon": "klingon's break"}[side]
        assert stopped in news and "Constellation fires" in news


def test_other_orders_are_kept_beside_those_that_were_played(played: GameFolder, duel: Path) -> None:
    old = (duel / "01/orders/federation.r2.orders").read_bytes()
    rerun(played, turn=1, request=2, files=[("f2.txt", HOLD_FIRE)], decree=WHY, accept=True)
    assert (duel / "01/orders/federation.r2.v1.orders").read_bytes() == old
    assert (duel / "01/orders/federation.r2.orders").read_text(encoding="utf-8") == HOLD_FIRE
    told = " ".join((duel / "01/r2/klingon/sitrep.txt").read_text(encoding="utf-8").split())
    assert "took play back to request 2 of turn 1, to be played with other orders and new dice: An order" in told


def test_who_answers_anew_after_it_meets_new_dice(played: GameFolder) -> None:
    old = shots(played.effective())
    done = rerun(played, turn=1, request=1, until=(1, 3), decree=WHY, accept=True)
    assert (done.segments, done.owing, done.taken_back) == (2, ("klingon",), 1)
    assert [one.file for one in done.unused] == ["01/orders/klingon.r3.orders"]
    submit(played, CONTINUE, "k3.txt")
    resolve_game(played)
    new = shots(played.effective())
    assert new.keys() == old.keys() and new != old
    assert verify(played).faults == ()


@pytest.mark.slow
def test_a_repetition_may_be_repeated(played: GameFolder) -> None:
    old = shots(played.effective())
    for _ in range(2):
        rerun(played, turn=1, request=2, decree=WHY, accept=True)
    begun = [record.event for record in played.effective() if isinstance(record.event, SegmentBegan)]
    assert [one.kept for one in begun] == [(), (4, 5), (4, 5)]
    assert shots(played.effective()) == old
    assert verify(played).faults == ()


def test_rulings_may_begin_it_and_those_made_since_are_made_again(at_break: GameFolder) -> None:
    override(at_break, Decree(changes=("Destruction shield 2 = 1",), reason="a volley was forgotten"))
    override(at_break, Decree(changes=("Constellation PH 1 = destroyed",), reason="so was what it hit"))
    override(at_break, Decree(ruling="No ramming"))
    submit(at_break, CONTINUE, "k3.txt")
    resolve_game(at_break)
    same = rerun(at_break, turn=1, request=2)
    trial = rerun(at_break, turn=1, request=2, decree=Decree(changes=("Destruction shield 1 = 2",)))
    assert same.differs == () and trial.sitreps != same.sitreps and not trial.accepted, "to try it wants no reason"
    begins = Decree(changes=("Destruction shield 1 = 2",), reason="and another")
    done = rerun(at_break, turn=1, request=2, decree=begins, accept=True)
    told = " ".join(at_break.path.joinpath("01/r3/federation/sitrep.txt").read_text(encoding="utf-8").split())
    assert "shield 1 of Destruction is 2 (was 16): and another" in told
    assert "shield 2 of Destruction is 1 (was 12): a volley was forgotten" in told
    assert "1. No ramming" in told
    assert done.segments == 2 and not done.newer
    assert verify(at_break).faults == ()


def _other(record: Record) -> Record:
    """The record with its last figure another one."""
    line = log.encode_records([record]).decode()
    place = max(line.rindex(digit) for digit in "0123456789" if digit in line)
    changed = line[:place] + str((int(line[place]) + 1) % 10) + line[place + 1 :]
    (found,) = log.decode_records(changed.encode(), "")
    assert found != record and found.n == record.n
    return found


def changed_at(game: GameFolder, n: int) -> list[str]:
    """What a replay says of the log in which record ``n`` is another."""
    records = [_other(record) if record.n == n else record for record in game.records()]
    return [fault.text for fault in Replay(game, records).run()]


def test_a_record_that_was_changed_is_named_before_within_and_behind_a_repetition(played: GameFolder) -> None:
    """Play that was taken back is replayed like all other play."""
    before = len(played.records())
    rerun(played, turn=1, request=2, decree=WHY, accept=True)
    records = played.records()
    (act,) = (record for record in records if isinstance(record.event, Reran))
    assert act.n == before + 1 and isinstance(act.event, Reran) and not act.event.newer
    assert list(Replay(played, records).run()) == []
    shot = [record.n for record in records if isinstance(record.event, Fired)]
    first, last = [n for n in shot if n < act.n], [n for n in shot if n > act.n]
    assert first and first[0] > act.event.to and len(last) == len(first)
    for n in (2, act.event.to - 2, first[0], first[-1], last[0], last[-1], len(records)):
        (said,) = changed_at(played, n)
        assert said.startswith(f"record {n} ("), said
    # Whoever repeats play with the dice of other segments says so in all places: that it is not those of then is seen.
    others = act.event.kept[::-1]
    picked = [
        msgspec.structs.replace(one, event=msgspec.structs.replace(one.event, kept=others))
        if isinstance(one.event, Reran | SegmentBegan) and one.event.kept
        else one
        for one in records
    ]
    assert len(others) > 1 and any("in order" in fault.text for fault in Replay(played, picked).run())
    wrong = {"to": act.event.to - 1, "kept": act.event.kept[1:], "segment": 9, "through": act.event.through + 1}
    for field, value in wrong.items():
        event = msgspec.structs.replace(act.event, **{field: value})
        other = [msgspec.structs.replace(one, event=event) if one.n == act.n else one for one in records]
        assert list(Replay(played, other).run()), field


def _lucky(aim: AimedShot) -> tuple[object, ...]:
    return tuple(shot(aim, min(die + 1, 6)) for die in FACES)


def test_a_form_with_orders_behind_it_stands_for_both_that_were_played(
    played: GameFolder, orders: Callable[..., str]
) -> None:
    both = orders("federation", "FULL").replace("FIRE ALL PH", "FIRE PH 1")
    tried = rerun(played, turn=1, request=1, files=[("both.txt", both)])
    assert [one.file for one in tried.unused] == ["01/orders/federation.r2.orders"]
    rerun(played, turn=1, request=1, files=[("both.txt", both)], decree=WHY, accept=True)
    resolve_game(played)
    request = played.state().request
    assert request is not None and request.sides == ("federation", "klingon")
    submit(played, (played.path / "01/orders/klingon.r2.v1.orders").read_text(encoding="utf-8"), "k2.txt")
    resolve_game(played)
    submit(played, CONTINUE, "k3.txt")
    resolve_game(played)
    assert {e.weapon for r in played.effective() if isinstance(e := r.event, Fired) and e.unit == "Constellation"} == {
        "PH 1"
    }
    assert verify(played).faults == ()


def test_mended_rules_are_no_reason_to_lose_the_old_play(at_break: GameFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Played by rules that made another thing of a die; then these are mended."""
    with monkeypatch.context() as older:
        older.setattr("pbem.engine.steps.firing.faces", _lucky)
        submit(at_break, CONTINUE, "k3.txt")
        resolve_game(at_break)
        assert verify(at_break).faults == ()
    assert [fault.code for fault in verify(at_break).record] == ["replay-differs"]
    done = rerun(at_break, turn=1, request=3, decree=Decree(reason="phasers scored too much"), accept=True)
    assert done.newer and done.differs
    found = verify(at_break)
    assert found.faults == () and found.passed == 1
    # What was played by older rules is not played again; all before and behind it is.
    (act,) = (record for record in at_break.records() if isinstance(record.event, Reran))
    shot = [record.n for record in at_break.records() if isinstance(record.event, Fired)]
    assert isinstance(act.event, Reran) and act.event.to < shot[0] < act.n < shot[-1]
    for n in (act.event.to - 2, shot[-1]):
        assert changed_at(at_break, n)[0].startswith(f"record {n} (")
    assert changed_at(at_break, shot[0]) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (HOLD_FIRE.replace("REPLY 2", "REPLY 9"), "not-reached"),
        ("Dear umpire, my orders are attached.", "header-incomplete"),
        (HOLD_FIRE.replace("PH 1", "PH 99"), "no-such-weapon"),
        (HOLD_FIRE.replace("federation", "orion"), "wrong-side"),
    ],
)
def test_files_that_cannot_be_used_are_named(
    played: GameFolder, duel: Path, snapshot: Snapshot, text: str, code: str
) -> None:
    before = snapshot(duel)
    with pytest.raises(GameError) as error:
        rerun(played, turn=1, request=2, files=[("f2.txt", text)], decree=WHY, accept=True)
    assert {(fault.code, fault.file) for fault in error.value.faults} >= {(code, "f2.txt")}
    assert snapshot(duel) == before


def test_without_a_reason_or_a_request_that_was_played_nothing_happens(
    game: GameFolder, duel: Path, snapshot: Snapshot
) -> None:
    before = snapshot(duel)
    with pytest.raises(GameError, match="nothing-played"):
        rerun(game)
    for gone in ("TURN 1 ", "REPLY 2", "TURN 1 SIDE federation REPLY 2"):
        with pytest.raises(GameError, match=r"f2\.txt: header-incomplete"):
            rerun(game, files=[("f2.txt", HOLD_FIRE.replace(gone, ""))])
    with pytest.raises(GameError, match="no-reason"):
        rerun(game, accept=True)
    assert snapshot(duel) == before


def test_kept_dice_are_those_of_the_moment() -> None:
    own, first, second = (dice.SegmentDice(key) for key in (b"own", b"first", b"second"))
    spans = [
        dice.DiceSpan(dice.place(1, 1, "move"), dice.place(1, 5, "fire"), first),
        dice.DiceSpan(dice.place(1, 5, "fire"), dice.place(2, 0, "energy"), second),
    ]
    kept = dice.KeptDice(own, spans)
    for moment, whose in (("1.0.energy", own), ("1.1.move", first), ("1.5.launch", first), ("1.5.fire", second),
                          ("1.16.close", second), ("2.0.energy", own), ("2.1.fire", own)):  # fmt: skip
        labels = [f"{moment} A PH1 {n}" for n in range(1, 20)]
        assert [kept.roll(label) for label in labels] == [whose.roll(label) for label in labels], moment


def test_orders_that_a_file_for_the_energy_form_holds_replace_those_of_the_next_request_alone(tmp_path: Path) -> None:
    """Who gave energy and orders in one file says anew what the next request asks; later requests are as before."""
    asked = {
        number: Request(
            number=number, turn=1, impulse=impulse, form=FormKind.SOP, sides=("federation", "klingon"), through=32
        )
        for number, impulse in ((2, 1), (3, 9))
    }
    old = {
        (1, number): SimpleNamespace(request=request, texts=dict.fromkeys(request.sides, ""))
        for number, request in asked.items()
    }
    plan = SimpleNamespace(old=old, until=(9, 1))
    filed = [
        OrderFile(path=tmp_path / f"{side}.r{number}.orders", turn=1, side=side, number=number, version=0)
        for number in asked
        for side in ("federation", "klingon")
    ]
    dropped: dict[str, str] = {}

    def drop(request: Request, why: Callable[[str], str | None]) -> None:
        names = [f"01/orders/{file.path.name}" for file in filed if file.number == request.number]
        dropped.update({name: said for name in names if (said := why(name))})

    run = SimpleNamespace(
        files=(), plan=plan, used={}, both_in_one={(1, "klingon")}, _drop=drop,
        _files=lambda request: [file for file in filed if file.number == request.number],
    )  # fmt: skip
    for request in asked.values():
        _Run._take(cast(Any, run), request)
    assert dropped == {"01/orders/klingon.r2.orders": "the file given for the energy form says it anew"}
