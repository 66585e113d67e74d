"""What letters are answered: receipts, faults that can be mended by return of post, commands, and silence."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from pbem.engine.events import OrdersFiled
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.resolve import resolve_game
from pbem.games.storage.files import CANNOT_WRITE
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.mail.commands.dispatch import waiting
from pbem.mail.host.clocks import Clock
from pbem.mail.incoming.intake import take_in_all
from pbem.mail.incoming.ledger import Ledger
from pbem.mail.incoming.message import read_letter
from pbem.mail.replies import announce
from pbem.mail.replies.answer import Answered, answer_player, attend
from pbem.mail.replies.conversation import Conversation
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Games, Known, Seat, games_in, renew_token, token_of, who
from pbem.mail.transport.sources import EmlFolder
from pbem.reports.text import guide

pytestmark = pytest.mark.usefixtures("pages")

Send = Callable[..., Answered]
Eaf = Callable[..., str]
Write = Callable[..., bytes]
PLAYERS = {"federation": "Ann <ann@example.org>", "klingon": "bob@example.org"}
LETTERS = Path(__file__).parent / "letters"
SECRET_WORDS = ("SPEED 14", "DISR A", "Destruction allots", "14  MOVEMENT")


def only(answered: Answered) -> Reply:
    (reply,) = answered.replies
    return reply


def everything(reply: Reply) -> bytes:
    return b"\n".join(
        [reply.subject.encode(), reply.text.encode(), reply.html.encode(), *(a[2] for a in reply.attachments)]
    )


# --- orders ----------------------------------------------------------------------------------------------------------


def test_orders_are_filed_and_echoed(send: Send, eaf: Eaf, duel: Path) -> None:
    answered = send("federation", "orders", "Hello!\n\n" + eaf("federation"))
    reply = only(answered)
    assert (answered.done, reply.kind, reply.to, reply.side) == ("orders", "receipt", "ann@example.org", "federation")
    assert "|   PHOT A 2 WARP" in reply.text and "ENERGY OF Constellation" in reply.text and "MOVEMENT" in reply.text
    filed = (duel / "01/orders/federation.r1.orders").read_text()
    assert answered.sha256 in reply.text and token_of(duel, "federation") not in filed
    assert reply.in_reply_to == "<1.federation@example.org>"
    assert all(len(line) <= 78 for line in reply.text.split("\n"))


def test_orders_with_too_many_faults_get_no_draft_and_are_told_so(send: Send, eaf: Eaf, duel: Path) -> None:
    answered = send("federation", "orders", eaf("federation").replace("END\n", "PLOT F\n" * 1000 + "END\n"))
    reply = only(answered)
    assert "We attach no corrected draft" in " ".join(reply.text.split()) and reply.attachments == ()
    assert "CORRECTED DRAFT" not in reply.text and len(reply.text) < 20_000
    assert not (duel / "01/orders").exists() or not list((duel / "01/orders").iterdir())


def test_the_last_version_counts_and_every_one_is_kept(send: Send, eaf: Eaf, duel: Path) -> None:
    send("federation", "orders", eaf("federation"))
    second = only(send("federation", "orders", eaf("federation").replace("12", "13")))
    assert "version\n2" in second.text
    assert "on file already" not in second.text
    assert "SPEED 13" in (duel / "01/orders/federation.r1.orders").read_text()
    assert "SPEED 12" in (duel / "01/orders/federation.r1.v1.orders").read_text()


def test_the_corrected_draft_can_be_sent_back(send: Send, eaf: Eaf, duel: Path) -> None:
    wrong = eaf("federation").replace("  PHASERS 2\n", "  PHASERS 2\n  FOO 3\n  REINFORCE #9\n    WITH 2\n")
    reply = only(send("federation", "orders", wrong))
    assert reply.kind == "fault" and "line 6 of your orders: FOO 3" in reply.text and "WITH 2" in reply.text
    assert not (duel / "01/orders/federation.r1.orders").exists()
    ((name, mime, data),) = reply.attachments
    draft = data.decode()
    assert (name, mime) == ("federation.r1.orders", "text/plain")
    assert all(len(line) <= 72 for line in draft.split("\n"))
    still = only(send("federation", "Re: x", draft))
    assert still.kind == "fault" and "marked as a draft" in still.text
    mended = "\n".join(line for line in draft.split("\n") if "CORRECTED DRAFT" not in line)
    done = send("federation", "Re: x", mended)
    assert done.done == "orders", only(done).text
    assert "SPEED 12" in only(done).text


def test_a_misspelt_name_of_the_only_ship_is_taken_and_told(send: Send, eaf: Eaf, duel: Path) -> None:
    answered = send("federation", "orders", eaf("federation").replace("Constellation", "Constelation"))
    assert answered.done == "orders"
    said = " ".join(only(answered).text.split())
    assert "there is no ship 'Constelation'; its block is taken for Constellation" in said
    filed = (duel / "01/orders/federation.r1.orders").read_text()
    assert "Constelation" in filed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("GAME duel TURN 1 SIDE federation REPLY 7\nSHIP Constellation\nENERGY\nEND\n", "Request 7"),
        ("GAME duel TURN 9 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\nEND\n", "turn 9"),
        ("GAME duel TURN 1 SIDE federation REPLY 1\nSHIP Destruction\nENERGY\nEND\n", "not federation's"),
        ("GAME duel TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\n  SPEED 99\nEND\n", "99"),
        ("SHIP Constellation\nENERGY\n  SPEED 12\nEND\n", "header"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_filed(send: Send, duel: Path, text: str, said: str) -> None:
    reply = only(send("federation", "my orders", text))
    assert reply.kind == "fault" and said in " ".join(reply.text.split())
    assert not (duel / "01/orders").exists()
    assert "CORRECTED DRAFT" in reply.text


def test_the_header_may_stand_in_the_subject(send: Send, eaf: Eaf) -> None:
    bare = eaf("federation").partition("\n")[2]
    assert send("federation", "Re: duel 1.0 SITREP", bare).done == "orders"
    assert send("federation", "Re: GAME duel TURN 1 SIDE federation REPLY 1", bare).done == "orders"
    assert send("federation", "Re: duel 1.9 SITREP", bare).done == "fault"


def test_a_player_gives_up_by_mail(send: Send, eaf: Eaf, duel: Path) -> None:
    reply = send("federation", "Re: duel 1.0 SITREP", "Well played, Bob.\n\nCONCEDE\n")
    assert reply.done == "orders" and "federation gives up the game" in only(reply).text
    send("klingon", "orders", eaf("klingon"))
    with opened(duel) as game:
        resolve_game(game)
        assert {end.side: end.result for end in game.state().outcome} == {"federation": "defeat", "klingon": "victory"}


def test_a_line_above_the_orders_does_not_give_up(send: Send, eaf: Eaf, duel: Path) -> None:
    """Of two things that cannot both be meant neither is filed."""
    text = eaf("federation").replace("SHIP ", "CONCEDE\nSHIP ", 1)
    reply = send("federation", "Re: duel 1.0 SITREP", text)
    assert reply.done == "fault" and "keep either CONCEDE or the orders" in only(reply).text
    assert not (duel / "01/orders").exists()


def test_a_side_is_told_by_its_whole_name_however_long(tmp_path: Path, write: Write) -> None:
    """As long as a scenario may call one."""
    scenario = Path(__file__).with_name("triangle.toml").read_text(encoding="utf-8")
    names = {"klingon": "k" * 39 + "1", "romulan": "r" * 39 + "2"}
    for word, name in names.items():
        scenario = re.sub(rf'(?m)^(name|side|team) = "{word}"$', rf'\1 = "{name}"', scenario)
    (tmp_path / "long.toml").write_text(scenario, encoding="utf-8")
    people = {side: f"{side[-3:]}@example.org" for side in ("federation", *names.values())}
    new(str(tmp_path / "long.toml"), tmp_path / "long", players=people, seed="long")
    for mine, other in (names.values(), reversed(names.values())):
        text = f"GAME long TURN 1 SIDE {other} REPLY 1\nSHIP Hawk\nENERGY\nEND\n"
        raw = write(mine, "orders", text, token=token_of(tmp_path / "long", mine), sender=people[mine])
        reply = only(attend(read_letter(raw), games_in(tmp_path / "long", orders="orders@host.example")))
        assert f"These orders are for {other}; you write for {mine}." in " ".join(reply.text.split()), reply.text


def test_orders_of_another_side_are_not_even_looked_at(send: Send, eaf: Eaf, duel: Path) -> None:
    for header in ("klingon", "KLI"):
        reply = only(send("federation", "orders", eaf("klingon").replace("SIDE klingon", f"SIDE {header}")))
        assert reply.kind == "fault" and "you write for federation" in " ".join(reply.text.split())
        assert "ENERGY" not in reply.text and not reply.attachments
    assert only(send("federation", "PREVIEW", eaf("klingon"))).text.find("ENERGY OF") == -1
    assert not (duel / "01/orders").exists()


def test_an_answered_letter_answered_again_has_the_same_name(games: Games, write: Write, eaf: Eaf) -> None:
    letter = read_letter(write("federation", "orders", eaf("federation")))
    assert only(attend(letter, games)).key == only(attend(letter, games)).key


def test_a_letter_of_the_corpus_is_filed(games: Games, duel: Path) -> None:
    token = token_of(duel, "federation").encode()
    filed = {}
    for path in sorted(LETTERS.glob("*.eml")):
        answered = attend(read_letter(path.read_bytes().replace(b"@TOKEN@", token)), games)
        filed[path.stem] = answered.done
    refused = {name for name, done in filed.items() if done == "quarantine"}
    assert refused == {
        "address_in_comment", "address_in_name", "encoded_address", "no_headers", "nothing", "only_garbage",
        "two_from_lines", "two_senders",
    }  # fmt: skip
    assert {name for name, done in filed.items() if done == "fault"} == {"marked_draft"}
    assert sum(done == "orders" for done in filed.values()) > 30


SAID = """\
GAME duel TURN 1 SIDE federation REPLY 1|GAME duel|SIDE klingon|FORM SOP|SHIP Constellation|SHIP Destruction|ENERGY
  SPEED 12|  SPEED 99|    WITH 2|PLOT F L 3F|DO|  AT 1 FIRE ALL AT Destruction|  IF|BREAK|DAMAGE|CONTINUE|END|> END|>
