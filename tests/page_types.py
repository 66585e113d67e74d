"""Write the types of the data of pages as TypeScript, from the structs that the program encodes.

    python -m tests.page_types      writes templates/src/generated/*.ts

A test compares the file with the structs, so that Python and TypeScript cannot differ.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

import msgspec
from msgspec.inspect import (
    AnyType,
    BoolType,
    DictType,
    Field,
    FloatType,
    IntType,
    ListType,
    LiteralType,
    NoneType,
    StrType,
    StructType,
    TupleType,
    Type,
    UnionType,
    VarTupleType,
    type_info,
)

from pbem.reports.map.ssd import FilmDisplays
from pbem.reports.view.model import ReplayData

ROOT = Path(__file__).resolve().parent.parent
FILES: dict[str, list[type[msgspec.Struct]]] = {"report": [ReplayData], "displays": [FilmDisplays]}
"""The structs of each file in ``templates/src/generated``; structs that they hold are written too."""
HEAD = "/* Made by `python -m tests.page_types` from the structs of the program; do not change it by hand. */\n"
SIMPLE: dict[type[Type], str] = {
    StrType: "string",
    IntType: "number",
    FloatType: "number",
    BoolType: "boolean",
    NoneType: "null",
    AnyType: "unknown",
}


def typescript(structs: list[type[msgspec.Struct]]) -> str:
    """Return a TypeScript module with an interface for each struct, and for each struct that one of them holds."""
    done: dict[str, str] = {}
    for struct in structs:
        _interface(struct, done)
    return "\n".join([HEAD, *done.values()])


def _interface(struct: type[Any], done: dict[str, str]) -> str:
    """Add the interface of a struct to ``done``, and return its name."""
    name = struct.__name__
    if name in done:
        return name
    done[name] = ""
    info = type_info(struct)
    assert isinstance(info, StructType)
    optional = struct.__struct_config__.omit_defaults
    lines = [f"  {_field(field, done, optional=optional)}" for field in info.fields]
    about = "\n".join(f" * {line}".rstrip() for line in (inspect.getdoc(struct) or "").splitlines())
    what = (
        f"type {name} = [\n" + "\n".join(line.replace(";", ",") for line in lines) + "\n];\n"
        if struct.__struct_config__.array_like
        else f"interface {name} {{\n" + "\n".join(lines) + "\n}\n"
    )
    done[name] = f"/**\n{about}\n */\nexport {what}"
    return name


def _field(field: Field, done: dict[str, str], *, optional: bool) -> str:
    unset = isinstance(field.type, UnionType) and any(type(part).__name__ == "UnsetType" for part in field.type.types)
    may_lack = unset or (optional and not field.required)
    return f"{field.encode_name}{'?' if may_lack else ''}: {_type(field.type, done)};"


def _type(info: Type, done: dict[str, str]) -> str:
    """Return a type of msgspec in TypeScript."""
    match info:
        case StructType(cls=cls):
            return _interface(cls, done)
        case DictType(value_type=value):
            return f"Record<string, {_type(value, done)}>"
        case VarTupleType(item_type=item) | ListType(item_type=item):
            inner = _type(item, done)
            return f"({inner})[]" if " | " in inner else f"{inner}[]"
        case TupleType(item_types=items):
            return f"[{', '.join(_type(item, done) for item in items)}]"
        case UnionType(types=types):
            return " | ".join(_type(part, done) for part in types if type(part).__name__ != "UnsetType")
        case LiteralType(values=values):
            return " | ".join(msgspec.json.encode(value).decode() for value in values)
        case _:
            return SIMPLE[type(info)]


def path_of(name: str) -> Path:
    """Return the path of a generated file."""
    return ROOT / "templates" / "src" / "generated" / f"{name}.ts"


def main() -> int:
    """The command of the module's docstring."""
    for name, structs in FILES.items():
        path_of(name).parent.mkdir(exist_ok=True)
        path_of(name).write_text(typescript(structs), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
