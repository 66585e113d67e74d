"""What a host writes is for whom it is for: one whole game with everything that happens to one. After it every file's
mode is held against one list, and every file for the public is searched for players' addresses and tokens.
"""

from __future__ import annotations

import base64
import html
import io
import json
import os
import quopri
import re
import stat
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.engine.events import GameStarted, HouseRuled, Record
from pbem.errors import GameError
from pbem.games.site import set_public, write_site, write_sites
from pbem.games.storage.opening import opened
from pbem.games.umpire.decree import Decree, override
from pbem.games.umpire.undo import undo
from pbem.mail.host.round import host_round
from pbem.mail.seats import token_of
from pbem.mail.settings import read_host
from pbem.mail.transport.inbox import open_source
from pbem.mail.transport.outbox import Refused
from pbem.reports.html.public import HIDDEN, without_addresses
from vassal.save import read_text

pytestmark = pytest.mark.usefixtures("pages")

ANN = "Ann.O'Hara+sfb@mail.o-hara.example"
KOR = "kor/d6=ship@xn--mller-kva.example"
KOLOTH = "koloth_37@sub.klingon.example"
NAMES = {ANN: 'Ann "Nan" O\'Hara', KOR: "Kor <b>&amp; Kang</b> (kor/d6=ship at müller dot example)", KOLOTH: KOLOTH}
EXTRA = "eve@elsewhere.example"
INBOX = '[inbox]\nkind = "folder"\npath = "mail/in"\n'
HOST = 'format = 1\nname = "Club"\norders = "orders@club.example"\numpire = "umpire@club.example"\n' + INBOX

SPELLED = (
    ANN.upper(), quote(ANN, safe=""), html.escape(ANN), "".join(f"&#{ord(sign)};" for sign in ANN),
    "".join(f"&#x{ord(sign):X};" for sign in ANN), ANN.replace("@", " (at) ").replace(".", " [dot] "),
    ANN.replace("@", " at ").replace(".", " dot "), "".join(f"={ord(sign):02X}" for sign in ANN),
    ANN.replace("@", "&commat;").replace(".", "&period;"), "KOR/D6=SHIP@MÜLLER.EXAMPLE", f"<{KOR}>", KOR, KOLOTH, EXTRA,
)  # fmt: skip
"""What an umpire could write who does not think."""


class Played(NamedTuple):
    """The host's folder, what it keeps apart, the sites written of it, its game, and all tokens there were."""

    folder: Path
    state: Path
    sites: Path
    game: Path
    tokens: tuple[str, ...]


class Carrier:
    """Takes mails, but none to those who are out of order."""

    def __init__(self) -> None:
        self.refuses: set[str] = set()

    def send(self, sender: str, to: str, mail: bytes) -> None:
        if to in self.refuses:
            raise Refused("550 no such user")


def pbem(*line: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in line])
    assert done.exit_code == 0, (line, done.output, done.exception)
    return done.output


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """A hosted game from its first mail to its archive, on a machine that by itself would let everybody read all."""
    before = os.umask(0)
    try:
        yield play(tmp_path_factory.mktemp("private"))
    finally:
        os.umask(before)


