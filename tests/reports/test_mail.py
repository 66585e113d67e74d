"""The sitrep as a mail, read back with the standard library."""

from __future__ import annotations

import re
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from html import unescape
from pathlib import Path
from types import ModuleType

import pytest
from msgspec.structs import replace

from pbem.reports.mail.mime import Attachment, composed, one_line, taken_apart
from pbem.reports.mail.sitrep_mail import SUMMARY_LIMIT, mail_summary, picture_of, sitrep_mail, story
from pbem.reports.map import picture as pictures
from pbem.reports.map.drawing import chart
from pbem.reports.text.sitrep import sitrep_text
from pbem.reports.view.build import build_view
from tests.rendered import Rendered, render

pytestmark = pytest.mark.usefixtures("drawn")
needs_resvg = pytest.mark.skipif(not pictures.can_draw(), reason="maps are drawn by resvg: pip install resvg-py")


def read(made: Rendered) -> EmailMessage:
    message = message_from_bytes(made.mail, policy=default)
    assert isinstance(message, EmailMessage)
    return message


def test_a_mail_holds_text_summary_page_and_draft(duels: ModuleType) -> None:
    made = render(
        duels.duel(), "klingon", to="bob@example.org", sender="orders@example.org", draft="GAME duel01\nEND\n",
        draft_name="klingon.r3.orders",
    )  # fmt: skip
    message = read(made)
    assert message["Subject"] == "duel01 2.9 SITREP"
    assert (message["To"], message["From"]) == ("bob@example.org", "orders@example.org")
    text, summary = message.get_body(("plain",)), message.get_body(("html",))
    assert text is not None and text.get_content().replace("\r\n", "\n").startswith(made.text)
    assert summary is not None and summary.get_content().isascii() and "Destruction" in summary.get_content()
    attached = {part.get_filename(): part.get_content().replace("\r\n", "\n") for part in message.iter_attachments()}
    assert attached == {"sitrep.html": made.html, "klingon.r3.orders": "GAME duel01\nEND\n"}


def test_a_page_travels_as_it_is_where_nothing_in_it_can_be_changed_on_the_way(duels: ModuleType) -> None:
    """In ASCII and short lines; where a line is too long, or could be taken for another mail, it is coded."""
    made = render(duels.duel(), "klingon")
    page = made.html.encode("ascii")
    assert page.replace(b"\n", b"\r\n") in made.mail and max(map(len, page.split(b"\n"))) <= 990
    for spoilt in ("N" * 3000, "x\nFrom me", "x\n--=_y", "x \ny", "x\r\ny", "na\u00efve"):
        wrong = f"<p>{spoilt}\n<p>"
        mail = composed("a", [], text="t", attachments=[Attachment("sitrep.html", wrong, "html")])
        assert b"7bit" not in mail
        assert taken_apart(mail).attachments[0].content.decode() == wrong


def test_no_line_breaks_the_limits_of_mail(duels: ModuleType) -> None:
    lines = render(duels.duel(fed="N" * 3000), "klingon").mail.split(b"\r\n")
    assert max(map(len, lines)) <= 998
    assert b"\n" not in b"".join(lines)


def test_a_mail_needs_no_address(duels: ModuleType) -> None:
    message = read(render(duels.duel(), "federation"))
    assert message["To"] is None and message["From"] is None and message["Message-ID"]


@pytest.mark.parametrize(
    "to",
    ["Bob\r\nBcc: eve@example.org <bob@example.org>", "Bob\nX-Evil: 1 <bob@example.org>", "Bob, Eve <bob@example.org>"],
)
def test_a_name_cannot_add_a_header_or_a_reader(duels: ModuleType, to: str) -> None:
    message = read(render(duels.duel(), "klingon", to=to))
    assert [address.addr_spec for address in message["To"].addresses] == ["bob@example.org"]
    assert message["Bcc"] is None and message["X-Evil"] is None


