"""A round's play and reports by other processes and by a cluster: the same bytes in every folder and mail, whoever does
it, and nothing lost or done twice when one of them goes.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from contextvars import copy_context
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pbem.engine.dice import Secret
from pbem.games import resolve
from pbem.games.answers import answers
from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import OtherVersion, PlayJob, carried, packed, play_job_for, resolve_game, run, unpacked
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.mail import store
from pbem.mail.host import workers as hands
from pbem.mail.host.round import Round, host_round
from pbem.mail.host.workers import Workers
from pbem.mail.seats import token_of
from pbem.reports.map import picture

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
SETTINGS = """\
format = 1
orders = "orders@host.example"
umpire = "umpire@host.example"
"""
SHIPS = {"federation": "Constellation", "klingon": "Destruction"}
ENERGY = "GAME {game} TURN 1 SIDE {side} REPLY 1\nSHIP {ship}\nENERGY\n  SPEED 12\nEND\n"
PLOT = "GAME {game} TURN 1 SIDE {side} REPLY 2\nSHIP {ship}\nPLOT 12F\nBREAK\n  RANGE ENEMY <= 20\nEND\n"
GAMES = tuple(f"duel{number}" for number in range(5))
DRAWN = picture._leanly_drawn


@pytest.fixture(scope="module", autouse=True)
def pictures(pages: None) -> Iterator[None]:
    """Mails have the pages and pictures they go out with, as those that other processes write."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(picture, "_leanly_drawn", DRAWN)
        yield


def answered(game: Path, text: str) -> None:
    with opened(game, lock="test") as folder:
        for side, ship in SHIPS.items():
            submit(folder, text.format(game=game.name, side=side, ship=ship), f"{side}.orders")