def play(home: Path) -> Played:
    folder, state, sites = home / "club", home / "state", home / "www"
    game = folder / "games" / "duel"
    pbem("host", "init", folder)
    (folder / "host.toml").write_text(HOST, encoding="utf-8")
    seats = {"federation": ANN, "klingon": KOR}
    line = [word for side, who in seats.items() for word in ("--player", f"{side}={NAMES[who]} <{who}>")]
    pbem("new", "5", game, *line, "--seed", "privacy")
    host, carrier, tokens, count = read_host(folder), Carrier(), set[str](), 0
    now = [datetime.now(UTC)]  # the commands ask the clock

    def round_() -> None:
        now[0] += timedelta(hours=1)
        source = open_source(host.inbox, folder)
        host_round(folder, lambda: now[0], source=source, carrier=carrier, state=state)
        tokens.update(json.loads((game / "secret" / "tokens.json").read_text())["tokens"].values())

    def post(side: str, text: str, subject: str = "orders", sender: str = "") -> None:
        nonlocal count
        count += 1
        letter = EmailMessage(policy=SMTP)
        letter["From"] = sender or seats[side]
        letter["To"] = "orders@club.example"
        letter["Subject"] = f"{subject} TOKEN {token_of(game, side)}"
        letter["Message-ID"] = f"<{count}@example.org>"
        letter.set_content(text)
        (folder / "mail" / "in" / f"{count}.eml").write_bytes(bytes(letter))

    def orders(side: str, number: int, body: str) -> str:
        return f"GAME duel TURN 1 SIDE {side} REPLY {number}\n{body}END\n"

    round_()
    energy = "SHIP Constellation\nENERGY\n  SPEED 12\n  PHASERS 2\n"
    post("federation", f"MESSAGE TO klingon\nHail.\nEND MESSAGE\n{orders('federation', 1, energy)}")
    post("federation", orders("federation", 1, energy.replace("12", "14")))
    post("federation", "let me in", sender=EXTRA)
    carrier.refuses = {"umpire@club.example"}
    round_()
    post("klingon", orders("klingon", 1, "SHIP Destruction\nENERGY\n  SPEED 14\n  PHASERS 2\n"))
    post("klingon", "", subject="WAIT")
    round_()
    post("klingon", "", subject="WAIT OFF")
    round_()
    carrier.refuses = set()
    pbem("undo", game, "--reason", "Nan's mail came late")
    pbem("override", game, "--ruling", "mail at dusk counts for the day", "--reason", "the mail")
    set_public(game, True)
    write_sites(folder, sites / "club", "https://club.example/")
    pbem("host", "replace", game, "klingon", f"{NAMES[KOLOTH]} <{KOLOTH}>")
    seats["klingon"] = KOLOTH
    pbem("pause", game, "--reason", "holidays")
    round_()
    pbem("resume", game)
    post("federation", orders("federation", 1, energy))
    post("klingon", orders("klingon", 1, "SHIP Destruction\nENERGY\n  SPEED 14\n  PHASERS 2\n"))
    round_()
    pbem("module", "-o", home / "m.vmod", "--svg")
    write_site(game, sites / "running", "https://club.example/", home / "m.vmod")
    pbem("export", game, "--module", home / "m.vmod", "-o", sites / "now.vsav")
    pbem("override", game, "--result", "federation=draw", "--result", "klingon=draw", "--reason", "done")
    round_()
    write_site(game, sites / "over", "https://club.example/", home / "m.vmod")
    pbem("archive", game, "-o", sites / "duel.pbem.zip")
    pbem("verify", sites / "duel.pbem.zip", "--page", sites / "proof.html")
    return Played(folder, state, sites, game, tuple(sorted(tokens)))


# --- modes -----------------------------------------------------------------------------------------------------------

OPEN = (
    "club", "club/games", "club/games/duel", "club/games/duel/site.toml", "club/games/duel/vassal.toml",
    "club/mail/in/**.eml",  # as they were delivered, in a private folder
    "www", "www/**", "m.vmod",
)  # fmt: skip
"""All that the umask decides on; everything else is for the account the host runs under."""
MET = (
    "club/host.toml", "club/games/duel/game.toml", "club/games/duel/secret/dice.secret",
    "club/games/duel/secret/tokens.json", "club/games/duel/secret/messages/*", "club/games/duel/01/positions.vsav",
    "club/games/duel/0?/r*/klingon/mail.eml", "club/games/duel/0?/orders/*.orders",
    "club/games/duel/0?/*/*.pbem.zip", "club/games/duel/site.toml", "club/games/duel/vassal.toml",
    "club/mail/in/done/*", "club/mail/club.db", "club/mail/status.json",
    "club/mail/outbox/sent/*.eml", "club/mail/outbox/failed/*.eml", "club/mail/quarantine/*.eml", "state/*.json",
)  # fmt: skip
"""What must be there, so that the list is held against something."""


@pytest.mark.slow
def test_what_is_private_is_nobody_else_s_whatever_the_umask(played: Played) -> None:
    home = played.folder.parent
    wrong = []
    for path in sorted(home.rglob("*")):
        name, mode = path.relative_to(home).as_posix(), stat.S_IMODE(path.lstat().st_mode)
        free = any(fnmatchcase(name, one) for one in OPEN)
        if mode != (0o777 if path.is_dir() else 0o666) & (0o777 if free else 0o700):
            wrong.append(f"{name}: {mode:o}")
    assert not wrong
    assert [pattern for pattern in MET if not list(home.glob(pattern))] == []


# --- what the public reads -------------------------------------------------------------------------------------------


def readings(name: str, data: bytes) -> Iterator[tuple[str, str]]:
    """A file's text in every way in which somebody might read it, with all that is packed into it."""
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            yield name, " ".join(packed.namelist())
            for inner in packed.namelist():
                yield from readings(f"{name}/{inner}", packed.read(inner))
        return
    for code in ("utf-8", "utf-16-le", "utf-16-be"):
        yield f"{name} as {code}", data.decode(code, "replace")
    text = data.decode("utf-8", "replace")
    yield f"{name} of percent signs", unquote(text)
    yield f"{name} of entities", html.unescape(html.unescape(text))
    yield f"{name} of escapes", re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    yield f"{name} of quoted-printable", quopri.decodestring(data).decode("utf-8", "replace")
    for run in re.findall(rb"[A-Za-z0-9+/_-]{16,}={0,2}", data):
        for start in range(4):
            part = run[start:].rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
            part = part[:-1] if len(part) % 4 == 1 else part
            yield f"{name} of base64", base64.b64decode(part + b"=" * (-len(part) % 4)).decode("utf-8", "replace")


