"""Handle one game in a round of the host: continue play, and inform its players and the umpire.

:func:`play` has the order of the steps. Each step yields the emails it wants to have sent, and :func:`play` queues
them at once, before the next step changes the game's folder. Deadlines are in :mod:`pbem.mail.host.lateness`, and the
texts of the emails in :mod:`pbem.mail.replies.announce`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import msgspec

from pbem.games.proof.beacon import sealing_of
from pbem.games.proof.restored import PUT_BACK, hosted_by, is_noted, note_host, remember
from pbem.games.resolve import ALONE, Happening, resolve_with_jobs
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.players import names, players, tenures
from pbem.games.storage.publish import save_is_late
from pbem.mail import emails
from pbem.mail.commands import endings, seats
from pbem.mail.commands.dispatch import waiting
from pbem.mail.event_log import note_games
from pbem.mail.host import clocks as timetable
from pbem.mail.host.backup import CopyCheck
from pbem.mail.host.club import HostedClub, HostedGame, queue, seats_of, thread
from pbem.mail.host.deadlines import Rule, Standing, nags, written
from pbem.mail.host.idle import Rest
from pbem.mail.host.lateness import (
    clock_after_moves,
    clock_with_absences,
    reminders,
    reminders_when_late,
    rounds_of,
    times_of,
)
from pbem.mail.host.workers import Working
from pbem.mail.people import remember_names
from pbem.mail.replies import announce
from pbem.mail.replies.reply import Outgoing, UmpireNotice
from pbem.mail.seats import Seat, out_of_reach, player_addresses
from pbem.mail.settings import game_rule, shown_path
from pbem.util import several

PATIENCE = timedelta(hours=1)
"""How long the public random value for the dice may be overdue before the umpire is informed."""


def play(club: HostedClub, game: GameFolder) -> Working[Rest]:
    """Continue a game, queue its reports and reminders, and return the time until which it may be ignored."""
    club.log.opened.add(game.path)
    notices = timetable.SentNotices(game.path)
    if club.copy_check is not None:
        queue(club, notices, _look_back(club, club.copy_check, game))
    rest = yield from _go_on(club, game, notices)
    if club.copy_check is not None:
        club.copy_check.told(game)
    if save_is_late(game):  # the file may be released at any time, without a change that the cache detects
        rest = msgspec.structs.replace(rest, until=club.now())
    club.resting.keep(game.path, rest)
    return rest


def _go_on(club: HostedClub, game: GameFolder, notices: timetable.SentNotices) -> Working[Rest]:
    """Do everything that is due in a game; return which sides are late, and when the next step is due.

    ``notices`` is the game's record of queued emails.
    """
    rule = game_rule(club.host, game.path)
    remember_names(game.path, game.terms, club.roll)
    settle(club, game)
    queue(club, notices, _sides_without_address(club, game))
    clock = timetable.start(game, club.now(), rounds_of(club))
    if clock.paused is None:
        clock = yield from resolve(club, game, clock, rule)
    mine = seats_of(club, game)
    clock = clock_with_absences(club, game, mine, rule, clock)
    clock = clock_after_moves(club, game, mine, rule, clock)
    deadlines = times_of(club, game.path, clock, rule)
    hosted = HostedGame(game=game, seats=mine, rule=rule, clock=clock, found=deadlines, known=notices.known)
    for step in (_sitreps, _moved_deadlines, _pauses, _draws, _vacant_sides, _sealed_orders):
        queue(club, notices, step(club, hosted))
    if club.watching is not None:
        with club.troubles.kept(f"{game.terms.name}, as it is watched", game=game.terms.name):
            queue(club, notices, club.watching.reports(game, mine, club.unreachable.known, notices.known))
    owing = _owing(hosted)
    if deadlines is not None and clock.paused is None:
        queue(club, notices, reminders(club, hosted, owing))
        if owing and club.now() >= deadlines.final:
            queue(club, notices, reminders_when_late(club, hosted, owing))
    return _rest(club, hosted, owing)


def _owing(one: HostedGame) -> tuple[str, ...]:
    """Return the sides that still owe orders for the current request."""
    state = one.game.state()
    if state.request is None or state.over:
        return ()
    return tuple(side for side in state.request.sides if side not in one.answered)


def _rest(club: HostedClub, one: HostedGame, owing: tuple[str, ...]) -> Rest:
    """Return the time until which the host may ignore a game, and which sides are late."""
    state, now, deadlines = one.game.state(), club.now(), one.found
    if state.over or state.request is None:
        return Rest(mark="")
    waits = tuple(seat.side for seat in one.seats)
    sealed = sealing_of(one.game) is not None  # the public random value may appear at any time, without a changed file
    if one.clock.paused is not None or deadlines is None:
        return Rest(mark="", waits=waits, until=now if sealed else None)
    _, nag = nags(one.rule, deadlines, now)
    moments = (*deadlines.reminders, deadlines.due, deadlines.final, nag if owing else None)
    ahead = [moment for moment in moments if moment is not None and moment > now]
    unsure = now >= deadlines.due and not club.hour.passed(deadlines.due)
    if sealed or unsure or club.hour.sure is None:
        ahead = [now]
    rest = Rest(mark="", waits=waits, owes=owing, until=min(ahead, default=None), asking=one.clock.asking)
    return (
        msgspec.structs.replace(rest, late=owing, final=deadlines.final) if owing and now >= deadlines.final else rest
    )


# --- play ------------------------------------------------------------------------------------------------------------


def settle(club: HostedClub, game: GameFolder) -> None:
    """End the game, or remove a side from it, if players asked for that by email (DRAW or RESIGN)."""
    if endings.settle(game):
        _note(club, game, [Happening(what="over")])


def _note(club: HostedClub, game: GameFolder, done: list[Happening]) -> None:
    """Add what happened in a game to the result of the round, and log it."""
    club.log.happened.setdefault(game.terms.name, []).extend(done)
    note_games(game.terms.name, done)


def resolve(club: HostedClub, game: GameFolder, clock: timetable.Clock, rule: Rule) -> Working[timetable.Clock]:
    """Continue play while all required orders are on file; return the game's new clock.

    If a side asked to wait (WAIT), nothing is played before the deadline.
    """
    deadlines = times_of(club, game.path, clock, rule)
    state = game.state()
    early = deadlines is not None and not club.hour.passed(deadlines.due)
    if waiting(game) and early and state.request is not None:
        return clock
    happened = yield from resolve_with_jobs(game, club.beacon)
    done = [one for one in happened if one.what != "waiting"]
    if done and not state.over:
        _note(club, game, done)
    clock = timetable.start(game, club.now(), rounds_of(club))
    return _pause_computers(club, game) if any(one.what == "alone" for one in done) else clock


def _pause_computers(club: HostedClub, game: GameFolder) -> timetable.Clock:
    """Pause a game that only computer players have played for many turns; inform the umpire.

    Computer players could circle each other forever, so a person must decide whether the game goes on. Return the
    game's clock.
    """
    name, turns, path = game.terms.name, several(ALONE, "turn"), shown_path(club.folder, game.path)
    text = emails.sentence("computers_paused", game=name, turns=turns, path=path)
    club.troubles.tell(UmpireNotice(text=text, key=f"captains alone {name} {game.state().turn}", game=name))
    return timetable.pause(game.path, club.now(), emails.sentence("computers_alone", turns=turns))


def _look_back(club: HostedClub, copy_check: CopyCheck, game: GameFolder) -> Iterator[Outgoing]:
    """Detect whether this game's folder was restored from a copy, or last played by another host.

    If so, yield notices to its players and the umpire, and restart the time for orders. Dice that the players may
    know already are not used again. The game records that this host plays it only after the emails are queued, because
    that record ends this check.
    """
    state, host, through = game.state(), copy_check.counted.host, copy_check.told_of(game)
    played_by = hosted_by(game.path)
    sure = played_by in ("", host)
    if sure and (through <= state.segment or is_noted(game, through)):
        if not played_by and copy_check.counted.count:
            note_host(game.path, host)
        return
    told = remember(game, copy_check.played_of(game.path.name, state.segment), sure=sure, why=PUT_BACK, through=through)
    if told is not None and not state.over:
        clock = timetable.read_clock(game.path)
        timetable.write_clock(game.path, clock.begun(clock.asking, club.now(), rounds_of(club)))
        name, about = game.terms.name, f"{state.segment} {told.through} {told.fresh or len(game.records())}"
        for seat in seats_of(club, game):
            yield Outgoing(replies=(announce.game_put_back(thread(club, game, seat), about, told.fresh),))
        text = emails.sentence(
            "game_put_back",
            game=name,
            known=several(told.through - state.segment, "stretch", "stretches") if sure else "",
            path=shown_path(club.folder, game.path),
        )
        key = f"put back {game.terms.dice.commitment} {about}"
        yield Outgoing(notices=(UmpireNotice(text=text, key=key, trouble=False, game=name),))
    note_host(game.path, host)


# --- notices to its players and the umpire ---------------------------------------------------------------------------


def _sides_without_address(club: HostedClub, game: GameFolder) -> Iterator[Outgoing]:
    """Yield a notice to the umpire for each side whose player has no known email address."""
    if game.state().over:
        return
    name, path = game.terms.name, shown_path(club.folder, game.path)
    for side, player in out_of_reach(club.roll, players(game.path, game.terms)).items():
        text = emails.sentence("no_address", game=name, side=side, player=repr(player), path=path)
        yield Outgoing(notices=(UmpireNotice(text=text, key=f"no address {name} {side} {player}", game=name),))


def _sitreps(club: HostedClub, one: HostedGame) -> Iterator[Outgoing]:
    """Yield all sitreps (reports of sides) that were not sent yet, and invitations to players without one.

    If the game is new to this host, only its last sitrep is sent.
    """
    game, known = one.game, one.known
    folders = announce.published(game)
    if not folders:
        return
    yield announce.begin(known, folders, one.seats)
    yield from _new_players(club, one)
    when = announce.deadline_words(one.found, one.rule, club.now()) if one.found else ""
    filed = announce.filed_by_host(game)
    for seat in one.seats:
        now = announce.above_sitrep(game, seat, when, one.clock, filed, lambda: one.answered)
        first = announce.invite(known, game, club.games, seat, folders[-1], one.rule, now)
        if first is not None:
            yield first
        for folder in folders:
            last = folder == folders[-1]
            name = announce.sitrep_id(folder, seat.side)
            key = announce.sitrep_key(name, seat)
            if (key if last else name) in known:
                continue
            above = now if last else announce.Above()
            root = thread(club, game, seat).root
            reply = announce.sitrep(game, club.games, seat, folder, above, root)
            yield Outgoing(replies=(reply,), keys=(name, key, *above.keys))


def _new_players(club: HostedClub, one: HostedGame) -> Iterator[Outgoing]:
    """Yield notices to the other sides about a side's new player, and thanks to players who were replaced."""
    game, deadlines = one.game, one.found
    if not (changes := tenures(game.path)):
        return
    words = (
        announce.deadline_words(deadlines, one.rule, club.now(), "not asked")
        if deadlines and game.state().request
        else ""
    )
    here = {address for seat in one.seats for address in seat.addresses}
    called = names(game.path)
    for number, tenure in enumerate(changes, start=1):
        mark = f"tenure {number}"
        if mark in one.known:
            continue
        before, player = (called.get(who, who) for who in (tenure.before, tenure.player))
        renamed = msgspec.structs.replace(tenure, before=before, player=player)
        others = [seat for seat in one.seats if seat.side != tenure.side] if number == len(changes) else []
        changed = [announce.player_changed(game, thread(club, game, seat), renamed, number, words) for seat in others]
        gone = [to for to in _address_of(club, tenure.before) if to not in here]
        thanks = [announce.player_thanked(game, renamed, address, number) for address in gone]
        yield Outgoing(replies=(*changed, *thanks), keys=(mark,))


