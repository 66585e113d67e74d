"""The faults this package reports: one class, a few kinds, each with one clear sentence as its text."""

from __future__ import annotations


class VassalError(ValueError):
    """Something about a VASSAL file is wrong; ``str(error)`` is one sentence naming file, piece and value."""

    def __init__(self, sentence: str) -> None:
        super().__init__(" ".join(sentence.splitlines()))  # other libraries' words may have line ends


class ArchiveError(VassalError):
    """The zip container is broken, hostile or lacks what a save or a module must have."""


class InUseError(ArchiveError):
    """Another program has the file open, so that it cannot be written now: Windows allows no two."""


class ObfuscationError(VassalError):
    """The bytes of a ``savedGame`` entry cannot be turned into text."""


class LossyTextError(VassalError):
    """A text cannot be written: VASSAL itself would read back something else."""


class CommandError(VassalError):
    """The command text of a save is malformed."""


class PieceError(VassalError):
    """A piece's traits don't match its state, or a trait asked for is not there."""


class ModuleError(VassalError):
    """The module's build file is malformed, or it has no such map, board or palette entry."""


class LocationError(VassalError):
    """A location name that the grid's numbering cannot have written."""


class SaveError(VassalError):
    """A save that VASSAL would not start, or a change to it that makes no sense."""
