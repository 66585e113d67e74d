"""Running case files: what each expects, held against what the engine does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pbem.engine.paths import NoPath, look, look_at_game
from pbem.errors import Fault, GameError
from pbem.lab.rule_cases.asks import ask
from pbem.lab.rule_cases.form import read_case
from pbem.lab.rule_cases.matching import matches, told, unmet, unwanted
from pbem.lab.rule_cases.play import Played, Trouble, dice_for, play
from pbem.lab.rule_cases.vain import vain


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """How a case came out: its ``name`` (rule and title, or the file's name where it cannot be read), whether it
    passed, and what differed, a line each.
    """

    name: str
    passed: bool
    differences: tuple[str, ...] = ()


def run_files(
    paths: Sequence[Path], *, exact: bool = False, progress: Callable[[int, int], object] | None = None
) -> list[Result]:
    """Run case files; a folder stands for all ``.toml`` files in it and below, by name. ``exact``: see
    :func:`run_file`. ``progress`` is told after each file how many of how many are run.
    """
    files = [file for path in paths for file in (sorted(path.rglob("*.toml")) if path.is_dir() else [path])]
    found: list[Result] = []
    for number, file in enumerate(files, start=1):
        found += run_file(file, exact=exact)
        if progress is not None:
            progress(number, len(files))
    return found


def run_file(
    path: Path, *, mirrored: bool = False, exact: bool = False, witness: Callable[[Played], object] | None = None
) -> list[Result]:
    """Run one case file. ``mirrored`` names its units and sides in the opposite order, which must change nothing.

    ``exact`` holds a case to its letter: every die asked for must be given, every fault expected, and nothing be asked
    in vain. Without it a die the case does not give falls as it may, other faults may stand beside the expected ones,
    and what is asked in vain is told, and fails nothing. ``witness`` is shown what was played, if anything was.
    """
    try:
        case = read_case(path)
    except GameError as error:
        return [Result(name=path.name, passed=False, differences=tuple(str(fault) for fault in error.faults))]
    name = f"{case.rule}: {case.title}"
    if mirrored:
        turns = tuple(msgspec.structs.replace(t, orders=dict(reversed(t.orders.items()))) for t in case.turn)
        case = msgspec.structs.replace(case, unit=case.unit[::-1], turn=turns, strike=case.strike[::-1])
    remarks: list[str] = []
    differences = [*_played(case, exact, witness, remarks), *_asked(case)]
    passed = not differences and not (exact and remarks)
    return [Result(name=name, passed=passed, differences=(*differences, *remarks))]


def _played(case: Any, exact: bool, witness: Callable[[Played], object] | None, remarks: list[str]) -> list[str]:
    if not case.played:
        return []
    dice = dice_for(case, exact)
    try:
        played = play(case, dice)
    except LookupError as missing:
        return [f"dice: {missing.args[0] if missing.args else missing}", *_dice_asked(dice)]
    except (Trouble, GameError, ValueError) as trouble:
        return [f"cannot be played: {trouble}"]
    if witness is not None:
        witness(played)
    said = _rejected(case, played.refused, exact) if case.reject else []
    if played.refused is not None and not case.reject:
        refused = played.refused
        return [f"the orders of {refused.side} are refused:", *(f"    {fault}" for fault in refused.faults)]
    happened = [told(record) for record in played.records]
    said += unmet(case.expect, happened) + unwanted(case.absent, happened) + _final(case, played.state)
    remarks += vain(case, played.state)
    return said + _unrolled(case, dice)


# --- dice ------------------------------------------------------------------------------------------------------------


def _unrolled(case: Any, dice: Any) -> list[str]:
    said = [f"dice: nobody asked for {label!r}" for label in case.dice if label not in ("rolls", *dice.used)]
    if dice.left_over:
        said.append(f"dice: {dice.left_over} of the rolls were not asked for")
    return [*said, *_dice_asked(dice)] if said else []


def _dice_asked(dice: Any) -> list[str]:
    return [f"    asked for: {label!r}, got {die}" for label, die in dice.asked] or ["    no die was asked for"]


# --- refusals --------------------------------------------------------------------------------------------------------


def _rejected(case: Any, refused: Any, exact: bool) -> list[str]:
    if refused is None:
        return ["the orders were accepted, and should have been refused"]
    left = list(refused.faults)
    said = []
    for wanted in case.reject:
        if wanted.side and wanted.side != refused.side:
            said.append(f"refused were the orders of {refused.side}, not of {wanted.side}")
        fitting = [fault for fault in left if _is(wanted, fault)]
        if fitting:
            left.remove(fitting[0])
        else:
            said.append(f"expected a fault: line {wanted.line} {wanted.code} {wanted.rule}".rstrip())
    if exact or said:
        said += [f"unexpected fault: {_fault_line(fault)}" for fault in left]
    return said


def _is(wanted: Any, fault: Fault) -> bool:
    return (
        wanted.line in (0, fault.line)
        and wanted.code in ("", fault.code)
        and fault.rule.startswith(wanted.rule)
        and wanted.column in (0, fault.column)
        and wanted.says.casefold() in fault.text.casefold()
    )


def _fault_line(fault: Fault) -> str:
    return f"line {fault.line} column {fault.column} {fault.code}: {fault.text} ({fault.rule or 'no rule'})"


# --- the state at the end, look-ups ----------------------------------------------------------------------------------


def _final(case: Any, state: Any) -> list[str]:
    said = []
    for name, paths in case.final.items():
        unit = state.units.get(name)
        if unit is None and name != "game":
            said.append(f"final.{name}: there is no such unit; there are {', '.join(sorted(state.units))}")
            continue
        for path, wanted in paths.items():
            try:
                got = look_at_game(state, path) if unit is None else look(state, unit, path, wanted)
            except NoPath as error:
                said.append(f"final.{name}: {error}")
                continue
            if not matches(wanted, got):
                said.append(f"final.{name}: {path} is {got!r}, expected {wanted!r}")
    return said


def _asked(case: Any) -> Iterable[str]:
    for number, look_up in enumerate(case.ask, start=1):
        given = {key: value for key, value in look_up.items() if key not in ("function", "answer", "error")}
        place = f"ask {number}: {look_up['function']}({', '.join(f'{k}={v!r}' for k, v in given.items())})"
        try:
            got = _plain(ask(look_up["function"], **given))
        except KeyError as error:
            yield f"{place}: {error.args[0]!r} is not known here"
            continue
        except (ValueError, IndexError, TypeError, AttributeError, GameError) as error:
            yield f"{place}: {error}"
            continue
        if not _says(got, look_up["answer"]):
            yield f"{place} is {got!r}, expected {look_up['answer']!r}"


def _says(got: Any, wanted: Any) -> bool:
    """Whether an answer is the one that is wanted, in any of the ways in which it may be written: parts with names as a
    list in their order too, a turn and an impulse as ``"4.4"`` too, as in state paths.
    """
    if isinstance(got, dict) and isinstance(wanted, list):
        got = list(got.values())
    if isinstance(got, list) and isinstance(wanted, str) and len(got) == 2:
        got = ".".join(map(str, got))
    return bool(got == wanted) and isinstance(got, bool) is isinstance(wanted, bool)


def _plain(value: Any) -> Any:
    """An answer as a case writes it: TOML has no ``None``, which is written as an empty text."""
    return "" if value is None else value
