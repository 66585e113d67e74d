"""Create a game: its folder, terms, dice secret, opening position and first request for orders.

The module also replays a shipped example game from its order files in a separate folder (``pbem demo``).
"""

from __future__ import annotations

import glob
import secrets
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from unicodedata import normalize

import msgspec

from pbem import __version__
from pbem.data import scenarios
from pbem.data.files import FIGURES, CustomFigures, playing_with
from pbem.data.house_figures import looking_in
from pbem.data.scenarios import Scenario
from pbem.engine import dice, log
from pbem.engine.events import UMPIRE
from pbem.engine.options import Options
from pbem.engine.state import Outcome
from pbem.errors import Fault, GameError
from pbem.games.resolve import resolve_game
from pbem.games.segments import opening
from pbem.games.storage import terms as roster
from pbem.games.storage.files import (
    cannot,
    is_device,
    make_folder,
    patiently,
    read_bytes,
    read_order_file,
    sync_folder,
    write_bytes,
    write_text,
)
from pbem.games.storage.folder import GameFolder, OrderFile
from pbem.games.storage.opening import opened
from pbem.games.storage.players import note_names
from pbem.games.storage.publish import publish, publish_all, reports_folder
from pbem.games.storage.terms import (
    FORMAT,
    DiceTerms,
    SideTerms,
    Terms,
    read_options,
    shortened,
    terms_text,
    verify_autobreaks,
    verify_beacon,
    verify_name,
)
from pbem.games.submit import submit
from pbem.orders.mail_text import order_text
from pbem.util import regex

_LONGEST_NAME = 40
_BUILDING = ".new"
"""Suffix of the temporary folder in which a new game is built."""
_ARRIVING = ".arriving.tmp"
"""Name of a marker file that is in an existing folder while a new game is moved into it."""
_PARTS = ("00", "01", "secret", "scenarios", "ships", FIGURES)
"""Names of the files and folders of a new game, apart from ``game.toml``."""
# KD/1, FS/2: names that units get when ships launch them during the game.
_LAUNCHED = regex(r"[A-Za-z]{1,2}/(\d+|\*)")
_SIDE = regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_KEEP = """What lies here belongs to the host of the game alone.

dice.secret is what the dice are made of. Whoever has it can work out rolls before they are made: never mail it,
never put it into an archive. Without it the game cannot go on, so keep a copy in a safe place.
"""


