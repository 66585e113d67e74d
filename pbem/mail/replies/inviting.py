"""The first mail of a game: it invites a player and carries his first sitrep, with the form; one mail and not two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from pbem.games.storage.folder import GameFolder
from pbem.games.storage.players import in_words, names, players
from pbem.mail.host.clocks import Said
from pbem.mail.host.deadlines import Rule, span
from pbem.mail.replies import announcing
from pbem.mail.replies.replies import Reply
from pbem.mail.seats import Games, Seat, address_of


def first_mail(game: GameFolder, games: Games, seat: Seat, folder: Path, rule: Rule, above: announcing.Above) -> Reply:
    """What a player needs to begin: who plays what, how to answer, his token, and his sitrep out of ``folder`` with the
    form.
    """
    letter = tuple(_letter(game, games, seat, rule))
    above = msgspec.structs.replace(above, letter=letter, title=f": you play {seat.side}")
    found = announcing.sitrep(game, games, seat, folder, above, "")
    return msgspec.structs.replace(found, kind="invitation", references=(), key=announcing.thread_key(game, seat))


def _letter(game: GameFolder, games: Games, seat: Seat, rule: Rule) -> Iterable[str]:
    scenario, state = game.scenario(), game.state()
    called = names(game.path)
    others = [(side, called.get(who, in_words(who))) for side, who in sorted(players(game.path, game.terms).items())]
    if games.tags:
        how = f"Write to {address_of(games, seat)}: that address is yours alone."
    else:
        how = (
            f"Write to {games.orders or 'the address this mail comes from'}. Your token is {seat.token}: the words "
            f"TOKEN {seat.token} stand in the subject of your mails or on their first line. An answer to one of "
            "these mails has them already."
        )
    yield f"You play {seat.side} in {seat.game}: scenario #{state.scenario}, {scenario.title}."
    yield "\n".join(f"  {side}: {who}" for side, who in others)
    yield f"{how} Show it to nobody, and write from {', '.join(seat.addresses)}."
    yield _terms(rule)
    yield (
        "An answer with the line HELP tells you what may be sent. The dice are committed to: "
        f"{game.terms.dice.commitment} (scheme {game.terms.dice.scheme})."
    )
    if game.terms.dice.beacon:
        yield (
            "The dice also take values of the public beacon drand: when all orders are in you are told their hashes "
            "and a round still to come."
        )


def _terms(rule: Rule) -> str:
    """How much time an answer may take, and what follows."""
    at = (f", at {rule.at}" if rule.at else "") + (f", on {', '.join(rule.days)}" if rule.days else "")
    then = {
        "wait": "the game waits",
        "hold": "his ships hold their course and their fire",
        "last orders": "his last orders go on",
        "robot": "stand-in orders are written for him",
        "captain": "a computer captain writes orders for him",
    }[rule.late]
    grace = f" and has {rule.grace} of grace" if span(rule.grace) else ""
    return (
        f"An answer is wanted within {rule.within} of each report{at} ({rule.zone}). Who is late is reminded{grace}; "
        f"then {then}."
    )


def begin(said: Said, folders: Sequence[Path], seats: Iterable[Seat]) -> None:
    """Of a game that is new to this host only the last report is sent."""
    if said.new:
        old = [announcing.sitrep_id(folder, seat.side) for folder in folders[:-1] for seat in seats]
        said.add("first", *old)


def invite(
    said: Said, game: GameFolder, games: Games, seat: Seat, folder: Path, rule: Rule, above: announcing.Above,
    put: Callable[[Reply], object],
) -> bool:  # fmt: skip
    """Put a player's first mail out, with the sitrep of ``folder`` and what stands ``above`` it, unless that was done;
    whether it was now.

    It is written down before which sitrep it is to carry: whoever was cut off in between finds the mail there, and
    knows whether that sitrep went with it or an older one. So a sitrep is neither lost nor sent twice.
    """
    root = announcing.thread_key(game, seat)
    if root in said.known:
        return False
    name = announcing.sitrep_id(folder, seat.side)
    key = announcing.sitrep_key(name, seat)
    plan = f"first mail of {root}: "
    planned = [line for line in said.known if line.startswith(plan)]
    if not planned:
        said.add(plan + key)
    put(first_mail(game, games, seat, folder, rule, above))
    carried = not planned or plan + key in planned
    said.add(root, *((name, key) if carried else ()))
    return True
