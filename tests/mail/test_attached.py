"""Files in a letter: those with orders are read whatever they are called; the others are named with a way out."""

from __future__ import annotations

from collections.abc import Callable
from email.message import EmailMessage

import pytest

from pbem.mail.incoming.message import read_letter
from pbem.mail.replies.answer import attend
from pbem.mail.seats import Games

ORDERS = "GAME duel TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\n  SPEED 12\nEND\n"
TNEF, RTF, DOCX = b"\x78\x9f\x3e\x22\x01\x00", b"{\\rtf1\\ansi GAME duel}", b"PK\x03\x04\x14\x00"
Attached = tuple[str, str, bytes]


def letter(*attached: Attached, body: str = "Here are my orders.\n", subject: str = "orders") -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "ann@example.org", "orders@example.org", subject
    mail["Message-ID"] = "<1@example.org>"
    mail.set_content(body)
    for name, mime, data in attached:
        main, _, sub = mime.partition("/")
        mail.add_attachment(data, maintype=main, subtype=sub, filename=name)
    return mail.as_bytes()


@pytest.mark.parametrize(
    ("name", "mime"),
    [("orders.draft", "application/octet-stream"), ("orders.draft", "text/plain"), ("my orders", "text/plain"),
     ("duel.r1", "application/octet-stream"), ("orders.gam", "application/x-unknown"), ("orders.rtf", "text/plain"),
     ("orders.text", "application/octet-stream"), ("orders.txt", "application/msword")],
)  # fmt: skip
@pytest.mark.parametrize(
    "data", [ORDERS.encode(), b"\xef\xbb\xbf# mine\r\n\r\n" + ORDERS.encode(), ORDERS.encode("utf-16")]
)
def test_a_file_that_begins_like_orders_is_orders(name: str, mime: str, data: bytes) -> None:
    found = read_letter(letter((name, mime, data)))
    assert (found.kind, found.source, found.faults) == ("orders", name, ())
    assert "SPEED 12" in found.text


@pytest.mark.parametrize(
    ("name", "mime", "data", "way"),
    [("orders.rtf", "application/rtf", RTF, "ends in .txt"), ("orders.rtf", "text/rtf", RTF, "ends in .txt"),
     ("orders.txt", "text/plain", RTF, "is RTF"), ("o.docx", "application/octet-stream", DOCX, "Word"),
     ("orders.pdf", "application/pdf", b"%PDF-1.4\n", "copy its text"),
     ("winmail.dat", "application/ms-tnef", TNEF, "have Outlook send plain text"),
     ("orders.html", "text/html", b"<html><p>GAME duel TURN 1</html>", "press copy"),
     ("IMG_0123.jpeg", "image/jpeg", b"\xff\xd8\xff\xe0", "is a picture, a sound or a film: write"),
     ("memo.m4a", "audio/mp4", b"\0", "write the orders as text"),
     ("positions.vsav", "application/octet-stream", DOCX, "is a save of VASSAL"),
     ("~$orders.docx", "application/octet-stream", b"\x05Ann\0\0", "a document that is still open"),
     (".~lock.orders.odt#", "application/octet-stream", b",ann;", "a document that is still open"),
     ("orders.txt - Shortcut.lnk", "application/octet-stream", b"L\0\0\0", "attach that file itself"),
     ("notes.csv", "text/csv", b"a;b", ".txt or .orders"), ("x.bin", "application/octet-stream", b"\0\1\2", ".txt")],
)  # fmt: skip
def test_a_file_that_is_not_read_is_named_with_a_way_out(name: str, mime: str, data: bytes, way: str) -> None:
    found = read_letter(letter((name, mime, data)))
    assert found.kind == "empty"
    (told,) = found.faults
    assert told.startswith(f"the attached file {name} was not read") and way in told