def new(  # noqa: PLR0913 - as the options of `pbem new`
    scenario: str,
    folder: Path,
    *,
    players: Mapping[str, str],
    ships: Mapping[str, str] | None = None,
    teams: Mapping[str, str] | None = None,
    options: Mapping[str, str] | None = None,
    units: Sequence[str] = (),
    facings: Mapping[str, str] | None = None,
    name: str = "",
    grid: str = "even",
    seed: str = "",
    scheme: int = 0,
    everybody: bool = False,
    figures: Path | None = None,
    names: Mapping[str, str] | None = None,
) -> None:
    """Create a game in ``folder``, which must be empty or not exist.

    The folder gets the complete game or, if there is an error, nothing.

    Args:
        scenario: Key of a scenario, or path of a user's own file.
        folder: The game folder to create.
        players: Player of each side.
        ships: Ship classes that replace those of the scenario, by unit, role or side. Values are keys or paths of a
            user's own files.
        teams: Teams that replace those of the scenario, by side.
        options: Options as typed (:func:`pbem.games.storage.terms.read_options`). ``beacon`` is accepted too,
            although it belongs to the dice and not to the options of play.
        units: Names of the optional units that take part.
        facings: The facings of ships whose owner may choose the facing (#11).
        name: Name of the game; by default that of the folder.
        grid: Which columns of the map are half a hex lower: ``even`` or ``odd``.
        seed: A text from which the dice are made, for example games. Anybody who knows the text can compute the dice.
        scheme: Dice scheme. The default is the newest, or the first for a game with a seed and without a beacon.
        everybody: Require a player for every side. A game by email would wait forever for a side without one.
        figures: Folder of a user's own figures (rule data files) that replace shipped ones; they are copied into the
            game.
        names: Display names of players, by the entry in ``players``.

    Raises:
        GameError: A choice is not possible; the error says which.
    """
    # Some systems pass an umlaut as two characters: the letter and the dots.
    named, name = bool(name), normalize("NFC", name or folder.absolute().name)
    players, ships, teams, facings = (_composed(each) for each in (players, ships, teams, facings))
    units = [normalize("NFC", unit) for unit in units]
    verify_name(name, of_folder=not named)
    if is_device(name):
        # Only new games are checked, so that older ones can still be opened.
        raise GameError.saying("game-name", f"{name!r} cannot be a game's name: Windows uses it for a device")
    if grid not in ("even", "odd"):
        raise GameError.saying("option", f"grid must be even or odd, not {grid!r}")
    beacon = _beacon(options or {})
    chosen = read_options({key: value for key, value in (options or {}).items() if key != "beacon"})
    _verify_free(folder)
    secret = dice.secret_of(seed) if seed else secrets.token_bytes(32)
    if not scheme:
        scheme = dice.SCHEMES[0] if seed and not beacon else dice.SCHEMES[-1]
    whole = folder.absolute()
    building = _building_folder(whole, folder)
    try:
        own = roster.bring_figures(figures, building) if figures is not None else CustomFigures()
        with playing_with(own):
            key = roster.bring_scenario(scenario, building)
        with looking_in(building):
            found = roster.with_ship_keys(scenarios.scenario(key))
            _verify_sides(found, chosen)
            _verify_units(found, scenario)
            _verify_choices(found, players, teams, units)
            if everybody:
                _verify_everybody(found, players)
            terms = Terms(
                format=FORMAT,
                begun=__version__,
                name=name,
                scenario=key,
                grid=grid,
                sides={
                    side.name: SideTerms(player=_player(found, side.name, players), team=teams.get(side.name, ""))
                    for side in found.sides
                },
                ships={role: roster.bring_ship(ship, building) for role, ship in sorted(ships.items())},
                units=tuple(sorted(units)),
                facings={unit: facing.upper() for unit, facing in sorted(facings.items())},
                options=chosen,
                dice=_dice_terms(dice.Secret(secret, scheme), beacon),
                figures=own.digests,
            )
            _write_files(building, terms, secret, names or {})
        _move_in(building, whole)
    except OSError as error:
        raise cannot("write", folder, error) from error
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _beacon(options: Mapping[str, str]) -> str:
    """Return the name of the public beacon that the options ask for, or ``""`` if none."""
    typed = options.get("beacon", "")
    beacon = "" if typed.casefold() == "none" else typed.casefold()
    verify_beacon(beacon, "--option")
    return beacon


def _dice_terms(secret: dice.Secret, beacon: str) -> DiceTerms:
    return DiceTerms(
        scheme=secret.scheme,
        commitment=secret.commitment,
        length=secret.length,
        salts=secret.salt_commitment,
        beacon=beacon,
    )


def _building_folder(whole: Path, folder: Path) -> Path:
    """Make a temporary folder beside a game's final folder, in which the game is built; return its path.

    ``whole`` is the absolute path of the final folder, and ``folder`` its path as the user wrote it.

    Raises:
        GameError: The folder cannot be made.
    """
    try:
        make_folder(whole.parent)
        for left in whole.parent.glob(f".{glob.escape(whole.name)}.*{_BUILDING}"):
            shutil.rmtree(left, ignore_errors=True)  # left by an interrupted command; it contains a secret
        building = whole.parent / f".{whole.name}.{secrets.token_hex(4)}{_BUILDING}"
        building.mkdir()
    except OSError as error:
        raise cannot("write", folder, error) from error
    return building


def _move_in(building: Path, folder: Path) -> None:
    """Move the finished files of a new game to its final folder, ``game.toml`` last.

    An existing folder counts as a game only when it contains ``game.toml``. Remains of an earlier attempt are
    deleted first.
    """
    if not folder.is_dir():
        patiently(building.replace, folder)
        sync_folder(folder.parent)
        return
    mark = folder / _ARRIVING
    mark.touch()  # one operation, so that no partly written file can remain
    for path in folder.iterdir():
        if path != mark:
            patiently(shutil.rmtree, path)
    for path in sorted(building.iterdir(), key=lambda path: path.name == "game.toml"):
        patiently(path.replace, folder / path.name)
    patiently(mark.unlink)
    sync_folder(folder)


def _write_files(folder: Path, terms: Terms, secret: bytes, names: Mapping[str, str]) -> None:
    """Write all files of a new game into the temporary folder in which the game is built."""
    records = opening(terms)
    write_text(folder / "secret" / "README.txt", _KEEP, private=True)
    write_bytes(folder / "secret" / "dice.secret", secret.hex().encode() + b"\n", private=True)
    if names:
        note_names(folder, names)
    # private, because it contains the players' addresses
    write_text(folder / "game.toml", terms_text(terms), private=True)
    write_bytes(folder / "00" / "events.jsonl", log.encode_records(records), private=True)
    with opened(folder) as game:
        game.write_state()
        publish_all(game)


