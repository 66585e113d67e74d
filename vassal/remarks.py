"""What a reader of a save should know besides what is in it: what VASSAL will add, and what is not reckoned here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from vassal.module.module import Module
from vassal.pieces.traits import Layer
from vassal.save import Save
from vassal.text.expressions import constant

__all__ = ["remarks"]


def remarks(save: Save, module: Module | None = None) -> tuple[str, ...]:
    """One sentence each. With *module* it is known whether and what that sets up."""
    return (*_set_up_again(save, module), *_not_merged(save, module), *_not_reckoned(save))


def _set_up_again(save: Save, module: Module | None) -> Iterator[str]:
    if save.set_up:
        return
    if module is None:
        yield "the save has no SETUP_STACK: VASSAL will lay out again whatever the module itself sets up"
        return
    names = [set_up.name for game_map in module.maps for set_up in game_map.set_ups]
    if names:
        yield f"the save has no SETUP_STACK: VASSAL will lay out again what the module itself sets up ({_some(names)})"


def _not_merged(save: Save, module: Module | None) -> Iterator[str]:
    if module is not None:
        known = {extension.name for extension in module.extensions}
        if missing := [name for name in save.extensions if name not in known]:
            yield f"the save was made with extensions that are not at hand: {_some(missing)}"


def _not_reckoned(save: Save) -> Iterator[str]:
    counts: Counter[str] = Counter()
    for alike, number in Counter(piece.piece.type for piece in save.pieces).items():
        if "calcProp;" in alike:
            counts["calculated"] += number
    for piece in save.pieces:
        inner = piece.piece
        if inner.plan.followers and any(layer.follows_expression for layer in inner.all(Layer)):
            counts["layers"] += 1
        written = [label for label in inner.labels if label.is_expression] if "{" in inner.state else []
        if written and any(constant(label.text, inner.known) is None for label in written):
            counts["labels"] += 1
    if counts["calculated"]:
        yield f"calculated properties are not reckoned: {_have_some(counts['calculated'])}"
    if counts["layers"]:
        some = _have_some(counts["layers"])
        yield f"layers that follow an expression are shown at the level last stored: {some}"
    if counts["labels"]:
        some = _have_some(counts["labels"])
        yield f"labels that are expressions, and no constant ones, are shown as they are written: {some}"
    decks = [stack.deck for stack in save.stacks if stack.deck is not None]
    if decks:
        yield f"properties that count the cards of a deck, all or by expression, are not reckoned: {_some(decks)}"


def _have_some(count: int) -> str:
    return "1 counter has some" if count == 1 else f"{count} counters have some"


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
