"""The sitrep as a mail, read back with the standard library."""

from __future__ import annotations

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from types import ModuleType

import pytest
from msgspec.structs import replace

from pbem.report.gather import build_view
from pbem.report.mail import SUMMARY_LIMIT, mail_summary, sitrep_mail
from pbem.report.render import Rendered, render


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
    attached = {part.get_filename(): part.get_content() for part in message.iter_attachments()}
    assert attached == {"sitrep.html": made.html, "klingon.r3.orders": "GAME duel01\nEND\n"}


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
