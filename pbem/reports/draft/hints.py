"""The hints of a draft are orders as they stand: what the check would refuse becomes a comment that says why.

A hint is a line that begins with one ``#``; whoever takes the # away must not be refused for it. Those of a form are
tried beside the draft as it is, orders beside the entries that the form offers them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pbem.errors import Fault
from pbem.orders.draft import prose
from pbem.patterns import regex

Faults = Callable[[str], Sequence[Fault]]
"""What is wrong with a file of orders; each fault on its line."""

_HINT = regex(r"\s*# (?=\S)")
_SCRIPTED = "scripted"
"""The fault of a plot that is not the ship's to choose."""


def usable(draft: str, faults_of: Faults) -> str:
    """The draft with no hint that is refused once its # is taken away. What is wrong without any hint, a ship that
    would fly straight off the map say, is no hint's fault.
    """
    return "\n".join(_Trial(draft, faults_of).told())


class _Trial:
    def __init__(self, draft: str, faults_of: Faults) -> None:
        self.lines, self.faults_of = draft.split("\n"), faults_of
        self.section: dict[int, str] = {}
        self._found: dict[tuple[int, ...], set[Fault]] = {}
        heading = ""
        for place, line in enumerate(self.lines):
            if line[:1].isalpha():
                heading = line.split(" ", 1)[0]
            elif _HINT.match(line):
                self.section[place] = heading

    def told(self) -> Iterator[str]:
        """The lines of the draft, each refused hint in other words."""
        form = [place for place in self.section if self.section[place] == "ENERGY"]
        steering = [place for place in self.section if self.section[place] in ("PLOT", "COURSE")]
        rest = [place for place in self.section if place not in form and place not in steering]
        refused = self._refused(form, ())
        taken = [place for place in form if place not in refused]
        refused |= self._refused(rest, taken)
        for place in steering:  # one way to steer stands for all of a plot
            refused |= self._refused([place], ())
        said = ""
        for place, line in enumerate(self.lines):
            if place not in refused:
                yield line
                continue
            text = _in_words(line, refused[place], steers=place in steering)
            if text and text != said:
                yield prose(text)
            said = text

    def _refused(self, places: Sequence[int], beside: Sequence[int]) -> dict[int, Fault]:
        """Hints that are refused alone, each with why. All are tried at once, and alone only what that refuses."""
        found: dict[int, Fault] = {}
        open_ = list(places)
        # What is wrong without them is asked only where something is wrong with them.
        while open_ and (all_of_it := self._faults([*beside, *open_])):
            known = self._faults(beside)
            wrong = all_of_it - known
            if not wrong:
                break
            struck = [place for place in open_ if any(fault.line == place + 1 for fault in wrong)] or open_
            for place in struck:
                alone = self._faults([*beside, place]) - known
                if alone:
                    found[place] = min(alone, key=lambda fault: (fault.line != place + 1, fault.line, fault.text))
            open_ = [place for place in open_ if place not in struck]
        return found

    def _faults(self, places: Sequence[int]) -> set[Fault]:
        """What is wrong with the draft when these hints are used."""
        used = tuple(places)
        if used not in self._found:
            lines = list(self.lines)
            for place in used:
                lines[place] = lines[place].replace("# ", "", 1)
            self._found[used] = set(self.faults_of("\n".join(lines)))
        return self._found[used]


def _in_words(line: str, fault: Fault, *, steers: bool) -> str:
    """What stands there instead of a hint; empty for nothing."""
    if not steers or fault.code == _SCRIPTED:
        return fault.sentence
    # How plots are written is worth knowing beside any plot.
    order, _, about = line.replace("# ", "", 1).partition("# ")
    return f"like {order.strip()}: {about}" if about else ""
