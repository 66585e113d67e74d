"""Small things of the post, each compared whole: tokens, seats, faults as they are told, files nobody else may read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from pbem.data.terms import FormKind
from pbem.errors import Fault, GameError, first_faults
from pbem.games.storage.opening import opened
from pbem.games.submit import Receipt
from pbem.mail import emails
from pbem.mail.commands.time import _not_extended
from pbem.mail.emails import paragraphs, shown, wrapped
from pbem.mail.host import operate, overview
from pbem.mail.host.backup import CopyCheck, Deed, Elsewhere
from pbem.mail.host.clocks import Clock, DeadlineExtension, SentNotices, read_clock, write_clock
from pbem.mail.host.deadlines import written
from pbem.mail.host.overview import Need, Overview, _helps
from pbem.mail.host.receive import _described
from pbem.mail.host.stand_in import _covers
from pbem.mail.host.trouble import Trouble
from pbem.mail.incoming.extract import Part, chosen_text
from pbem.mail.incoming.ledger import held
from pbem.mail.incoming.message import Letter
from pbem.mail.replies.announce import sitrep_id, sitrep_key, thread_key
from pbem.mail.replies.receipts import MARK, _written, echo, is_marked, numbered_faults
from pbem.mail.seats import Games, Known, Seat, UnknownSender, tokens_in, who
from pbem.mail.settings import Host, Letters, Smtp, figures_for
from pbem.mail.store import EmailRecord
from pbem.mail.transport.sources import EmlFolder, OneLetter
from pbem.util import several

ANN, BOB = "ann@example.org", "bob@example.org"
NOON = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
A, B, C = "aaaaaaaaaaaaaa", "bbbbbbbbbbbbbb", "cccccccccccccc"


def seat(game: str, side: str, token: str, address: str = ANN) -> Seat:
    return Seat(game=game, folder=Path(game), side=side, addresses=(address,), token=token)


HERS, OTHER, THIRD = seat("one", "federation", A), seat("one", "klingon", B), seat("two", "klingon", C)
GAMES = Games(seats=(HERS, OTHER, THIRD), post=Path("post"))
MORE = "it has the tokens of more than one side"


def letter(text: str, sender: str = ANN) -> Letter:
    return Letter(kind="orders", digest="d", sender=sender, text=text)


def test_a_seat_is_its_first_players() -> None:
    assert HERS.tenure == 0


@pytest.mark.parametrize(
    ("text", "sender", "expected"),
    [
        (f"TOKEN {A}", ANN, Known(seat=HERS)),
        (f"TOKEN {A}\nTOKEN {B}", ANN, UnknownSender(why=MORE, game="one")),
        (f"TOKEN {A}\nTOKEN {C}", ANN, UnknownSender(why=MORE)),
        (f"TOKEN {A}\nTOKEN {B}\nTOKEN {C}", ANN, UnknownSender(why=MORE)),
        # The header chooses among several seats; where the token leaves one, it says nothing.
        (f"GAME two TURN 1 SIDE klingon REPLY 1\nEND\nTOKEN {A}", ANN, Known(seat=HERS)),
        (f"GAME one TURN 1 SIDE klingon REPLY 1\nEND\nTOKEN {A}\nTOKEN {B}\nTOKEN {C}", ANN, Known(seat=OTHER)),
        (f"GAME two TURN 1 SIDE klingon REPLY 1\nEND\nTOKEN {A}\nTOKEN {B}\nTOKEN {C}", ANN, Known(seat=THIRD)),
        (f"GAME one TURN 1 SIDE gorn REPLY 1\nEND\nTOKEN {A}\nTOKEN {B}\nTOKEN {C}", ANN, UnknownSender(why=MORE)),
        # One seat is left by the game already: that the header names another side changes nothing.
        (f"GAME two TURN 1 SIDE gorn REPLY 1\nEND\nTOKEN {A}\nTOKEN {C}", ANN, Known(seat=THIRD)),
        (f"TOKEN {A}", "", UnknownSender(why="it has no sender, or more than one", game="one")),
        (f"TOKEN {A}\nTOKEN {C}", "", UnknownSender(why="it has no sender, or more than one")),
        ("", "", UnknownSender(why="it has no sender, or more than one")),
        ("", ANN, UnknownSender(why="it came from the address of a player of one, two but has no token", owner=HERS)),
        (
            "TOKEN zzzzzz",
            ANN,
            UnknownSender(
                why="it came from the address of a player of one, two but has a token that is not theirs", owner=HERS
            ),
        ),
        ("", BOB, UnknownSender(why=f"{BOB} is not the address of a player here, and the email has no player's token")),
        (
            f"TOKEN {A}\nTOKEN {B}",
            BOB,
            UnknownSender(
                why="it has the token of federation in one; the token of klingon in one, but was sent from "
                "bob@example.org",
                game="one",
                owner=HERS,
                stolen=True,
            ),
        ),
    ],
)
def test_whose_letter_it_is(text: str, sender: str, expected: Known | UnknownSender) -> None:
    assert who(letter(text, sender), GAMES) == expected


def test_tokens_are_looked_for_in_so_much_of_a_text() -> None:
    word = f"TOKEN {A}"
    assert tokens_in(letter("\n" * (200_000 - len(word)) + word)) == (A,)
    assert tokens_in(letter("\n" * (200_001 - len(word)) + word)) == (A[:-1],)
    assert tokens_in(letter("".join(f"TOKEN token{n:02}\n" for n in range(12)))) == tuple(
        f"token{n:02}" for n in range(10)
    )
    many = Letter(kind="orders", digest="d", tokens=tuple(f"Word{n:02}" for n in range(52)))
    assert tokens_in(many) == tuple(f"word{n:02}" for n in range(50))
    sent = Letter(kind="orders", digest="d", to=("orders+one.Two@x.org", "orders@x.org"), subject=f"token: {B}")
    assert tokens_in(sent) == ("one.two", "one", "two", B)


def test_faults_are_told_with_rule_line_and_choices() -> None:
    nine = tuple(f"n{n}" for n in range(1, 10))
    faults = [
        Fault(code="a", text="which of  them", rule="C1.1", line=1, family="ambiguous", choices=nine),
        Fault(code="b", text="no, by C2.2!", rule="C2.2", line=2, choices=nine),
        Fault(code="c", text="really?", family="ambiguous", line=3),
        Fault(code="d", text="it ends.", line=0),
    ]
    assert numbered_faults(faults, "  first \n" + "x" * 201) == [
        "1. Which of them. (C1.1) One of: n1, n2, n3, n4, n5, n6, n7, n8. [a]",
        "   line 1 of your orders: first",
        "2. No, by C2.2! [b]",
        "   line 2 of your orders: " + "x" * 200,
        "3. Really? [c]",
        "4. It ends. [d]",
    ]


def receipt(**more: object) -> Receipt:
    plain = {
        "game": "one",
        "side": "federation",
        "turn": 1,
        "request": 1,
        "form": "SOP",
        "sha256": "",
        "orders": "A\n\n",
    }
    return Receipt(**{**plain, **more})  # type: ignore[arg-type]


def understood(one: Receipt) -> list[str]:
    said = emails.render("preview", None, what="this", notes=[], tracks=[], events=[], **echo(one))
    return said.text.split("\n")[2:]


def test_orders_as_understood() -> None:
    assert understood(receipt()) == ["YOUR ORDERS, AS UNDERSTOOD", "| A"]
    assert understood(receipt(lines=((1, "A", "legal", ""),))) == [
        "YOUR ORDERS, AS UNDERSTOOD",
        "| A",
        "",
        "Every line is legal.",
    ]
    full = receipt(
        orders="A\n\nB\n",
        lines=((1, "A", "legal", ""), (2, "B", "depends", "on luck"), (3, "C", "depends", "")),
        balance=(("Hood", ("power 3", "")),),
        plots=(("Hood", ((1, "F", "0101A"), (12, "SL", ""))), ("Rest", ())),
        notes=("so it is",),
    )
    assert understood(full) == [
        "YOUR ORDERS, AS UNDERSTOOD", "| A", "|", "| B",
        "", "WHAT DEPENDS ON HOW THE GAME GOES", "  line 2: B -- on luck", "  line 3: C",
        "", "ENERGY OF Hood", "  power 3", "",
        "", "COURSE OF Hood (the part that does not depend on others)", "  impulse  1  F    0101A", "  impulse 12  SL",
        "", "Note: so it is.",
    ]  # fmt: skip
    assert shown("a \n\nb\n\n") == ["| a", "|", "| b"]
    assert paragraphs("", "one", [], ["  two", "three"], "four") == ["one", "", "  two", "three", "", "four"]


def test_a_corrected_draft_as_it_is_written() -> None:
    lines = ["hello", "GAME", f"{MARK}", "# PLOT 9F", "DO  9", "", " "]
    reasons = {3: ["too  fast", "too  fast", "and far"]}
    written = _written(lines, 1, reasons, ["no ship"], {4: "DO  99"})
    assert written.split("\n") == [
        "GAME", MARK, "## STILL WRONG: no ship", "# PLOT 9F", "## ^ too fast", "## ^ and far", "# DO  99", "DO  9",
        "END", "",
    ]  # fmt: skip
    assert _written(["GAME", " end", ""], 0, {}, [], {}) == f"GAME\n{MARK}\n end\n"
    assert is_marked(written)
    assert not is_marked("GAME\nEND")


def test_which_old_orders_fit_the_form_asked_for() -> None:
    texts = ["GAME\nSHIP A", "GAME\nENERGY", "GAME\nPLOT", "GAME\nENERGY\nDO", "GAME\nCOURSE", "GAME\nBREAK", "DO"]
    fits = {form: [text for text in texts if _covers(form, text)] for form in FormKind if form}
    assert fits == {
        FormKind.EAF: [texts[1]],
        FormKind.SOP: [texts[n] for n in (0, 2, 4, 5, 6)],
        FormKind.FULL: [texts[3]],
    }


def test_where_ones_own_figures_lie(tmp_path: Path) -> None:
    for name in ("games", "attic"):
        (tmp_path / name).mkdir()
    assert figures_for(tmp_path / "games" / "duel") is None
    host = tmp_path / "host.toml"
    host.write_text('format = 1\norders = "o@example.org"\n', encoding="utf-8")
    assert figures_for(tmp_path / "games" / "duel") is None
    (tmp_path / "games" / "figures").mkdir()
    assert figures_for(tmp_path / "games" / "duel") == tmp_path / "games" / "figures"
    host.write_text('format = 1\norders = "o@example.org"\nfigures = "mine"\n', encoding="utf-8")
    assert figures_for(tmp_path / "games" / "duel") == tmp_path / "mine"
    assert figures_for(tmp_path / "attic" / "duel") is None


def test_the_ports_mail_goes_out_by() -> None:
    assert Smtp().port == 587


def test_the_clock_as_it_is_kept(tmp_path: Path) -> None:
    clock = Clock(asking=(1, 2, 3), asked=datetime(2027, 3, 1, 12, tzinfo=UTC), held=5)
    assert write_clock(tmp_path, clock) == clock == read_clock(tmp_path)
    text = (tmp_path / "mail" / "clock.json").read_text(encoding="utf-8")
    assert text == (
        '{\n "format": 1,\n "played": null,\n "segments": null,\n "asking": [\n  1,\n  2,\n  3\n ],\n'
        ' "asked": "2027-03-01T12:00:00Z",\n "held": 5,\n "paused": null,\n "reason": "",\n'
        ' "began": null,\n "drift": 0,\n "extensions": [],\n "away": []\n}\n'
    )
    assert read_clock(tmp_path / "none") == Clock()


def test_what_was_said_is_kept_once_and_sorted(tmp_path: Path) -> None:
    said = SentNotices(tmp_path)
    assert not said.known
    said.add("b", "a")
    assert said.file.read_bytes() == b"a\nb\n"
    said.file.write_bytes(b"b\na\n")
    again = SentNotices(tmp_path)
    assert again.known == {"a", "b"}
    again.add("a")  # known: nothing is written
    assert said.file.read_bytes() == b"b\na\n"


@pytest.mark.skipif(os.name == "nt", reason="a file has no mode there")
def test_the_files_of_the_post_are_nobody_elses(tmp_path: Path) -> None:
    with held(tmp_path / "post"):
        pass
    SentNotices(tmp_path).add("a")
    names = ["post", "post/letters.lock", "mail/said.txt"]
    assert [oct(stat.S_IMODE((tmp_path / name).stat().st_mode)) for name in names] == ["0o700", "0o600", "0o600"]


def test_one_letter_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    found = {}
    for raw in (b"", b" \n", b"From ann Mon\nTo: b\n\nx\n", b"From: a\n\nx\n"):
        path.write_bytes(raw)
        found[raw] = list(OneLetter(path).fetch())
    assert list(found.values()) == [[], [], [("-", b"To: b\n\nx\n")], [("-", b"From: a\n\nx\n")]]


def test_attached_files_that_were_not_read() -> None:
    def part(name: str, text: str = "hm", unread: str = "") -> Part:
        return Part(name=name, mime="text/plain", attached=True, text=text, unread=unread)

    parts = [
        part("notes.dat"),
        part("notes.csv"),
        part("page.HTML"),
        part("", unread="is a picture"),
        part("plan.doc", unread="is no text"),
    ]
    kinds = "does not begin with a line GAME …; orders are read from files that end in .txt or .orders"
    assert chosen_text(parts, "hello").faults == (
        f"the attached file notes.dat was not read, as it {kinds}",
        "the attached file notes.csv was not read, as it is a table: write the orders as text, into the email or "
        "into a file that ends in .txt or .orders",
        "the attached file page.HTML was not read, as it is a saved page: open it, press copy in it, and paste that "
        "into the email",
        "the attached file without a name was not read, as it is a picture",
        "the attached file plan.doc was not read, as it is no text",
    )
    assert chosen_text([part(f"{n}.dat") for n in range(12)], "hello").faults == tuple(
        f"the attached file {n}.dat was not read, as it {kinds}" for n in range(10)
    )
    assert chosen_text([Part(name="", mime="text/plain", attached=False, text="hm")], "hello").faults == ()
    orders = Part(name="", mime="text/plain", attached=False, text="GAME a TURN 1 SIDE b REPLY 1\nEND\n")
    assert chosen_text([orders, *parts], "hello").faults == (
        "the attached file plan.doc was not read, as it is no text",
    )


def test_of_letters_only_those_that_are_there_and_cannot_be_read_are_told(tmp_path: Path) -> None:
    box = EmlFolder(tmp_path)
    (tmp_path / "new.eml").write_bytes(b"x")
    assert (list(box.letters([tmp_path / "gone.eml", tmp_path / "new.eml"])), box.missed()) == ([("new.eml", b"x")], ())
    assert list(box.letters([tmp_path, tmp_path / "new.eml", tmp_path])) == [("new.eml", b"x")]
    told_of = box.missed()
    assert (len(told_of), box.missed()) == (1, ())
    assert told_of[0].startswith("an email cannot be read: ")


# --- a player with several addresses, what helps, a week ------------------------------------------------------------


def test_letters_are_known_by_the_first_of_a_players_addresses(duel: Path) -> None:
    """He may write from any of them; his mail goes to the first, and nothing is mailed anew when another is added."""
    with opened(duel) as game:
        one, two = seat("duel", "federation", A), seat("duel", "federation", A)
        two = msgspec.structs.replace(two, addresses=(ANN, BOB))
        assert thread_key(game, one) == thread_key(game, two)
        assert thread_key(game, one) != thread_key(game, msgspec.structs.replace(one, tenure=1))
        name = sitrep_id(game.path / "01" / "r1", "federation")
        assert sitrep_key(name, one) == sitrep_key(name, two)
        assert sitrep_key(name, one) != sitrep_key(name, msgspec.structs.replace(two, addresses=(BOB, ANN)))


@pytest.mark.parametrize(
    ("key", "text", "helps"),
    [
        ("late a 1.1", "a waits for klingon, gorn: orders",
         ["pbem pause club/games/a", "pbem host replace club/games/a klingon ADDRESS",
          "pbem host replace club/games/a gorn ADDRESS",
          "pbem override club/games/a --result SIDE=RESULT --reason WHY"]),
        ("late a 1.1", "a waits", ["pbem pause club/games/a",
                                   "pbem override club/games/a --result SIDE=RESULT --reason WHY"]),
        ("broken a", "x", ["pbem verify club/games/a"]),
        ("stopped", "x", ["pbem doctor club", "pbem host club --once --anyway"]),
        ("moved", "x", ["pbem host move club --stay"]),
        ("restored", "x", ["pbem host club --once --restored"]),
        ("elsewhere", "x", ["pbem host club --once --restored"]),
        ("trouble a: it", "x", ["pbem verify club/games/a"]),
        ("trouble a it", "x", ["pbem doctor club"]),
        ("trouble b: it", "x", ["pbem doctor club"]),
        ("trouble", "x", ["pbem doctor club"]),
        ("inbox", "x", ["pbem doctor club"]),
    ],
)  # fmt: skip
def test_what_helps_against_a_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, text: str, helps: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "club" / "games" / "a").mkdir(parents=True)
    (tmp_path / "club" / "games" / "a" / "game.toml").touch()
    found = _helps(Path("club"), key, Trouble(text=text, first=NOON, seen=NOON, told=NOON))
    assert [line.replace(os.sep, "/") for line in found] == helps


@pytest.mark.parametrize(
    ("needs", "subject"),
    [(0, "nothing needs you"), (1, "1 thing needs you"), (2, "2 things need you")],
)
def test_a_week_says_how_much_needs_the_umpire(tmp_path: Path, needs: int, subject: str) -> None:
    host = Host(format=1, orders="o@x.example", umpire="u@x.example", name="Club")
    deeds = [Deed(count=n, at=NOON, sent=("sitrep.a", "watch.a"), letters=("x",), played=()) for n in (1, 2)]
    found = Overview(last=NOON, games=(), needs=tuple(Need(text=f"trouble {n}") for n in range(needs)))
    said = overview.letter(tmp_path, host, NOON, deeds, found)
    assert said.subject == f"pbem: your club (Club): {subject}"
    assert said.text.startswith(
        wrapped(
            f"Since {written(NOON, host.deadlines.zone)}: 2 emails received, 2 emails, and 2 to spectators, sent"
            f". {subject[0].upper()}{subject[1:]}."
        )
    )


def test_how_a_letter_that_was_taken_in_is_described() -> None:
    entry = EmailRecord(digest="d", done="orders", game="a", side="gorn", message_id="<1@x>", sender=ANN)
    assert _described(entry) == "<1@x> from ann@example.org (orders a gorn)"
    bare = msgspec.structs.replace(entry, message_id="", sender="", game="", side="", done="quarantine")
    assert _described(bare) == "without a Message-ID from nobody (quarantine)"


def test_more_time_is_given_once_a_request_so_often_and_so_long_as_the_club_says() -> None:
    host = Host(format=1, orders="o@x.example", letters=Letters(extend="3 days", extensions=2))
    day, now = timedelta(days=1), Clock(asking=(1, 3, 2))

    def refused(*askings: tuple[int, int, int], long: timedelta = day) -> str:
        before = [DeadlineExtension(asking=one, seconds=86400, cause=f"letter {one}", side="gorn") for one in askings]
        word = _not_extended(host, before, now, long, 3 * day)
        if not word:
            return ""
        times = several(len(before), "time")
        said = emails.render("extend-refused", None, why=word, most="3 days", times=times, most_times=2)
        return " ".join(said.text.split()).partition(" Nothing was changed.")[0]

    assert refused() == refused((1, 1, 0)) == refused((1, 1, 0), long=3 * day) == ""
    assert refused(long=3 * day + timedelta(seconds=1)) == "This club allows 3 days more for one request."
    assert refused((1, 3, 2)) == "You already got more time for this request."
    assert refused((1, 1, 0), (1, 2, 1)) == "You got more time 2 times in this game; this club allows 2."


def test_a_journal_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "post").mkdir()
    (tmp_path / "post" / "club.db").mkdir()
    entry = EmailRecord(digest="d", done="orders")
    with held(tmp_path / "post") as ledger, pytest.raises(GameError, match="is-a-folder"):
        ledger.add(entry)
    (tmp_path / "file").touch()
    with pytest.raises(GameError, match="cannot write"), held(tmp_path / "file"):
        raise AssertionError("it is no folder")


def test_what_only_a_host_can_do_is_refused_to_a_game_of_nobody(duel: Path) -> None:
    asked: tuple[Callable[[], object], ...] = (
        lambda: operate.invite(duel, NOON),
        lambda: operate.extend(duel, "1 day", NOON, "why"),
    )
    for call in asked:
        with pytest.raises(GameError) as error:
            call()
        assert error.value.faults[0].code == "no-host" and error.value.faults[0].file == str(duel)
    with opened(duel) as game, pytest.raises(GameError) as error:
        operate.vacate(game, "klingon")
    assert error.value.faults[0].code == "no-host"


@pytest.mark.parametrize(
    ("count", "said"), [(1, "1 email received, 1 email sent"), (2, "2 emails received, 2 emails sent")]
)
def test_one_is_told_as_one(tmp_path: Path, count: int, said: str) -> None:
    at = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
    deed = Deed(count=1, at=at, sent=("a", "b")[:count], letters=("c", "d")[:count])
    host = Host(format=1, orders="orders@club.example", umpire="umpire@club.example")
    found = Overview(last=at, needs=(), games=(), waiting=count)
    text = overview.letter(tmp_path, host, at, [deed], found).text
    assert said in text and ("1 email waits (" if count == 1 else "2 emails wait (") in text
    faults = [Fault(code="x", text=f"{n}", line=n) for n in range(50 + count)]
    assert first_faults(faults)[-1].text == (
        "there is 1 more fault below" if count == 1 else "there are 2 more faults below"
    )


def test_what_a_restored_folder_does_not_know_is_counted(tmp_path: Path) -> None:
    (tmp_path / "mail").mkdir()
    copy_check = CopyCheck(tmp_path, tmp_path / "state")
    copy_check.deeds.append(Deed(count=1, at=datetime(2027, 3, 1, tzinfo=UTC), sent=("a",), letters=("b",)))
    with pytest.raises(Elsewhere, match="1 email was sent and 1 email received since"):
        copy_check.check()