def made(folder: Path, games: tuple[str, ...]) -> Path:
    """A host whose players were invited, and have answered."""
    folder.mkdir()
    (folder / "host.toml").write_text(SETTINGS, encoding="utf-8")
    players = {"federation": "ann@example.org", "klingon": "kor@example.org"}
    for game in games:
        new("5", folder / "games" / game, players=players, seed=game)
    host_round(folder, lambda: NOW)
    for game in games:
        answered(folder / "games" / game, ENERGY)
    return folder


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game whose energy forms are in."""
    return made(tmp_path_factory.mktemp("one") / "host", GAMES[:1]) / "games" / GAMES[0]


def next_errand(game: Path) -> PlayJob:
    with opened(game) as folder:
        found, faults = answers(folder)
        assert not faults
        return play_job_for(folder, folder.state(), found)


def test_an_errand_gives_the_same_as_bytes(one: Path) -> None:
    errand = next_errand(one)
    here, there = run(errand), unpacked(carried(packed(errand)))
    assert there == here
    assert here.files["klingon"]["mail.eml"] and here.save


def test_an_errand_of_another_program_is_not_done(one: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = packed(next_errand(one))
    monkeypatch.setattr(resolve, "fingerprint", lambda: "of another")
    monkeypatch.setattr(resolve, "run", lambda errand: pytest.fail("it was done"))
    with pytest.raises(OtherVersion, match="of another"):
        unpacked(carried(given))


def test_a_program_is_another_when_one_file_of_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve, "templates_folder", lambda: tmp_path)
    (tmp_path / "page.html").write_text("one", encoding="utf-8")
    first = resolve.fingerprint.__wrapped__()
    (tmp_path / "page.cpython.pyc").write_bytes(b"made of it")
    assert resolve.fingerprint.__wrapped__() == first
    (tmp_path / "page.html").write_text("two", encoding="utf-8")
    assert resolve.fingerprint.__wrapped__() != first


def test_an_errand_tells_nothing_of_dice_to_come_and_no_word_that_opens_anything(one: Path) -> None:
    errand = next_errand(one)
    told = packed(errand)
    secret = bytes.fromhex((one / "secret" / "dice.secret").read_text(encoding="ascii").strip())
    with opened(one) as game:
        source, segment = game.dice(), game.state().segment + 1
    assert isinstance(source, Secret)
    assert source.link(segment) in told and source.log_key(segment) in told
    hidden = [secret, source.link(segment + 1), source.log_key(segment + 1), source.salt_link(segment)]
    hidden += [source.salt(1, 2, side, segment + 1) for side in SHIPS]
    for word in hidden:
        assert word not in told and word.hex().encode() not in told
    for side in SHIPS:
        assert token_of(one, side).encode() not in told


def test_files_of_a_games_own_go_along(one: Path, tmp_path: Path) -> None:
    game = tmp_path / "duel0"
    shutil.copytree(one, game)
    ship = next((Path(resolve.__file__).parents[1] / "data" / "ships" / "cadet").glob("*.toml"))
    (game / "ships").mkdir()
    shutil.copyfile(ship, game / "ships" / "mine.toml")
    errand = next_errand(game)
    assert list(errand.own) == ["ships/mine.toml"]
    assert unpacked(carried(packed(errand))) == run(errand)


class Slow:
    """What is done elsewhere takes so long, by a clock that is set by hand."""

    def __init__(self, seconds: float, up: float) -> None:
        self.now, self.end = up, up + seconds

    def monotonic(self) -> float:
        return self.now

    def result(self, timeout: float) -> bytes:
        left = self.end - self.now
        self.now += min(left, timeout)
        if left > timeout:
            raise TimeoutError
        return b"done"


@pytest.mark.parametrize("up", [0.5, 1e7], ids=["just begun", "up for months"])
def test_an_errand_is_waited_for_as_long_as_that_is_promised(
    one: Path, monkeypatch: pytest.MonkeyPatch, up: float
) -> None:
    for seconds, in_time in ((0.0, True), (20.0, True), (hands.PATIENCE - 1, True), (2 * hands.PATIENCE, False)):
        there, ticket = Slow(seconds, up), hands.Ticket(next_errand(one), copy_context())
        monkeypatch.setattr(hands, "time", there)
        ticket.future, ticket.by = there, "processes"  # type: ignore[assignment]
        with Workers(1) as workers:
            if in_time:
                assert workers._waited(ticket) == b"done", seconds
            else:
                with pytest.raises(TimeoutError, match="was not done in 300 seconds"):
                    workers._waited(ticket)
        assert there.now - up <= hands.PATIENCE + 1


# --- a round ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("many") / "host", GAMES)


def rounds(folder: Path, workers: Workers | None = None) -> list[Round]:
    """Two stretches of every game, and a round in which nothing is left to do."""
    done = [host_round(folder, lambda: NOW + timedelta(minutes=1), workers=workers)]
    for game in GAMES:
        answered(folder / "games" / game, PLOT)
    for minutes in (2, 3):
        now = NOW + timedelta(minutes=minutes)
        done.append(host_round(folder, lambda now=now: now, workers=workers))  # type: ignore[misc]
    return done


def held(folder: Path) -> dict[str, bytes]:
    """Every file that does not tell when another was written, or who did it."""
    apart = ("status.json", ".lock")
    return {
        path.relative_to(folder).as_posix(): correspondence(path) if path.name == store.FILE else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(apart)
    }


def correspondence(database: Path) -> bytes:
    """The rows of the database, but for what is known of files by the time at which they were written."""
    with closing(sqlite3.connect(database)) as found:
        found.execute("DELETE FROM facts WHERE name IN ('resting', 'seats')")
        return "\n".join(found.iterdump()).encode()


@pytest.fixture(scope="module")
def alone(host: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What comes of it in one process."""
    folder = tmp_path_factory.mktemp("alone") / "host"
    shutil.copytree(host, folder)
    done = rounds(folder)
    played = [one.what for _, happened in done[0].games for one in happened]
    assert played.count("played") == len(GAMES) and not any(one.troubles for one in done)
    return held(folder)


