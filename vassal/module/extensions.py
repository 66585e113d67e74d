"""Extensions of a module: their parts put where they belong in its build file, as VASSAL does when it opens the module.

An extension is a module of its own kind: a list of components, each with the path of the component it is added to.
VASSAL loads those it finds in the folder beside the module, ``NAME_ext``, by their file names; what it would refuse or
warn of is told.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from vassal.container.archive import Archive
from vassal.errors import ModuleError, VassalError
from vassal.module.build_file import component_name, kind_of
from vassal.text import sequence

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["beside", "checked", "is_extension", "merge"]

MAX_EXTENSIONS = 200
MAX_COMPONENTS = 20_000
"""So many components are added by one extension."""
MAX_LOOKS = 2_000_000
"""So many components are looked at for all paths of one extension."""
MAX_PATH = 50


def beside(module: Path) -> list[Path]:
    """The files in the folder of a module's extensions, in the order in which VASSAL loads them."""
    folder = module.with_name(module.stem + "_ext")
    try:
        files = [file for file in folder.iterdir() if file.is_file() and not file.name.startswith(".")]
    except OSError:
        return []
    return sorted(files)[:MAX_EXTENSIONS]


def is_extension(archive: Archive) -> bool:
    """Whether VASSAL takes an archive for an extension: it has a build file, and says so."""
    if archive.has("savedGame") or not (archive.has("buildFile.xml") or archive.has("buildFile")):
        return False
    if archive.has("extensiondata") or archive.has("moduledata"):
        return archive.has("extensiondata")
    name = "buildFile.xml" if archive.has("buildFile.xml") else "buildFile"
    return b"VASSAL.build.module.ModuleExtension" in archive.read(name, 4_096)


def merge(root: _Element, extension: _Element, file: str | os.PathLike[str]) -> Iterator[str]:
    """Put the parts of an extension into the build file of its module; what VASSAL would say of it, one sentence each.

    Raises :class:`~vassal.errors.ModuleError` for an extension of another module, and for a part that has no place in
    this one; like VASSAL, with the parts before it added.
    """
    name, version = root.get("name") or "", root.get("version") or ""
    if kind_of(extension) != "ModuleExtension":
        raise ModuleError(f"{file}: this is no extension of a module")
    if extension.get("anyModule") != "true":
        own = extension.get("module") or ""
        if own != name:
            raise ModuleError(f"{file}: this is an extension of the module {own!r}, not of {name!r}")
        wanted = extension.get("moduleVersion") or ""
        if _is_before(version, wanted):
            yield f"{file}: it was made for version {wanted} of the module, and this is {version}"
    looks = [MAX_LOOKS]
    elements = [element for element in extension.iterchildren() if kind_of(element) == "ExtensionElement"]
    if len(elements) > MAX_COMPONENTS:
        raise ModuleError(f"{file}: it adds {len(elements)} components, more than {MAX_COMPONENTS}")
    for element in elements:
        target = element.get("target") or ""
        path = sequence.decode(target, "/") if target else []
        if len(path) > MAX_PATH:
            raise ModuleError(f"{file}: a component is to be added {len(path)} levels deep, more than {MAX_PATH}")
        place = _found(root, path, looks)
        if place is None:
            if looks[0] <= 0:
                raise ModuleError(f"{file}: more than {MAX_LOOKS} components were looked at to place its own")
            raise ModuleError(f"{file}: a component is to be added to {path[-1]!r}, which the module does not have")
        part = next((child for child in element.iterchildren() if kind_of(child)), None)
        if part is not None:
            place.append(part)


def _found(parent: _Element, path: list[str], looks: list[int]) -> _Element | None:
    """The component at the end of a path. One of the right class and name is taken; if there is none, the first of the
    class that has the rest of the path below it.
    """
    if not path:
        return parent
    kind, *names = sequence.decode(path[0], ":")
    name = names[0] if names else ""
    alike = []
    for child in parent.iterchildren():
        looks[0] -= 1
        if looks[0] <= 0:
            return None
        if child.tag == kind:
            if component_name(child) == name:
                return _found(child, path[1:], looks)
            alike.append(child)
    return next((place for child in alike if (place := _found(child, path[1:], looks)) is not None), None)


def _is_before(one: str, other: str) -> bool:
    """Whether a version is older than another, as far as both are numbers."""

    def parts(version: str) -> list[int]:
        return [int(part) if part.isdecimal() and len(part) < 10 else 0 for part in version.split(".")]

    first, second = parts(one), parts(other)
    length = max(len(first), len(second))
    return first + [0] * (length - len(first)) < second + [0] * (length - len(second))


def checked(path: str | os.PathLike[str]) -> Archive:
    """An extension, opened. Raises :class:`~vassal.errors.VassalError` if it is none."""
    archive = Archive(path)
    try:
        if is_extension(archive):
            return archive
    except VassalError:
        archive.close()
        raise
    archive.close()
    raise ModuleError(f"{archive.name}: this is no extension of a module")
