"""A copy of the process makes a thing meanwhile, or nothing comes of it and nothing else does."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec
import pytest

from pbem.games.storage import papers
from pbem.games.storage.opening import opened
from pbem.games.storage.papers import spare as has_spare_core
from pbem.games.storage.publish import around
from pbem.reports.map import picture
from pbem.reports.map.picture import lean
from pbem.reports.view.build import build_view

if sys.platform != "linux":
    pytest.skip("processes are copied on Linux alone", allow_module_level=True)

DUEL = Path(__file__).resolve().parents[2] / "turns" / "duel01"


def test_what_a_copy_makes_comes_back_whole() -> None:
    large = os.urandom(300_000)
    with papers.in_background(lambda: large + str(os.getpid()).encode()) as made:
        assert made()[:300_000] == large
        assert made()[300_000:].decode() not in ("", str(os.getpid()))
        assert made() == made()


def raised() -> bytes:
    raise ValueError


def killed() -> bytes:
    os.kill(os.getpid(), signal.SIGKILL)
    return b"x"


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes that were made by copying this one: others of its children are none of theirs."""
    made: list[int] = []
    fork = os.fork

    def noted() -> int:
        made.append(fork())
        return made[-1]

    monkeypatch.setattr(os, "fork", noted)
    return made


def ended(copies: list[int]) -> bool:
    """Whether there was one copy, and it is gone and was waited for."""
    (copy,) = copies
    with pytest.raises(ChildProcessError):
        os.waitpid(copy, os.WNOHANG)
    return True


@pytest.mark.parametrize("work", [raised, killed, bytes])
def test_nothing_comes_of_a_copy_that_fails(work: object, copies: list[int]) -> None:
    with papers.in_background(work) as made:  # type: ignore[arg-type]
        assert made() == b""
    assert ended(copies)


def test_a_copy_nobody_asks_ends(copies: list[int]) -> None:
    with papers.in_background(lambda: bytes(10**6)):
        pass
    assert ended(copies)


def test_a_system_that_gives_no_pipe_makes_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise OSError

    monkeypatch.setattr(os, "pipe", none)
    with papers.in_background(lambda: b"x") as made:
        assert made() == b""


@pytest.mark.usefixtures("drawn")
@pytest.mark.skipif(not picture.can_draw(), reason="resvg is not here")
def test_a_picture_is_the_same_wherever_it_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """And another one that a copy hands out is not taken for it."""
    with opened(DUEL) as game:
        view = build_view(game.effective(), "federation")
    clear = picture._leanly_drawn.cache_clear
    clear()
    here = picture.png_in_mail(view)
    drawn: list[bytes] = []

    def counted(png: bytes) -> bytes:
        drawn.append(png)
        return lean(png)

    monkeypatch.setattr(picture, "lean", counted)
    clear()
    with papers.in_background(lambda: picture.picture_made(view)) as made, picture.made_elsewhere(made):
        assert picture.png_in_mail(view) == here
    assert not drawn
    other = msgspec.msgpack.encode(picture._Made(b"another", here[1], b"png"))
    for wrong in (other, b""):
        clear()
        with picture.made_elsewhere(partial(bytes, wrong)):
            assert picture.png_in_mail(view) == here
    assert len(drawn) == 2


def test_only_who_is_alone_and_has_a_core_to_spare_is_given_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(DUEL) as game:
        records, state, scenario, known = game.effective(), game.state(), game.scenario(), around(game, 1)
    asked: list[object] = []

    @contextmanager
    def copied(make: object) -> Iterator[Callable[[], bytes]]:
        asked.append(make)
        yield bytes

    monkeypatch.setattr(papers, "in_background", copied)
    save = papers.positions(known, records)
    for alone, spare in ((True, False), (False, True)):
        monkeypatch.setattr(papers, "spare", partial(bool, spare))
        with papers.made_beside(known, records, state, scenario, alone=alone) as made:
            assert not asked and made() == save
    with papers.made_beside(known, records, state, scenario) as made:
        assert len(asked) == 2 and made() == save  # the copies told nothing


@pytest.mark.parametrize(
    ("system", "threads", "cores", "may"),
    [("linux", 1, 2, True), ("linux", 1, 1, False), ("linux", 2, 2, False), ("linux", 1, 8, True),
     ("darwin", 1, 2, False), ("win32", 1, 2, False)],
)  # fmt: skip
def test_where_a_process_may_be_copied(
    monkeypatch: pytest.MonkeyPatch, system: str, threads: int, cores: int, may: bool
) -> None:
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("threading.active_count", lambda: threads)
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(cores)))
    assert has_spare_core() is may


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize("save", [b"PK", b"+", b""])
def test_a_copy_makes_the_save_too(monkeypatch: pytest.MonkeyPatch, save: bytes, copies: list[int]) -> None:
    """That there can be none is known from it as well."""
    with opened(DUEL) as game:
        records, state, scenario, known = game.effective(), game.state(), game.scenario(), around(game, 1)
    here = os.getpid()

    def once(*what: object) -> bytes:
        assert os.getpid() != here
        return save

    monkeypatch.setattr(papers, "spare", lambda: True)
    monkeypatch.setattr(papers, "positions", once)
    with papers.made_beside(known, records, state, scenario) as made:
        assert made() == save
    assert len(copies) == 2
    for copy in copies:
        with pytest.raises(ChildProcessError):
            os.waitpid(copy, os.WNOHANG)
