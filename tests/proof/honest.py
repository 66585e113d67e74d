"""Honest archives of every kind of game there is, made by the program: for verifiers to accept, and to tamper with.

Secrets come from seeds and the beacon is this file's own, so every one is the same bytes each time.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pbem.games.create import new
from pbem.games.proof import reveal
from pbem.games.proof.archive import archive
from pbem.games.resolve import resolve_game
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.publish import publish_all
from pbem.games.submit import submit
from pbem.games.umpire.decree import Decree, override
from pbem.games.umpire.rerun import rerun
from pbem.games.umpire.undo import undo
from pbem.reports.html.proof_page import proof_html
from tests.proof import by_the_page

ROOT = Path(__file__).resolve().parents[2]
PLAYERS = {"federation": "ann@example.org", "klingon": "bob@example.org"}
ENERGY = {
    "federation": "SHIP Constellation\nENERGY\n  SPEED {speed}\n",
    "klingon": "SHIP Destruction\nENERGY\n  SPEED {speed}\n",
}
ACTS = {
    "federation": "PLOT TOWARD Destruction\nDO\n  IF RANGE Destruction <= {range} THEN FIRE ALL PH AT Destruction\n",
    "klingon": "PLOT TOWARD Constellation\nDO\n  IF RANGE Constellation <= {range} THEN FIRE ALL AT Constellation\n"
    "BREAK\n  RANGE Constellation <= 8\n",
}
DRAWN = {"federation": "draw", "klingon": "draw"}
WHY = "both captains asked for it"


class Told:
    """A beacon whose rounds have all been published, and whose values anybody can make: for tests."""

    def __init__(self) -> None:
        self.days = 0

    def now(self) -> datetime:
        """Each time it is asked, some minutes later."""
        self.days += 1
        return datetime(2026, 1, 1 + self.days // 144, self.days // 6 % 24, self.days % 6 * 10, tzinfo=UTC)

    def value(self, number: int) -> str:
        return hashlib.sha256(f"round {number}".encode()).hexdigest()


def orders(game: GameFolder, side: str, *, within: int = 4) -> str:
    """A side's usual answer to the request in force."""
    request = game.state().request
    assert request is not None
    heading = f"GAME {game.terms.name} TURN {request.turn} SIDE {side} REPLY {request.number}\n"
    if request.form == "SOP" and request.impulse > 1:
        return f"{heading}CONTINUE\nEND\n"
    acts = ACTS[side].format(range=within)
    energy = ENERGY[side].format(speed=14 if request.turn == 1 else 4) + ("  PHASERS 3\n" if request.turn == 1 else "")
    body = {"EAF": energy, "SOP": energy.partition("\n")[0] + "\n" + acts, "FULL": energy + acts}[request.form]
    return f"{heading}{body}END\n"


def play(game: GameFolder, requests: int, beacon: Told | None = None) -> None:
    """Answer so many requests as usual, and play on after each; less, if the game is over before."""
    for _ in range(requests):
        request = game.state().request
        if request is None:
            return
        for side in request.sides:
            submit(game, orders(game, side), f"{side}.txt")
        for _ in range(2 if beacon else 1):
            resolve_game(game, beacon)


def ended(game: GameFolder) -> bytes:
    """The archive; a game that goes on is ended by decree."""
    if game.state().request is not None:
        override(game, Decree(result=DRAWN, reason=WHY))
    return archive(game)


def shipped(name: str, scratch: Path) -> bytes:
    """The archive of a shipped game, with all its reports in ``scratch``."""
    shutil.copytree(ROOT / "turns" / name, scratch / name)
    with opened(scratch / name) as game:
        publish_all(game)
        return archive(game)


def plain(game: GameFolder) -> None:
    play(game, 4)


def not_played(game: GameFolder) -> None:
    """It is over before the first orders."""


def taken_back(game: GameFolder) -> None:
    """Play taken back twice: from within the play that was taken back before, and over a turn's end."""
    play(game, 4)
    undo(game, turn=1, request=2, reason="a mail came late")
    play(game, 5)
    undo(game, turn=1, request=3, reason="another one")
    play(game, 4)


def repeated(game: GameFolder) -> None:
    """Play repeated with the same orders, taken back in the middle of that, repeated again."""
    play(game, 5)
    rerun(game, turn=1, request=1, decree=Decree(reason="to be sure"), accept=True)
    play(game, 1)
    undo(game, turn=1, request=3, reason="not so")
    play(game, 2)
    rerun(game, turn=1, request=2, decree=Decree(reason="once more"), accept=True)
    play(game, 2)