@pytest.mark.parametrize("to", ["ann", "robot", "a@b c@d", "@", "x@y\nBcc: z@example.org"])
def test_what_is_no_address_is_left_out(duels: ModuleType, to: str) -> None:
    message = read(render(duels.duel(), "klingon", to=to))
    assert message["To"] is None and message["Bcc"] is None


def test_game_names_cannot_add_a_header(duels: ModuleType) -> None:
    view = replace(build_view(duels.duel(), "klingon"), game="x\r\nBcc: eve@example.org\r\n\r\nhello")
    message = message_from_bytes(sitrep_mail(view, text="t", html_summary="<p>h</p>"), policy=default)
    assert message["Bcc"] is None and message["Subject"].endswith("2.9 SITREP")


def test_every_sitrep_has_an_identity_and_date_of_its_own(duels: ModuleType) -> None:
    mails = [
        read(render(records, side)) for records in (duels.duel(), duels.ended()) for side in ("federation", "klingon")
    ]
    assert len({str(message["Message-ID"]) for message in mails}) == 4
    again = read(render(duels.duel(), "federation"))
    assert (again["Date"], again["Message-ID"]) == (mails[0]["Date"], mails[0]["Message-ID"])


def test_the_summary_stays_small_and_says_what_it_left_out(duels: ModuleType) -> None:
    view = build_view(duels.duel(), "klingon")
    crowd = replace(view, units=view.units * 300, since=view.since * 200, bearings=view.bearings * 2000)
    summary = mail_summary(crowd)
    assert len(summary) <= SUMMARY_LIMIT and "more in the report" in summary
    assert "more in the report" not in mail_summary(view)


def test_of_a_long_story_the_middle_is_left_out_and_it_is_said_where_it_stands(duels: ModuleType) -> None:
    view = build_view(duels.duel(), "klingon")
    told = tuple(replace(view.since[0], impulse=n, text=f"Happening {n}.") for n in range(1, 91))
    cut = story(replace(view, since=told), 30)
    assert (len(cut.first), cut.left_out, len(cut.last)) == (10, 60, 20)
    assert cut.gap == f"{told[0].turn}.11 to {told[0].turn}.70"
    assert cut.last[-1] is told[-1]
    whole = story(replace(view, since=told), 90)
    assert whole.first == told and not whole.left_out and not whole.last
    heavy = tuple(replace(one, text=one.text + " It was long." * 40) for one in told)
    summary = mail_summary(replace(view, since=heavy * 3))
    assert len(summary) <= SUMMARY_LIMIT
    assert "Happening 1." in summary and "Happening 90." in summary
    assert "more in the report, " in summary and "in the text of this mail" in summary


NAMES = [
    ("Überfall", "Jörg Müller <joerg@example.org>"),
    ("Чёрный ворон", "Иван <ivan@example.org>"),
    ("宇宙船" * 30, "山田 <yamada@example.org>"),
    ("Ship 🚀\u202e", "Zoë 🚀 <zoe@example.org>"),
]


@pytest.mark.parametrize(("ship", "player"), NAMES, ids=["latin", "cyrillic", "japanese", "signs"])
def test_names_of_all_letters_travel_as_ascii_and_arrive_whole(duels: ModuleType, ship: str, player: str) -> None:
    records = duels.duel(fed=ship)
    view = replace(build_view(records, "klingon"), game=ship)
    picture = picture_of(view)
    mail = sitrep_mail(
        view, to=player, text=f"{ship}\n", html_summary=mail_summary(view, picture), picture=picture,
        attachments=[Attachment(f"{ship}.orders", f"SHIP {ship}\n")],
    )  # fmt: skip
    assert mail.isascii() and max(map(len, mail.split(b"\r\n"))) <= 998
    head = mail.partition(b"\r\n\r\n")[0]
    assert all(len(line) <= 78 for line in head.split(b"\r\n"))
    message = message_from_bytes(mail, policy=default)
    assert isinstance(message, EmailMessage)
    visible = one_line(ship)  # a sign that turns the direction of writing is in no header
    assert str(message["Subject"]).startswith(visible)
    assert str(message["To"].addresses[0].display_name) == player.partition(" <")[0]
    (attached,) = message.iter_attachments()
    assert attached.get_filename() == one_line(f"{ship}.orders")
    assert attached.get_content().strip() == f"SHIP {ship}"
    summary = message.get_body(("html",))
    assert summary is not None and visible[:5].encode("ascii", "xmlcharrefreplace").decode() in summary.get_content()


