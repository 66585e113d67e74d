"""Starts pbem from a fresh checkout; needs nothing but Python 3.11 or newer and pip (or uv).

    python3 run.py play                opens the cadet's course in the browser: an evening game on this machine
    python3 run.py demo                plays the shipped duel and says where its report is
    python3 run.py test [--all] [...]  runs the tests: the quick part, or everything; the rest goes to pytest
    python3 run.py COMMAND ...         any other command of pbem, e.g. check GAME FILE

On Windows write py instead of python3. The libraries go into .cache/ beside this file: delete that folder and
nothing is left. The first start fetches them, later ones only look whether pyproject.toml changed. They lie in a folder
that is given its name when all of them are there: two starts at once do not meet, and a host that runs keeps the
libraries it began with.
"""

from __future__ import annotations

import ast
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent
CACHE = ROOT / ".cache"
PYTHON = "Scripts/python.exe" if os.name == "nt" else "bin/python"  # in an environment
BUILDING = ".new"  # how the name of one ends that is not whole yet
USED = "pbem-used"  # in an environment: touched at each start, and locked as long as somebody works in it
KEPT = 30 * 86_400  # seconds for which an environment stays that nobody started from
LEVELS = ("run", "web", "test", "dev")  # each holds the one before it

# What pip is told about its registry, and the name under which uv is told the same.
PIP_TO_UV = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
    "timeout": "UV_HTTP_TIMEOUT",
    "default-timeout": "UV_HTTP_TIMEOUT",
    "constraint": "UV_CONSTRAINT",
}
UV_LISTS_WITH_COMMAS = {"UV_FIND_LINKS"}


class CannotStart(Exception):
    """One sentence that says what is missing and what to do about it."""


def requirements(level: str) -> list[str]:
    """The libraries of pyproject.toml that a level needs; extras that name other extras are followed."""
    import tomllib  # not at the top: a Python before 3.11 shall get a sentence, not a traceback

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    def extra(name: str) -> list[str]:
        found: list[str] = []
        for line in project["optional-dependencies"][name]:
            found += extra(line[5:-1]) if line.startswith("pbem[") else [line]
        return found

    return [*project["dependencies"], *(extra(level) if level != "run" else [])]


def pip_settings(listing: str) -> dict[str, str]:
    """What ``pip config list`` prints: option -> value; the environment outranks [install], that [global]."""
    ranked: dict[str, tuple[int, str]] = {}
    for line in listing.splitlines():
        key, equals, value = line.partition("=")
        section, _, option = key.rpartition(".")
        rank = {"global": 0, "install": 1, ":env:": 2}.get(section)
        if equals and rank is not None and rank >= ranked.get(option, (0, ""))[0]:
            ranked[option] = (rank, str(ast.literal_eval(value)))
    return {option: value for option, (_, value) in ranked.items()}


def uv_environment(settings: dict[str, str], environ: dict[str, str]) -> dict[str, str]:
    """The environment for uv: it asks the registry that pip would ask; what is already set for uv stands."""
    env = dict(environ)
    for option, name in PIP_TO_UV.items():
        values = settings.get(option, "").split()
        if option == "find-links":  # pip shrugs at a folder that is not there, uv stops
            values = [value for value in values if "://" in value or Path(value).exists()]
        if values:
            env.setdefault(name, ("," if name in UV_LISTS_WITH_COMMAS else " ").join(values))
    if settings.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        env.setdefault("UV_NO_INDEX", "1")
    env.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")  # pip's way: the best of all its indexes
    env.setdefault("UV_PYTHON_DOWNLOADS", "never")
    env.setdefault("UV_SYSTEM_CERTS", "1")
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    if not home or not os.access(home, os.W_OK):
        env.setdefault("UV_CACHE_DIR", str(CACHE / "uv-cache"))
    return env


def call(command: list[str], env: dict[str, str]) -> None:
    """Runs one step of the preparation; raises CannotStart with the last thing it complained about."""
    try:
        done = subprocess.run(
            command, env=env, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, errors="replace"
        )
    except OSError as error:
        raise CannotStart(f"{command[0]} does not start ({error})") from error
    if done.returncode:
        said = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        worst = [line for line in said if line.lower().startswith(("error", "× ", "╰─▶"))] or said
        raise CannotStart((worst or [""])[-1] or f"{command[0]} ended with code {done.returncode}")