def same(folder: Path, wanted: dict[str, bytes], *, but: Callable[[str], bool] = lambda name: False) -> None:
    found = {name: data for name, data in held(folder).items() if not but(name)}
    assert sorted(found) == sorted(wanted)
    assert [name for name, data in wanted.items() if found[name] != data] == []
    for game in GAMES:
        with opened(folder / "games" / game) as one:
            assert not verify(one).faults


def of_umpire(name: str) -> bool:
    return "/notice." in name or (name.startswith("mail/outbox") and "umpire" in name)


def copied(host: Path, tmp_path: Path) -> Path:
    shutil.copytree(host, tmp_path / "host")
    return tmp_path / "host"


@pytest.mark.slow
def test_processes_write_the_same_bytes(host: Path, alone: dict[str, bytes], tmp_path: Path) -> None:
    folder = copied(host, tmp_path)
    with Workers(2) as workers:
        done = rounds(folder, workers)
        assert workers._pool is not None, "they were begun"
    assert not any(one.troubles for one in done)
    same(folder, alone)


@pytest.mark.slow
def test_a_process_that_is_killed_costs_no_turn(
    host: Path, alone: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copied(host, tmp_path)
    with Workers(2) as workers:
        real, killed = Workers._waited, list[int]()

        def waited(self: Workers, ticket: Any) -> bytes:
            if not killed and self._pool is not None and self._pool._processes:
                killed.append(next(iter(self._pool._processes)))
                os.kill(killed[0], signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
            return real(self, ticket)

        monkeypatch.setattr(Workers, "_waited", waited)
        done = rounds(folder, workers)
    assert killed
    assert [trouble for one in done for trouble in one.troubles if "a process that plays" in trouble]
    same(folder, alone, but=of_umpire)


@pytest.mark.slow
def test_workers_of_another_version_do_nothing(
    host: Path, alone: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copied(host, tmp_path)
    monkeypatch.setattr(resolve, "fingerprint", lambda: "another one")
    with Workers(2) as workers:
        done = rounds(folder, workers)
    assert any("another version" in trouble for trouble in done[0].troubles)
    same(folder, alone, but=of_umpire)


# --- a cluster -------------------------------------------------------------------------------------------------------


@contextmanager
def cluster(workers: int = 3) -> Iterator[Any]:
    """A scheduler and workers of this machine, in processes of their own."""
    distributed = pytest.importorskip("distributed", reason="distributed is not installed (extra `cluster`)")
    dask = pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.worker.daemon": False, "distributed.admin.tick.interval": "1s"}),
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as found,
    ):
        yield found


@pytest.mark.slow
def test_a_cluster_writes_the_same_bytes(host: Path, alone: dict[str, bytes], tmp_path: Path) -> None:
    folder = copied(host, tmp_path)
    with cluster() as there, Workers(1, there.scheduler_address) as workers:
        done = rounds(folder, workers)
        assert workers._there is not None
    assert not any(one.troubles for one in done)
    same(folder, alone)


def certified(folder: Path) -> None:
    """A certificate authority, and what it certifies: scheduler, worker and host."""
    new = ("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")

    def run(*command: str) -> None:
        subprocess.run(command, cwd=folder, check=True, capture_output=True)

    run(*new, "-x509", "-subj", "/CN=ca", "-days", "2", "-keyout", "ca.key", "-out", "ca.pem")
    for name in ("scheduler", "worker", "host"):
        run(*new, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
        signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2")
        run("openssl", "x509", "-req", "-in", f"{name}.csr", *signed, "-out", f"{name}.pem")


@contextmanager
def cluster_over_tls(folder: Path) -> Iterator[str]:
    """A scheduler and three workers, begun by the commands of docs/host-guide.md; where the scheduler is."""
    said = (ROOT / "docs/host-guide.md").read_text(encoding="utf-8")
    scheduler, worker = (re.search(rf"(?m)^dask {name} .*", said) for name in ("scheduler", "worker"))
    assert scheduler and worker
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tls://127.0.0.1:{free.getsockname()[1]}"
    here = f"--host 127.0.0.1 --port {address.rpartition(':')[2]} --dashboard-address 127.0.0.1:0"
    lines = (
        f"{scheduler[0]} {here}",
        worker[0].replace("tls://scheduler.example.org:8786", address).replace("auto", "3"),
    )
    begun = []
    try:
        for line in lines:
            command = [sys.executable, "-m", *line.split()]
            begun.append(subprocess.Popen(command, cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)},
                                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))  # fmt: skip
        yield address
    finally:
        for process in reversed(begun):
            process.terminate()
            process.wait(30)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed, which makes certificates")
def test_a_cluster_over_tls_writes_the_same_bytes(host: Path, alone: dict[str, bytes], tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="distributed is not installed (extra `cluster`)")
    dask = pytest.importorskip("dask")
    folder = copied(host, tmp_path)
    certified(tmp_path)
    # What the variables set that the guide names: dask reads them as it is imported.
    own = {"ca-file": "ca.pem", "client.cert": "host.pem", "client.key": "host.key"}
    certificate = {f"distributed.comm.tls.{key}": str(tmp_path / name) for key, name in own.items()}
    with cluster_over_tls(tmp_path) as address:
        with Workers(1, address) as stranger, pytest.raises(Exception, match=r"TLS|ssl|certificate"):
            stranger.look()
        with dask.config.set(certificate), Workers(1, address) as workers:
            for _ in range(30):
                with suppress(Exception):
                    if workers.look() == 3:
                        break
                time.sleep(1)
            done = rounds(folder, workers)
            assert workers._there is not None and workers._threads == 3
    assert not any(one.troubles for one in done)
    same(folder, alone)


def killer(there: Any, begun: threading.Event) -> None:
    """Kills one worker as soon as errands are out."""
    begun.wait(60)
    nanny = next(iter(there.workers.values()))
    os.kill(nanny.pid, signal.SIGKILL)


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_no_turn(
    host: Path, alone: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copied(host, tmp_path)
    begun, real = threading.Event(), Workers._waited

    def waited(self: Workers, ticket: Any) -> bytes:
        begun.set()
        return real(self, ticket)

    monkeypatch.setattr(Workers, "_waited", waited)
    with cluster() as there, Workers(1, there.scheduler_address) as workers:
        thread = threading.Thread(target=killer, args=(there, begun))
        thread.start()
        rounds(folder, workers)
        thread.join()
    same(folder, alone, but=of_umpire)  # who has to wait too long for another worker says so


@pytest.mark.slow
def test_a_scheduler_that_goes_costs_no_turn_and_is_told(
    host: Path, alone: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copied(host, tmp_path)
    monkeypatch.setattr(hands, "GONE", 2.0)
    real, gone = Workers._waited, list[bool]()
    with cluster() as there, Workers(2, there.scheduler_address) as workers:

        def waited(self: Workers, ticket: Any) -> bytes:
            if not gone:
                gone.append(True)
                there.close(timeout=5)
            return real(self, ticket)

        monkeypatch.setattr(Workers, "_waited", waited)
        done = rounds(folder, workers)
    assert gone and any("the cluster at" in trouble for trouble in done[0].troubles)
    same(folder, alone, but=of_umpire)


@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_told_and_the_round_goes_on(
    host: Path, alone: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="distributed is not installed (extra `cluster`)")
    monkeypatch.setattr(hands, "GONE", 1.0)
    folder = copied(host, tmp_path)
    with Workers(1, "tcp://127.0.0.1:9") as workers:
        done = rounds(folder, workers)
    assert "the cluster at tcp://127.0.0.1:9" in done[0].troubles[0]
    same(folder, alone, but=of_umpire)


def test_what_is_not_worth_a_process_is_done_here(one: Path, tmp_path: Path) -> None:
    shutil.copytree(one, tmp_path / "duel0")
    with Workers(2) as workers, opened(tmp_path / "duel0") as game:
        found, _ = answers(game)
        ticket = workers.hand_in(play_job_for(game, game.state(), found), copy_context())
        assert ticket.future is None
        done = workers.fetch(ticket)
        resolve_game(game)
        assert game.records()[-len(done.records) :] == done.records
