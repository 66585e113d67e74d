"""The umpire hears of letters put aside together, each once, whenever the host is stopped."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbem.mail.incoming.ledger import EVERY, Ledger, notice_key, tell
from pbem.mail.replies.reply import Reply
from pbem.mail.store import Done, EmailRecord

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)


class Box:
    """An outbox that takes each letter once."""

    def __init__(self) -> None:
        self.letters: dict[str, Reply] = {}

    def put(self, reply: Reply) -> None:
        self.letters.setdefault(reply.key, reply)

    @property
    def texts(self) -> list[str]:
        return [one.text for one in self.letters.values()]


def come(post: Path, *names: str, done: Done = "quarantine", wanted: bool = True) -> None:
    """Letters are taken in."""
    ledger = Ledger(post)
    for name in names:
        replies = (notice_key(name),) if wanted else ()
        why = "it is no player here"
        ledger.add(EmailRecord(digest=name, done=done, sender=f"{name[:3]}@example.org", why=why, replies=replies,
                         subject=f"about {name}", file=f"quarantine/{name}.eml"))  # fmt: skip


def go(post: Path, box: Box, now: datetime) -> None:
    tell(post, "umpire@host.example", "UTC", now, box.put)


def test_one_digest_a_day_tells_each_letter_once(tmp_path: Path) -> None:
    box = Box()
    go(tmp_path, box, NOW)
    come(tmp_path, "eve1", "eve2", "joe1")
    come(tmp_path, "ann1", done="orders", wanted=False)
    go(tmp_path, box, NOW)
    (first,) = box.letters.values()
    assert first.subject == "pbem: 3 emails were put aside"
    assert "eve@example.org (2 emails)" in first.text and "about joe1" in first.text and "ann" not in first.text
    come(tmp_path, "eve3")
    for hours in range(1, 24):
        go(tmp_path, box, NOW + timedelta(hours=hours))
    assert len(box.letters) == 1
    come(tmp_path, "joe2")
    go(tmp_path, box, NOW + EVERY)
    go(tmp_path, box, NOW + EVERY)
    assert len(box.letters) == 2 and "2 emails were put aside since Mon 1 Mar 2027, 12:00 (UTC)" in box.texts[1]
    assert "about eve3" in box.texts[1] and "about joe2" in box.texts[1] and "eve2" not in box.texts[1]


def test_trouble_does_not_wait_a_day(tmp_path: Path) -> None:
    box = Box()
    come(tmp_path, "eve1")
    go(tmp_path, box, NOW)
    come(tmp_path, "eve2")
    come(tmp_path, "kor1", done="trouble")
    go(tmp_path, box, NOW + timedelta(minutes=1))
    assert len(box.letters) == 2 and "about eve2" in box.texts[1]


def test_a_flood_makes_one_short_mail(tmp_path: Path) -> None:
    box = Box()
    come(tmp_path, *(f"{number:03}x{number}" for number in range(500)))
    go(tmp_path, box, NOW)
    (text,) = box.texts
    assert "There are 470 more senders" in text and len(text) < 10_000


def test_stopped_at_any_moment_it_tells_nothing_twice(tmp_path: Path) -> None:
    box = Box()
    come(tmp_path, "eve1")

    def cut(reply: Reply) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tell(tmp_path, "umpire@host.example", "UTC", NOW, cut)
    kept = tmp_path.with_name("before")
    shutil.copytree(tmp_path, kept)
    come(tmp_path, "eve2")
    go(tmp_path, box, NOW)
    # The machine stopped after it was put into the outbox, and before that was written down.
    come(kept, "eve2")
    go(kept, box, NOW)
    assert len(box.letters) == 1 and "eve1" in box.texts[0] and "eve2" not in box.texts[0]
    go(tmp_path, box, NOW + EVERY)
    assert len(box.letters) == 2 and "about eve2" in box.texts[1]


def test_without_an_umpire_nothing_is_put_and_nothing_piles_up(tmp_path: Path) -> None:
    box = Box()
    come(tmp_path, "eve1")
    tell(tmp_path, "", "UTC", NOW, box.put)
    go(tmp_path, box, NOW + EVERY)
    assert not box.letters
