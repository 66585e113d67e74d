"""Find the data files by key or path, read them, and convert them to typed objects.

Conversion reports every error with its place in the file. Every file states the origin of its figures, i.e. numbers.
``source`` names the handbook rule or chart. ``confidence`` is ``printed`` (in the handbook's text),
``cross-checked`` (several sources agree), ``single`` (one source) or ``designed`` (a choice of this project where no
source is known). The table ``confidence_of`` gives the confidence of single figures, by their place in the file.

Owners of the printed book may replace shipped figures by their own (:class:`CustomFigures`). This module merges
them in whenever a file is read; :mod:`pbem.data.house_figures` reads and checks them.
"""

from __future__ import annotations

import difflib
import re
import tomllib
import types
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, TypeGuard, TypeVar, Union, get_args, get_origin, get_type_hints
from unicodedata import normalize

import msgspec

from pbem.data.cache import PROGRAM, cached
from pbem.errors import Fault, GameError
from pbem.util import regex

Confidence = Literal["printed", "cross-checked", "single", "designed"]
Struct = TypeVar("Struct", bound=msgspec.Struct)


class Sourced(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, eq=False):
    """Base class of every data file's type: title, source and confidence.

    The object made from a file is equal only to itself. Results computed from a chart can therefore be cached with
    the chart as key.
    """

    title: str
    source: str
    confidence: Confidence
    confidence_of: dict[str, Confidence] = {}


HERE = PROGRAM / "data"
FOLDERS = {"chart": ("charts",), "ship": ("ships/cadet", "ships/standard"), "scenario": ("scenarios",)}


class CustomFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A user's own figures that replace shipped ones, and the files they come from.

    Attributes:
        digests: The SHA-256 of each file, by file name.
        tables: The figures, by kind (``chart``, ``ship``, ``scenario``) and key.
        stated: The file that contains the figures, by (kind, key).
        token: A hash that distinguishes one set of figures from another; ``""`` if there are none.
    """

    digests: dict[str, str] = {}
    tables: dict[str, dict[str, dict[str, Any]]] = {}
    stated: dict[tuple[str, str], str] = {}
    token: str = ""


FIGURES = "figures"
"""The name of the folder of custom figures, inside a game folder or beside the game folders."""

_GAME: ContextVar[Path | None] = ContextVar("game folder", default=None)
_OWN: ContextVar[CustomFigures] = ContextVar("figures of one's own", default=CustomFigures())  # noqa: B039 (frozen)


own_figures = _OWN.get
"""Return the :class:`CustomFigures` in effect in the current context; empty if there are none.

Every look-up in a chart calls this function.
"""


def files_read() -> tuple[Path | None, str]:
    """Return the two values that decide which data files are read.

    They are the game folder (or ``None``) and the hash of the custom figures in effect.

    Callers use both values as a part of their cache keys.
    """
    return _GAME.get(), _OWN.get().token


@contextmanager
def playing_with(own: CustomFigures) -> Iterator[None]:
    """Within this context, use these custom figures in place of the shipped ones."""
    before = _OWN.set(own)
    try:
        yield
    finally:
        _OWN.reset(before)


@contextmanager
def looking_beside(folder: Path, own: CustomFigures) -> Iterator[None]:
    """Within this context, look up keys in a game folder too, and use the custom figures ``own``.

    The custom figures replace the shipped ones.
    """
    before = _GAME.set(folder)
    try:
        with playing_with(own):
            yield
    finally:
        _GAME.reset(before)


@cache
def keys(kind: str) -> tuple[str, ...]:
    """Return the keys (file names without extension) of all shipped files of a kind.

    The kinds are ``chart``, ``ship`` and ``scenario``. Keys that are numbers are sorted by value.
    """
    found = (path.stem for folder in FOLDERS[kind] for path in (HERE / folder).glob("*.toml"))
    return tuple(sorted(found, key=lambda key: (int(key) if key.isdecimal() else 0, key)))


@cache
def is_key(kind: str, key: str) -> bool:
    """Return whether this is the key of a shipped file; otherwise it may be the path of a user's file."""
    return key in keys(kind)


