"""What the tests have played, by whatever Python runs this: ``python played.py PART FOLDER``; prints JSON.

Each part is one process, since starting one is what costs. ``duel`` needs no Windows: its files are compared.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.request import HTTPCookieProcessor, ProxyHandler, build_opener

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

Said = dict[str, Any]
HOST = 'format = 1\norders = "orders@club.example"\numpire = "umpire@club.example"\n'
LETTERS = '[inbox]\nkind = "folder"\npath = "in"\n'
ANN, BOB = "ann@example.org", "bob@example.org"
ENERGY = {
    "federation": "SHIP Constellation\nENERGY\n  SPEED 12\n  PHASERS 2\n  PHOT A 2 WARP\n",
    "klingon": "SHIP Destruction\nENERGY\n  SPEED 14\n  PHASERS 2\n  DISR A 2\n",
}
SOP = {
    "federation": "SHIP Constellation\nPLOT TOWARD Destruction\n"
    "DO\n  IF RANGE Destruction <= 4 THEN FIRE ALL PH AT Destruction\n",
    "klingon": "SHIP Destruction\nPLOT TOWARD Constellation\n"
    "DO\n  IF RANGE Constellation <= 4 THEN FIRE ALL AT Constellation\nBREAK\n  RANGE Constellation <= 8\n",
}


class Console(io.TextIOWrapper):
    """Standard output of some character set, of a terminal or not."""

    def __init__(self, encoding: str, *, terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def shown(self) -> str:
        self.flush()
        data = self.buffer.getvalue()  # type: ignore[attr-defined]
        return str(data.decode(self.encoding, "replace")).replace("\r\n", "\n")


def pbem(*arguments: object, encoding: str = "utf-8", terminal: bool = False) -> tuple[int, str, str]:
    """``pbem …`` in this process: its exit code, what it printed and what it complained of."""
    from pbem.app.cli import command

    kept = sys.argv, sys.stdout, sys.stderr
    out, err = Console(encoding, terminal=terminal), Console(encoding, terminal=terminal)
    sys.argv, sys.stdout, sys.stderr = ["pbem", *map(str, arguments)], out, err
    code: object = 0
    try:
        command()
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.argv, sys.stdout, sys.stderr = kept
    return int(str(code or 0)), out.shown(), err.shown()


def done(*arguments: object) -> str:
    """What a command printed that has to succeed."""
    code, out, err = pbem(*arguments)
    assert code == 0, (arguments, code, out, err)
    return out


def answers(game: Path, into: Path) -> list[Path]:
    """The files both sides answer the request in force with."""
    from pbem.games.storage.opening import opened

    with opened(game) as folder:
        request = folder.state().request
        name = folder.terms.name
    assert request is not None
    made = []
    for side in request.sides:
        body = {"EAF": ENERGY, "SOP": SOP}[request.form][side] if request.number < 3 else "CONTINUE\n"
        text = f"GAME {name} TURN {request.turn} SIDE {side} REPLY {request.number}\n{body}END\n"
        file = into / f"{side} {request.turn}.{request.number}.txt"
        # As an editor of Windows saves it.
        file.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
        made.append(file)
    return made


def start(folder: Path, name: str = "duel") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    players = f"federation=Jürgen Groß <{ANN}>", f"klingon={BOB}"
    seats = [word for player in players for word in ("--player", player)]
    done("new", 5, folder / name, *seats, "--name", "duel", "--seed", "windows")
    return folder / name


def on(game: Path, into: Path) -> str:
    """One stretch further."""
    done("submit", game, *answers(game, into))
    return done("resolve", game)


def duel(folder: Path) -> Said:
    """A duel from ``new`` to its archive, with all that is written on the way."""
    said: Said = {"demo": done("demo", "--dir", folder / "demo").partition("Open the report")[0]}
    home = folder / "Bücher und Spiele"
    game = start(home, "Königsberg")
    done("forms", game, "-o", home / "forms.txt")
    on(game, home)
    on(game, home)
    done("undo", game, "--reason", "we begin anew")
    done("submit", game, *answers(game, home))
    done("resolve", game)
    done("report", game, "-o", home / "report.txt")
    done("module", "-o", home / "cadet.vmod")
    done("export", game, "--module", home / "cadet.vmod", "-o", home / "now.vsav")
    done("export", game, "--module", home / "cadet.vmod", "--log", "-o", home / "film.vlog")
    done("map", game, "-o", home / "map.png")
    done("override", game, "--result", "federation=draw", "--result", "klingon=draw", "--reason", "genug für heute")
    done("site", game, home / "web")
    done("archive", game, "-o", home / "all.pbem.zip")
    said["verify"] = done("verify", game)
    said["archive"] = done("verify", home / "all.pbem.zip")
    return said


# --- what only Windows does -------------------------------------------------------------------------------------------


@contextmanager
def held(*files: Path, share: int = 0, seconds: float = 0.0) -> Iterator[None]:
    """Another process has files open, and shares them with nobody (or to be read: 1): for so many seconds, or for as
    long as this lasts.
    """
    line = [sys.executable, str(Path(__file__).with_name("hold.py")), str(share), str(seconds), *map(str, files)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline().strip() == b"held"
        if seconds:
            other.stdin.write(b"go\n")
            other.stdin.flush()
        try:
            yield
        finally:
            other.stdin.close()
            other.wait()


def moments(folder: Path) -> Said:
    """What is held for half a second: put in place, moved, removed."""
    from pbem.errors import GameError
    from pbem.games.storage.files import patiently, read_bytes, remove, write_bytes
    from vassal.container.archive import write_archive
    from vassal.errors import ArchiveError

    folder.mkdir(parents=True)
    said: Said = {}
    todo: dict[str, Callable[[Path], object]] = {
        "replace": lambda file: write_bytes(file, b"new"),
        "rename": lambda file: patiently(file.rename, file.with_suffix(".moved")),
        "unlink": remove,
        "read": read_bytes,
        "save": lambda file: write_archive(file, [("a", b"new")]),
    }
    for what, do in todo.items():
        for seconds in (0.5, 0.0):
            file = folder / f"{what}.txt"
            file.write_bytes(b"old")
            key = f"{what} {'a moment' if seconds else 'always'}"
            with held(file, seconds=seconds):
                try:
                    do(file)
                    said[key] = "done"
                except GameError as error:
                    said[key] = error.faults[0].code
                except (ArchiveError, OSError) as error:
                    said[key] = f"{type(error).__name__}: {error}"
            said[f"{key}: there"] = file.read_bytes().decode("ascii", "replace") if file.exists() else ""
    said["left"] = sorted(path.name for path in folder.iterdir())
    return said


def looked_at(folder: Path) -> Said:
    """A turn played while a reader has its positions, and then a report, open."""
    game = start(folder)
    on(game, folder)
    done("submit", game, *answers(game, folder))
    before = (game / "01/positions.vsav").read_bytes()
    said: Said = {}
    with held(game / "01/positions.vsav"):
        said["resolve"] = pbem("resolve", game)
    said["positions as before"] = (game / "01/positions.vsav").read_bytes() == before
    said["late"] = (game / "01/positions.late.txt").is_file()
    said["next"] = pbem("status", game)
    said["resolved again"] = pbem("resolve", game)
    said["positions made up"] = (game / "01/positions.vsav").read_bytes() != before
    said["late after"] = (game / "01/positions.late.txt").is_file()
    said["verify"] = pbem("verify", game)
    done("submit", game, *answers(game, folder))
    with held(game / "01/state.json", share=1):
        said["state held"] = pbem("resolve", game)
    said["after state"] = pbem("resolve", game)
    said["verify again"] = pbem("verify", game)
    return said


def laid(folder: Path) -> Said:
    """A duel on the table: bound to a module of somebody else's, kept in step with a folder of saves."""
    game, saves = start(folder, "Königsberg"), folder / "meine Züge"
    neighbour("foreign", "tests/vassal_bridge/foreign.py").MADE["classes"](folder / "old.vmod")
    said: Said = {"bound": done("bind", folder / "old.vmod", "--yes").partition(": ")[2].splitlines()[:2]}
    said["tried"] = done("export", game, "--module", folder / "old.vmod", "--try")
    done("export", game, "--module", folder / "old.vmod", "-o", folder / "old.vsav")
    game = start(folder, "Kiel")
    on(game, folder)
    done("module", "-o", folder / "cadet.vmod")
    done("export", game, "--module", folder / "cadet.vmod", "-o", folder / "now.vsav")
    said["laid"] = done("table", game, saves, "--side", "klingon", "--once")
    moved(folder, saves / "duel 1.2.vsav", saves / "mine.vsav")
    said["moved"] = done("table", game, saves, "--side", "klingon", "--once").splitlines()[0]
    done("import", game, saves / "mine.vsav", "--plot", "--side", "klingon")
    done("submit", game, *answers(game, folder))
    done("resolve", game)
    done("table", game, saves, "--side", "klingon", "--once")
    return said


