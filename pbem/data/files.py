"""Reading the data files.

Found by key or path, checked field by field, every error with its place inside the file.

Every file says where its figures come from: ``source`` names the handbook rule or chart, ``confidence`` is
one word: ``printed`` (in the handbook's text), ``cross-checked`` (several sources agree), ``single`` (one
source) or ``designed`` (a choice of this project where no source is known). ``confidence_of`` says it of single
figures, by their place, where it is not that of the whole file.

Who owns the printed book may replace figures by his own (:class:`Own`; :mod:`pbem.data.figures` reads and checks
them): they are laid over what is shipped whenever a file is read.
"""

from __future__ import annotations

import difflib
import re
import tomllib
import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, TypeGuard, TypeVar, Union, get_args, get_origin, get_type_hints
from unicodedata import normalize

import msgspec

from pbem.data.keeping import PROGRAM, kept
from pbem.faults import Fault, GameError
from pbem.values.patterns import regex

Confidence = Literal["printed", "cross-checked", "single", "designed"]
Struct = TypeVar("Struct", bound=msgspec.Struct)


class Sourced(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, eq=False):
    """What every chart says of itself.

    Title, the rule or chart its figures come from, and how sure they are. A chart is read once for one set of figures
    and is the same as itself alone, so that what is worked out of it can be kept for it.
    """

    title: str
    source: str
    confidence: Confidence
    confidence_of: dict[str, Confidence] = {}


HERE = PROGRAM / "data"
FOLDERS = {"chart": ("charts",), "ship": ("ships/cadet", "ships/standard"), "scenario": ("scenarios",)}


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of one's own: what replaces shipped ones, by kind and key, and the files they stand in.

    ``digests`` are the SHA-256 of the files by name, ``stated`` says in which file each kind and key stands, ``token``
    tells one set from another (empty: there are none).
    """

    digests: dict[str, str] = {}
    tables: dict[str, dict[str, dict[str, Any]]] = {}
    stated: dict[tuple[str, str], str] = {}
    token: str = ""


FIGURES = "figures"
"""The folder of figures of one's own, in a game and beside the games."""

_GAME: ContextVar[Path | None] = ContextVar("game folder", default=None)
_OWN: ContextVar[Own] = ContextVar("figures of one's own", default=Own())  # noqa: B039 (frozen)


own_figures = _OWN.get
"""The figures of one's own that hold now: the law asks at every look into a chart."""


def files_read() -> tuple[Path | None, str]:
    """What tells whose files are read now: the folder in which keys are looked up as well, the figures of one's own."""
    return _GAME.get(), _OWN.get().token


@contextmanager
def playing_with(own: Own) -> Iterator[None]:
    """Within this, figures of one's own replace shipped ones."""
    before = _OWN.set(own)
    try:
        yield
    finally:
        _OWN.reset(before)


@contextmanager
def looking_beside(folder: Path, own: Own) -> Iterator[None]:
    """Within this, keys are looked up in a game folder as well, and figures of one's own replace shipped ones."""
    before = _GAME.set(folder)
    try:
        with playing_with(own):
            yield
    finally:
        _GAME.reset(before)


@cache
def keys(kind: str) -> tuple[str, ...]:
    """The keys of all shipped files of a kind: ``chart``, ``ship`` or ``scenario``.

    Numbers in their natural order.
    """
    found = (path.stem for folder in FOLDERS[kind] for path in (HERE / folder).glob("*.toml"))
    return tuple(sorted(found, key=lambda key: (int(key) if key.isdecimal() else 0, key)))


@cache
def is_key(kind: str, key: str) -> bool:
    """Whether this is the key of a shipped file of a kind, and not the path of a file of one's own."""
    return key in keys(kind)


def locate(kind: str, key_or_path: str | Path) -> Path:
    """The file of a key, or a user's own file by its path. Raises :class:`GameError` if there is neither."""
    text = str(key_or_path)
    if text in keys(kind):
        return next(path for folder in FOLDERS[kind] if (path := HERE / folder / f"{text}.toml").is_file())
    game = _GAME.get()
    if game is not None and _is_file(path := game / f"{kind}s" / f"{text}.toml"):
        return path
    path = Path(text)
    if _is_file(path):
        return path
    if path.suffix == ".toml" or "/" in text or "\\" in text:
        raise GameError.saying("no-such-file", f"there is no file {_short(text)} for a {kind}", file=_short(text))
    meant = _entitled(kind, text)
    near = [*meant] or ([] if text.isdecimal() or len(text) > _LONGEST_KEY else nearest(text, keys(kind), 3))
    hint = f"; `pbem {kind}s` lists them"
    if near:
        hint = f"; did you mean {', '.join(f'{key} ({meant[key]})' if key in meant else key for key in near)}?"
    raise GameError(
        Fault(
            code=f"unknown-{kind}",
            text=f"there is no {kind} {_short(text)!r}{hint}",
            choices=tuple(near or keys(kind)),
        )
    )


_LONGEST_KEY = 100
"""No key of a file is longer; what is longer is no misspelt key either."""


