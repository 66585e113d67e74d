"""What pbem.mail does at its edges: a report that mail was read, parts of a letter beside one another, errands nobody
does, games of a club that need more time, what is tidied once a day.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest

from pbem.errors import GameError
from pbem.games.answers import judge
from pbem.games.resolve import Happening
from pbem.games.storage.opening import opened
from pbem.games.storage.players import Tenure, replace_player
from pbem.mail.commands import seats as vacancies, time
from pbem.mail.host import clocks as timetable, operate, tidy, workers
from pbem.mail.host.club import HostedClub
from pbem.mail.host.deadlines import days_in
from pbem.mail.host.overview import _of_the_host
from pbem.mail.host.trouble import Heartbeat
from pbem.mail.incoming import message
from pbem.mail.incoming.extract import _passed_over, _Text
from pbem.mail.incoming.intake import _seat_of
from pbem.mail.incoming.message import Letter, read_letter
from pbem.mail.people import People, Person
from pbem.mail.replies import announce, answer as answering, receipts
from pbem.mail.replies.answer import answer_player
from pbem.mail.replies.conversation import Conversation
from pbem.mail.replies.reply import Outgoing
from pbem.mail.seats import Games, Seat
from pbem.mail.transport import outbox, passwords
from pbem.mail.transport.outbox import Failure, Sent

if TYPE_CHECKING:
    from tests.mail.conftest import Write
    from tests.mail.hosted import START, Hosted
else:
    from post_hosted import START, Hosted

    Write = Any

ANN = "ann@example.org"
ORDERS = "GAME duel TURN 1 SIDE klingon REPLY 1\nSHIP Destruction\nEND\n"


# --- letters ---


def multipart(kind: str, *parts: str, more: str = "") -> str:
    mark = f"={kind.replace('/', '-')}={len(parts)}="
    body = "".join(f"--{mark}\n{part}\n" for part in parts)
    return f'Content-Type: {kind}; boundary="{mark}"{more}\n\n{body}--{mark}--\n'


def text(said: str, name: str = "") -> str:
    file = f'Content-Disposition: attachment; filename="{name}"\n' if name else ""
    return f"Content-Type: text/plain\n{file}\n{said}"


def test_what_stands_beside_parts_within_parts_is_read_in_its_order() -> None:
    """Several of them: what is within one part takes the place of no other."""
    picture = "Content-Type: image/png\nContent-Disposition: attachment\n\nx"
    inner = multipart("multipart/alternative", text("one"), multipart("multipart/related", text("two"), text("three")))
    whole = multipart("multipart/mixed", inner, text("four", "4.txt"), picture, text("five", "5.txt"), text("six"))
    faults: list[str] = []
    parts = list(message._parts(message_from_bytes(f"From: {ANN}\n{whole}".encode()), faults, whole=True))
    assert [(one.name, one.text.strip(), one.unread) for one in parts] == [
        ("", "one", ""), ("", "two", ""), ("", "three", ""), ("4.txt", "four", ""), ("", "", message.A_PICTURE),
        ("5.txt", "five", ""), ("", "six", ""),
    ]  # fmt: skip
    assert not faults


@pytest.mark.parametrize(("kind", "lost"), [("delivery-status", (ANN,)), ("disposition-notification", ())])
def test_a_receipt_that_a_mail_was_read_is_no_mail_that_came_back(kind: str, lost: tuple[str, ...]) -> None:
    """Both name a final recipient; only of one nothing has reached him."""
    said = f"Content-Type: message/{kind}\n\nReporting-UA: x\nFinal-Recipient: rfc822; {ANN}\nAction: failed\n"
    blocks = said.replace("x\n", "x\n\n", 1) if kind == "delivery-status" else said
    report = multipart("multipart/report", text("See below."), blocks, more=f"; report-type={kind}")
    letter = read_letter(f"From: MAILER-DAEMON@example.org\nSubject: Report\n{report}".encode())
    assert letter.failed == lost


@pytest.mark.parametrize("length", [39, 40, 41])
def test_orders_for_another_game_are_told_by_so_much_of_its_name(length: int) -> None:
    name = "g" * length
    said = f"{ORDERS}\nGAME {name} TURN 1 SIDE gorn REPLY 1\nEND\n\nGAME {name}x TURN 1 REPLY 1\nEND\n"
    shown = name[:40]
    assert list(_passed_over([_Text(1, "the body", said)])) == [
        f"the orders for {whose} were not read: send them in an email of their own"
        for whose in (f"gorn in {shown}", f"{name}x"[:40])
    ]


def test_whose_letter_it_may_be_is_told_in_order() -> None:
    seats = tuple(
        Seat(game=game, folder=Path(game), side=side, addresses=(f"{side}@x.org",), token=side + game)
        for game, side in (("two", "gorn"), ("one", "klingon"), ("one", "gorn"))
    )
    games = Games(seats=seats, post=Path("post"))
    with pytest.raises(GameError) as told:
        _seat_of(Letter(kind="orders", digest="d", sender="z@x.org", text=""), games, "", "")
    (fault,) = told.value.faults
    ways = ("--game one --side gorn", "--game one --side klingon", "--game two --side gorn")
    assert fault.text == f"add one of these, because the email does not say who sent it: {', '.join(ways)}"


def test_orders_behind_bars_are_old_only_for_who_is_asked(duel: Path, games: Games, write: Write) -> None:
    """They are told to be at fault for what they are, where nothing is asked."""
    (seat,) = (one for one in games.seats if one.side == "klingon")
    barred = "".join(f"| {line}\n" for line in ORDERS.splitlines())
    letter = read_letter(write("klingon", "orders", f"Here:\n\n{barred}"))
    assert letter.barred
    with opened(duel, lock="test") as game:
        game.order_file(1, "klingon", 1, 1).parent.mkdir(parents=True)
        game.order_file(1, "klingon", 1, 1).write_text(ORDERS, encoding="utf-8")
        state = game.state()
        assert state.request is not None
        others = msgspec.structs.replace(state.request, sides=("federation",))
        said = {}
        for what, request in (("asked", state.request), ("others", others), ("over", None)):
            game._state = msgspec.structs.replace(state, request=request, over=request is None)
            answered = answer_player(Conversation(letter, games, seat, game))
            said[what] = " ".join(answered.replies[0].text.split())
            assert not answered.aside
    assert "these orders are your version 1, and they are part of" in said["asked"]
    for what, why in (("others", "The game is not waiting for klingon now"), ("over", "The game is over")):
        assert f"Nothing was filed. What is wrong: 1. {why}" in said[what] and "version" not in said[what]


def test_what_is_wrong_with_no_line_stands_at_the_end_of_a_corrected_draft(duel: Path) -> None:
    with opened(duel) as game:
        request = game.state().request
        assert request is not None
        draft = f"GAME duel TURN {request.turn} SIDE klingon REPLY {request.number}\nCONTINUE\nEND\n"
        found = receipts.corrected(game, request, "klingon", draft, judge(game, draft, "").faults)
    assert not found.legal
    said = " ".join(found.text.replace("##   ", "").split())
    assert said.count("STILL WRONG: send orders instead of CONTINUE: request 1 needs a new energy form") == 1


def test_of_orders_of_a_whole_book_no_draft_is_made(
    duel: Path, games: Games, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    (seat,) = (one for one in games.seats if one.side == "klingon")
    letter = read_letter(write("klingon", "orders", ORDERS.replace("END", "FLY\nEND")))
    with opened(duel, lock="test") as game:
        conversation = Conversation(letter, games, seat, game)
        for most, drafts in ((len(conversation.orders()), 0), (len(conversation.orders()) + 1, 1)):
            monkeypatch.setattr(answering, "_MOST_DRAFT", most)
            (reply,) = answer_player(Conversation(letter, games, seat, game)).replies
            assert len([name for name, _, _ in reply.attachments if name.endswith(".orders")]) == drafts
            assert "unknown-word" in reply.text


def test_who_is_away_by_the_clubs_list_is_so_by_where_his_mail_goes() -> None:
    zoe = Person(mail="zoe@x.org", writes=("other@x.org",), away=("2027-03-05", "some day", "2027-03-07"))
    found = time.absences_of(People(people={"zoe": zoe}))
    assert [(one.who, one.person, str(one.days)) for one in found] == [
        ("zoe@x.org", "zoe", str(days_in(day))) for day in ("2027-03-05", "2027-03-07")
    ]  # fmt: skip


# --- errands ---


def test_an_errand_that_nobody_is_there_to_do_waits_and_nobody_is_said_to_have_failed() -> None:
    here = workers.Workers(1, "")
    ticket = workers.Ticket(cast(Any, SimpleNamespace(moves=True)), cast(Any, None))
    here._send(ticket)
    assert (ticket.future, ticket.data, ticket.by) == (None, b"", "processes") and here.said == []


# --- passwords ---


def test_a_password_of_the_account_is_looked_for_where_the_system_keeps_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Windows keeps them in its registry: those of the user before those of the machine."""
    kept = {
        ("user", "Environment"): {"PBEM_X": ("mine", 1)},
        ("machine", "Session"): {"PBEM_X": ("ours", 1), "PBEM_Y": ("y", 2)},
    }

    def look(key: str, path: str) -> Any:
        return nullcontext(kept[key, path.split("\\")[-2].split()[0] if "\\" in path else path])

    def value(opened: dict[str, tuple[str, int]], name: str) -> tuple[str, int]:
        if name not in opened:
            raise FileNotFoundError(name)
        return opened[name]

    registry = SimpleNamespace(HKEY_CURRENT_USER="user", HKEY_LOCAL_MACHINE="machine", OpenKey=look, QueryValueEx=value)
    monkeypatch.setattr(passwords, "winreg", registry, raising=False)
    assert passwords._of_account("PBEM_X") == "" or sys.platform == "win32", "other systems have none"
    monkeypatch.setattr(sys, "platform", "win32")
    assert [passwords._of_account(f"PBEM_{name}") for name in "XYZ"] == ["mine", "y", ""]