def _address_of(club: HostedClub, player: str) -> tuple[str, ...]:
    """Return the address to which a player's email is sent, as a tuple; empty if it is unknown.

    ``player`` is the text by which the game names the player.
    """
    person = club.roll.find(player)
    return (person.mail.lower(),) if person is not None else player_addresses(player)[:1]


def _moved_deadlines(club: HostedClub, one: HostedGame) -> Iterator[Outgoing]:
    """Yield notices to the players that a deadline is now later, and why.

    Players get no notice if their own email moved the deadline, or if their sitrep contains the new deadline.
    """
    clock, deadlines = one.clock, one.found
    if not (clock.extended or clock.away) or deadlines is None or clock.paused is not None:
        return
    if one.game.state().request is None:
        return
    for seat, standing in _standings(one):
        words = announce.deadline_words(deadlines, one.rule, club.now(), standing)
        for cause, why, knows in announce.moves(clock, seat.side):
            keys = {announce.move_key(clock, cause), announce.move_key(clock, cause, seat.side)}
            if seat.side != knows and not keys & one.known:
                to = thread(club, one.game, seat)
                yield Outgoing(replies=(announce.deadline_moved(one.game, to, why, cause, words, standing),))
    yield Outgoing(keys=tuple(announce.move_key(clock, cause) for cause, _, _ in announce.moves(clock, "")))