def _short(text: str) -> str:
    """What a fault says of a name that may be of any length."""
    return text if len(text) <= _LONGEST_KEY else f"{text[:_LONGEST_KEY]}…"


def _is_file(path: Path) -> bool:
    """Whether there is such a file; a name that no system could hold is none."""
    try:
        return path.is_file()
    except OSError:
        return False


def _entitled(kind: str, words: str) -> dict[str, str]:
    """The keys, with titles, of up to three shipped files whose title or race has these words in it."""
    said, found = words.casefold(), dict[str, str]()
    for key in keys(kind) if len(said) > 2 else ():
        raw = tomllib.loads(locate(kind, key).read_text(encoding="utf-8"))
        title = str(raw.get("title") or raw.get("name") or "")
        if said in title.casefold() or said == str(raw.get("race")).casefold():
            found[key] = title
    return dict([*found.items()][:3])


def read_toml(kind: str, key_or_path: str | Path) -> tuple[dict[str, Any], str]:
    """The content of a data file, and the name errors should give it. Raises :class:`GameError`.

    ``kind`` is ``chart``, ``ship`` or ``scenario``; the other is a key of :func:`keys` or the path of a
    user's file.
    """
    path = locate(kind, key_or_path)
    shipped = path.is_relative_to(HERE)
    name = path.name if shipped else str(key_or_path)
    found = _shipped(path, kind) if shipped else parsed_file(path, f"{kind} file", name)
    own = own_figures()
    if shipped and (table := own.tables.get(kind, {}).get(path.stem)) is not None:
        return laid_over(found, table), f"{own.stated[kind, path.stem]} [{kind}s.{path.stem}]"
    return found, name


def _shipped(path: Path, kind: str) -> dict[str, Any]:
    """The tables of a file of this program: reading TOML takes longer than a turn."""
    if not path.is_relative_to(PROGRAM):
        return parsed_file(path, f"{kind} file", path.name)
    place = "-".join(path.relative_to(HERE).with_suffix("").parts)
    make = partial(parsed_file, path, f"{kind} file", path.name)
    return kept(place, make, msgspec.msgpack.encode, msgspec.msgpack.decode, of=path)


def parsed_file(path: Path, what: str, name: str) -> dict[str, Any]:
    """The tables of a TOML file; ``what`` and ``name`` are what errors call it. Raises :class:`GameError`."""
    try:
        # A name typed on another system may have its umlauts written as letter and dots.
        return parse_toml(normalize("NFC", toml_text(path)))
    except OSError as error:
        why = error.strerror or "it cannot be read"
        raise GameError.saying("unreadable", f"the {what} cannot be read: {why}", file=name) from error
    except UnicodeDecodeError as error:
        raise GameError.saying("not-utf8", f"the {what} is not UTF-8 text", file=name) from error
    except NotToml as error:
        raise GameError.saying("not-toml", f"the {what} is not valid TOML: {error}", file=name) from error


def laid_over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """A file with other figures: tables are gone through field by field, lists of named things by their names;
    anything else is replaced.
    """
    found = dict(below)
    for key, value in above.items():
        old = below.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            found[key] = laid_over(old, value)
        elif are_named(old) and are_named(value):
            changed = {thing["name"]: thing for thing in value}
            found[key] = [laid_over(thing, changed.pop(thing["name"], {})) for thing in old] + [*changed.values()]
        else:
            found[key] = value
    return found


def are_named(value: object) -> TypeGuard[list[dict[str, Any]]]:
    """Whether this is a list of tables that have a name each."""
    return isinstance(value, list) and bool(value) and all(isinstance(t, dict) and "name" in t for t in value)


_LONG_KEY = regex(r"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){40}")
"""A key such as ``a.b.c`` of more than 40 parts: the reader's time grows with the square of their number."""
MOST_TOML = 1_000_000
"""Characters of a TOML file; the longest of the program has 300,000."""


MOST_TOML_BYTES = 4 * MOST_TOML
"""Bytes of a TOML file: a character takes up to four."""


class NotToml(ValueError):
    """A text that is no TOML, and why, with its place."""


_WINDOWS_PATH = regex(r'"(?:[A-Za-z]:|\\)\\')
PLAIN_PATHS = "in double quotes \\ begins a sign like \\t; write paths with /, or in single quotes"
"""What whoever wrote a path of Windows into a TOML file is told."""