# x|## CORRECTED DRAFT|STATUS|PREVIEW|RESEND 0.0|WITHDRAW|TOKEN|-- |;;|"|=20|On Friday x wrote:|____________________"""
FRAGMENTS = st.lists(st.sampled_from([*re.split(r"[|\n]", SAID), "\t", "\u2028"]), max_size=12).map("\n".join)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Games:
    folder = tmp_path_factory.mktemp("shared") / "duel"
    new("5", folder, players=PLAYERS, seed="post tests")
    return games_in(folder, umpire="umpire@host.example")


@settings(max_examples=50)
@given(subject=FRAGMENTS, text=st.one_of(FRAGMENTS, st.text(max_size=80)))
def test_whatever_a_player_writes_he_gets_one_answer(shared: Games, subject: str, text: str) -> None:
    seat = next(seat for seat in shared.seats if seat.side == "federation")
    head = f"From: {seat.addresses[0]}\nTo: o+{seat.token}@host.example\nSubject: {' '.join(subject.split())}\n"
    answered = attend(read_letter(f"{head}Content-Type: text/plain; charset=utf-8\n\n{text}".encode()), shared)
    reply, *copies = answered.replies
    assert reply.to == "ann@example.org" and reply.text.strip() and "\n" not in reply.subject
    assert [copy.side for copy in copies] == ["umpire"] * (len(copies) > 0), "and words the umpire too"
    for name, _, data in reply.attachments:
        assert name.endswith((".orders", ".html")) and data


