"""The two commands of the README on a machine that has only Python and pip."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import run as start

ROOT = Path(__file__).resolve().parent.parent

# --- how the registry that pip asks becomes the registry that uv asks ------------------


def test_the_environment_outranks_the_install_section_and_that_the_global_one() -> None:
    listing = "\n".join(
        [
            "install.index-url='b'",
            "global.index-url='a'",
            ":env:.cert='mine.pem'",
            "global.cert='theirs.pem'",
            "global.extra-index-url='\\nc\\nd'",
            "freeze.index-url='none of our business'",
            "WARNING: something else that pip prints",
        ]
    )
    assert start.pip_settings(listing) == {"index-url": "b", "cert": "mine.pem", "extra-index-url": "\nc\nd"}


def test_uv_is_told_what_pip_is_told(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    settings = {
        "index-url": "https://mirror.example/a",
        "extra-index-url": "\nhttps://mirror.example/b\nhttps://mirror.example/c",
        "find-links": f"{tmp_path} {gone} https://mirror.example/wheels",
        "trusted-host": "mirror.example other.example",
        "cert": "ca.pem",
    }
    env = start.uv_environment(settings, {"HOME": str(tmp_path), "PATH": "bin"})
    assert env["UV_DEFAULT_INDEX"] == "https://mirror.example/a"
    assert env["UV_INDEX"] == "https://mirror.example/b https://mirror.example/c"
    assert env["UV_FIND_LINKS"] == f"{tmp_path},https://mirror.example/wheels", "uv stops at a folder that is gone"
    assert env["UV_INSECURE_HOST"] == "mirror.example other.example"
    assert env["SSL_CERT_FILE"] == "ca.pem"
    assert env["PATH"] == "bin"
    assert "UV_CACHE_DIR" not in env


def test_what_is_set_for_uv_stands(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "UV_DEFAULT_INDEX": "mine", "SSL_CERT_FILE": "mine.pem"}
    got = start.uv_environment({"index-url": "pip's", "cert": "pip's.pem"}, env)
    assert (got["UV_DEFAULT_INDEX"], got["SSL_CERT_FILE"]) == ("mine", "mine.pem")


@pytest.mark.parametrize("home", [{}, {"HOME": ""}, {"HOME": "no/such/folder"}])
def test_without_a_home_the_cache_stays_in_the_checkout(home: dict[str, str]) -> None:
    cache = Path(start.uv_environment({}, home)["UV_CACHE_DIR"])
    assert cache.is_relative_to(ROOT / ".cache")


def test_each_level_asks_for_what_the_one_before_asks_and_more() -> None:
    play, web, test, dev = (start.requirements(level) for level in start.LEVELS)
    assert set(play) < set(web) < set(test) < set(dev)
    assert any(line.startswith("uvicorn") for line in web)
    assert any(line.startswith("pytest") for line in test)
    assert not [line for line in dev if line.startswith("pbem")], "the project itself is not fetched"


# --- environments: made beside, named when whole ---------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, and environments made without any registry, which take what Python they are for."""
    monkeypatch.setattr(start, "CACHE", tmp_path / "cache")

    def made(venv: Path, wanted: list[str]) -> None:
        (venv / start.PYTHON).parent.mkdir(parents=True)
        (venv / start.PYTHON).write_text("\n".join(wanted), encoding="utf-8")

    monkeypatch.setattr(start, "with_uv", made)
    monkeypatch.setattr(start, "call", lambda command, env: None)
    return tmp_path / "cache"