def other_orders(game: GameFolder) -> None:
    """Play repeated as far as orders are the same; those that are others get new dice."""
    play(game, 5)
    asked = "GAME {} TURN 1 SIDE federation REPLY 2\nSHIP Constellation\n{}END\n"
    text = asked.format(game.terms.name, ACTS["federation"].format(range=6))
    rerun(game, turn=1, request=1, files=[("f2.txt", text)], decree=Decree(reason="misread"), accept=True)
    play(game, 4)


def ruled(game: GameFolder) -> None:
    """The umpire's acts between segments: a ruling, a house rule and its end, an option; play repeated over it."""
    play(game, 2)
    override(game, Decree(changes=("Constellation shield 6 = 5",), reason="counted twice"))
    play(game, 2)
    override(game, Decree(ruling="Nobody rams anybody."))
    override(game, Decree(options={"sideslip": "no"}, reason="simpler"))
    play(game, 2)
    rerun(game, turn=1, request=3, decree=Decree(reason="to be sure"), accept=True)
    override(game, Decree(result=DRAWN, reason=WHY))
    override(game, Decree(reopen=True, reason="they have thought better of it"))
    play(game, 2)


def with_beacon(game: GameFolder) -> None:
    told = Told()
    play(game, 4, told)
    undo(game, turn=1, request=3, reason="a mail came late")
    play(game, 3, told)
    rerun(game, turn=1, request=1, decree=Decree(reason="to be sure"), accept=True)
    play(game, 2, told)


def made(name: str, course: Callable[[GameFolder], None], scratch: Path, *, scheme: int = 2, beacon: str = "") -> bytes:
    """The archive of a new game of scenario #5 that takes this course. Its folder stays, for its letters."""
    folder = scratch / name
    options = {"beacon": beacon} if beacon else {}
    new("5", folder, players=PLAYERS, seed=name, scheme=scheme, options=options)
    with opened(folder, lock="test") as game:
        course(game)
        return ended(game)


def own_ship(scratch: Path) -> bytes:
    """A game with a file of the host's own in it."""
    file = scratch / "my_ca.toml"
    ship = (ROOT / "pbem/data/ships/cadet/fed_cadet_ca.toml").read_text(encoding="utf-8")
    file.write_text(ship.replace('key = "fed_cadet_ca"', 'key = "my_ca"'), encoding="utf-8", newline="\n")
    new("5", scratch / "own", players=PLAYERS, seed="own", scheme=2, ships={"Constellation": str(file)})
    with opened(scratch / "own", lock="test") as game:
        play(game, 3)
        return ended(game)


def own_figures(scratch: Path) -> bytes:
    """A game with figures of the host's own."""
    folder = scratch / "mine"
    folder.mkdir()
    text = "[ships.fed_cadet_ca]\nshields = [17, 12, 10, 10, 10, 12]\n[charts.phaser1]\nenergy = 1.0\n"
    (folder / "ships.toml").write_text(text, encoding="utf-8", newline="\n")
    new("5", scratch / "figures", players=PLAYERS, seed="figures", scheme=2, figures=folder)
    with opened(scratch / "figures", lock="test") as game:
        play(game, 1)
        return ended(game)


MAKERS: dict[str, Callable[[Path], bytes]] = {
    "duel01": partial(shipped, "duel01"),
    "rescue01": partial(shipped, "rescue01"),
    "plain": partial(made, "plain", plain),
    "not-played": partial(made, "not-played", not_played),
    "taken-back": partial(made, "taken-back", taken_back),
    "ruled": partial(made, "ruled", ruled, scheme=1),
    "repeated": partial(made, "repeated", repeated),
    "other-orders": partial(made, "other-orders", other_orders),
    "beacon": partial(made, "beacon", with_beacon, beacon="drand"),
    "own-ship": own_ship,
    "own-figures": own_figures,
}
"""By name: what makes the archive, given a folder to work in."""


def frames() -> str:
    """The digests of what is the same in proof.html of all games of a kind: ``page.sha256`` beside this file."""
    lines = []
    for kind, scheme, beacon in (("scheme-1", 1, ""), ("scheme-2", 2, ""), ("scheme-2drand", 2, "drand")):
        head = {"format": 1, "game": "frame", "scheme": scheme, "length": 4096, "commitment": "1" * 64}
        head |= {"salts": "2" * 64 if scheme == 2 else "", "salt_link": "", "beacon": beacon, "segments": []}
        proof = reveal.decode(json.dumps(head).encode(), "proof.json")
        lines.append(f"{kind}  {by_the_page.frame(proof_html(proof, [], []), head)}\n")
    return "".join(lines)


if __name__ == "__main__":
    by_the_page.FRAMES.write_text(frames(), encoding="utf-8", newline="\n")