def _standings(one: HostedGame) -> Iterator[tuple[Seat, Standing]]:
    """Yield each seat (side played by email) with its status: owes orders, has sent them, or is not asked.

    Nothing is yielded if the game is over.
    """
    request = one.game.state().request
    if request is None:
        return
    for seat in one.seats:
        asked: Standing = "answered" if seat.side in one.answered else "owes"
        yield seat, asked if request.asks(seat.side) else "not asked"


def _pauses(club: HostedClub, one: HostedGame) -> Iterator[Outgoing]:
    """Yield notices to all players that the game is paused, or that a paused game goes on."""
    game, paused = one.game, one.clock.paused
    now = paused.isoformat() if paused is not None else ""
    before, resumed = (
        {line.partition(" ")[2] for line in one.known if line.startswith(f"{what} ")} for what in ("paused", "resumed")
    )
    if paused is not None and now not in before:
        since, mark = written(paused, one.rule.zone), f"paused {now}"
        notices = [announce.game_paused(thread(club, game, seat), since, one.clock.reason, mark) for seat in one.seats]
        yield Outgoing(replies=tuple(notices), keys=(mark,))
    for ended in sorted(before - {now} - resumed):
        mark, replies = f"resumed {ended}", []
        for seat, standing in _standings(one) if paused is None else ():
            words = announce.deadline_words(one.found, one.rule, club.now(), standing) if one.found is not None else ""
            replies.append(announce.game_resumed(game, thread(club, game, seat), words, standing, mark))
        yield Outgoing(replies=tuple(replies), keys=(mark,))