def locate(kind: str, key_or_path: str | Path) -> Path:
    """Return the path of the data file for a key or a path given by a user.

    Shipped files are tried first, then files in the game folder (:func:`looking_beside`), then the text as a path.

    Raises:
        GameError: There is no such file. The fault suggests similar keys.
    """
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
        shown = _short_path(text)
        raise GameError.saying("no-such-file", f"there is no {kind} file {shown}", file=shown)
    raise _unknown_key(kind, text)


def _unknown_key(kind: str, text: str) -> GameError:
    """Return the error for a key that no data file has, with suggestions of similar keys."""
    meant = _entitled(kind, text)
    near = [*meant] or ([] if text.isdecimal() or len(text) > _LONGEST_KEY else nearest(text, keys(kind), 3))
    hint = f"; `pbem {kind}s` lists them"
    if near:
        hint = f"; did you mean {', '.join(f'{key} ({meant[key]})' if key in meant else key for key in near)}?"
    return GameError(
        Fault(
            code=f"unknown-{kind}",
            text=f"there is no {kind} {_short(text)!r}{hint}",
            choices=tuple(near or keys(kind)),
        )
    )


_LONGEST_KEY = 100
"""The maximum length of an unknown key for which similar keys are suggested."""


def _short(text: str) -> str:
    """Return a name for a message, shortened if it is very long."""
    return text if len(text) <= _LONGEST_KEY else f"{text[:_LONGEST_KEY]}…"


_LONGEST_PATH = 240
"""The maximum length of a path in a message."""


def _short_path(text: str) -> str:
    """Return a path for a message; a very long path is shortened to its end, which has the file's name."""
    return text if len(text) <= _LONGEST_PATH else f"…{text[-_LONGEST_PATH:]}"


def _is_file(path: Path) -> bool:
    """Return whether this path is a file; ``False`` also if the operating system does not accept the name."""
    try:
        return path.is_file()
    except OSError:
        return False


def _entitled(kind: str, words: str) -> dict[str, str]:
    """Return the titles (by key) of up to three shipped files that a player may mean by these words.

    A file matches if its title contains the words or if its race equals them.
    """
    said, found = words.casefold(), dict[str, str]()
    for key in keys(kind) if len(said) > 2 else ():
        raw = tomllib.loads(locate(kind, key).read_text(encoding="utf-8"))
        title = str(raw.get("title") or raw.get("name") or "")
        if said in title.casefold() or said == str(raw.get("race")).casefold():
            found[key] = title
    return dict([*found.items()][:3])


def read_toml(kind: str, key_or_path: str | Path) -> tuple[dict[str, Any], str]:
    """Return the content of a data file, with custom figures merged in, and the file's name for error messages.

    Args:
        kind: ``chart``, ``ship`` or ``scenario``.
        key_or_path: A key of :func:`keys` or the path of a user's file.

    Raises:
        GameError: The file is missing or cannot be read.
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
    """Return the content of a shipped file as a dict, from the cache on disk where possible.

    The cache is needed because parsing the TOML files takes longer than playing a turn.
    """
    if not path.is_relative_to(PROGRAM):
        return parsed_file(path, f"{kind} file", path.name)
    place = "-".join(path.relative_to(HERE).with_suffix("").parts)
    make = partial(parsed_file, path, f"{kind} file", path.name)
    return cached(place, make, msgspec.msgpack.encode, msgspec.msgpack.decode, of=path)


def parsed_file(path: Path, what: str, name: str) -> dict[str, Any]:
    """Return the content of a TOML file as a dict.

    ``what`` and ``name`` describe the file in error messages.

    Raises:
        GameError: The file cannot be read, is not UTF-8 or is not valid TOML.
    """
    try:
        # Another system may write an umlaut as two characters: the letter and the dots.
        return parse_toml(normalize("NFC", toml_text(path)))
    except OSError as error:
        why = error.strerror or "it cannot be read"
        raise GameError.saying("unreadable", f"the {what} cannot be read: {why}", file=name) from error
    except UnicodeDecodeError as error:
        raise GameError.saying("not-utf8", f"the {what} is not UTF-8 text", file=name) from error
    except NotToml as error:
        raise GameError.saying("not-toml", f"the {what} is not valid TOML: {error}", file=name) from error


def laid_over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a file (``below``) with other values (``above``) merged in.

    Tables are merged field by field. Lists of named tables are merged table by table, by the names of the tables.
    Any other value is replaced.
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
    """Return whether a value is a list of tables that all have a ``name``."""
    return isinstance(value, list) and bool(value) and all(isinstance(t, dict) and "name" in t for t in value)


_LONG_KEY = regex(r"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){40}")
"""Matches a dotted key such as ``a.b.c`` with more than 40 parts.

