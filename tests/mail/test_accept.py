"""A letter that was put aside is let in by the line the umpire reads; a mail saved whole is an order file."""

from __future__ import annotations

import re
import shlex
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.mail.incoming.ledger import Ledger

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, words
else:
    from post_hosted import Hosted, words


@pytest.fixture
def hosted(tmp_path: Path) -> Hosted:
    hosted = Hosted(tmp_path / "a club")
    hosted.round()
    return hosted


def filed(hosted: Hosted, side: str) -> bool:
    return (hosted.game / "01" / "orders" / f"{side}.r1.orders").is_file()


def run(*line: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(line))
    return done.exit_code, done.output + str(done.exception or "")


def told_line(hosted: Hosted) -> list[str]:
    """The command in the umpire's last notice, as his shell reads it."""
    said = words(hosted.sent_to("umpire")[-1])
    found = re.search(r"accept +(pbem mail accept .+)", said)
    assert found is not None, said
    return shlex.split(found[1])[1:]


def test_a_letter_from_another_address_is_let_in_by_the_line_of_the_notice(hosted: Hosted) -> None:
    hosted.post(hosted.letter("klingon", hosted.scripted("klingon"), sender="kor@work.example"))
    hosted.round()
    assert not filed(hosted, "klingon")
    code, said = run(*told_line(hosted))
    assert code == 0 and "klingon" in said and filed(hosted, "klingon"), said
    hosted.round()
    assert "on file" in words(hosted.sent_to("klingon")[-1]), "the receipt goes to his own address"
    assert not any(to == "kor@work.example" for to, _ in hosted.sink.mails)
    assert not list((hosted.folder / "mail" / "quarantine").iterdir())
    assert len(list((hosted.folder / "mail" / "accepted").glob("*.eml"))) == 1
    # The journal read anew knows it; and once is enough.
    assert Ledger(hosted.folder / "mail").entries()[-1].done == "orders"
    code, said = run("mail", "accept", str(hosted.folder), str(next((hosted.folder / "mail/accepted").glob("*.eml"))))
    assert code == 0 and "processed before (orders); nothing was done" in said


def test_a_letter_without_a_token_is_known_by_its_address_and_one_without_both_by_what_the_umpire_says(
    hosted: Hosted, tmp_path: Path
) -> None:
    text = hosted.scripted("klingon")
    for sender, more in (("kor@example.org", ()), ("x@y.example", ("--side", "klingon"))):
        (hosted.game / "01" / "orders" / "klingon.r1.orders").unlink(missing_ok=True)
        message = EmailMessage(policy=SMTP)
        message["From"], message["Subject"], message["Message-ID"] = sender, "my orders", f"<1.{sender}>"
        message.set_content(text if not more else text.replace("SIDE klingon", ""))
        hosted.post(bytes(message))
        hosted.later(days=1, hours=1)
        hosted.round()
        line = told_line(hosted)
        if more:
            code, said = run(*line)
            assert code == 1, said
            assert "--game duel01 --side klingon" in said and not filed(hosted, "klingon")
        code, said = run(*line, *more)
        assert code == 0, said
    assert [entry.done for entry in Ledger(hosted.folder / "mail").entries()] == ["orders", "orders"]


def test_what_a_machine_seemed_to_write_is_let_in(hosted: Hosted, tmp_path: Path) -> None:
    raw = b"List-Id: <all.example.org>\r\n" + hosted.letter("klingon", hosted.scripted("klingon"))
    hosted.post(raw)
    hosted.round()
    assert not filed(hosted, "klingon")
    file = tmp_path / "list.eml"
    file.write_bytes(raw)
    code, said = run("mail", "accept", str(hosted.folder), str(file))
    assert code == 0 and filed(hosted, "klingon"), said


@pytest.mark.parametrize("cte", ["quoted-printable", "base64"])
def test_submit_takes_a_mail_that_was_saved_whole(hosted: Hosted, tmp_path: Path, cte: str) -> None:
    message = EmailMessage(policy=SMTP)
    message["From"], message["Subject"] = "kor@example.org", "Re: duel01"
    text = hosted.scripted("klingon").rstrip().removesuffix("END")
    long = f"# A line that is so long that a mail program folds it, {'and = it has signs to be coded in it, ' * 4}\n"
    message.set_content(f"Here: é\n\n{text}{long}END\n\nMESSAGE TO ALL\nHello.\nEND MESSAGE\n", cte=cte)
    file = tmp_path / "answer.eml"
    file.write_bytes(bytes(message))
    for what in ("check", "submit"):
        code, said = run(what, str(hosted.game), str(file))
        assert code == 0, said
    assert filed(hosted, "klingon") and "message" in said.lower()
