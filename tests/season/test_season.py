"""What must hold of a season, however much goes wrong in it (:mod:`tests.season.played`).

``PBEM_SEASON=1`` plays one of 25 games, 40 people and eleven weeks, by IMAP, which takes the better part of an hour;
without it a small one of five weeks is played.
"""

from __future__ import annotations

import os

import pytest

from tests.mail import world as mail
from tests.season.played import MUST_BE_EMPTY, Found, Season

WHOLE = bool(os.environ.get("PBEM_SEASON"))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    games, weeks, people = (25, 11, 40) if WHOLE else (8, 3, 40)
    folder = tmp_path_factory.mktemp("season")
    return Season(folder, games=games, weeks=weeks, people=people, imap=WHOLE and mail.has_imap()).play()


@pytest.mark.slow
def test_a_season_loses_nothing_and_punishes_nobody(found: Found) -> None:
    assert found.letters > 40 and found.mails > found.letters and found.turns > 5, found.text()
    for what in MUST_BE_EMPTY:
        assert not getattr(found, what), found.text()


@pytest.mark.slow
def test_the_umpire_is_written_to_where_he_is_needed_and_once_a_week(found: Found) -> None:
    weeks = 11 if WHOLE else 5
    assert sum(found.to_umpire.values()) <= 8 * weeks, found.text()
    assert found.megabytes < 300 if WHOLE else found.megabytes < 120, found.text()
