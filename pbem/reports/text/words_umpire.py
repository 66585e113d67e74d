"""What reports say of the umpire's acts."""

from __future__ import annotations

from pbem.engine import events as ev
from pbem.engine.rulings import value_words
from pbem.reports.text.phrases import Words, because, listed


def _umpire(side: str) -> str:
    """An umpire who plays in the game is told as one."""
    return f"The umpire, who plays {side}," if side else "The umpire"


def _undone(e: ev.Undone) -> str:
    by = f" by the umpire, who plays {e.by}" if e.by else ""
    return f"{because(f'Play was taken back{by}', e.reason)}."


def _reran(e: ev.Reran) -> str:
    segments = f"segment{'s' if len(e.kept) > 1 else ''} {listed([str(one) for one in e.kept])}"
    newer = ", by rules mended since" if e.newer else ""
    if e.kept:
        what = f"{_umpire(e.by)} had play repeated from {e.since} with the same dice (those of {segments}){newer}"
    else:
        what = f"{_umpire(e.by)} took play back to {e.since}, to be played with other orders and new dice{newer}"
    return f"{because(what, e.reason)}."


def _ruled(e: ev.Ruled) -> str:
    if not e.path:
        return f"{_umpire(e.by)} made a ruling about {e.unit}."
    now, was = (value_words(value, e.path) for value in (e.value, e.was))
    if e.path == "gone":
        what = f"{e.unit} is {now} (was {was})"
    else:
        what = f"{e.path} of {e.unit} is {now} (was {was})"
    return f"{because(f'{_umpire(e.by)} rules: {what}', e.why)}."


def _passed(e: ev.DicePassed) -> str:
    told = f"segments up to {e.told} were told" if e.told else "some were perhaps told"
    fresh = f" New salts go into all dice from here on; they are committed to by {e.fresh}." if e.fresh else ""
    return (
        f"{because('Play goes on otherwise than it went before', e.why)}. Dice of that play do not come again: "
        f"{told}, and the links up to segment {e.segment} are passed over.{fresh}"
    )


def _options(e: ev.OptionsRuled) -> str:
    changed = listed([f"{key} = {value}" for key, value in sorted(e.changed.items())])
    return f"{because(f'{_umpire(e.by)} rules: from now on {changed}', e.why)}."


def _house(e: ev.HouseRuled) -> str:
    if e.withdrawn:
        return f"{because(f'House rule {e.number} no longer stands ({e.text})', e.why)}."
    by = f" (by the umpire, who plays {e.by})" if e.by else ""
    return f"House rule {e.number}{by}: {e.text}."


def _decided(e: ev.Decided) -> str:
    if not e.outcome:
        return f"{because(f'{_umpire(e.by)} lets the game go on', e.why)}."
    results = "; ".join(f"{one.side}: {one.result}" for one in e.outcome)
    return f"{because(f'{_umpire(e.by)} ends the game; {results}', e.why)}."


WORDS: dict[type[ev.Event], Words] = {
    ev.Undone: Words("activity", "", _undone),
    ev.Reran: Words("activity", "", _reran),
    ev.DicePassed: Words("activity", "", _passed),
    ev.Adjusted: Words("activity", "", lambda e: f"{because(f'{_umpire(e.by)} puts {e.unit} to {e.at}', e.why)}."),
    ev.Ruled: Words("activity", "", _ruled),
    ev.OptionsRuled: Words("activity", "", _options),
    ev.HouseRuled: Words("activity", "", _house),
    ev.Decided: Words("activity", "", _decided),
}