def test_without_resvg_a_mail_says_where_the_map_is(duels: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "can_draw", lambda: False)
    message = read(render(duels.duel(), "klingon"))
    summary = message.get_body(("html",))
    assert summary is not None and "no picture of the map: open the attached sitrep.html" in summary.get_content()
    assert "<img" not in summary.get_content()
    assert not [part for part in message.walk() if part.get_content_maintype() == "image"]
    assert [part.get_filename() for part in message.iter_attachments()] == ["sitrep.html"]


@needs_resvg
def test_the_picture_is_the_same_for_all_who_see_the_same_and_holds_letters(duels: ModuleType) -> None:
    records = duels.duel()
    views = [build_view(records, side) for side in ("federation", "klingon")]
    pictures._drawn.cache_clear()
    drawn = [pictures.png_in_mail(view)[0] for view in views]
    assert drawn[0] == drawn[1] and drawn[0].startswith(b"\x89PNG")
    pictures._drawn.cache_clear()
    assert pictures.png_in_mail(views[0])[0] == drawn[0]
    # Without its fonts resvg draws no letter, and says nothing.
    other = replace(views[0], units=tuple(replace(unit, name=unit.name[::-1]) for unit in views[0].units))
    assert pictures.png_in_mail(other)[0] != drawn[0]


@needs_resvg
def test_a_map_has_its_own_size_in_a_mail_unless_it_is_too_wide(duels: ModuleType) -> None:
    view = build_view(duels.duel(), "klingon")
    widths = {}
    for column in range(8, 24):
        apart = tuple(replace(view.units[n], hex=at) for n, at in enumerate((f"{column:02}14", "0812")))
        near = replace(view, units=apart, tracks=(), shots=())
        png, shown = pictures.png_in_mail(near)
        assert int.from_bytes(png[16:20], "big") == shown
        widths[chart(near, near=True).width] = shown
    assert all(widths[own] == own for own in (526, 571, 616)) and widths[max(widths)] == pictures.IN_MAIL < max(widths)


@needs_resvg
@pytest.mark.parametrize("name", ["</svg>", "<title>&]]>", 'x" onload="y', "\x00\x0b\ufffe", "\ud800", "desc " * 99])
def test_no_name_keeps_a_mail_from_being_made(duels: ModuleType, name: str) -> None:
    message = read(render(duels.duel(fed=name), "klingon"))
    assert [part for part in message.walk() if part.get_content_maintype() == "image"]


def test_the_words_for_the_map_name_ships_first_and_count_the_rest(duels: ModuleType) -> None:
    view = build_view(duels.duel(), "klingon")
    words = pictures.map_words(view)
    assert words.startswith("Map at turn 2, impulse 9: Constellation (federation) in ") and "Destruction" in words
    crowd = replace(view, units=tuple(replace(view.units[0], name=f"U{n}") for n in range(40)))
    assert "U1 " in pictures.map_words(crowd) and "; 28 more units." in pictures.map_words(crowd)


@pytest.mark.slow
def test_the_mail_of_twenty_ships_and_a_hundred_drones_is_light_enough(tmp_path: Path) -> None:
    from bench.pages import fleet

    made = render(fleet(tmp_path, 20, 100), "federation")
    message = read(made)
    summary = message.get_body(("html",))
    assert summary is not None
    assert len(summary.get_content()) <= SUMMARY_LIMIT
    assert all(f"Cruiser-{n:02}" in summary.get_content() for n in range(20))
    assert max(map(len, made.text.splitlines())) <= 78
    assert len(made.mail) < 5_000_000


