"""Custom figures: numbers that a user enters from the printed book to replace the shipped numbers.

Custom figures are in TOML files in one folder, in the tables ``[ships.KEY]``, ``[charts.KEY]`` and
``[scenarios.KEY]``, with the same fields as in the shipped files. :func:`unsure` lists the shipped figures that are
designed (invented by this project) or come from one source only. :func:`form` writes these figures as a file to fill
in. :func:`read_figures` reads a folder, and :func:`verify_figures` checks it in the same way as shipped data.
:mod:`pbem.data.files` merges the figures into the data.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from pbem.data import charts, files, ships
from pbem.data.files import CustomFigures, are_named
from pbem.data.scenarios import Scenario, scenario, variant_keys
from pbem.errors import Fault, GameError
from pbem.util import regex

KINDS = {"ships": "ship", "charts": "chart", "scenarios": "scenario"}
"""The top-level tables of a file of custom figures, and the kind of data that each replaces."""

UNSURE = ("designed", "single")
FIXED = ("arcs", "impulses", "races")
"""Charts that hold no figures to replace: the geometry of the map, the impulse chart, names."""

IDENTITY = ("key", "number", "variant", "level", "title", "source", "confidence", "confidence_of")
"""Fields that custom figures may not replace: they identify a ship, chart or scenario, or state its source."""

_WORDS = frozenset((*IDENTITY, "name", "race", "class", "notes", "rules", "chapters", "text", "label", "family")) | {
    "choices",
    "without",
}
_LETTERS = ("hex", "facing", "turn_mode", "turns_to", "goal")
_FILE = regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}\.toml")
_NUMBER = regex(r"\d+(/\d+)?")
MOST_BYTES = 1024**2


class UncertainFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A shipped figure that is designed (invented by this project) or comes from one source only.

    ``kind`` and ``key`` identify the file, ``place`` is the path inside the file, and ``value`` is the shipped value.
    """

    kind: str
    key: str
    place: tuple[str, ...]
    value: Any
    confidence: str

    @property
    def figure(self) -> str:
        """The path of the figure inside its file, in one string: ``boxes.hull``."""
        return ".".join(self.place)


@contextmanager
def looking_in(folder: Path) -> Iterator[None]:
    """Within this context, use additional data files and custom figures of a game folder.

    The folder may hold ``ships/KEY.toml``, ``scenarios/KEY.toml`` and figures in ``figures/``. Files are found by
    key, so that the folder can be moved.

    Raises:
        GameError: A file of figures cannot be read.
    """
    with files.looking_beside(folder, read_figures(folder / files.FIGURES)):
        yield


# --- uncertain figures ----------------------------------------------------------------------------------------------


def unsure(kind: str, key: str) -> list[UncertainFigure]:
    """Return a shipped file's figures that are designed (invented by this project) or single-source.

    Figures that custom figures in effect replace are left out.
    """
    raw, _ = files.read_toml(kind, key)
    own = files.own_figures().tables.get(kind, {}).get(key, {})
    marks = raw.get("confidence_of", {})
    found = []
    for place, value, word in _figures(raw, (), str(raw["confidence"])):
        known = next((marks[mark] for mark in _marks(place) if mark in marks), word)
        if known in UNSURE and not _has(own, place):
            found.append(UncertainFigure(kind=kind, key=key, place=place, value=value, confidence=known))
    return found


def _marks(place: tuple[str, ...]) -> Iterator[str]:
    """Yield the keys under which the file may state a figure's confidence.

    The figure's own key comes first, then the key of each table around it.
    """
    for length in range(len(place), 0, -1):
        yield ".".join(place[:length])


def _figures(table: dict[str, Any], above: tuple[str, ...], word: str) -> Iterator[tuple[tuple[str, ...], Any, str]]:
    """Yield each figure of a table as (path in the file, value, confidence stated in tables around it)."""
    word = str(table.get("confidence", word))
    # In the order of TOML: the values of a table before the tables inside it.
    for name, value in sorted(table.items(), key=lambda item: (are_named(item[1]), isinstance(item[1], dict))):
        place = (*above, name)
        if name in _WORDS and not (name == "name" and above):
            continue
        if isinstance(value, dict):
            yield from _figures(value, place, word)
        elif are_named(value):
            for thing in value:
                yield from _figures(thing, (*place, thing["name"]), word)
        elif _is_figure(name, value):
            yield place, value, word