# --- silence ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [
        {"token": "", "sender": "stranger@evil.example"},
        {"sender": "stranger@evil.example"},
        {"token": ""},
        {"token": "zzzzzzzzzzzzzz"},
        {"sender": "bob@example.org"},
    ],
)
@pytest.mark.parametrize("subject", ["orders", "STATUS", "HELP"])
def test_whoever_is_not_known_is_told_nothing(
    send: Send, eaf: Eaf, duel: Path, subject: str, more: dict[str, str]
) -> None:
    answered = send("federation", subject, eaf("federation") if subject == "orders" else "", **more)
    assert answered.done == "quarantine" and answered.aside
    assert [reply.to for reply in answered.replies] == ["umpire@host.example"]
    assert not (duel / "01/orders").exists()


def test_another_players_token_with_ones_own_address(send: Send, duel: Path) -> None:
    answered = send("federation", "STATUS", token=token_of(duel, "klingon"))
    assert answered.done == "quarantine" and "token of klingon" in answered.why


def test_a_new_token_ends_the_old_one(send: Send, write: Write, duel: Path, games: Games) -> None:
    old = write("federation", "STATUS")
    with opened(duel, lock="test") as game:
        renew_token(game, "federation")
    assert attend(read_letter(old), games_in(duel)).done == "quarantine"


