"""The errors of this package: one base class and its subclasses. The text of each error is one sentence."""

from __future__ import annotations


class VassalError(ValueError):
    """Base class of this package's errors; ``str(error)`` is one sentence with file, piece and value."""

    def __init__(self, sentence: str) -> None:
        super().__init__(" ".join(sentence.splitlines()))  # messages of other libraries may contain line ends


class ArchiveError(VassalError):
    """The zip container is broken or hostile, or lacks an entry that a save or a module must have."""


class InUseError(ArchiveError):
    """The file cannot be written because another program has it open; Windows does not allow this."""


class ObfuscationError(VassalError):
    """The bytes of a ``savedGame`` entry cannot be turned into text."""


class LossyTextError(VassalError):
    """A text cannot be written, because VASSAL would read back a different text."""


class CommandError(VassalError):
    """The command text of a save is malformed."""


class PieceError(VassalError):
    """A piece's state does not match its traits, or it lacks the requested trait."""


class ModuleError(VassalError):
    """The module's build file is malformed, or it has no such map, board or palette entry."""


class LocationError(VassalError):
    """A location name is impossible in the grid's numbering, or a place has no grid."""


class SaveError(VassalError):
    """VASSAL would not start the save, or a change to a save makes no sense."""
