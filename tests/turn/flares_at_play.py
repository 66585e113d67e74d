"""A game with the flares of :mod:`tests.turn.flares`, in a process of its own: the chapter is entered by one line,
before anything else of the program is there. ``python -m tests.turn.flares_at_play FOLDER`` is silent if all is well.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pbem import chapters

chapters.FOLDERS.append("tests.turn.flares")

from pbem.desk.create import new  # noqa: E402
from pbem.desk.opened import opened  # noqa: E402
from pbem.desk.play import resolve  # noqa: E402
from pbem.desk.submit import check, submit  # noqa: E402
from pbem.desk.verify import verify  # noqa: E402
from pbem.desk.verify_archive import verify_archive  # noqa: E402
from pbem.faults import GameError  # noqa: E402
from pbem.game import events as ev, log  # noqa: E402
from pbem.game.fold import fold_records  # noqa: E402
from pbem.game.state import Ship, State  # noqa: E402
from pbem.offers.acts import acts_of  # noqa: E402
from pbem.orders.reader import read_orders  # noqa: E402
from pbem.orders.writer import write_orders  # noqa: E402
from tests.turn.flares.events import Flared  # noqa: E402

CHAPTERS = ["energy", "seeking", "sideslip", "reinforcement", "reserve", "damage control", "flares"]
HEAD = "GAME night TURN 1 SIDE federation REPLY 1"
ORDERS = f"""{HEAD}

SHIP Constellation
ENERGY
  SPEED 0
  FLARE 1
DO
  AT 3 FLARE Destruction
  AT 4 FLARE Destruction
  AT 5 IF Destruction DAZZLED THEN DISENGAGE

END
"""
OTHERS = HEAD.replace("federation", "klingon") + "\nSHIP Destruction\nENERGY\nSPEED 0\nEND\n"


def refused(game: Path, *changes: tuple[str, str]) -> str:
    """What is said of the orders with something else in them."""
    text = ORDERS
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    try:
        with opened(game) as folder:
            check(folder, text, "f")
    except GameError as error:
        return str(error)
    raise AssertionError("it was taken")


def ship(state: State, name: str) -> Ship:
    unit = state.units[name]
    assert isinstance(unit, Ship)
    return unit


def read(game: Path, when: str, name: str, side: str = "federation") -> str:
    """What a side has when the game begins (``r1``), or is over (``final``)."""
    (found,) = game.glob(f"01/{when}/{side}/{name}")
    return found.read_text(encoding="utf-8")


def main(where: Path) -> None:
    figures = where / "figures"
    figures.mkdir()
    (figures / "own.toml").write_text(f"[scenarios.5]\nchapters = {CHAPTERS}\n", encoding="utf-8")
    game = where / "night"
    players = {"federation": "ann@example.org", "klingon": "bob@example.org"}
    options = {"reveal": "none", "autobreaks": "none"}
    new("5", game, players=players, options=options, seed="night", figures=figures)
    is_read_told_back_and_refused(game)
    is_drafted_and_offered(game)
    is_played_and_told(game)
    is_read_from_the_log_replayed_and_verified(game)
    is_not_used_in_another_scenario(where / "plain", players, options)


def is_read_told_back_and_refused(game: Path) -> None:
    assert write_orders(read_orders(ORDERS.replace("AT 3 FLARE", "AT 3 flares")).orders) == ORDERS
    assert "did you mean FLARE?" in refused(game, ("AT 3 FLARE", "AT 3 FLAER"))
    assert "FLARE 3: a ship burns 2 flares a turn (X1.1)" in refused(game, ("FLARE 1", "FLARE 3"))
    assert "Constellation is one's own" in refused(game, ("AT 3 FLARE Destruction", "AT 3 FLARE Constellation"))
    assert "0 flares have energy" in refused(game, ("  FLARE 1\n", ""))


def is_drafted_and_offered(game: Path) -> None:
    assert "FLARE 2" in read(game, "r1", "orders.draft")
    page = read(game, "r1", "orders.html")
    for said in ("FLARE Destruction", "Flares", "{unit} DAZZLED", "it is dazzled", "no flares (X1.1)"):
        assert said in page, said
    with opened(game) as folder:
        state = folder.state()
        texts = {act.text for act in acts_of(state, folder.scenario(), ship(state, "Constellation"))}
        assert "FLARE Destruction" in texts


def is_played_and_told(game: Path) -> None:
    with opened(game) as folder:
        submit(folder, ORDERS, "f")
        submit(folder, OTHERS, "k")
        resolve(folder)
        happened = [record.event for record in folder.records()]
        state = folder.state()
    (burnt,) = [event for event in happened if isinstance(event, Flared)]
    assert (burnt.turn, burnt.impulse, burnt.step, burnt.target) == (1, 3, "end", "Destruction")
    (allotted,) = [e for e in happened if isinstance(e, ev.EnergyAllotted) and e.unit == "Constellation"]
    assert allotted.powered == {"flares": 1} and "FLARE 1" in " ".join(allotted.lines)
    failed = [e for e in happened if isinstance(e, ev.OrderTold) and "AT 4 FLARE" in e.order]
    assert [e.reason for e in failed] == ["1 flares have energy, and 1 are burnt (X1.1)"]
    assert ship(state, "Destruction").own == {"dazzled": (3,)}
    assert ship(state, "Constellation").gone == "disengaged", "the condition held"
    for side in ("federation", "klingon"):
        said = "Constellation dazzles Destruction with a flare."
        assert read(game, "final", "sitrep.txt", side).count(said) == 2, "in short, and in its impulse"
        assert said in read(game, "final", "sitrep.html", side)
        assert "dazzled: for 6 impulses more" in read(game, "final", "sitrep.txt", side)
    assert "AT 4 FLARE Destruction" in read(game, "final", "sitrep.txt")
    assert "FLARE" not in read(game, "final", "sitrep.txt", "klingon"), "how it was ordered and paid is a secret"


def is_read_from_the_log_replayed_and_verified(game: Path) -> None:
    with opened(game) as folder:
        records, state = folder.records(), folder.state()
        assert log.decode_records(log.encode_records(records)) == list(records)
        assert fold_records(records) == state == log.decode_state(log.encode_state(state))
        assert verify(folder).faults == ()
    (archive,) = game.glob("01/final/*.zip")
    assert verify_archive(archive).faults == ()


def is_not_used_in_another_scenario(game: Path, players: dict[str, str], options: dict[str, str]) -> None:
    new("5", game, players=players, options=options, seed="night", name="night")
    assert "flares are not used in this scenario (X1.0)" in refused(game)
    assert "FLARE" not in read(game, "r1", "orders.draft")
    page = read(game, "r1", "orders.html")
    assert "FLARE Destruction" not in page


if __name__ == "__main__":
    main(Path(sys.argv[1]))