def test_no_machine_is_ever_answered(games: Games, duel: Path) -> None:
    token = token_of(duel, "federation").encode()
    for path in LETTERS.glob("*.eml"):
        letter = read_letter(path.read_bytes().replace(b"@TOKEN@", token))
        if letter.kind in ("auto", "own", "bounce"):
            assert all(reply.to == "umpire@host.example" for reply in attend(letter, games).replies), path.name


def test_nothing_goes_round_between_the_host_and_his_umpire(games: Games, write: Write) -> None:
    for sender in ("umpire@host.example", "orders@host.example"):
        assert attend(read_letter(write("federation", "away", token="", sender=sender)), games).replies == ()
    lost = (LETTERS / "bounce_report.eml").read_bytes().replace(b"Ann@example.org", b"umpire@host.example")
    assert attend(read_letter(lost), games).replies == ()


# --- commands --------------------------------------------------------------------------------------------------------


def test_every_command_is_answered(send: Send) -> None:
    for word in (
        "HELP",
        "STATUS",
        "DRAFT",
        "PREVIEW",
        "WAIT",
        "WAIT OFF",
        "WITHDRAW",
        "RESEND",
        "RESEND 1",
        "resend 1.1",
    ):
        answered = send("federation", word)
        assert answered.done == "command" and only(answered).text, word
        assert only(send("federation", "Hello", f"\n{word}.\n\n-- \nAnn\n")).subject == only(answered).subject


@pytest.mark.slow
@pytest.mark.parametrize("page", [page.page for page in guide.ways()[0].pages])
def test_help_with_a_page_is_its_beginning_and_what_else_there_is(send: Send, page: str) -> None:
    """It fits on a screen, and all of it comes as a file, in which no example is taken for orders."""
    reply = only(send("federation", f"HELP {page}"))
    assert f"the page {page}" in reply.subject and not reply.attachments
    assert f"HELP {page} ALL" in reply.text and len(reply.text.split("\n")) <= 40
    assert all(title in " ".join(reply.text.split()) for title in guide.titles_of(guide.pages()[page])[:3])
    whole = only(send("federation", f"Help: {page} all."))
    ((name, _, data),) = whole.attachments
    assert name == f"{page}.txt" and data.decode("utf-8") == guide.text_of(guide.pages()[page], block="|| ", ask="HELP")
    quoted = "Thank you!\n\n" + re.sub("(?m)^", "> ", data.decode("utf-8"))
    assert send("klingon", "Re: a page", quoted).done != "orders"


@pytest.mark.parametrize("topic", ["energy", "plot", "fire", "drones", "the order form", "shuttle", "phasers"])
def test_help_with_a_word_is_the_section_that_says_most_about_it(send: Send, topic: str) -> None:
    answered = send("federation", f"HELP {topic}")
    reply = only(answered)
    assert answered.done == "command" and not reply.attachments
    assert len(reply.text.split("\n")) <= 40 and re.search(r"HELP [a-z-]+ ALL", " ".join(reply.text.split()))
    assert topic.removeprefix("the ").rstrip("s") in reply.text.casefold()


@pytest.mark.parametrize("words", ["me", "me please", "with my plot", "I do not know what to send", "xyzzy"])
def test_help_from_a_person_goes_to_a_person(send: Send, words: str) -> None:
    assert send("federation", f"HELP {words}").done != "command"