def test_two_first_starts_at_once_do_not_meet(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one builds, another builds the same to its end: both have what the faster one made, and nothing is left."""
    made = start.with_uv
    inner: list[Path] = []

    def slowly(venv: Path, wanted: list[str]) -> None:
        made(venv, wanted)
        if not inner:
            inner.append(venv)
            monkeypatch.setattr(os, "getpid", lambda: 4711)
            inner.append(start.prepare("run"))
            assert (venv / start.PYTHON).is_file(), "nobody took away what is being built"

    monkeypatch.setattr(start, "with_uv", slowly)
    mine = start.prepare("run")
    assert mine == inner[1] and (mine / start.PYTHON).is_file()
    assert list(cache.iterdir()) == [mine]
    monkeypatch.setattr(start, "with_uv", None)
    assert start.prepare("run") == mine, "it is made once"


def test_what_was_cut_off_while_it_was_built_is_no_environment(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = start.with_uv

    def killed(venv: Path, wanted: list[str]) -> None:
        made(venv, wanted)
        raise KeyboardInterrupt

    monkeypatch.setattr(start, "with_uv", killed)
    with pytest.raises(KeyboardInterrupt):
        start.prepare("run")
    monkeypatch.setattr(start, "with_uv", made)
    assert not start.prepare("run").name.endswith(start.BUILDING)


def test_a_greater_environment_serves_a_smaller_need(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = start.prepare("run")
    great = start.prepare("dev")
    assert small.is_dir() and great != small, "who runs in the smaller one keeps it"
    assert start.prepare("test") == great


@pytest.mark.skipif(os.name == "nt", reason="Windows itself keeps what runs")
def test_an_environment_in_use_stays_however_old_it_is(cache: Path) -> None:
    old, ours = cache / "venv-0-run", cache / "venv-1-run"
    for venv in (old, ours):
        (venv / "bin").mkdir(parents=True)
        (venv / start.USED).touch()
        os.utime(venv / start.USED, (0, 0))
    with start.locked(old / start.USED, alone=False):
        start.sweep(ours)
        assert old.is_dir()
    start.sweep(ours)
    assert not old.exists() and ours.is_dir()
    old.mkdir()
    start.sweep(ours)
    assert old.is_dir(), "one from yesterday may be needed again"


def test_a_python_of_32_bits_is_told_so(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot(venv: Path, wanted: list[str]) -> None:
        raise start.CannotStart("no wheel for msgspec")

    monkeypatch.setattr(start, "with_uv", cannot)
    monkeypatch.setattr(start, "with_venv", cannot)
    with pytest.raises(start.CannotStart) as told:
        start.prepare("run")
    assert "bits" not in str(told.value)
    monkeypatch.setattr(sys, "maxsize", 2**31 - 1)
    with pytest.raises(start.CannotStart, match="this Python has 32 bits"):
        start.prepare("run")


# --- starting for real -----------------------------------------------------------------


def started(checkout: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """``python run.py …`` with a PATH, what this machine needs to reach a registry, and nothing else."""
    base = Path(base_python())
    passed = ("PIP_", "UV_", "SSL_", "SYSTEMROOT", "TEMP", "TMP", "COMSPEC", "PATHEXT")
    env = {
        name: value
        for name, value in os.environ.items()
        if name.upper().startswith(passed) or name.upper().endswith("_PROXY")
    }
    env |= {"PATH": os.pathsep.join([str(base.parent), os.defpath]), **environ}
    command = [str(base), str(checkout / "run.py"), *arguments]
    return subprocess.run(
        command,
        env=env,
        cwd=checkout.parent,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def test_without_arguments_it_says_how_it_is_used() -> None:
    done = started(ROOT)
    assert done.returncode == 2
    assert "run.py demo" in done.stderr


def fresh_clone(folder: Path) -> Path:
    """What a clone would hold, in a folder whose name has a blank and a letter that is not ASCII."""
    clone = folder / "a clöne"
    left_out = (".git", ".cache", ".venv", "__pycache__", ".*_cache", ".hypothesis", "build", "dist")
    shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(*left_out))
    return clone


def files_of(clone: Path) -> set[str]:
    """Its files, without what was fetched and what Python itself caches."""
    return {
        path.relative_to(clone).as_posix()
        for path in clone.rglob("*")
        if path.is_file() and not {".cache", "__pycache__", ".pytest_cache", ".hypothesis"} & set(path.parts)
    }


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose environment is there already: that of this Python."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    for name in ("run.py", "pyproject.toml"):
        shutil.copy2(ROOT / name, folder / name)
    for name in ("pbem", "vassal", "templates"):
        (folder / name).symlink_to(ROOT / name, target_is_directory=True)
    script = f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'
    made = f"""
import os, run
def made(venv, wanted):
    python = venv / run.PYTHON
    python.parent.mkdir(parents=True)
    python.write_text({script!r})
    python.chmod(0o755)
run.with_uv, run.call = made, lambda command, env: None
run.prepare("web")
"""
    subprocess.run([base_python(), "-c", made], cwd=folder, check=True, capture_output=True)
    return folder


def base_python() -> str:
    return str(Path(getattr(sys, "_base_executable", None) or sys.executable))


def opened_table(checkout: Path, *start_with: str) -> tuple[subprocess.Popen[str], int]:
    """``run.py play``, and the port it listens at: one that no other test's server takes as soon as it is free."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = ["play", "--print", "--folder", str(checkout / "games"), "--port", str(port)]
    program = subprocess.Popen(
        [base_python(), *start_with, *arguments], cwd=checkout, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert program.stdout is not None and program.stderr is not None
    said = program.stdout.readline()
    found = re.search(r"http://127\.0\.0\.1:(\d+)/", said)
    assert found is not None, said or program.stderr.read()
    return program, int(found[1])


def listens(port: int) -> bool:
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


def in_use(checkout: Path) -> bool:
    """Whether somebody works in the environment, which is also whether any process of it is left."""
    [used] = (checkout / ".cache").glob(f"venv-*/{start.USED}")
    with start.locked(used, alone=True) as free:
        return not free


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows knows no SIGTERM")
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_who_ends_the_start_ends_the_server(checkout: Path, sign: signal.Signals) -> None:
    program, port = opened_table(checkout, str(checkout / "run.py"))
    try:
        assert listens(port) and in_use(checkout)
        program.send_signal(sign)
        program.communicate(timeout=30)
        assert not listens(port), "no orphan goes on serving"
        assert not in_use(checkout)
    finally:
        program.kill()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals are sent as POSIX has them")
def test_where_a_process_cannot_become_another_the_signal_is_passed_on(checkout: Path) -> None:
    alone = "import os, run, sys; os.name = 'other'; sys.exit(run.main(sys.argv[1:]))"
    program, port = opened_table(checkout, "-c", alone)
    try:
        assert listens(port)
        program.send_signal(signal.SIGTERM)
        program.communicate(timeout=30)
        assert not listens(port)
    finally:
        program.kill()


@pytest.mark.slow
def test_a_fresh_clone_plays_and_passes_its_tests(tmp_path: Path) -> None:
    clone, home = fresh_clone(tmp_path), tmp_path / "home"
    home.mkdir()
    before = files_of(clone)

    first = started(clone, "demo", HOME=str(home))
    if first.returncode == 2 and "could not be fetched" in first.stderr:
        pytest.skip(f"no registry to be reached from here: {first.stderr.strip().splitlines()[-1]}")
    assert first.returncode == 0, first.stderr
    assert "fetching the libraries of pbem into .cache/" in first.stderr

    nowhere = "http://localhost:9/nothing"
    again = started(clone, "demo", HOME=str(home), PIP_INDEX_URL=nowhere, UV_DEFAULT_INDEX=nowhere)
    assert (again.returncode, again.stderr) == (0, ""), "the second start asks nobody"
    # Each demo plays in a temporary folder of its own; all else it says is the same.
    said = [re.sub(r"pbem-demo-\w+", "pbem-demo", done.stdout) for done in (first, again)]
    assert said[0] == said[1]
    assert files_of(clone) == before, "playing leaves nothing in the checkout"

    # In one process: each more would have all of the program to compile.
    tested = started(clone, "test", "tests/test_fresh_start.py", "-q", "-n0", HOME=str(home))
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert "passed" in tested.stdout


@pytest.mark.slow
def test_where_nothing_can_be_fetched_one_sentence_says_so(tmp_path: Path) -> None:
    clone = fresh_clone(tmp_path)
    nowhere = "http://localhost:9/nothing"
    done = started(
        clone,
        "demo",
        HOME=str(tmp_path),
        PIP_INDEX_URL=nowhere,
        UV_DEFAULT_INDEX=nowhere,
        PIP_CONFIG_FILE=os.devnull,
        PIP_EXTRA_INDEX_URL="",
        PIP_FIND_LINKS="",
        PIP_RETRIES="0",
        UV_HTTP_RETRIES="0",
    )
    assert done.returncode == 2
    assert "the libraries could not be fetched" in done.stderr
    assert "Traceback" not in done.stderr