def moved(folder: Path, save: Path, into: Path) -> None:
    """A player's save, on which his ship stands two hexes ahead."""
    from vassal.module.module import read_module
    from vassal.pieces.piece import Look
    from vassal.save import read_save
    from vassal.write import Change, update

    before, table = read_save(save), read_module(folder / "cadet.vmod").map("Space")
    there = table.layout(before.boards.get("Space") or None).pixel("0415")
    update(before, {"pbem-Destruction": Change(Look(facing=1), at=there)}).write(into)


def open_table(folder: Path) -> Said:
    """A folder in step, whose saves a program has open."""
    game, saves = start(folder), folder / "saves"
    on(game, folder)
    done("module", "-o", folder / "cadet.vmod")
    done("export", game, "--module", folder / "cadet.vmod", "-o", folder / "now.vsav")
    look = ("table", game, saves, "--side", "klingon", "--once")
    done(*look)
    moved(folder, saves / "duel 1.2.vsav", saves / "mine.vsav")
    before = sorted(path.name for path in saves.iterdir())
    said: Said = {}
    with held(saves / "mine.vsav"):
        said["held"] = pbem(*look)
    said["nothing was done"] = sorted(path.name for path in saves.iterdir()) == before
    said["let go"] = pbem(*look)
    with held(saves / "duel 1.2.vsav", share=1):
        said["shown"] = pbem("export", game, "--module", folder / "cadet.vmod", "-o", saves / "duel 1.2.vsav")
    return said