def test_help_with_a_word_of_the_glossary_is_its_entry(send: Send) -> None:
    reply = only(send("federation", "HELP Turn Mode"))
    assert reply.text.startswith("turn mode: how many hexes a ship must move") and "rule C3.0" in reply.text
    assert len(reply.text.split("\n")) < 10 and "generated" not in reply.text
    assert "HELP host-guide" in " ".join(only(send("federation", "HELP quarantine")).text.split())
    assert only(send("federation", "HELP LF")).text.startswith("FA, LF, RF")
    words = only(send("federation", "HELP glossary")).text
    assert "turn mode" in words and "volley" in words and "generated by" not in words and "pbem help" not in words


ASKED = "May a ship turn twice in one impulse?"


@pytest.mark.parametrize("place", ["above", "below", "beside a file", "below a command", "below PREVIEW"])
def test_a_question_beside_orders_goes_to_the_umpire(send: Send, eaf: Eaf, place: str) -> None:
    orders = eaf("federation")
    text = {
        "above": f"Hello!\n{ASKED}\n\n{orders}",
        "below": f"{orders}\n{ASKED}\n\n-- \nAnn\nWhat a day?\n",
        "below a command": f"STATUS\n\n{ASKED}\n",
        "below PREVIEW": f"PREVIEW\n{ASKED}\n{orders}",
    }.get(place)
    if text is None:
        text = f"WAIT\n{ASKED}\n\n{orders}"
    reply, copy = send("federation", "orders", text).replies
    assert "Your message has been passed on to the umpire." in reply.text
    assert copy.to == "umpire@host.example" and ASKED in copy.text
    assert not any(word in copy.text for word in ("GAME duel", "SPEED", "STATUS", "PREVIEW", "WAIT", "What a day"))


def test_words_beside_orders_that_are_more_than_a_greeting_are_told_of(send: Send, eaf: Eaf) -> None:
    more = "Please do not play this before Saturday, since my brother wants to look at it, too."
    reply = only(send("federation", "orders", f"{more}\n\n{eaf('federation')}"))
    assert "above it was read by nobody: a line MESSAGE TO UMPIRE" in " ".join(reply.text.split())
    for greeting in ("Hello Bob, here are my orders for this turn.", "", "See https://host.example/?a=b"):
        assert "read by nobody" not in only(send("federation", "orders", f"{greeting}\n{eaf('federation')}")).text


def test_what_is_only_quoted_asks_nothing(send: Send, eaf: Eaf) -> None:
    quoted = "On Mon, 1 Mar 2027 at 12:00, Test <orders@host.example> wrote:\n> What do you order?\n"
    assert len(send("federation", "orders", f"Hi\n{eaf('federation')}\n{quoted}").replies) == 1


def test_status_says_who_answered_and_not_what(send: Send, eaf: Eaf) -> None:
    send("klingon", "orders", eaf("klingon"))
    text = only(send("federation", "STATUS")).text
    assert re.search(r"klingon +has answered\n", text) and re.search(r"federation +owes orders\n", text)


def test_preview_files_nothing(send: Send, eaf: Eaf, duel: Path) -> None:
    reply = only(send("federation", "PREVIEW", eaf("federation")))
    assert "ENERGY OF Constellation" in reply.text and "PREVIEW files nothing" in reply.text
    assert "YOUR SHIPS ALONE ON THE MAP" in reply.text and "Constellation moves at speed 12" in reply.text
    bare = only(send("federation", "PREVIEW", eaf("federation").partition("\n")[2]))
    assert "ENERGY OF Constellation" in bare.text
    assert not (duel / "01/orders").exists()
    send("federation", "orders", eaf("federation"))
    assert "your orders on file" in only(send("federation", "PREVIEW")).text