Such keys are refused, because the time to parse them grows with the square of the number of parts.
"""
MOST_TOML = 1_000_000
"""Maximum number of characters of a TOML file; the longest file of the program has 300,000."""


MOST_TOML_BYTES = 4 * MOST_TOML
"""Maximum number of bytes of a TOML file; a character takes up to four bytes."""


class NotToml(ValueError):
    """Raised if a text is not valid TOML; the message says why and where."""


_WINDOWS_PATH = regex(r'"(?:[A-Za-z]:|\\)\\')
_BARE_WORD = regex(r"[ \t]*+([\w.-]+)[ \t]*+=[ \t]*+(?!(?:true|false|inf|nan)\b)([A-Za-z][\w @.,-]*+)$")
PLAIN_PATHS = (
    "write the path with / or in single quotes, because in double quotes \\ begins a special character like \\t"
)
"""The hint for a user who wrote a Windows path with backslashes into a TOML file."""


def toml_text(path: Path, encoding: str = "utf-8") -> str:
    """Return the text of a TOML file, but at most one character more than the limit :data:`MOST_TOML`.

    The extra character lets :func:`parse_toml` detect that the file is too long.
    """
    with path.open(encoding=encoding) as file:
        return file.read(MOST_TOML + 1)


def parse_toml(text: str) -> dict[str, Any]:
    """Return the content of a TOML text as a dict.

    Raises:
        NotToml: The text is not valid. This covers cases in which :mod:`tomllib` fails in other ways, such as numbers
            of thousands of digits and very deep nesting.
    """
    if len(text) > MOST_TOML:
        raise NotToml(f"it has more than {MOST_TOML} characters")
    if _LONG_KEY.search(text):
        raise NotToml("a key in it has too many parts")
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))  # Windows editors put a byte order mark at the start
    except tomllib.TOMLDecodeError as error:
        raise NotToml(f"{error}{_hint(text, str(error))}") from None
    except RecursionError:
        raise NotToml("its tables are nested too deeplyly") from None
    except ValueError as error:
        said = str(error).partition(":")[0]
        raise NotToml(f"a value is not allowed: {said}") from None


def _hint(text: str, said: str) -> str:
    r"""Return a hint if a TOML error has one of three usual causes, else ``""``.

    The causes are a Windows path such as ``"C:\mail"``, a word without quotes, and a repeated key. ``said`` is the
    error message of :mod:`tomllib` for ``text``.
    """
    at = re.search(r"\(at line (\d+),", said)
    lines = text.split("\n")
    line = lines[int(at[1]) - 1] if at and int(at[1]) <= len(lines) else ""
    if _WINDOWS_PATH.search(line):
        return f": {PLAIN_PATHS}"
    if bare := _BARE_WORD.match(line[:200]):
        return f': write words in quotes: {bare[1]} = "{bare[2].strip()}"'
    return ": this key is above already; keep one of them" if "overwrite" in said else ""


def build(wanted: type[Struct], raw: dict[str, Any], file: str) -> Struct:
    """Return an object of type ``wanted``, made from the content of a data file.

    Raises:
        GameError: The content is wrong; the error lists all faults of the file, each with its place.
    """
    try:
        return msgspec.convert(raw, wanted, dec_hook=fraction)
    except msgspec.ValidationError:
        pass  # msgspec stops at the first error; below all errors are collected
    faults: list[Fault] = []
    value = _convert(wanted, raw, "", faults)
    if faults:
        raise GameError(*(msgspec.structs.replace(fault, file=file) for fault in faults))
    assert isinstance(value, wanted)
    return value


def refuse(file: str, *texts: str) -> None:
    """Raise a :class:`~pbem.errors.GameError` with one fault for each text; do nothing if there are no texts.

    Each text has the form ``place in the file: what is wrong``.

    Raises:
        GameError: There is at least one text.
    """
    if texts:
        raise GameError(*(Fault(code="bad-data", text=text, file=file) for text in texts))


def fraction(wanted: type, value: object) -> object:
    """Return a :class:`~fractions.Fraction` for a value in a data file: a whole number or a text such as ``"2/3"``.

    The function is a decoding hook (``dec_hook``) for :mod:`msgspec`.

    Raises:
        ValueError: The value is not such a number.
        NotImplementedError: Another type is wanted.
    """
    if wanted is Fraction and isinstance(value, str | int):
        try:
            if isinstance(value, str) and "e" in value.casefold():
                raise ValueError(value)  # 1e99999999 would need too much memory
            return Fraction(value)
        except (ValueError, ZeroDivisionError) as error:
            raise ValueError(f"{value!r} is not a number such as 1 or 2/3") from error
    raise NotImplementedError(wanted)


def _convert(wanted: Any, raw: Any, path: str, faults: list[Fault]) -> Any:
    """Return the converted value of a data file; add every fault to a list instead of stopping at the first.

    The conversion goes field by field, because msgspec alone would stop at its first error.
    """
    origin, args = get_origin(wanted), get_args(wanted)
    if origin in (Union, types.UnionType) and type(None) in args and len(args) == 2:
        return None if raw is None else _convert(next(a for a in args if a is not type(None)), raw, path, faults)
    if isinstance(wanted, type) and issubclass(wanted, msgspec.Struct) and isinstance(raw, dict):
        return _convert_struct(wanted, raw, path, faults)
    if origin is tuple and len(args) == 2 and args[1] is Ellipsis and isinstance(raw, list):
        return tuple(_convert(args[0], item, f"{path}[{number}]", faults) for number, item in enumerate(raw))
    if slip := _correct_writing(wanted, raw):
        _fault(faults, path, slip)
        return None
    if origin is dict and isinstance(raw, dict) and args[0] is str:
        return {key: _convert(args[1], item, _join(path, key), faults) for key, item in raw.items()}
    try:
        return msgspec.convert(raw, wanted, dec_hook=fraction)
    except msgspec.ValidationError as error:
        said, _, inner = str(error).partition(" - at `$")
        if origin is Literal:
            said = _not_one_of(args, raw)
        _fault(faults, path + inner.removesuffix("`"), said)
        return None


def _not_one_of(values: Sequence[object], raw: object) -> str:
    """Return the text of the fault for a value ``raw`` that is not one of the allowed ``values``."""
    near = nearest(raw, (one for one in values if isinstance(one, str)), 1) if isinstance(raw, str) else []
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"is {raw!r}; it must be one of {', '.join(map(repr, values))}{hint}"


def _correct_writing(wanted: Any, raw: Any) -> str:
    """Return the correct notation for a value with wrong quotes or missing brackets; ``""`` for others."""
    if get_args(wanted) == (str, Ellipsis) and isinstance(raw, str):
        return f'write ["{raw}"]: this is a list even if it has only one item'
    if wanted is int and isinstance(raw, str) and raw.strip().isdecimal():
        return f"write {raw.strip()} without quotes: this is a number"
    if wanted is str and isinstance(raw, int) and not isinstance(raw, bool):
        return f'write "{raw}" in quotes: this is text'
    return ""


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
            _fault(faults, _join(path, name), f"is not a known field{f'; did you mean {near[0]}?' if near else ''}")
    return wanted(**values) if len(faults) == before else None


def nearest(word: str, known: Iterable[str], most: int) -> list[str]:
    """Return up to ``most`` known words that are similar to an unknown word, the most similar first."""
    return difflib.get_close_matches(word, list(known), n=most)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _fault(faults: list[Fault], path: str, said: str) -> None:
    sentence = said[0].lower() + said[1:] if said else said
    faults.append(Fault(code="bad-data", text=f"{path}: {sentence.rstrip('.')}"))