def served(folder: Path) -> Said:
    """The table of an evening, as a program of its own that a browser asks."""
    if importlib.util.find_spec("uvicorn") is None:
        return {"skipped": "that Python has no uvicorn, a web server"}
    line = [sys.executable, "-m", "pbem", "play", "--print", "--folder", str(folder / "Spiele")]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=ROOT) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().decode().strip().rpartition(" ")[2]
            asker = build_opener(ProxyHandler({}), HTTPCookieProcessor())
            with asker.open(address, timeout=60) as answer:
                page = answer.read().decode("utf-8")
                return {"status": answer.status, "begins": "<html" in page, "crlf": "\r" in page}
        finally:
            server.kill()


def neighbour(name: str, path: str) -> ModuleType:
    """A module that stands beside the tests of a room."""
    spec = importlib.util.spec_from_file_location(name, ROOT / path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def hosted(folder: Path) -> Said:
    """A host's rounds with a real mail server, a Maildir, and a save that somebody looks at."""
    if importlib.util.find_spec("aiosmtpd") is None:
        return {"skipped": "that Python has no aiosmtpd, an SMTP server"}
    mail = neighbour("post_world", "tests/mail/world.py")  # servers and people
    os.environ["LOCALAPPDATA"] = os.environ["XDG_STATE_HOME"] = str(folder / "state")
    said: Said = {"rounds": []}
    with mail.World(folder / "boxes", [mail.HOST, mail.UMPIRE, ANN, BOB], imap=False) as here:
        club = mail.Club(here, folder / "club")
        game = start(club.folder / "games")
        said["doctor"] = pbem("doctor", club.folder)
        players = [
            mail.Player(here, address, lambda asked, side=side: orders(asked, side), mail.CLIENTS)
            for address, side in ((ANN, "federation"), (BOB, "klingon"))
        ]

        def go() -> None:
            from datetime import timedelta

            found = club.round()
            here.now += timedelta(minutes=10)
            happened = [one.what for _, several in found.games for one in several]
            said["rounds"].append({"happened": happened, "troubles": list(found.troubles)})
            for player in players:
                player.read()

        go()
        for _ in range(2):
            for player in players:
                assert player.answer()
            go()
        before = (game / "01/positions.vsav").read_bytes()
        with held(game / "01/positions.vsav"):
            assert sum(player.answer() for player in players)
            go()
        said["as before"] = (game / "01/positions.vsav").read_bytes() == before
        go()
        said["made up"] = (game / "01/positions.vsav").read_bytes() != before
        with held(game / "01/positions.vsav", share=1, seconds=0.5):
            assert sum(player.answer() for player in players)
            go()
        go()
        said["mails"] = [len(player.mails) for player in players]
        said["status"] = pbem("host", "status", club.folder)
        said["verify"] = pbem("verify", game)
        said["passed"] = len(here.passed)
    return said


def by_command(folder: Path) -> Said:
    """A club as its umpire has it who knows commands alone: rounds begun by the scheduler, letters in a folder, and the
    door its players come in by.
    """
    from pbem.mail.seats import token_of

    said: Said = {}
    club = folder / "Vereine" / "club"
    os.environ["LOCALAPPDATA"] = os.environ["XDG_STATE_HOME"] = str(folder / "state")
    done("host", "init", club)
    (club / "host.toml").write_text(f'{HOST}web = "https://sfb.example.org"\n{LETTERS}', encoding="utf-8")
    (club / "in").mkdir()
    game = start(club / "games")
    line = [sys.executable, "-m", "pbem", "host", str(club), "--once"]

    def round_(name: str) -> None:
        ended = subprocess.run(line, capture_output=True, stdin=subprocess.DEVNULL, cwd=ROOT)
        words = [each.decode("utf-8", "replace").replace("\r\n", "\n") for each in (ended.stdout, ended.stderr)]
        said[name] = [ended.returncode, *words]

    round_("first")
    for file, address in zip(answers(game, folder), (ANN, BOB), strict=True):
        side = file.name.partition(" ")[0]
        head = f"From: {address}\r\nTo: orders@club.example\r\nMessage-ID: <{side}@example.org>\r\n"
        head += f"Subject: Re: TOKEN {token_of(game, side)}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
        (club / "in" / f"{side}.eml").write_bytes(head.encode() + file.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    with held(club / "in" / "klingon.eml", share=1, seconds=0.5):  # a virus scanner
        round_("orders")
    round_("nothing")
    said["waiting"] = len(list((club / "mail" / "outbox" / "waiting").glob("*.eml")))
    said["in"] = sorted(path.name for path in (club / "in").glob("*.eml"))
    said["status"] = pbem("status", game)
    lacking = {"skipped": "that Python has no uvicorn, a web server"}
    said["door"] = entered(club) if importlib.util.find_spec("uvicorn") else lacking
    return said


def entered(club: Path) -> Said:
    """The club's door as a program of its own: a player comes in by his link, reads, and sends orders; the status of
    each answer, and whether it says what it should.
    """
    links = json.loads(done("host", "link", club, "--json"))["links"]
    (link,) = (link for person, link in links.items() if "bob" in person)
    game, page = club / "games" / "duel", "/game/duel/klingon"
    orders = f"{head_of(game, 'klingon')}{SOP['klingon']}END\n"
    line = [sys.executable, "-m", "pbem", "host", "web", str(club)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=ROOT) as server:
        assert server.stdout is not None
        try:
            told = server.stdout.readline().decode()
            asker = neighbour("web_asking", "tests/app/web/asking.py").Asker
            bob = asker(int(told.partition(". Ctrl+C")[0].rpartition(":")[2]))
            status, headers, _ = bob.ask("/in", {"key": link})
            said: Said = {"in": status}
            bob.own["Cookie"] = headers.get("set-cookie", "").partition(";")[0]
            for path, word in (
                ("/", "waiting for your orders"),
                (page, "<html"),
                (f"{page}/sitrep.html", "Destruction"),
            ):
                status, _, text = bob.ask(path)
                said[path] = [status, word in text, "\r" in text]
            said["sent"] = bob.ask(f"{page}/send", {"orders": orders})[0]
            said["filed"] = "YOUR ORDERS, AS UNDERSTOOD" in bob.ask(f"{page}?sent")[2]
        finally:
            server.kill()
    return said


def head_of(game: Path, side: str) -> str:
    """The header of the answer to the request in force."""
    from pbem.games.storage.opening import opened

    with opened(game) as folder:
        request = folder.state().request
        assert request is not None
        return f"GAME {folder.terms.name} TURN {request.turn} SIDE {side} REPLY {request.number}\n"


def orders(asked: Any, side: str) -> str:
    """What a player sends: his usual answer."""
    form = "EAF" if asked.number == 1 else "SOP"
    body = {"EAF": ENERGY, "SOP": SOP}[form][side] if asked.number < 3 else "CONTINUE\n"
    return f"GAME duel TURN {asked.turn} SIDE {side} REPLY {asked.number}\n{body}END\n"


def names(folder: Path) -> Said:
    """Games called as devices, and what a doctor says of folders that are not there."""
    folder.mkdir(parents=True)
    said: Said = {}
    for name in ("con", "nul", "COM1", "console"):
        said[name] = pbem("new", 5, folder / name, "--player", "federation=ann", "--player", "klingon=bob")
    for path in (r'"C:\temp\new"', "'C:/no such folder'"):
        (folder / "host.toml").write_text(f'{HOST}[inbox]\nkind = "folder"\npath = {path}\n', encoding="utf-8")
        said[f"doctor {path}"] = pbem("doctor", folder)
    return said


def consoles(folder: Path) -> Said:
    """Names that a console cannot show."""
    game = start(folder, "Königsberg")
    said: Said = {}
    for encoding in ("cp1252", "cp437", "ascii", "utf-8"):
        for terminal in (True, False):
            for line in (("status", game), ("map", game), ("resolve", game / "→ not there")):
                said[f"{encoding} {terminal} {line[0]}"] = pbem(*line, encoding=encoding, terminal=terminal)
    return said


PARTS: dict[str, Callable[[Path], Said]] = {
    part.__name__: part
    for part in (duel, moments, looked_at, laid, open_table, served, hosted, by_command, names, consoles)
}

if __name__ == "__main__":
    told = PARTS[sys.argv[1]](Path(sys.argv[2]))
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    print(json.dumps(told, indent=1, ensure_ascii=False))