@pytest.mark.parametrize("word", ["STATUS", "WAIT", "WITHDRAW", "HELP", "DRAFT"])
def test_orders_without_their_first_line_beside_a_command_are_not_lost_in_silence(
    send: Send, eaf: Eaf, duel: Path, word: str
) -> None:
    head, _, bare = eaf("federation").partition("\n")
    answered = send("federation", word, bare)
    text = " ".join(only(answered).text.split())
    assert answered.done == "command"
    assert text.startswith("Note: the orders in the body were not taken, as no line that begins with GAME stands above")
    assert "into a separate email that begins with this line: | GAME duel TURN 1 SIDE federation REPLY 1" in text
    assert text.count("not taken") == 1
    assert only(send("federation", word, f"> {head}\n> SHIP Constellation\n")).text.count("not taken") == 0
    assert not list(duel.glob("01/orders/*.orders"))


def test_withdrawn_orders_are_kept_and_do_not_count(send: Send, eaf: Eaf, duel: Path) -> None:
    send("federation", "orders", eaf("federation"))
    assert "were withdrawn" in only(send("federation", "WITHDRAW")).text
    assert sorted(path.name for path in (duel / "01/orders").iterdir()) == ["federation.r1.v1.orders"]
    assert "no orders on file" in only(send("federation", "WITHDRAW")).text
    assert "version\n2" in only(send("federation", "orders", eaf("federation"))).text


def test_who_waits_is_on_file_for_this_request_only(send: Send, eaf: Eaf, duel: Path) -> None:
    send("federation", "WAIT")
    with opened(duel) as game:
        assert waiting(game) == ("federation",)
    send("federation", "WAIT OFF")
    with opened(duel) as game:
        assert waiting(game) == ()
    assert send("federation", "WAIT", eaf("federation")).done == "orders"
    send("klingon", "orders", eaf("klingon"))
    with opened(duel, lock="test") as game:
        assert waiting(game) == ("federation",)
        resolve_game(game)
        assert waiting(game) == ()


def test_a_report_is_sent_again_as_it_was(send: Send, eaf: Eaf, duel: Path) -> None:
    reply = only(send("federation", "RESEND"))
    assert reply.text.strip() == (duel / "01/r1/federation/sitrep.txt").read_text().strip()
    assert {name for name, _, _ in reply.attachments} == {"sitrep.html", "federation.r1.orders", "orders.html"}
    assert "orders.html" in reply.text, "the text names what is attached"
    form = next(data.decode() for name, _, data in reply.attachments if name == "orders.html")
    sent = (duel / "01/r1/federation/orders.html").read_text(encoding="utf-8")
    assert "host@example.org" not in sent and form != sent, "it knows whom to answer"
    assert '"subject":"Re: RESEND' not in form, "what it sends is orders, and no command"
    for side in ("federation", "klingon"):
        send(side, "orders", eaf(side))
    with opened(duel, lock="test") as game:
        resolve_game(game)
    assert "Request 2" in only(send("federation", "RESEND")).text
    assert "Request 1" in only(send("federation", "RESEND 1")).text
    for nonsense in ("RESEND 9", "RESEND 0", "RESEND 99.1", "RESEND 0.1"):
        assert "no such report" in only(send("federation", nonsense)).subject


def test_no_answer_tells_another_sides_secrets(send: Send, eaf: Eaf, duel: Path) -> None:
    """Everything federation can have sent to it while klingon has secrets: on file, and then played."""
    marks = ("PHASERS 1.75", "SPEED 14", "RANGE Constellation <= 7", "REINFORCE #5", "14 (13")
    form = eaf("klingon", "SHIP Destruction\nENERGY\n  SPEED 14\n  PHASERS 1\n  REINFORCE #5 WITH 1\nEND\n")
    words = ("STATUS", "DRAFT", "PREVIEW", "RESEND", "RESEND 1", "RESEND 2", "WAIT", "WITHDRAW", "HELP")
    assert send("klingon", "orders", form).done == "orders"
    with opened(duel) as game:
        secret = game.secret().hex()
    hidden = [*marks, secret, token_of(duel, "klingon"), "bob@example.org sent", "dice.secret"]

    def look() -> None:
        letters = [(word, "") for word in words]
        letters += [
            ("orders", eaf("federation")),
            ("orders", eaf("federation", "SHIP Destruction\nENERGY\n  FOO\nEND\n")),
        ]
        letters += [("orders", form), ("PREVIEW", form), ("PREVIEW", eaf("federation"))]
        for subject, text in letters:
            for reply in send("federation", subject, text).replies:
                if reply.to == "ann@example.org":
                    # The form offers speeds and shields to everybody; tests/form looks into it.
                    kept = tuple(one for one in reply.attachments if one[0] != "orders.html")
                    said = everything(msgspec.structs.replace(reply, attachments=kept)).decode()
                    assert not [mark for mark in hidden if mark in said and mark not in text], (subject, said)

    look()
    assert send("federation", "orders", eaf("federation")).done == "orders"
    with opened(duel, lock="test") as game:
        resolve_game(game)
        # The announced speed is public now.
        hidden.remove("SPEED 14")
        filed = [r for r in game.effective() if isinstance(r.event, OrdersFiled) and r.event.side == "klingon"]
        assert filed
    send(
        "klingon", "orders",
        "GAME duel TURN 1 SIDE klingon REPLY 2\nSHIP Destruction\nPLOT F\nBREAK\n  RANGE Constellation <= 7\nEND\n",
    )  # fmt: skip
    look()