def _draws(club: HostedClub, one: HostedGame) -> Iterator[Outgoing]:
    """Yield notices to the other players that a side agrees to a draw, with how to agree.

    Each side causes at most one such notice a turn.
    """
    state, asked = one.game.state(), endings.read_endings(one.game.path)
    offered = [side for side in asked.draw if side in endings.left(state)]
    if not offered or state.over or (asked.resign and not endings.wanted(state, asked)):
        return
    wanted = endings.wanted(state, asked)
    for side in offered:
        mark = f"draw {side} {state.turn}"
        if mark not in one.known:
            others = [thread(club, one.game, seat) for seat in one.seats if seat.side != side]
            yield Outgoing(
                replies=tuple(announce.draw_offered(to, side, wanted, state.turn) for to in others), keys=(mark,)
            )


def _vacant_sides(club: HostedClub, one: HostedGame) -> Iterator[Outgoing]:
    """Yield notices to the club's players that a side needs a new player, once for each vacancy.

    Players of the club's other games are informed only if the host accepts the TAKE command.
    """
    game, name = one.game, one.game.terms.name
    if game.state().over:
        return
    for side in seats.vacant(game.path):
        about = f"{side} {seats.times(game, side)}"
        if f"vacant {about}" in one.known:
            continue
        players_here = [thread(club, game, seat) for seat in one.seats if seat.side != side]
        replies = [announce.side_open(to, name, side, about, takes=False) for to in players_here]
        informed = {seat.to for seat in one.seats}
        for seat in club.games.seats if club.host.letters.take else ():
            if seat.to not in informed:
                informed.add(seat.to)
                to = announce.Thread(club.games, seat, "", game.terms.dice.commitment)
                replies.append(announce.side_open(to, name, side, about, takes=True))
        yield Outgoing(replies=tuple(replies), keys=(f"vacant {about}",))


def _sealed_orders(club: HostedClub, one: HostedGame) -> Iterator[Outgoing]:
    """Yield notices that the orders are sealed and wait for the public random value for the dice.

    Sealed orders are complete and can no longer be changed. If the value is overdue, the umpire is informed.
    """
    game, sealing = one.game, sealing_of(one.game)
    if sealing is None:
        return
    for seat in one.seats:
        yield Outgoing(replies=(announce.orders_sealed(thread(club, game, seat), sealing),))
    if club.now() > sealing.due + PATIENCE:
        name, path = game.terms.name, shown_path(club.folder, game.path)
        text = emails.sentence("beacon_overdue", game=name, round=sealing.round, due=str(sealing.due), path=path)
        key = f"silent {game.terms.dice.commitment} {sealing.segment} {sealing.round}"
        yield Outgoing(notices=(UmpireNotice(text=text, key=key, game=name),))
