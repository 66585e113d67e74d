r"""VASSAL's quoting of lists of tokens, its integers and notes, and helpers that create values only when needed.

VASSAL joins tokens with one character, with the same quoting at every level. A delimiter inside a token gets a
backslash before it; backslashes themselves are not doubled. A token that begins with a backslash, or that begins
and ends with an apostrophe, is put between apostrophes.

>>> encode(["a", "b;c"], ";")
'a;b\\;c'
>>> decode("a;b\\;c", ";")
['a', 'b;c']

The helpers create values, and the methods of dataclasses, when they are first used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vassal.errors import LossyTextError

__all__ = [
    "dataclass",
    "decode",
    "decode_padded",
    "encode",
    "encode_token",
    "is_lossless",
    "is_number",
    "lazy",
    "number",
    "plain_note",
    "reckoned",
    "setter",
    "stored_note",
    "unquote",
]


if TYPE_CHECKING:
    from dataclasses import dataclass
    from functools import cached_property as lazy
else:
    import dataclasses
    from threading import RLock
    from types import GenericAlias

    _WORKING = RLock()

    def dataclass(*, frozen=False, slots=False):
        """Act as ``dataclasses.dataclass``, but with methods created on first use.

        This applies to frozen classes with slots. The standard decorator writes and compiles six functions for each
        class. That costs about half a millisecond at each import of this package, and most runs use few of the
        classes. Here ``__init__`` is created when the first instance is made. All other methods are created when an
        instance is first compared, hashed or printed, or when its fields are requested. A class made this way must
        not have another such class as a base.
        """
        return _waiting if frozen and slots else dataclasses.dataclass(frozen=frozen, slots=slots)

    def _frozen_methods(names):
        """Return the methods that make a class refuse changes of these fields, and let it be copied and pickled."""

        def refused(self, name, *value):
            raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")

        def state(self):
            return [getattr(self, name) for name in names]

        def restored(self, values):
            for name, value in zip(names, values, strict=True):
                object.__setattr__(self, name, value)

        return {"__setattr__": refused, "__delattr__": refused, "__getstate__": state, "__setstate__": restored}

    def _add_methods(made, plain, kept):
        """Make ``plain`` a dataclass and add its generated methods to ``made``, except those named in ``kept``."""
        before = set(plain.__dict__)
        done = dataclasses.dataclass(frozen=True)(plain)
        for name, value in tuple(done.__dict__.items()):
            if name not in before and name not in kept:
                setattr(made, name, value)

    def _waiting(plain):
        """Return a class like ``plain`` but with slots.

        The generated methods are added when they are first used.
        """
        names = tuple(name for name, kind in plain.__annotations__.items() if not kind.startswith("ClassVar"))
        left_out = {*names, "__dict__", "__weakref__"}
        body = {name: value for name, value in plain.__dict__.items() if name not in left_out}
        own = set(body)
        made = None

        def complete():
            with _WORKING:
                if not dataclasses.is_dataclass(plain):
                    _add_methods(made, plain, frozen)

        def begun(self, *values, **named):
            with _WORKING:
                if made.__init__ is begun:
                    init = _init(made, names, plain)
                    if init is None:
                        complete()
                    else:
                        made.__init__ = init
            made.__init__(self, *values, **named)

        def first(name):
            def method(self, *values, **named):
                complete()
                return getattr(made, name)(self, *values, **named)

            return method

        class Fields:
            def __get__(self, instance, owner):
                complete()
                return made.__dataclass_fields__

        frozen = _frozen_methods(names)
        later = {name: first(name) for name in ("__repr__", "__eq__", "__hash__")} | {"__init__": begun}
        given = {"__slots__": names, "__match_args__": names, "__dataclass_fields__": Fields(), **later, **frozen}
        body |= {name: value for name, value in given.items() if name not in own}
        made = type(plain)(plain.__name__, plain.__bases__, body)
        made.__qualname__ = plain.__qualname__
        return made

    def _init(made, names, plain):
        """Return an ``__init__`` for a class, like the one of the standard library.

        The result is ``None`` if a field uses any option other than a default value.
        """
        given = {name: plain.__dict__[name] for name in names if name in plain.__dict__}
        if hasattr(made, "__post_init__") or any(isinstance(value, dataclasses.Field) for value in given.values()):
            return None
        known = {f"_default_{name}": value for name, value in given.items()}
        known |= {f"_set_{name}": setter(made, name) for name in names}
        taken = ", ".join(f"{name}=_default_{name}" if name in given else name for name in names)
        body = "".join(f"\n  _set_{name}(self, {name})" for name in names) or " pass"
        exec(f"def __init__(self, {taken}):{body}", known)
        init = known["__init__"]
        init.__qualname__ = f"{made.__qualname__}.__init__"
        init.__annotations__ = {name: plain.__annotations__[name] for name in names} | {"return": None}
        return init

    class lazy:
        """Act as ``functools.cached_property``, but without the lock that it uses.

        Python 3.11 takes the lock whenever a value is first requested, which took a third of the time of reading a
        big save. Two threads may compute the same value twice; the result is the same.
        """

        __class_getitem__ = classmethod(GenericAlias)

        def __init__(self, function):
            self.function = function
            self.__doc__ = function.__doc__

        def __set_name__(self, owner, name):
            self.name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.function(instance)
            return value


def reckoned(instance: Any, name: str, by: Mapping[str, Callable[[Any], Any]]) -> Any:
    """Compute the value of an empty slot, store it in the slot and return it.

    Classes call this function from ``__getattr__``, which Python no longer calls once the slot has a value.
    Slots are used in classes of which a big save holds a hundred thousand instances. A dictionary for each instance
    would need more memory than its content.

    Args:
        instance: The object.
        name: The name of the slot.
        by: The functions that compute values, by slot name.

    Raises:
        AttributeError: ``by`` has no function for the name.
    """
    function = by.get(name)
    if function is None:
        raise AttributeError(f"{type(instance).__name__} has no attribute {name!r}")
    value = function(instance)
    object.__setattr__(instance, name, value)
    return value


def setter(kind: type, name: str) -> Callable[[Any, Any], None]:
    """Return a function that sets one slot of a class, even if the class is frozen.

    It takes a third of the time of ``object.__setattr__``, which looks up the slot each time.
    """
    put: Callable[[Any, Any], None] = kind.__dict__[name].__set__
    return put


def unquote(token: str) -> str:
    """Remove exactly one pair of apostrophes around *token*, if there is one."""
    if len(token) > 1 and token[0] == "'" and token[-1] == "'":
        return token[1:-1]
    return token


def decode(text: str | None, delimiter: str) -> list[str]:
    """Split *text* into its list of tokens.

    ``None`` has no tokens, and ``""`` has one empty token. A delimiter at the very end is followed by an empty
    token. This never fails, because every text is a valid list of tokens.
    """
    if text is None:
        return []
    if delimiter not in text:
        return [unquote(text)]
    if "\\" + delimiter not in text:
        if "'" not in text:
            return text.split(delimiter)
        return [unquote(token) for token in text.split(delimiter)]
    tokens: list[str] = []
    pending: list[str] = []  # parts of a token whose delimiters were escaped
    for part in text.split(delimiter):
        if part.endswith("\\"):
            pending.append(part[:-1])
        elif pending:
            pending.append(part)
            tokens.append(unquote(delimiter.join(pending)))
            pending = []
        else:
            tokens.append(unquote(part))
    if pending:
        # The last part ended with a backslash and no delimiter follows, so the backslash belongs to the token.
        tokens.append(unquote(delimiter.join(pending) + "\\"))
    return tokens


def decode_padded(text: str | None, delimiter: str, count: int) -> list[str]:
    """Split *text* like :func:`decode` and add empty tokens up to *count*, because old files have fewer."""
    tokens = decode(text, delimiter)
    if len(tokens) < count:
        tokens += [""] * (count - len(tokens))
    return tokens


def encode_token(token: str | None, delimiter: str) -> str:
    """Return a token as it is written between two delimiters. ``None`` is written like an empty token."""
    if not token:
        return ""
    escaped = token.replace(delimiter, "\\" + delimiter) if delimiter in token else token
    if token[0] == "\\" or (token[0] == "'" and token[-1] == "'"):
        return f"'{escaped}'"
    return escaped


def encode(tokens: Iterable[str | None], delimiter: str, *, strict: bool = True) -> str:
    """Join *tokens* to one text with VASSAL's quoting.

    Raises:
        LossyTextError: VASSAL would read back another list, and *strict* is true (the default). This happens if a
            token other than the last ends with a backslash and gets no apostrophes. The backslash then escapes the
            delimiter after it.
    """
    parts = [encode_token(token, delimiter) for token in tokens]
    if strict:
        for part in parts[:-1]:
            if part.endswith("\\"):
                raise LossyTextError(
                    f"the text {_shorten(part)} ends with a backslash, which VASSAL would merge with what follows it"
                )
    return delimiter.join(parts)


def is_lossless(tokens: Sequence[str | None], delimiter: str) -> bool:
    """Return whether VASSAL would read back exactly these tokens from their text."""
    text = encode(tokens, delimiter, strict=False)
    return decode(text, delimiter) == [token or "" for token in tokens]


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 60 else "..." + text[-57:])


_INTEGER = re.compile(r"[+-]?[0-9]{1,12}")


def number(token: str, default: int = 0) -> int:
    """Return a text as a decimal 32-bit integer, or *default* if VASSAL would use its default."""
    if token.isdecimal() and token.isascii() and len(token) < 10:
        return int(token)  # the usual case, decided without the slower pattern
    return int(token) if is_number(token) else default


def is_number(token: str) -> bool:
    """Return whether VASSAL reads *token* as an integer."""
    return _INTEGER.fullmatch(token) is not None and -(2**31) <= int(token) < 2**31


def plain_note(text: str) -> str:
    r"""Return a stored note as a player sees it. VASSAL stores line ends as ``|``, and a ``|`` as ``\|``."""
    return "\n".join(decode(text, "|"))


def stored_note(text: str) -> str:
    """Return a note as VASSAL stores it.

    Raises:
        LossyTextError: A line ends with a backslash, so that VASSAL would lose the line end.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return encode(lines, "|")