def _verify_free(folder: Path) -> None:
    try:
        if folder.is_dir() and (not any(folder.iterdir()) or _is_unfinished(folder)):
            return
        if not folder.exists():
            return
    except OSError as error:
        raise cannot("read", folder, error) from error
    what = "this folder is not empty" if folder.is_dir() else "this is a file"
    raise GameError.saying("not-empty", f"{what}; name an empty folder or a new one", file=str(folder))


def _is_unfinished(folder: Path) -> bool:
    """Return whether a folder contains only parts of a game that an interrupted ``pbem new`` left behind."""
    found = {path.name for path in folder.iterdir()}
    return _ARRIVING in found and found <= {_ARRIVING, *_PARTS} and not (folder / "game.toml").exists()


def _player(scenario: Scenario, side: str, players: Mapping[str, str]) -> str:
    return players.get(side, "robot" if scenario.side(side).robot in ("must", "unless") else "")


def _verify_sides(scenario: Scenario, options: Options) -> None:
    """Check that side names can be file names on every system, and that auto-breaks name existing sides.

    An auto-break is a standing condition on which play stops and a side is asked for new orders. Some systems
    ignore upper and lower case, so names must differ in more than case.
    """
    names = [side.name for side in scenario.sides]
    for name in names:
        if is_device(name):
            raise GameError.saying("side-name", f"{name!r} cannot be the name of a side: Windows uses it for a device")
        if not _SIDE.fullmatch(name) or name.casefold() in (UMPIRE, "all"):
            said = f"{name!r} cannot be the name of a side: use letters, digits, _ and - only, but not umpire or all"
            raise GameError.saying("side-name", said)
    if len({name.casefold() for name in names}) != len(names):
        raise GameError.saying("side-name", "give one side another name: two names differ only in capital letters")
    verify_autobreaks(options, names)


def _composed(typed: Mapping[str, str] | None) -> dict[str, str]:
    return {normalize("NFC", key): value for key, value in (typed or {}).items()}


def _verify_units(scenario: Scenario, file: str) -> None:
    """Check that no unit name would change when it is sent in an email, and that each name is unique."""
    known: set[str] = set()
    faults = []
    for unit in scenario.units:
        name, folded = unit.name, unit.name.casefold()
        if (
            not 0 < len(name) <= _LONGEST_NAME
            or order_text(name, header=False) != name
            or " ".join(name.split()) != name
        ):
            wanted = f"use 1 to {_LONGEST_NAME} visible characters and single spaces"
            faults.append(f"{shortened(name)!r} cannot be a unit's name: {wanted}")
        elif _LAUNCHED.fullmatch(name):
            faults.append(f"{name!r} cannot be a unit's name: launched weapons get such names")
        elif folded in known:
            faults.append(f"two units have the name {name!r}; capital letters make no difference")
        known.add(folded)
    if faults:
        raise GameError(*(Fault(code="unit-name", text=text, file=file) for text in faults))


def _verify_choices(
    scenario: Scenario, players: Mapping[str, str], teams: Mapping[str, str], units: Sequence[str]
) -> None:
    """Check that every side and optional unit named in the choices exists in the scenario.

    Ships are checked later, when the scenario is set up.
    """
    sides = [side.name for side in scenario.sides]
    optional = [unit.name for unit in scenario.units if unit.optional]
    wrong = [name for name in (*players, *teams) if name not in sides]
    if wrong:
        text = f"scenario #{scenario.number} has no side {wrong[0]!r}; its sides are {', '.join(sides)}"
        raise GameError.saying("unknown-side", text)
    playing = {teams.get(side.name) or side.team for side in scenario.sides}
    if teams and len(playing) == 1 and len(sides) > 1:
        text = f"all sides of scenario #{scenario.number} would be in team {playing.pop()}: nobody is left to fight"
        raise GameError.saying("one-team", text)
    wrong = [name for name in units if name not in optional]
    if wrong:
        has = f"its optional units are {', '.join(optional)}" if optional else "it has no optional units"
        raise GameError.saying("unknown-unit", f"scenario #{scenario.number} has no optional unit {wrong[0]!r}; {has}")


