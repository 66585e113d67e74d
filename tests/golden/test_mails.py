"""Every mail of every golden game, taken apart with the standard library: what it is made of, how wide, how heavy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.message import EmailMessage, MIMEPart
from email.policy import default
from functools import cache
from pathlib import Path

import pytest

from pbem.games.storage.opening import opened
from pbem.reports.mail.sitrep_mail import SUMMARY_LIMIT
from pbem.reports.map.picture import can_draw
from pbem.reports.text.sitrep import WIDTH
from tests.golden.held import clear_text, lasting

Games = Callable[[str], Path]
SHIPPED = ("duel01", "rescue01")
QUICK = ("s01",)
"""Short games, for the quick part of the tests."""
SLOW = ("duel01", "s02", "s04", "s05", "s06", "s07", "s10", "s11")
"""The others take minutes to play, and their mails are like these."""
needs_resvg = pytest.mark.skipif(not can_draw(), reason="maps are drawn by resvg: pip install resvg-py")


@pytest.fixture(
    scope="module", params=[SHIPPED[1], *QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]
)
def mails(request: pytest.FixtureRequest, replayed: Games, scenario_game: Games) -> Iterator[list[Path]]:
    """The mails of a golden game; all tests have those of one before any has those of the next."""
    folder = replayed(request.param) if request.param in SHIPPED else scenario_game(request.param)
    found = sorted(folder.rglob("mail.eml"))
    assert found
    yield found
    read.cache_clear()
    parts.cache_clear()


@cache
def read(path: Path) -> EmailMessage:
    message = message_from_bytes(path.read_bytes(), policy=default)
    assert isinstance(message, EmailMessage)
    return message


def shape(part: MIMEPart) -> object:
    """Types of a message's parts, one in another; of what is attached the names."""
    if part.is_multipart():
        return part.get_content_type().partition("/")[2], [shape(inner) for inner in part.iter_parts()]
    return part.get_filename() if part.is_attachment() else part.get_content_type()


@cache
def parts(message: EmailMessage) -> tuple[str, str]:
    """The text and the summary."""
    text, summary = message.get_body(("plain",)), message.get_body(("html",))
    assert text is not None and summary is not None
    return text.get_content().replace("\r\n", "\n"), summary.get_content()


def test_the_parts_of_a_mail_lie_in_one_another_as_mail_programs_expect(mails: list[Path]) -> None:
    for path in mails:
        message = read(path)
        draft = next((part.get_filename() for part in message.iter_attachments() if ".orders" in str(shape(part))), "")
        assert bool(draft) == (path.parent / "orders.draft").is_file()
        form = ["orders.html"] if draft and (path.parent / "orders.html").is_file() else []
        whole = ["replay.html"] if (path.parent / "replay.html").is_file() else []
        attached = ["sitrep.html", *([draft] if draft else []), *form, *whole, "positions.vsav"]
        picture: object = ("related", ["text/html", "image/png"]) if can_draw() else "text/html"
        assert shape(message) == ("mixed", [("alternative", ["text/plain", picture]), *attached]), path
        assert not [defect for part in message.walk() for defect in part.defects]


def test_the_text_is_complete_and_no_line_is_longer_than_78_columns(mails: list[Path]) -> None:
    for path in mails:
        text, _ = parts(read(path))
        sitrep = (path.parent / "sitrep.txt").read_text(encoding="utf-8")
        assert text.startswith(sitrep) and max(map(len, text.splitlines())) <= WIDTH == 78, path
        enclosed = text.partition("--- ATTACHED ---")[2]
        assert all(f"  {part.get_filename()} " in enclosed for part in read(path).iter_attachments())


def test_every_line_of_a_mail_may_travel(mails: list[Path]) -> None:
    for path in mails:
        data = path.read_bytes()
        assert data.isascii() and b"\r" not in data.replace(b"\r\n", b"") and b"\n" not in data.replace(b"\r\n", b"")
        assert max(map(len, data.split(b"\r\n"))) <= 998, path
        assert len(data) < 2_000_000, path


def test_the_summary_is_light_and_asks_nobody_for_anything(mails: list[Path]) -> None:
    for path in mails:
        _, summary = parts(read(path))
        assert summary.isascii() and len(summary) <= SUMMARY_LIMIT, path
        # What Gmail and Outlook drop or block: scripts, sheets, pictures and fonts from elsewhere, modern layout.
        assert not re.search(r"<(script|link|iframe|form|svg|video)\b|https?:|@import|url\(|\b(flex|grid)\b", summary)
        styled = re.sub(r"<head>.*</head>", "", summary, flags=re.DOTALL)
        assert "<style" not in styled and styled.count('style="') > 10


@needs_resvg
def test_the_summary_shows_the_picture_that_is_in_the_mail_and_says_it_in_words(mails: list[Path]) -> None:
    for path in mails:
        message = read(path)
        _, summary = parts(message)
        pictures = [part for part in message.walk() if part.get_content_maintype() == "image"]
        assert [f'src="cid:{str(one["Content-ID"]).strip("<>")}"' for one in pictures] == re.findall(
            r'src="[^"]*"', summary
        )
        assert all(one.get_content().startswith(b"\x89PNG") for one in pictures)
        alt = re.findall(r'alt="([^"]*)"', summary)
        assert len(alt) == 1 and alt[0].startswith("Map at turn ") and len(alt[0]) < 1500, path


def test_the_summary_names_every_ship_and_where_it_is(mails: list[Path]) -> None:
    for path in mails:
        text, summary = parts(read(path))
        table = text.partition("--- CURRENT POSITIONS ")[2].partition("\n---")[0].splitlines()[2:]
        at = [found[1] for line in table if (found := re.search(r"  (\d{4}[A-F]?)  ", line))]
        assert at and all(place in summary for place in at), path


def test_the_save_in_a_mail_is_that_of_the_turn_and_holds_every_unit(mails: list[Path]) -> None:
    from vassal.save import read_save

    last = [path for path in mails if path.parents[1].name == "final"]
    assert last, "a golden game is played to its end"
    for path in last:
        sent = next(part for part in read(path).iter_attachments() if part.get_filename() == "positions.vsav")
        kept = path.parents[2] / "positions.vsav"
        assert clear_text(sent.get_content()) == lasting(kept)
        with opened(path.parents[3]) as game:
            state = game.state()
        pieces = {piece.id for piece in read_save(kept).pieces}
        assert {f"pbem-{unit.name}" for unit in state.in_play() if unit.hex} <= pieces