def with_uv(venv: Path, wanted: list[str]) -> None:
    """Makes an environment with uv: the one on PATH, else one that pip puts under .cache/."""
    pip_env = {**os.environ, "PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}  # --user forbids --target
    uv = shutil.which("uv")
    if not uv:
        places = [CACHE / "uv" / folder / name for folder in ("bin", "Scripts") for name in ("uv", "uv.exe")]
        if not any(place.exists() for place in places):
            pip = [sys.executable, "-m", "pip", "install", "--quiet"]
            building = CACHE / f"uv-{os.getpid()}{BUILDING}"
            call([*pip, "--target", str(building), "uv"], pip_env)
            put_in_place(building, CACHE / "uv")
        uv = next((str(place) for place in places if place.exists()), "uv")
    listing = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True)
    env = uv_environment(pip_settings(listing.stdout), dict(os.environ))
    call([uv, "venv", "--quiet", "--no-project", "--python", sys.executable, str(venv)], env)
    call([uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", str(venv / PYTHON), *wanted], env)


def with_venv(venv: Path, wanted: list[str]) -> None:
    """Makes an environment with what comes with Python; slower, for where uv cannot be had."""
    call([sys.executable, "-m", "venv", str(venv)], dict(os.environ))
    call([str(venv / PYTHON), "-m", "pip", "install", "--quiet", *wanted], {**os.environ, "PIP_USER": "0"})


def put_in_place(building: Path, place: Path) -> None:
    """Gives a folder that is whole its name; where another start was faster, what that one made is taken."""
    for pause in (0.1, 0.3, 1.0, 3.0, 0.0):  # Windows: a virus scanner reads what is new
        if place.is_dir():
            shutil.rmtree(building, ignore_errors=True)
            return
        try:
            building.replace(place)
            return
        except OSError as error:
            if not (pause or place.is_dir()):
                raise CannotStart(f"{place} cannot be made ({error.strerror or error})") from error
        time.sleep(pause)


@contextmanager
def waiting() -> Iterator[None]:
    """Counts the seconds on a terminal while something takes long; says nothing where nobody looks."""
    if not sys.stderr.isatty():
        yield
        return
    done, began = threading.Event(), time.monotonic()

    def count() -> None:
        while not done.wait(1):
            print(f"\r{time.monotonic() - began:4.0f} s ", end="", file=sys.stderr, flush=True)

    counting = threading.Thread(target=count, daemon=True)
    counting.start()
    try:
        yield
    finally:
        done.set()
        counting.join()
        print("\r       \r", end="", file=sys.stderr, flush=True)


def prepare(level: str) -> Path:
    """The environment for a level, for this Python and this pyproject.toml; made, unless there is one already."""
    about = f"{ROOT} {sys.executable} {sys.version}".encode() + (ROOT / "pyproject.toml").read_bytes()
    mark = hashlib.sha256(about).hexdigest()[:16]
    for enough in LEVELS[LEVELS.index(level) :]:
        if (CACHE / f"venv-{mark}-{enough}" / PYTHON).exists():
            return CACHE / f"venv-{mark}-{enough}"
    what = {"run": "pbem", "web": "pbem play", "test": "the tests", "dev": "all tests"}[level]
    print(f"pbem: fetching the libraries of {what} into {CACHE.name}/ ...", file=sys.stderr, flush=True)
    wanted = requirements(level)
    building = CACHE / f"venv-{mark}-{level}-{os.getpid()}{BUILDING}"
    complaints = []
    for way in (with_uv, with_venv):
        try:
            if building.exists():
                shutil.rmtree(building)
            with waiting():
                way(building, wanted)
        except (CannotStart, OSError) as error:
            complaints.append(str(error))
        else:
            # Compiled now: some machines are told not to keep what Python compiles, and every start would be slow.
            call([str(building / PYTHON), "-m", "compileall", "-q", "pbem", "vassal"], dict(os.environ))
            (building / USED).touch()
            place = CACHE / f"venv-{mark}-{level}"
            put_in_place(building, place)
            sweep(place)
            return place
    shutil.rmtree(building, ignore_errors=True)
    bits = (
        ""
        if sys.maxsize > 2**32
        else "; this Python has 32 bits, and not all of them are to be had for it: take one of 64"
    )
    raise CannotStart(
        "the libraries could not be fetched: the network, or pip and venv for this Python, are needed once"
        f" (with uv: {complaints[0]}; with venv and pip: {complaints[1]}){bits}"
    )


def sweep(mine: Path) -> None:
    """Takes away environments from which nobody started for a long time and in which nobody works."""
    for venv in CACHE.glob("venv-*"):
        used = venv / USED
        with suppress(OSError):
            last = (used if used.exists() else venv).stat().st_mtime
            if venv == mine or time.time() - last < KEPT:
                continue
            if os.name == "nt":
                (venv / PYTHON).unlink(missing_ok=True)  # Windows takes away no program that runs
            with locked(used, alone=True) as free:
                if free:
                    shutil.rmtree(venv)


@contextmanager
def locked(file: Path, *, alone: bool) -> Iterator[bool]:
    """Notes that somebody works in an environment; ``alone`` asks whether nobody does. Windows needs no notes."""
    try:
        import fcntl
    except ImportError:
        yield True
        return
    with file.open("ab") as held:
        try:
            fcntl.flock(held, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except OSError:  # somebody does, or this file system has no locks
            yield not alone
            return
        yield True


def hold(file: Path) -> None:
    """Notes that this process works in an environment, for as long as it lives, whatever program it becomes."""
    import fcntl

    with suppress(OSError):  # this file system has no locks
        held = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
        os.set_inheritable(held, True)  # otherwise the lock would end with this program


def watched(command: list[str], env: dict[str, str], folder: Path | None) -> int:
    """Runs a program and returns its exit code; who ends this process ends that one. For systems on which a process
    cannot become another program.
    """
    with subprocess.Popen(command, env=env, cwd=folder) as program:
        for name in ("SIGTERM", "SIGHUP", "SIGBREAK"):
            if (number := getattr(signal, name, None)) is not None:
                signal.signal(number, lambda *_: program.terminate())
        while True:
            with suppress(KeyboardInterrupt):  # Ctrl+C reaches the program, too: it is waited for
                return program.wait()


def main(arguments: list[str]) -> int:
    """Prepares the environment and becomes pytest or pbem in it; returns an exit code where that cannot be."""
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    if sys.version_info < (3, 11):  # noqa: UP036 - this file is what an older Python is asked to run
        version = sys.version.split()[0]
        print(f"pbem: Python 3.11 or newer is needed; {sys.executable} is {version}.", file=sys.stderr)
        return 2
    testing = arguments[0] == "test"
    everything = testing and "--all" in arguments
    try:
        venv = prepare("dev" if everything else "test" if testing else "web" if arguments[0] == "play" else "run")
    except (CannotStart, OSError) as error:
        print(f"pbem: {error}.", file=sys.stderr)
        return 2
    command = [str(venv / PYTHON), "-m", "pytest" if testing else "pbem", *(["-m", ""] if everything else [])]
    if testing:
        # All cores. Each begins with a part of the files as they follow one another, since their tests share what they
        # have played; who is done takes from the end of another's part, so that no long file is waited for.
        command += ["-n", "auto", "--dist", "worksteal"]
    command += [argument for argument in arguments[1:] if argument != "--all"] if testing else arguments
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    if testing and env.pop("PYTHONDONTWRITEBYTECODE", ""):
        # Whoever wants no compiled files in his checkout need not compile all tests anew each time, in every process.
        env.setdefault("PYTHONPYCACHEPREFIX", str(CACHE / "pyc"))
    with suppress(OSError):
        (venv / USED).touch()
    try:
        if os.name != "posix":
            return watched(command, env, ROOT if testing else None)
        # This process becomes pbem: a supervisor that ends it ends pbem, and no process is left behind.
        hold(venv / USED)
        if testing:
            os.chdir(ROOT)
        sys.stdout.flush()
        sys.stderr.flush()
        os.execve(command[0], command, env)
    except OSError as error:
        print(
            f"pbem: {venv} does not work ({error}); delete that folder, and the next start makes it anew.",
            file=sys.stderr,
        )
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