def _verify_everybody(scenario: Scenario, players: Mapping[str, str]) -> None:
    """Check that every side has a player or the robot.

    A game by email would wait forever for a side with neither.
    """
    missing = [side.name for side in scenario.sides if not _player(scenario, side.name, players).strip()]
    if missing:
        options = " ".join(f"--player {side}=ADDRESS" for side in missing)
        text = f"name a player for {' and '.join(missing)}, because a hosted game writes to every side: {options}"
        robots = [side.name for side in scenario.sides if side.name in missing and side.robot != "no"]
        more = f" (or {robots[0]}=robot)" if robots else ""
        raise GameError.saying("no-player", text + more)


class DemoPlayed(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the demo.

    Attributes:
        game: Name of the game.
        scenario: Key of the scenario.
        title: Title of the scenario.
        folder: The folder of the last reports.
        page: The umpire's report page in it.
        files: Number of order files that were used.
        turns: Number of turns played.
        segments: Number of segments played. A segment is the play from one request for orders to the next.
        records: Number of log records.
        dice: Number of log records with a die roll.
        outcome: The result of each side.
    """

    game: str
    scenario: str
    title: str
    folder: Path
    page: Path
    files: int
    turns: int
    segments: int
    records: int
    dice: int
    outcome: tuple[Outcome, ...]


def shipped_games() -> list[Path]:
    """Return the folders of the example games, from the source checkout or the installed package."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_data" / "turns", package.parent / "turns"):
        if folder.is_dir():
            return sorted(path for path in folder.iterdir() if (path / "game.toml").is_file())
    return []


Progress = Callable[[int, int], object]
"""Type of a callback that receives the number of order files played so far and their total number."""


def play_demo(folder: Path | None = None, progress: Progress | None = None) -> DemoPlayed:
    """Replay the first shipped example game from its order files.

    The game is made in ``folder``, by default a new temporary folder.

    Raises:
        GameError: No game is shipped, or ``folder`` is not empty.
    """
    games = shipped_games()
    if not games:
        raise GameError.saying("no-example", "install pbem again: its example game (turns/) is missing")
    try:
        if folder is None:
            folder = Path(tempfile.mkdtemp(prefix="pbem-demo-")) / games[0].name
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise GameError.saying("not-empty", "name an empty folder or a new one for the demo", file=str(folder))
    except OSError as error:
        raise cannot("write", folder or Path(tempfile.gettempdir()), error) from error
    return replay(games[0], folder, progress)


def replay(example: Path, folder: Path, progress: Progress | None = None) -> DemoPlayed:
    """Replay the game in the folder ``example`` in another folder, which must be empty.

    Terms, dice secret and order files are copied; everything else is made again.
    """
    _copy_terms(example, folder)
    with opened(example) as shipped:
        waiting = [file for turn in shipped.turns() for file in shipped.order_files(turn) if not file.version]
    count = len(waiting)
    with opened(folder) as game:
        write_bytes(game.log_file(0), log.encode_records(opening(game.terms)), private=True)
        game.write_state()
        publish(game)
        while mailed := _due(game, waiting):
            for file in mailed:
                submit(game, read_order_file(file.path), file.path.name)
                waiting.remove(file)
            resolve_game(game)
            if progress is not None:
                progress(count - len(waiting), count)
        state, records = game.state(), game.records()
        reports = reports_folder(game)
        return DemoPlayed(
            game=state.game,
            scenario=state.scenario,
            title=game.scenario().title,
            folder=reports,
            page=reports / "umpire" / "sitrep.html",
            files=count - len(waiting),
            turns=state.turn,
            segments=state.segment,
            records=len(records),
            dice=sum(bool(getattr(record.event, "roll", "")) for record in records),
            outcome=state.outcome,
        )


def _due(game: GameFolder, waiting: list[OrderFile]) -> list[OrderFile]:
    """Return those of the order files in ``waiting`` that answer the request in force."""
    request = game.state().request
    if request is None:
        return []
    return [
        file
        for file in waiting
        if (file.turn, file.number) == (request.turn, request.number) and request.asks(file.side)
    ]


def _copy_terms(example: Path, folder: Path) -> None:
    """Copy the files that define a game: ``game.toml``, dice secret, and the game's ships and scenarios."""
    wanted = [example / "game.toml", *(example / "secret").glob("*")]
    wanted += [*(example / "ships").glob("*.toml"), *(example / "scenarios").glob("*.toml")]
    for path in wanted:
        if path.is_file() and path.suffix != ".lock":
            write_bytes(folder / path.relative_to(example), read_bytes(path), private=path.parent.name == "secret")