# --- the clock, and what hangs on it ---


def test_more_time_up_to_a_day_that_is_in_time_already_is_given_to_nobody(hosted: Hosted) -> None:
    """Orders are due as that day ends: of a club's games such a one has enough."""
    with opened(hosted.game, lock="test") as game:
        timetable.start(game, START.replace(hour=0, minute=0))
    due = timetable.due_of(hosted.game, START)
    assert due is not None and due[0].due == datetime(2027, 3, 3, tzinfo=UTC)
    (one,) = operate.extend(hosted.folder, "until 2027-03-02", START, "x", every=True)
    assert (one.enough, one.new, one.due) == (True, False, due[0].due)
    with pytest.raises(GameError, match="orders are already due"):
        operate.extend(hosted.game, "until 2027-03-02", START, "x")
    (one,) = operate.extend(hosted.folder, "until 2027-03-03", START, "x", every=True)
    assert (one.enough, one.new, one.due) == (False, True, datetime(2027, 3, 4, tzinfo=UTC))


@pytest.mark.parametrize(("said", "first", "last"), [
    ("3 to 5 July 2027", "2027-07-03", "2027-07-05"), ("28 June to 5 July 2027", "2027-06-28", "2027-07-05"),
    ("28 December to 5 January 2028", "2027-12-28", "2028-01-05"), ("1 July 2027", "2027-07-01", "2027-07-01"),
    ("2027-12-24 to 2028-01-01", "2027-12-24", "2028-01-01"),
    ("30 December 2027 to 5 January 2028", "2027-12-30", "2028-01-05"),
    ("4 January to 5 January 2028", "2028-01-04", "2028-01-05"),
    ("6 January to 5 January 2028", "2027-01-06", "2028-01-05"),
])  # fmt: skip
def test_days_in_words(said: str, first: str, last: str) -> None:
    found = days_in(said)
    assert found is not None and (found.first.isoformat(), found.last.isoformat()) == (first, last)