def _is_figure(name: str, value: object) -> bool:
    if isinstance(value, str):
        return name in _LETTERS or _NUMBER.fullmatch(value) is not None
    return bool(value) if isinstance(value, list) else isinstance(value, int | float)


def _has(own: dict[str, Any], place: tuple[str, ...]) -> bool:
    """Return whether the custom figures ``own`` contain a value at this path."""
    value: Any = own
    for name in place:
        if are_named(value):
            value = next((thing for thing in value if thing["name"] == name), None)
        elif isinstance(value, dict):
            value = value.get(name)
        else:
            return False
    return value is not None


# --- a file to fill in ----------------------------------------------------------------------------------------------

_HEAD = """\
# Figures of {kinds} that are designed or rest on one source. Who owns the printed book can put them right:
# take the # from a line and write what the book has. Lines that keep their # change nothing.
# Put this file into a folder named {folder}, beside your games, or name the folder when a game begins:
# `pbem new SCENARIO DIR --figures FOLDER`. `pbem {kinds} --figures FOLDER` checks it.
"""


def form(kind: str, doubts: list[UncertainFigure]) -> str:
    """Return a TOML file in which a user can enter figures; all figures are commented out at first."""
    plural = next(name for name, one in KINDS.items() if one == kind)
    lines = [_HEAD.format(kinds=plural, folder=files.FIGURES).rstrip()]
    seen: tuple[str, ...] = ()
    for doubt in doubts:
        raw, _ = files.read_toml(kind, doubt.key)
        head, named = _heading(raw, (plural, doubt.key, *doubt.place[:-1]))
        if head != seen:
            title = raw.get("name") or raw.get("title")
            lines += ["", *([] if seen[:2] == head[:2] else [f"# --- {title} ---", ""]), *_opened(head, named, seen)]
            seen = head
        lines.append(f"# {_word(doubt.place[-1])} = {toml_value(doubt.value)}      # {doubt.confidence}")
    return "\n".join(lines) + "\n"


