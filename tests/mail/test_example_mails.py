"""One mail of each kind that rounds write as time goes by; docs/mails.py takes its examples from what is kept here."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from pbem.mail.host import clocks as timetable, operate
from pbem.mail.seats import token_of

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, words
else:
    from post_hosted import Hosted, words


def test_mails_that_time_brings(hosted: Hosted, as_kept: Callable[..., None]) -> None:
    hosted.round()
    hosted.post(hosted.letter("federation", hosted.scripted("federation")))
    hosted.round()
    hosted.post(hosted.letter("klingon", "AWAY 2027-03-04 to 2027-03-06"))
    hosted.now += timedelta(minutes=1)
    hosted.round()
    operate.extend(hosted.game, "1 day", hosted.now, "Kor has exams")
    hosted.now += timedelta(minutes=1)
    hosted.round()
    timetable.pause(hosted.game, hosted.now, "both are at the convention")
    hosted.now += timedelta(minutes=1)
    hosted.round()
    timetable.resume(hosted.game, hosted.now)
    hosted.later(days=9)
    hosted.round()
    (hosted.game.parent / "duel02").mkdir()
    (hosted.game.parent / "duel02" / "game.toml").write_text("", encoding="utf-8")
    hosted.now += timedelta(minutes=1)
    hosted.round()
    told, seen = [], set[tuple[str, str]]()
    for side in ("federation", "klingon", "umpire"):
        for mail in hosted.sent_to(side):
            subject = re.sub(r" TOKEN \w+$", "", str(mail["Subject"]))
            if "SITREP" in subject or "receipt" in subject or (side, subject) in seen:
                continue
            seen.add((side, subject))
            told.append(f"======== to {side}\n\nSubject: {mail['Subject']}\n\n{words(mail)}\n")
    text = "".join(told)
    for place, side in enumerate(("federation", "klingon")):
        text = text.replace(token_of(hosted.game, side), "ab"[place] * 14)
    text = re.sub(r"TOKEN (?!a{14}|b{14})\w{14}", f"TOKEN {'c' * 14}", text)
    text = text.replace(str(hosted.folder.absolute()), "[home]").replace("'[home]'", "[home]")
    as_kept("examples.txt", text, "time")