def test_a_club_is_tidied_once_a_day(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[datetime] = []
    monkeypatch.setattr(tidy, "_post", lambda folder, now, kept: done.append(now))
    (hosted.folder / "mail").mkdir(exist_ok=True)
    moments = [START + timedelta(hours=hours) for hours in (0, 1, 23, 24, 25, 47.9, 48, 47)]
    for moment in moments:
        tidy.daily(hosted.folder, moment, "60 days", lambda folder, do: None)
    assert done == [moments[0], moments[3], moments[6], moments[7]], "and again by a clock that was put back"
    tidy.daily(hosted.folder, START + timedelta(days=9), "", lambda folder, do: None)
    assert len(done) == 4, "who keeps everything tidies nothing"


def test_a_host_without_a_round_is_told_what_to_do() -> None:
    (need,) = _of_the_host(Path("my club"), Heartbeat(at=None), None, START, ())
    assert (
        need.commands == ("pbem doctor 'my club'", "pbem host 'my club'") and need.text == "No round has been run yet"
    )
    assert [*_of_the_host(Path("c"), Heartbeat(at=None), START, START + timedelta(days=1), ())] == []


def test_a_failed_mail_that_is_about_no_game_is_stale_once_a_report_went_to_the_new_address() -> None:
    """It tells of the address alone: a report as old as it is will do, and one before it, or elsewhere, will not."""
    mail = Failure(path=Path("m"), reader="old@x.org", about="", written=5, why="no")
    addresses, moved = {"duel.gorn": "new@x.org"}, {"old@x.org": "new@x.org"}
    for reports, stale in (
        ([("duel.gorn", "new@x.org", 5)], True), ([("duel.gorn", "new@x.org", 4)], False), ([], False),
        ([("duel.gorn", "other@x.org", 9)], False), ([("x", "new@x.org", 3), ("y", "NEW@x.org", 6)], True),
    ):  # fmt: skip
        sent = [Sent(about=about, reader=reader, at=at) for about, reader, at in reports]
        assert [*outbox.stale([mail], sent, addresses, moved)] == [mail] * stale, reports


def test_a_round_tells_of_games_in_the_order_of_their_names(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """In whatever order they were worked on: several are at once."""

    def look(club: HostedClub) -> dict[Path, Any]:
        club.log.happened |= {name: [Happening(what="waiting")] for name in ("duel02", "duel10", "duel01")}
        return {}

    monkeypatch.setattr("pbem.mail.host.round.play_all", look)
    assert [name for name, _ in hosted.round().games] == ["duel01", "duel02", "duel10"]


def test_where_mail_goes_in_the_end_of_who_moved_often() -> None:
    moved = {"a": "b", "b": "c", "c": "d", "x": "y", "y": "x"}
    assert [outbox._last(address, moved) for address in "abdxz"] == ["d", "d", "", "x", ""]


def test_which_offer_of_a_side_it_is(hosted: Hosted) -> None:
    with opened(hosted.game, lock="test") as game:
        for number, side in enumerate(("klingon", "klingon", "federation")):
            tenure = Tenure(side=side, before="x", player=f"{number}@x.org", at=START)
            replace_player(hosted.game, tenure)
        assert [vacancies.times(game, side) for side in ("klingon", "federation", "gorn")] == [2, 1, 0]


# --- a game that came to a host in the middle ---


def test_of_a_game_that_is_new_to_a_host_only_the_last_report_is_sent(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(announce, "sitrep_id", lambda folder, side: f"{folder.as_posix()} {side}")
    seats = [SimpleNamespace(side="gorn"), SimpleNamespace(side="klingon")]
    folders = [Path("01/r1"), Path("01/r2"), Path("02/r1")]
    said = timetable.SentNotices(hosted.game)
    said.add(*announce.begin(said.known, folders, cast(Any, seats)).keys)
    old = {"01/r1 gorn", "01/r1 klingon", "01/r2 gorn", "01/r2 klingon"}
    assert timetable.SentNotices(hosted.game).known == {"first", *old}
    again = announce.begin(said.known, [*folders, Path("03/r1")], cast(Any, seats))
    assert again == Outgoing(), "it is no news any more"
