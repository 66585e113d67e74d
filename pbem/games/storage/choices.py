"""The options of a game as they are typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

import msgspec

from pbem.data.files import build
from pbem.engine.options import Options
from pbem.errors import Fault, GameError
from pbem.games.storage.terms import verify_options


def verify_autobreaks(options: Options, sides: Sequence[str]) -> None:
    """Auto-breaks ask sides there are. Raises :class:`GameError`."""
    for auto in options.autobreaks:
        if auto.side not in ("all", *sides):
            said = f"autobreaks, {auto.when!r}: {auto.side!r} is neither all nor one of {', '.join(sides)}"
            raise GameError.saying("option", said, file="--option")


def read_options(typed: Mapping[str, str]) -> Options:
    """The options of a game from ``key=value`` pairs as typed. Raises :class:`GameError` with everything
    wrong.

    ``autobreaks`` is ``none``, or conditions divided by ``;``, each perhaps with ``SIDE:`` before it; yes
    and no stand for the options that are on or off.
    """
    raw: dict[str, object] = {}
    fields = {field.name: field for field in msgspec.structs.fields(Options)}
    for key, value in typed.items():
        field = fields.get(key)
        if key == "autobreaks":
            raw[key] = [_autobreak(part) for part in value.split(";") if part.strip() and value.casefold() != "none"]
        elif field is not None and isinstance(field.default, bool):
            word = value.casefold()
            raw[key] = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}.get(
                word, value
            )
        else:
            raw[key] = value
    wrong = [_refused(key, typed[key], fields) for key in typed if not _fits(raw[key], fields.get(key))]
    if wrong:
        raise GameError(*(Fault(code="option", text=text, file="--option") for text in wrong))
    options = build(Options, raw, "--option")
    verify_options(options, "--option")
    return options


def _fits(value: object, field: msgspec.structs.FieldInfo | None) -> bool:
    if field is None:
        return False
    try:
        msgspec.convert(value, field.type)
    except msgspec.ValidationError:
        return False
    return True


def _refused(key: str, value: str, fields: Mapping[str, msgspec.structs.FieldInfo]) -> str:
    field = fields.get(key)
    if field is None:
        return f"there is no option {key!r}; the options are {', '.join(fields)}, beacon"
    choices = ["yes", "no"] if isinstance(field.default, bool) else [word for word in get_args(field.type) if word]
    return f"{key} is {' or '.join(choices)}, not {value!r}"


def _autobreak(text: str) -> dict[str, str]:
    side, colon, condition = text.partition(":")
    if not colon:
        return {"when": text.strip()}
    return {"for": side.strip(), "when": condition.strip()}