def _heading(raw: dict[str, Any], place: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """Return the path of the table with a figure, and the index in that path of a named table's name.

    The index is 0 if no list of named tables is on the path.
    """
    value: Any = raw
    for number, name in enumerate(place[2:], start=2):
        if are_named(value):
            return place, number
        value = value.get(name)
    return place, 0


def _opened(head: tuple[str, ...], named: int, before: tuple[str, ...]) -> list[str]:
    """Return the TOML heading lines for the table at path ``head``.

    If the table is inside the same named table as the one before it, the heading of that named table is not
    repeated.
    """
    if not named:
        return [f"[{'.'.join(map(_word, head))}]"]
    lines = [f"[[{'.'.join(map(_word, head[:named]))}]]", f"name = {toml_value(head[named])}"]
    if inner := head[named + 1 :]:
        within = f"[{'.'.join(map(_word, (*head[:named], *inner)))}]"
        return [within] if before[: named + 1] == head[: named + 1] else [*lines, within]
    return lines


def _word(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_value(name)


def toml_value(value: object) -> str:
    """Return a value as TOML text on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return msgspec.json.encode(value).decode()
    if isinstance(value, list):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_word(key)} = {toml_value(inner)}' for key, inner in value.items())} }}"
    return str(value)


def toml_text(table: dict[str, Any], above: tuple[str, ...] = ()) -> str:
    """Return nested dicts as the text of a TOML file.

    The values of each table come first, then the tables inside it.
    """
    lines = [f"{_word(key)} = {toml_value(value)}" for key, value in table.items() if not isinstance(value, dict)]
    if above and lines:
        lines = [f"[{'.'.join(map(_word, above))}]", *lines]
    inner = [toml_text(value, (*above, key)) for key, value in table.items() if isinstance(value, dict)]
    return "\n\n".join(part for part in ("\n".join(lines), *inner) if part)


# --- read and check a folder ----------------------------------------------------------------------------------------


def read_figures(folder: Path) -> CustomFigures:
    """Return the custom figures in a folder; an empty set if the folder does not exist.

    Raises:
        GameError: A file cannot be read, a table is no ship, chart or scenario of pbem, or two files have the same
            table.
    """
    if not folder.is_dir():
        return CustomFigures()
    faults: list[Fault] = []
    digests: dict[str, str] = {}
    tables: dict[str, dict[str, dict[str, Any]]] = {}
    stated: dict[tuple[str, str], str] = {}
    for path in sorted(folder.glob("*.toml"), key=lambda path: path.name):
        if not _FILE.fullmatch(path.name):
            text = "rename this file: use at most 40 letters, digits, _ and -, as in ships.toml"
            raise GameError.saying("bad-figures", text, file=str(path))
        raw = _parsed(path)
        digests[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
        for kind, key, table in _tables(raw, str(path), faults):
            if (kind, key) in stated:
                text = f"{kind}s.{key}: keep the figures of one {kind} in one file; {stated[kind, key]} has some too"
                faults.append(Fault(code="bad-figures", text=text, file=str(path)))
            stated[kind, key] = str(path)
            tables.setdefault(kind, {})[key] = table
    if faults:
        raise GameError(*faults)
    token = hashlib.sha256(msgspec.json.encode(sorted(digests.items()))).hexdigest() if tables else ""
    return CustomFigures(digests=digests if tables else {}, tables=tables, stated=stated, token=token)


def _parsed(path: Path) -> dict[str, Any]:
    if path.stat().st_size > MOST_BYTES:
        raise GameError.saying("bad-figures", f"this file has more than {MOST_BYTES} bytes", file=str(path))
    return files.parsed_file(path, "file of figures", str(path))


def _tables(raw: dict[str, Any], file: str, faults: list[Fault]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the tables of a file that replace shipped figures, as (kind, key, table).

    Faults are added to ``faults``. Empty tables, as in a form that nobody filled in, are skipped.
    """

    def wrong(text: str) -> None:
        faults.append(Fault(code="bad-figures", text=text, file=file))

    for plural, tables in raw.items():
        kind = KINDS.get(plural, "")
        if not kind or not isinstance(tables, dict):
            wrong(f"{plural}: put figures under {', '.join(f'[{name}.KEY]' for name in KINDS)}")
            continue
        for key, table in tables.items():
            if fault := _irreplaceable(kind, key, table):
                wrong(f"{plural}.{key}: {fault}")
            elif found := _filled(table):
                for name in found:
                    if name in IDENTITY:
                        wrong(f"{plural}.{key}.{name}: is not a figure, so it cannot be replaced")
                yield kind, key, found


def _irreplaceable(kind: str, key: str, table: object) -> str:
    """Return why a table of custom figures cannot replace shipped figures, or ``""`` if it can."""
    if key not in files.keys(kind):
        near = files.nearest(key, files.keys(kind), 1)
        return f"there is no {kind} {key!r}{f'; did you mean {near[0]}?' if near else ''}"
    if kind == "chart" and key in FIXED:
        return "this chart has no figures that can be replaced"
    return "" if isinstance(table, dict) else f"is a table of figures, not {table!r}"


def _filled(table: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a table without its empty parts.

    Empty parts are tables without values, and named tables with nothing but a name.
    """
    found: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            if inner := _filled(value):
                found[name] = inner
        elif are_named(value):
            if things := [thing for thing in map(_filled, value) if len(thing) > 1]:
                found[name] = things
        else:
            found[name] = value
    return found


def verify_figures(own: CustomFigures) -> None:
    """Check every ship, chart and scenario of pbem with these custom figures merged in.

    The checks are the same as for shipped data.

    Raises:
        GameError: A figure is wrong; the error has one fault for each, which names the file, the place and the value.
    """
    faults: list[Fault] = []
    with files.playing_with(own):
        for (kind, key), file in own.stated.items():
            faults += _unknown_names(own.tables[kind][key], _shipped(kind, key), f"{file} [{kind}s.{key}]", kind)
        for kind in ("chart", "ship", "scenario"):
            if not faults:  # a faulty chart would cause further faults in ships
                faults += (fault for key in files.keys(kind) for fault in _merged_faults(own, kind, key))
        if not faults:
            faults += (fault for key in variant_keys() for fault in _merged_faults(own, "scenario", key))
    if faults:
        raise GameError(*dict.fromkeys(faults))


def _merged_faults(own: CustomFigures, kind: str, key: str) -> Iterator[Fault]:
    """Yield the faults that one chart, ship or scenario has when the custom figures are merged in."""
    try:
        if kind == "chart":
            charts.chart(key)
        elif kind == "ship":
            ships.ship_class(key)
        else:
            yield from _unknown_ships(scenario(key), own)
    except GameError as error:
        yield from (_with_value(fault, own, kind, key) for fault in error.faults)


def _unknown_ships(found: Scenario, own: CustomFigures) -> Iterator[Fault]:
    """Yield a fault for each ship class that a scenario names and that does not exist."""
    file = own.stated.get(("scenario", found.number), "")
    for unit in found.units:
        for wanted in (unit.ship, *unit.choices):
            if wanted not in files.keys("ship"):
                text = f"units {unit.name}.ship: there is no ship {wanted!r}"
                yield Fault(code="bad-figures", text=text, file=f"{file} [scenarios.{found.number}]")


def _shipped(kind: str, key: str) -> dict[str, Any]:
    with files.playing_with(CustomFigures()):
        return files.read_toml(kind, key)[0]


def _unknown_names(
    own: dict[str, Any], shipped: dict[str, Any], file: str, kind: str, above: str = ""
) -> Iterator[Fault]:
    """Yield a fault for each name in the custom figures that the shipped file does not have.

    Custom figures may not add kinds of weapon, monsters, sides, units or words of a chart, because the rules know
    only those in the shipped files.
    """
    for name, value in own.items():
        place = f"{above}.{name}" if above else name
        old = shipped.get(name)
        if are_named(value) and isinstance(old, list):
            known = _values_of(old, "name")
            yield from (
                _unknown_name(place, thing["name"], known, file) for thing in value if thing["name"] not in known
            )
        elif isinstance(value, dict) and isinstance(old, dict):
            for entry, inner in value.items():
                if entry not in old and (isinstance(inner, dict) or (kind == "chart" and above)):
                    yield _unknown_name(place, entry, old, file)
            inside = {entry: inner for entry, inner in value.items() if entry in old}
            yield from _unknown_names(inside, old, file, kind, place)
        elif kind == "chart":
            yield from _changed_words(place, value, old, file)


def _changed_words(place: str, value: object, old: object, file: str) -> Iterator[Fault]:
    """Yield a fault where custom figures try to change a text of a chart, or the kind of an entry."""
    if isinstance(old, str) and not _NUMBER.fullmatch(old) and value != old:
        yield Fault(code="bad-figures", text=f"{place}: {value!r} cannot be replaced here; it stays {old!r}", file=file)
    elif isinstance(value, list) and isinstance(old, list) and (words := _values_of(old, "kind")):
        for number, thing in enumerate(value):
            if isinstance(thing, dict) and thing.get("kind") not in words:
                yield _unknown_name(f"{place}[{number}].kind", thing.get("kind"), words, file)


def _values_of(things: Sequence[object], field: str) -> list[Any]:
    """Return the distinct values of one field in a list of tables, in their order."""
    return list(dict.fromkeys(thing[field] for thing in things if isinstance(thing, dict) and field in thing))


def _unknown_name(place: str, name: object, known: Iterable[object], file: str) -> Fault:
    """Return a fault that says that a name is not one of the known names."""
    text = f"{place}: {name!r} must be one of {', '.join(map(str, known))}"
    return Fault(code="bad-figures", text=text, file=file)


def _with_value(fault: Fault, own: CustomFigures, kind: str, key: str) -> Fault:
    """Return the fault with the wrong value added to its sentence, if the sentence does not contain it yet."""
    place, colon, _ = fault.text.partition(": ")
    value: Any = own.tables.get(kind, {}).get(key, {})
    for name in re.findall(r"[^.\[\]]+", place) if colon else ():
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list) and name.isdecimal() and int(name[:9]) < len(value):
            value = value[int(name)]
        else:
            value = None
    if value is None or isinstance(value, dict | list) or str(value) in fault.text:
        return fault
    return msgspec.structs.replace(fault, text=f"{fault.text}, and this is {toml_value(value)}")


def replaced_data(own: CustomFigures) -> tuple[str, ...]:
    """Return the names of the charts, ships and scenarios that custom figures change, for the reports.

    Examples are ``ship rom_cadet_ca`` and ``chart boarding``. Figures equal to the shipped ones are left out.
    """
    return tuple(
        f"{kind} {key}"
        for kind, tables in sorted(own.tables.items())
        for key, table in sorted(tables.items())
        if files.laid_over(_shipped(kind, key), table) != _shipped(kind, key)
    )