def needles(address: str) -> set[str]:
    """How an address is written for people, in small letters; what machines write is undone by :func:`readings`."""
    user, _, domain = address.lower().partition("@")
    found = set()
    for at in ("@", " at ", "(at)", " (at) ", "[at]", " [at] "):
        for dot in (".", " dot ", "(dot)", " (dot) ", "[dot]", " [dot] "):
            for site in {domain, domain.encode().decode("idna")}:
                found.add(user.replace(".", dot) + at + site.replace(".", dot))
                found.add(user + at + site.replace(".", dot))
    return found


def test_the_search_finds_addresses_in_every_spelling() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as inner:
        inner.writestr("a.txt", ANN)
    spelled = {
        "plain": ANN.encode(), "capitals": ANN.upper().encode(), "percent": quote(ANN, safe="").encode(),
        "entities": "".join(f"&#x{ord(sign):x};" for sign in ANN).encode(), "utf-16": ANN.encode("utf-16"),
        "json": ANN.replace("@", "\\u0040").encode(), "words": ANN.replace("@", " at ").replace(".", " dot ").encode(),
        "quoted-printable": "".join(f"={ord(sign):02X}" for sign in ANN).encode(), "zip": packed.getvalue(),
        **{f"base64 {n}": base64.b64encode(b"x" * n + ANN.encode() + b"yy") for n in range(3)},
        "url-safe": base64.urlsafe_b64encode(b"?>" * 8 + ANN.encode()),
    }  # fmt: skip
    for name, data in spelled.items():
        assert any(one in text.lower() for _, text in readings(name, data) for one in needles(ANN)), name
    assert "kor/d6=ship@müller.example" in needles(KOR)


@pytest.mark.slow
def test_the_umpire_puts_no_address_into_the_log(played: Played, tmp_path: Path) -> None:
    """Nor does the site show one that stands in the log of a game from before."""
    before = (played.game / "01/events.jsonl").read_bytes()
    with opened(played.game) as game:
        records = game.effective()
        for text in SPELLED:
            for decree in (
                Decree(reason=f"mail of {text} returns", reopen=True),
                Decree(ruling=text, reopen=True, reason="x"),
            ):
                with pytest.raises(GameError, match="address-told"):
                    override(game, decree)
            with pytest.raises(GameError, match="address-told"):
                undo(game, reason=f"mail of {text} returns")
    assert (played.game / "01/events.jsonl").read_bytes() == before
    first = records[0]
    old = [*records, Record(n=len(records) + 1, event=HouseRuled(number=9, text=f"old: {'; '.join(SPELLED)}", why="x"))]
    assert isinstance(first.event, GameStarted)
    shown = without_addresses(old)[-1].event
    assert isinstance(shown, HouseRuled) and shown.text.replace("<", "").replace(">", "") == "old: " + "; ".join(
        [HIDDEN] * len(SPELLED)
    )


@pytest.mark.slow
def test_no_file_for_the_public_has_an_address_or_a_token(played: Played) -> None:
    files = {path.relative_to(played.sites).as_posix(): path for path in played.sites.rglob("*") if path.is_file()}
    assert {
        "club/index.html", "club/duel/index.html", "running/record.jsonl", "over/secrets-01.html", "over/feed.xml",
        "over/record-whole.jsonl", "over/positions.vsav", "now.vsav", "duel.pbem.zip", "proof.html",
    } <= set(files)  # fmt: skip
    files |= {f"game/{path.name}": path for path in played.game.rglob("positions.vsav")}
    assert len(played.tokens) == 3
    secret = (played.game / "secret" / "dice.secret").read_text().strip()
    wanted = {*played.tokens, secret, *(one for who in (ANN, KOR, KOLOTH, EXTRA) for one in needles(who))}
    people = {"nan", "kang"}
    for name, path in sorted(files.items()):
        found = list(readings(name, path.read_bytes()))
        if path.suffix == ".vsav":
            found.append((f"{name} in plain", read_text(path)))
        for how, text in found:
            small = text.lower()
            for needle in wanted:
                assert needle.lower() not in small, f"{how}: {needle}"
        if name == "over/turn-01.html":
            assert all(person in path.read_text(encoding="utf-8").lower() for person in people), "names are shown"