def toml_text(path: Path, encoding: str = "utf-8") -> str:
    """The text of a TOML file, of one that is too long no more than :func:`parse_toml` needs to refuse it."""
    with path.open(encoding=encoding) as file:
        return file.read(MOST_TOML + 1)


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises :class:`NotToml` for whatever is wrong with it: the reader itself lets numbers
    of thousands of digits and nesting without end fail in other ways.
    """
    if len(text) > MOST_TOML:
        raise NotToml(f"it has more characters than {MOST_TOML}, which is the most")
    if _LONG_KEY.search(text):
        raise NotToml("a key in it has too many parts")
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))  # Windows editors begin files with that
    except tomllib.TOMLDecodeError as error:
        raise NotToml(f"{error}{_hint(text, str(error))}") from None
    except RecursionError:
        raise NotToml("its tables are nested too deep") from None
    except ValueError as error:
        said = str(error).partition(":")[0]
        raise NotToml(f"a value cannot be: {said}") from None


def _hint(text: str, said: str) -> str:
    """A word for who wrote ``"C:\\mail"``, where that is what is wrong."""
    at = re.search(r"\(at line (\d+),", said)
    lines = text.split("\n")
    line = lines[int(at[1]) - 1] if at and int(at[1]) <= len(lines) else ""
    return f": {PLAIN_PATHS}" if _WINDOWS_PATH.search(line) else ""


def build(wanted: type[Struct], raw: dict[str, Any], file: str) -> Struct:
    """A struct from the content of a data file.

    Raises :class:`GameError` with *all* errors, each with its path.
    """
    try:
        return msgspec.convert(raw, wanted, dec_hook=fraction)
    except msgspec.ValidationError:
        pass  # it stops at the first error; now look for all of them
    faults: list[Fault] = []
    value = _convert(wanted, raw, "", faults)
    if faults:
        raise GameError(*(msgspec.structs.replace(fault, file=file) for fault in faults))
    assert isinstance(value, wanted)
    return value


def refuse(file: str, *texts: str) -> None:
    """Raise :class:`GameError` with one fault a text (``path inside the file.

    What is wrong``), if there are any.
    """
    if texts:
        raise GameError(*(Fault(code="bad-data", text=text, file=file) for text in texts))


def fraction(wanted: type, value: object) -> object:
    """How a :class:`Fraction` is written in a data file: ``"2/3"`` (text) or a whole number."""
    if wanted is Fraction and isinstance(value, str | int):
        try:
            if isinstance(value, str) and "e" in value.casefold():
                raise ValueError(value)  # 1e99999999 would fill the memory
            return Fraction(value)
        except (ValueError, ZeroDivisionError) as error:
            raise ValueError(f"{value!r} is no number such as 1 or 2/3") from error
    raise NotImplementedError(wanted)


def _convert(wanted: Any, raw: Any, path: str, faults: list[Fault]) -> Any:
    """Struct by struct and item by item, since msgspec stops at its first error."""
    origin, args = get_origin(wanted), get_args(wanted)
    if origin in (Union, types.UnionType) and type(None) in args and len(args) == 2:
        return None if raw is None else _convert(next(a for a in args if a is not type(None)), raw, path, faults)
    if isinstance(wanted, type) and issubclass(wanted, msgspec.Struct) and isinstance(raw, dict):
        return _convert_struct(wanted, raw, path, faults)
    if origin is tuple and len(args) == 2 and args[1] is Ellipsis and isinstance(raw, list):
        return tuple(_convert(args[0], item, f"{path}[{number}]", faults) for number, item in enumerate(raw))
    if origin is tuple and args == (str, Ellipsis) and isinstance(raw, str):
        _fault(faults, path, f'write ["{raw}"]: this is a list, also where it has one item')
        return None
    if origin is dict and isinstance(raw, dict) and args[0] is str:
        return {key: _convert(args[1], item, _join(path, key), faults) for key, item in raw.items()}
    try:
        return msgspec.convert(raw, wanted, dec_hook=fraction)
    except msgspec.ValidationError as error:
        said, _, inner = str(error).partition(" - at `$")
        if origin is Literal:
            near = nearest(raw, (one for one in args if isinstance(one, str)), 1) if isinstance(raw, str) else []
            said = (
                f"is {raw!r}, and may be {', '.join(map(repr, args))}{f'; did you mean {near[0]!r}?' if near else ''}"
            )
        _fault(faults, path + inner.removesuffix("`"), said)
        return None


def _convert_struct(wanted: type[msgspec.Struct], raw: dict[str, Any], path: str, faults: list[Fault]) -> Any:
    hints = get_type_hints(wanted)
    fields = {field.encode_name: field for field in msgspec.structs.fields(wanted)}
    values: dict[str, Any] = {}
    before = len(faults)
    for name, field in fields.items():
        if name in raw:
            values[field.name] = _convert(hints[field.name], raw[name], _join(path, name), faults)
        elif field.required:
            _fault(faults, _join(path, name), "is missing")
    for name in raw:
        if name not in fields:
            near = nearest(name, fields, 1)
            _fault(faults, _join(path, name), f"is no field here{f'; did you mean {near[0]}?' if near else ''}")
    return wanted(**values) if len(faults) == before else None


def nearest(word: str, known: Iterable[str], most: int) -> list[str]:
    """The known words most like one that is not known."""
    return difflib.get_close_matches(word, list(known), n=most)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _fault(faults: list[Fault], path: str, said: str) -> None:
    sentence = said[0].lower() + said[1:] if said else said
    faults.append(Fault(code="bad-data", text=f"{path}: {sentence.rstrip('.')}"))