def test_the_player_is_told_in_the_answer(games: Games, write: Callable[..., bytes]) -> None:
    raw = write("federation", "orders", "Here they are.\n")
    before = attend(read_letter(raw), games).replies
    mail = letter(("orders.rtf", "application/rtf", RTF))
    parts = mail.partition(b"\n\n")
    head = b"\n".join(line for line in raw.replace(b"\r\n", b"\n").partition(b"\n\n")[0].split(b"\n")
                      if not line.lower().startswith((b"content-", b"mime-")))  # fmt: skip
    kept = b"\n".join(line for line in parts[0].split(b"\n") if line.lower().startswith((b"content-", b"mime-", b" ")))
    (said,) = (
        one
        for one in attend(read_letter(head + b"\n" + kept + b"\n\n" + parts[2]), games).replies
        if one.kind == "fault"
    )
    assert "no orders found" in said.subject and "We found no orders" in said.text
    assert "orders.rtf was not read, as it is RTF" in " ".join(said.text.split())
    assert "was not read" not in before[0].text


def test_pictures_and_our_own_pages_are_passed_over_where_orders_came() -> None:
    picture, page = ("logo.png", "image/png", b"\x89PNG"), ("sitrep.html", "text/html", b"<html>")
    save = ("positions.vsav", "application/octet-stream", b"PK\x03\x04")
    assert read_letter(letter(picture, page, save, body=ORDERS)).faults == ()
    (told,) = read_letter(letter(("orders.docx", "application/octet-stream", DOCX), body=ORDERS)).faults
    assert "orders.docx was not read" in told, "perhaps it is newer than the text"


def test_a_mail_in_the_mail_is_not_opened_and_named() -> None:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "ann@example.org", "Fwd: orders"
    mail.set_content("Here they are.\n")
    inside = EmailMessage()
    inside["Subject"] = "orders"
    inside.set_content(ORDERS)
    mail.add_attachment(inside)
    found = read_letter(mail.as_bytes())
    assert found.kind == "empty" and "SPEED 12" not in found.text
    (told,) = found.faults
    assert told == (
        "the attached file without a name was not read, as it is a whole mail: copy the text of its orders into yours"
    )


def test_pictures_of_a_signature_and_of_who_sends_orders_are_no_matter() -> None:
    picture = ("logo.png", "image/png", b"\x89PNG")
    found = read_letter(letter(picture, body=ORDERS))
    assert (found.kind, found.faults) == ("orders", ())
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "ann@example.org", "hm"
    mail.set_content("I do not know.\n")
    mail.add_alternative("<p>I do not know. <img src='cid:logo@x'>", subtype="html")
    mail.get_payload()[1].add_related(picture[2], "image", "png", cid="<logo@x>", filename="logo.png")  # type: ignore[index,union-attr]
    found = read_letter(mail.as_bytes())
    assert (found.kind, found.faults) == ("empty", ())


@pytest.mark.parametrize(
    ("body", "told"),
    [("Here.\n", False), (ORDERS, False), (ORDERS.replace("  SPEED", "SPEED") + "\nAnn\n", False),
     ("> " + ORDERS.replace("\n", "\n> ").replace("12", "5"), False), (ORDERS.replace("12", "5"), True)],
)  # fmt: skip
def test_of_other_orders_beside_those_of_a_file_it_is_told_which_were_read(body: str, told: bool) -> None:
    found = read_letter(letter(("orders.txt", "text/plain", ORDERS.encode()), body=body))
    assert (found.kind, found.source) == ("orders", "orders.txt") and "SPEED 12" in found.text
    assert found.faults == (
        ("the orders in the text of your letter are others, and were not read; those in orders.txt were",) * told
    )


@pytest.mark.parametrize(
    "link",
    ["https://1drv.ms/t/s!AbC", "https://ann-my.sharepoint.com/:t:/g/x", "https://www.dropbox.com/s/x/o.txt?dl=0",
     "https://drive.google.com/file/d/1", "https://we.tl/t-x"],
)  # fmt: skip
def test_what_lies_behind_a_link_is_said_not_to_be_read(link: str) -> None:
    (told,) = read_letter(letter(body=f"Here are my orders:\n{link}\n\nAnn\n")).faults
    assert told.startswith("what lies behind the link was not read: copy the orders into")
    assert not read_letter(letter(body=f"Look at https://en.wikipedia.org/wiki/Rigel\n> {link}\n")).faults
    assert not read_letter(letter(body=f"{ORDERS}\n{link}\n")).faults