def test_the_first_thing_of_the_summary_is_what_to_do(duels: ModuleType) -> None:
    view = build_view(duels.duel(), "klingon")
    assert view.owed is not None and view.owed.mine
    summary = mail_summary(view, attachments=[Attachment("orders.html", "<p>form</p>", "html")])
    steps = ("orders.html</b> in a browser", "<b>Copy</b>", "<b>Answer this email</b>")
    parts = ("Your orders are wanted", *steps, view.owed.header, "Since your last sitrep")
    places = [summary.index(words) for words in parts]
    assert places == sorted(places)
    assert "attached draft" in mail_summary(view), "without a form the draft is named"
    umpire = mail_summary(build_view(duels.duel(), "umpire"))
    assert "You do not need to send orders now." in umpire and "<b>Copy</b>" not in umpire


def test_the_summary_says_which_orders_failed_and_what_was_lost_as_the_text_does(duels: ModuleType) -> None:
    for records in (duels.duel(), duels.ended()):
        for side in ("federation", "klingon"):
            view = build_view(records, side)
            summary = " ".join(unescape(re.sub(r"<[^>]*>", " ", mail_summary(view))).split())
            text = " ".join(sitrep_text(view).split())
            for this in view.failed():
                assert this.result in summary and (not this.reason or this.reason in summary), this
            for ship in view.changes:
                assert all(f"{fact.what}: {fact.words}" in summary for fact in ship.facts), ship
            for harm in view.harm:
                if harm.fresh and harm.scored:
                    assert all(box in text for box in harm.scored)
                    assert "lost inside:" in summary
    assert any(build_view(duels.duel(), side).failed() for side in ("federation", "klingon")), "the duel has such"


def test_every_colour_of_the_summary_can_be_read(duels: ModuleType) -> None:
    """Text on what is behind it, 4.5 to 1, in the light and in the dark mail (WCAG 2.1)."""
    view = build_view(duels.duel(), "klingon")
    summary = mail_summary(view, attachments=[Attachment("orders.html", "<p>form</p>", "html")])
    head, _, body = summary.partition("</head>")
    box = set(re.findall(r"(?<![-\w])color:(#[0-9a-f]{6})", body.partition("<!-- map -->")[0]))
    assert box
    for colour in box:
        assert contrast(colour, "#e8f0fb") >= 4.5, colour
    for colour in set(re.findall(r"(?<![-\w])color:(#[0-9a-f]{6})", body)):
        assert contrast(colour, "#ffffff") >= 4.5, colour
    dark = dict(re.findall(r"\.card (?:\.wanted )?\.(step|soft|bad)[^{]*\{ color: (#[0-9a-f]{6})", head))
    assert set(dark) == {"step", "soft", "bad"}
    for colour in [*dark.values(), "#e7ecf4"]:
        assert min(contrast(colour, "#161d29"), contrast(colour, "#182a45")) >= 4.5, colour


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        r, g, b = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    lights = sorted((light(one), light(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def test_pages_travel_byte_for_byte_and_not_a_third_heavier(duels: ModuleType) -> None:
    page = "\u2013 \u00e9" + "<p>It was a dark and stormy night, and a = b there.</p>\n" * 400 + "x" * 2000 + "\r\n. \n"
    made = sitrep_mail(
        build_view(duels.duel(), "klingon"), text="t", html_summary="<p>h</p>",
        attachments=[Attachment("sitrep.html", page, "html"), Attachment("k.orders", "\u00fc" * 500)],
    )  # fmt: skip
    message = message_from_bytes(made, policy=default)
    assert isinstance(message, EmailMessage)
    attached = {part.get_filename(): part for part in message.iter_attachments()}
    assert attached["sitrep.html"].get_payload(decode=True) == page.encode()
    assert attached["k.orders"].get_payload(decode=True) == ("\u00fc" * 500).encode()
    assert attached["sitrep.html"]["Content-Transfer-Encoding"] == "quoted-printable"
    assert attached["k.orders"]["Content-Transfer-Encoding"] == "base64", "where that is shorter"
    assert max(map(len, made.split(b"\r\n"))) <= 78
