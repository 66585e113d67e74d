"""Writes the types of the order form's data for the page's script: ``templates/src/generated/form.ts``.

    python -m tests.form.script_types

They are made from the structs of :mod:`pbem.reports.form.model`; ``test_form_data.py`` holds that they agree.
"""

from __future__ import annotations

import json
import re
from inspect import cleandoc
from pathlib import Path
from typing import Any

from msgspec import NODEFAULT, inspect

from pbem.reports.form.model import OrderFormData

FILE = Path(__file__).resolve().parents[2] / "templates" / "src" / "generated" / "form.ts"

HEAD = """/*
 * The data of the order form page, made from pbem/reports/form/model.py.
 *
 * Change the structs there, then run `python -m tests.refresh --only types`.
 */
"""

SIMPLE = {
    inspect.BoolType: "boolean", inspect.FloatType: "number", inspect.IntType: "number", inspect.NoneType: "null",
    inspect.StrType: "string",
}  # fmt: skip
"""The types of values that hold no others."""


def script_type(type_: inspect.Type) -> str:
    """The type of TypeScript for one of msgspec."""
    match type_:
        case inspect.StructType(cls=cls):
            return cls.__name__
        case inspect.ListType(item_type=item):
            inside = script_type(item)
            is_choice = " | " in inside and isinstance(item, inspect.UnionType | inspect.LiteralType)
            return f"({inside})[]" if is_choice else f"{inside}[]"
        case inspect.DictType(value_type=value):
            return f"Record<string, {script_type(value)}>"
        case inspect.UnionType(types=types):
            return " | ".join(dict.fromkeys(script_type(each) for each in types))
        case inspect.LiteralType(values=values):
            return " | ".join(json.dumps(value) for value in values)
    return SIMPLE[type(type_)]


def texts_of(struct: type) -> tuple[str, dict[str, str]]:
    """The sentence about a struct, and those about its attributes."""
    about, _, attributes = cleandoc(struct.__doc__ or "").partition("\nAttributes:\n")
    found = re.findall(r"(?m)^ +(\w+): (.+)$", attributes)
    return " ".join(re.sub(r":\w+:`(?:.*\.)?(\w+)`", r"`\1`", about).replace("``", "`").split()), dict(found)


def comment(text: str, margin: str = "") -> list[str]:
    """A comment of TypeScript, on one line if it fits into 100 characters."""
    line = f"{margin}/** {text} */"
    if len(line) <= 100:
        return [line]
    out, rest = [f"{margin}/**"], ""
    for word in text.split():
        if len(margin) + len(rest) + len(word) > 95:
            out.append(f"{margin} * {rest}")
            rest = ""
        rest = f"{rest} {word}".strip()
    return [*out, f"{margin} * {rest}", f"{margin} */"]


def interface(struct: inspect.StructType) -> str:
    """The interface of TypeScript for one struct."""
    about, attributes = texts_of(struct.cls)
    lines = [*comment(about), f"export interface {struct.cls.__name__} {{"]
    for field in struct.fields:
        if text := attributes.get(field.name):
            lines += comment(text, "  ")
        optional = "" if field.required or field.default is not NODEFAULT else "?"
        lines.append(f"  {field.encode_name}{optional}: {script_type(field.type)};")
    return "\n".join([*lines, "}"])


def structs_in(type_: inspect.Type, found: dict[str, inspect.StructType]) -> None:
    """Add all structs that a type holds, those inside first."""
    inside: tuple[Any, ...]
    match type_:
        case inspect.StructType(fields=fields):
            inside = tuple(field.type for field in fields)
        case inspect.ListType(item_type=item):
            inside = (item,)
        case inspect.DictType(value_type=value):
            inside = (value,)
        case inspect.UnionType(types=types):
            inside = types
        case _:
            inside = ()
    for each in inside:
        structs_in(each, found)
    if isinstance(type_, inspect.StructType):
        found[type_.cls.__name__] = type_


def script_types() -> str:
    """The module of TypeScript with all types."""
    found: dict[str, inspect.StructType] = {}
    structs_in(inspect.type_info(OrderFormData), found)
    return HEAD + "".join(f"\n{interface(struct)}\n" for struct in found.values())


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(script_types(), encoding="utf-8", newline="\n")