def test_a_damaged_game_is_the_umpires_trouble(send: Send, eaf: Eaf, duel: Path) -> None:
    (duel / "00/events.jsonl").write_bytes(b"{}\n")
    answered = send("federation", "orders", eaf("federation"))
    assert answered.done == "trouble" and answered.aside
    assert [reply.to for reply in answered.replies] == ["ann@example.org", "umpire@host.example"]
    assert str(duel) not in answered.replies[0].text


# --- when it is over, when the disk is full, and what comes back -----------------------------------------------------


def test_after_the_end_every_letter_is_answered_and_none_put_aside(duel: Path, games: Games, write: Write) -> None:
    orders = "SHIP Constellation\nPLOT F\nEND\n"
    said = {
        ("", ""): "We found no orders", ("STATUS", ""): "The game is over.", ("DRAFT", ""): "The game is over.",
        ("PREVIEW", ""): "no orders on file", ("WITHDRAW", ""): "The game is over.", ("HELP", ""): "STATUS",
        ("WAIT", ""): "No orders are wanted from you now.", ("RESEND", ""): "There is no such report.",
        ("orders", orders): "Nothing was filed.",
        ("orders", f"GAME duel TURN 9 SIDE federation REPLY 1\n{orders}"): "Nothing was filed.",
    }  # fmt: skip
    (seat,) = (one for one in games.seats if one.side == "federation")
    with opened(duel, lock="test") as game:
        game._state = msgspec.structs.replace(game.state(), request=None, over=True)
        for (subject, text), words in said.items():
            letter = read_letter(write("federation", subject, text))
            answered = answer_player(Conversation(letter, games, seat, game, lambda *_: "Never."))
            reply = answered.replies[0]
            assert words in " ".join(reply.text.split()), (subject, reply.text)
            assert not answered.aside and reply.until is None and "Never." not in reply.text
            assert not [name for name, _, _ in reply.attachments if name.endswith(".orders")]


@pytest.mark.parametrize("code", ["in-use", "no-permission", "unwritable"])
def test_a_player_is_not_told_that_his_orders_are_at_fault_when_the_disk_is_full(
    games: Games, write: Write, eaf: Eaf, duel: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """His letter stays where it is and is filed when there is room."""
    assert code in CANNOT_WRITE

    def full(path: Path, *_: object, **__: object) -> None:
        raise GameError.saying(code, "No space left on device", file=str(path))

    box = duel.parent / "box"
    box.mkdir()
    (box / "1.eml").write_bytes(write("federation", "orders", eaf("federation")))
    put: list[Reply] = []

    def say(reply: Reply) -> None:
        put.append(reply)

    source = EmlFolder(box)
    with monkeypatch.context() as patch:
        patch.setattr("pbem.games.submit.write_text", full)
        left: set[str] = set()
        assert list(take_in_all(source, games, say, left=left)) == [] and left == {"duel"} and not put
        assert "No space left" in source.missed()[0]
    assert [one.entry.done for one in take_in_all(source, games, say)] == ["orders"]
    assert [reply.kind for reply in put] == ["receipt"]
    (entry,) = Ledger(games.post).entries()
    filed = (duel / "01/orders/federation.r1.orders").read_bytes()
    assert (entry.game, entry.side, entry.sha256) == ("duel", "federation", hashlib.sha256(filed).hexdigest())
    assert entry.replies == (put[0].key,) and entry.sender == "ann@example.org"


def test_every_draft_that_is_sent_out_is_known_when_it_comes_back(
    games: Games, duel: Path, send: Send, eaf: Eaf
) -> None:
    """Sent alone, from the player's address, it is his: in a sitrep, a reminder, and each answer that holds one."""
    (seat,) = (one for one in games.seats if one.side == "federation")
    wrong = eaf("federation").replace("SPEED 12", "SPEED 99")
    sent = [*send("federation", "DRAFT").replies, *send("federation", "orders", wrong).replies]
    send("federation", "orders", eaf("federation"))
    sent += send("federation", "WITHDRAW").replies
    sent += send("federation", "RESEND").replies
    sent += send("federation", "hm").replies
    with opened(duel) as game:
        folder = announce.published(game)[-1]
        sent.append(
            announce.sitrep(game, games, seat, folder, announce.above_sitrep(game, seat, "", Clock()), "<root>")
        )
        sent.append(announce.reminder(game, announce.Thread(games, seat, "", ""), "Soon.", number=1, asking=(1, 1, 0)))
    for reply in sent:
        (draft,) = (content for name, _, content in reply.attachments if name.endswith(".orders"))
        back = read_letter(b"From: ann@example.org\r\nSubject: my orders\r\n\r\n" + draft)
        assert who(back, games) == Known(seat=seat), reply.subject
        assert who(read_letter(b"From: bob@example.org\r\nSubject: x\r\n\r\n" + draft), games) != Known(seat=seat)
    tags = msgspec.structs.replace(games, tags=True)
    plain = attend(
        read_letter(b"From: ann@example.org\r\nTo: o+%s@x\r\nSubject: DRAFT\r\n\r\n" % seat.token.encode()), tags
    )
    assert seat.token.encode() not in everything(only(plain)) and only(plain).attachments


@pytest.mark.parametrize(
    ("sides", "on_file", "standing"),
    [(("federation",), "", "owes"), (("federation",), "federation", "answered"), (("klingon",), "", "not asked")],
)
def test_the_deadline_that_is_told_is_that_of_who_reads_it(
    duel: Path, games: Games, write: Write, eaf: Eaf, sides: tuple[str, ...], on_file: str, standing: str
) -> None:
    seen: list[tuple[str, str]] = []

    def due(seat: Seat, stands: str) -> str:
        seen.append((seat.side, stands))
        return "On Friday."

    letter = read_letter(write("federation", "STATUS"))
    with opened(duel, lock="test") as game:
        if on_file:
            submit(game, eaf(on_file), "")
        state = game.state()
        assert state.request is not None
        game._state = msgspec.structs.replace(state, request=msgspec.structs.replace(state.request, sides=sides))
        (seat,) = (one for one in games.seats if one.side == "federation")
        reply = only(answer_player(Conversation(letter, games, seat, game, due)))
    assert set(seen) == {("federation", standing)} and "On Friday." in reply.text
    until = reply.until
    assert until is not None and (until.asking, until.standing, until.words) == (
        (1, 1, state.segment),
        standing,
        "On Friday.",
    )
    assert (until.game, until.side, until.asks) == ("duel", "federation", False)


def test_the_last_sitrep_says_for_whom_the_host_filed(duel: Path, games: Games) -> None:
    (seat,) = (one for one in games.seats if one.side == "federation")
    with opened(duel, lock="test") as game:
        file = game.order_file(1, "klingon", 1)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {announce.BY_HOST}, as was agreed.\nGAME duel\n", encoding="utf-8")
        assert announce.above_sitrep(game, seat, "Soon.", Clock()).notes == ()
        game._state = msgspec.structs.replace(game.state(), request=None, over=True)
        above = announce.above_sitrep(game, seat, "Soon.", Clock())
    said = f"klingon: no orders came for request 1 of turn 1. {announce.BY_HOST}, as was agreed."
    assert (above.notes, above.asked, above.until) == ((said,), "", "")
