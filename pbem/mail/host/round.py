"""Do a round of the host: one pass over all games of a club, with emails, play and reports.

A round can be interrupted at any step, and the next round repeats that step. Orders are stored before their email is
recorded as handled. A segment (play between two requests for orders) takes effect when one file is replaced. Each email
has a key and enters the outbox once. A problem with one game, email or server is reported to the umpire and does not
stop the others.

This module contains the order of the steps, which are functions of the :class:`~pbem.mail.host.club.HostedClub`.
Incoming email is in :mod:`pbem.mail.host.receive`, a single game in :mod:`pbem.mail.host.play`, deadlines in
:mod:`pbem.mail.host.lateness`, and problems in :mod:`pbem.mail.host.trouble`. :mod:`pbem.mail.host.clocks` ensures
that a wrong clock makes nobody late.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypedDict, Unpack

import msgspec

from pbem.errors import GameError
from pbem.games.proof.beacon import Beacon
from pbem.games.resolve import Happening
from pbem.games.storage.files import sweep
from pbem.games.storage.folder import GameFolder, locked
from pbem.games.submit import submit
from pbem.mail import emails
from pbem.mail.commands import seats as replacing
from pbem.mail.commands.spectators import Watching
from pbem.mail.commands.time import absences_of, read_absences
from pbem.mail.host import clocks as timetable, overview, site as showing, tidy
from pbem.mail.host.backup import CopyCheck, Elsewhere
from pbem.mail.host.clocks import Up, hour, read_rounds, write_rounds
from pbem.mail.host.club import (
    Beyond,
    HostedClub,
    Now,
    RoundLog,
    queue,
    read_seats,
    safely,
    seated,
    seats_of,
    tell_umpires,
    thread,
    worked,
)
from pbem.mail.host.deadlines import too_many
from pbem.mail.host.drand import Drand
from pbem.mail.host.idle import Rest
from pbem.mail.host.lateness import Late, after_delivery, late_sides, words_when_sent
from pbem.mail.host.operate import verify_here
from pbem.mail.host.play import play
from pbem.mail.host.receive import continued, receive, verified_newest
from pbem.mail.host.stand_in import stand_in
from pbem.mail.host.trouble import Troubles, UnreachablePlayers, tell_elsewhere, verify_database, verify_people
from pbem.mail.host.workers import Job, Workers, Working
from pbem.mail.people import read_people
from pbem.mail.replies import announce
from pbem.mail.replies.reply import Outgoing, UmpireNotice
from pbem.mail.settings import Host, games_under, read_host, shown_path
from pbem.mail.store import opened as database
from pbem.mail.transport.outbox import MAIL, Carrier, Delivery, Refusal
from pbem.mail.transport.smtp import SmtpCarrier
from pbem.mail.transport.sources import Source, lies_within


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one round of the host: what it did.

    Attributes:
        letters: For each email received, what was done with it.
        taken: A description of each new email.
        games: What happened in each game, as pairs (name, events).
        made: Names of games created for tournaments.
        put: How many emails were put into the outbox.
        delivery: Which emails were sent.
        troubles: The problems found.
        news: The problems that had not yet been reported today.
        stopped: Whether too many players were late at once, so that nothing was done about late players.
        halted: Whether the round did nothing at all.
    """

    letters: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    games: tuple[tuple[str, tuple[Happening, ...]], ...] = ()
    made: tuple[str, ...] = ()
    put: int = 0
    delivery: Delivery = Delivery()
    troubles: tuple[str, ...] = ()
    news: tuple[str, ...] = ()
    stopped: bool = False
    halted: bool = False


class RoundOptions(TypedDict, total=False):
    """The options of a round of the host, none of which is required.

    Attributes:
        source: The mailbox from which emails are fetched; without it none are.
        carrier: Sends the emails; without it they stay in the outbox.
        anyway: Whether to act for late players even if too many are late at once, and to trust the machine's clock.
        beacon: The public beacon for games whose dice use one; by default drand.
        state: The folder in which this account records what was done (:mod:`pbem.mail.host.backup`).
        restored: Whether the umpire confirms that this folder is a backup and that the host is to continue with it.
        workers: Runs the jobs that play and write reports; by default this process does.
        beyond: Continues the club's tournaments.
        up: How long the machine has been running, if the system can say.
    """

    source: Source | None
    carrier: Carrier | None
    anyway: bool
    beacon: Beacon | None
    state: Path | None
    restored: bool
    workers: Workers | None
    beyond: Beyond | None
    up: Up | None


def host_round(folder: Path, now: Now, **options: Unpack[RoundOptions]) -> Round:
    """Do one round (one pass over all games) for a club's folder, and return what was done.

    A problem with one game or with the mail server is reported in ``troubles``, and the round continues. If the
    folder may lack work done for its club, the round only informs the umpire (``halted``). If another host is at work
    on the folder, this one waits for the lock.

    Args:
        folder: The club's folder.
        now: Returns the current time.
        options: See :class:`RoundOptions`.

    Raises:
        GameError: The host's settings are wrong, or another host holds the lock for too long.
    """
    host, state, source = read_host(folder), options.get("state"), options.get("source")
    carrier = options.get("carrier")
    with locked(folder, "host"), database(folder / MAIL):
        with suppress(OSError):
            sweep(folder / MAIL)
        try:
            verify_here(folder, host.deadlines.zone)
            verify_database(folder, host, now(), carrier)
            verify_people(folder, host, now(), carrier)
            copy_check = (
                CopyCheck(folder, state, restored=options.get("restored", False)) if state is not None else None
            )
            if copy_check is not None:
                copy_check.mailbox_is_outside = not lies_within(source, folder)
                copy_check.check()
            done = _all_steps(begun(folder, host, now, copy_check, **options))
        except Elsewhere as error:
            text, times = tell_elsewhere(folder, host, now(), carrier, error)
            return Round(troubles=(text,), news=(text,) if times else (), halted=True)
        if copy_check is not None and (
            done.delivery.sent or done.taken or done.put or copy_check.lost or copy_check.moved
        ):
            with suppress(GameError, OSError):  # a home folder without write access must not stop the email
                mark = copy_check.add(now(), done.delivery.sent, done.taken)
                if source is not None:
                    source.leave(copy_check.counted.host, mark)
        return done


def begun(
    folder: Path, host: Host, now: Now, copy_check: CopyCheck | None = None, **options: Unpack[RoundOptions]
) -> HostedClub:
    """Return what a round of the host works with, at its start.

    Args:
        folder: The club's folder.
        host: Its settings.
        now: Returns the current time.
        copy_check: Detects whether the folder is an old copy of the club.
        options: See :class:`RoundOptions`.
    """
    troubles, rounds = Troubles(folder, now()), read_rounds(folder)
    this = hour(rounds, now(), up=options.get("up"), anyway=options.get("anyway", False))
    home = folder / "games"
    folders, broken = games_under(home) if home.is_dir() else ([], [])
    # Finish interrupted changes of players before reading who plays.
    replacing.finish_all(folders, lambda game: troubles.kept(game.name, game=game.name))
    seats = read_seats(folder, host, now(), folders, broken, this.rounds.drift)
    club = HostedClub(
        folder=folder,
        host=host,
        now=now,
        source=options.get("source"),
        carrier=options.get("carrier"),
        anyway=options.get("anyway", False),
        beacon=options.get("beacon") or Drand(now),
        beyond=options.get("beyond"),
        up=options.get("up"),
        workers=options.get("workers") or Workers(),
        copy_check=copy_check,
        folders=tuple(folders),
        broken=tuple(broken),
        last=rounds.last,
        before=now() if this.said or rounds.last is None else min(rounds.last, now()),
        hour=this,
        unreachable=UnreachablePlayers(folder),
        troubles=troubles,
        log=RoundLog(),
        **msgspec.structs.asdict(seats),
    )
    held_up = [game for one in club.outbox.refused() if (game := not_taken(club, one)) is not None]
    return msgspec.structs.replace(club, held_up=frozenset(held_up))


def not_taken(club: HostedClub, refusal: Refusal) -> Path | None:
    """Return the game that must wait because a mail server refused a sitrep; ``None`` if none must wait.

    The sitrep asks a player for orders. If the player still has the address, the time for the answer has not begun. If
    not, the address is recorded as unreachable.
    """
    until = refusal.until
    game = club.games.folder_of_side.get((until.game, until.side))
    if game is None or not until.asks:
        return None
    (seat,) = (one for one in club.games.by_folder[game] if one.side == until.side)
    if refusal.reader == seat.addresses[0]:
        return game
    with club.troubles.kept(game.name, game=game.name):
        if timetable.read_clock(game).asking == until.asking:
            club.unreachable.lose((refusal.reader,), refusal.why, refusal.since, [seat])
    return None


def _all_steps(club: HostedClub) -> Round:
    """Do all steps of a round in order, and return its result."""
    club.workers.begin()
    club.workers.said.clear()
    _renew_logins(club)
    clock_fault = club.hour
    received = receive(continued(club))
    club = verified_newest(received.club)
    if any(one.startswith("command") for one in received.letters):
        with club.troubles.kept("who plays"):
            club = seated(club)
    club = _with_people(club)
    if clock_fault.said and not club.restoring:
        club.troubles.tell(UmpireNotice(text=clock_fault.said, key=f"clock {clock_fault.rounds}"))
    rests = play_all(club)
    over = frozenset(folder for folder, rest in rests.items() if rest is not None and not rest.waits)
    club = msgspec.structs.replace(club, over=over)
    stopped = enforce_deadlines(club, rests)
    for one in dict.fromkeys(club.workers.said):
        club.troubles.tell(UmpireNotice(text=one, key=f"workers {one[:60]}"))
    if club.host.site:  # before the cache of resting games is saved, so that unwritten pages are tried again
        _show(club)
    with club.troubles.kept("what is known of the games"), database(club.folder / MAIL) as store, store.transaction():
        club.seating.write()
        club.resting.write()
        write_rounds(club.folder, club.hour.rounds)
    made = _continue_tournaments(club)
    _tell_of_own_emails(club)
    tell_umpires(club)
    delivery = _deliver(club, read=received.read)
    _finish(club)
    return Round(
        letters=received.letters,
        taken=received.taken,
        games=tuple((name, tuple(done)) for name, done in sorted(club.log.happened.items())),
        made=made,
        put=club.outbox.queued,
        delivery=delivery,
        troubles=tuple(club.troubles.now),
        news=tuple(club.troubles.news),
        stopped=stopped,
    )


def _renew_logins(club: HostedClub) -> None:
    """Renew the OAuth logins at the mail servers that would expire soon."""
    for server in (club.source, club.carrier):
        if isinstance(server, Source | SmtpCarrier):
            with club.troubles.kept("the login"):
                server.keep_logged_in()


def _with_people(club: HostedClub) -> HostedClub:
    """Read the club's people, their absences, and the spectators of its games; return the club with these."""
    with club.troubles.kept("who is away"):
        roll = read_people(club.folder)
        absent = (*read_absences(club.games.post), *absences_of(roll))
        club = msgspec.structs.replace(club, roll=roll, absent=absent)
    club.resting.drifted(club.hour.rounds.drift)
    with club.troubles.kept("who watches"):
        watching = Watching(club.folder, club.games, club.roll)
        club = msgspec.structs.replace(club, watching=watching)
    return club


# --- games -----------------------------------------------------------------------------------------------------------


def play_all(club: HostedClub) -> dict[Path, Rest | None]:
    """Continue all games in which something may have happened; return the state of each game.

    The result maps a game's folder to :class:`~pbem.mail.host.idle.Rest`: the time until which the host may ignore the
    game, and which sides are late. It is ``None`` for a game with a problem.
    """
    rests = {folder: club.resting.find(folder, club.now()) for folder in club.folders}
    played = worked(club, ((folder, partial(play, club)) for folder, rest in rests.items() if rest is None))
    return rests | dict(played)


def enforce_deadlines(club: HostedClub, rests: Mapping[Path, Rest | None]) -> bool:
    """Act for late players as the rule of their game says; return whether too many were late at once.

    If too many are late, the email has probably failed. Then only the umpire is informed, and nothing is done about
    late players. ``rests`` is the result of :func:`play_all`.
    """
    if not (late := late_sides(club, rests)):
        return False
    people = {(folder.name, side) for folder, rest in rests.items() if rest is not None for side in rest.waits}
    missing = sum(len(one.sides) for one in late)
    if not club.anyway and too_many(club.host.deadlines, missing, len(people)):
        names = [f"{one.folder.name}: {', '.join(one.sides)}" for one in late]
        text = emails.sentence("many_late", late=missing, people=len(people), games=names)
        key = f"stopped {[(one.folder.name, one.asking, one.sides) for one in late]}"
        club.troubles.tell(UmpireNotice(text=text, key=key))
        return True
    to_file: list[Job[None]] = []
    for one in late:
        if one.rule.late == "wait":
            name, path = one.folder.name, shown_path(club.folder, one.folder)
            text = emails.sentence("game_waits", game=name, sides=one.sides, path=path)
            key = f"late {name} {one.asking} {one.sides}"
            club.troubles.tell(UmpireNotice(text=text, key=key, calm=True, game=name))
        else:
            to_file.append((one.folder, partial(_file_for, club, late=one)))
    worked(club, to_file)
    return False


def _file_for(club: HostedClub, game: GameFolder, *, late: Late) -> Working[None]:
    """File stand-in orders for a game's late sides, inform their players and the umpire, and play on."""
    state, request = game.state(), game.state().request
    if request is None or (request.turn, request.number, state.segment) != late.asking:
        return  # pragma: no cover (nobody else works on it)
    notices = timetable.SentNotices(game.path)
    for side in late.sides:
        queue(club, notices, [_filed(club, game, late, side)])
    yield from play(club, game)


def _filed(club: HostedClub, game: GameFolder, late: Late, side: str) -> Outgoing:
    """File stand-in orders for a late side of a game; return the emails to the player and the umpire."""
    name, how, request = game.terms.name, late.rule.late, game.state().request
    assert request is not None and how != "wait"
    why = f"{announce.BY_HOST}, as no orders came in time; agreed for this: {how}."
    orders = stand_in(game, side, how, why)
    if not orders:
        text = emails.sentence("no_stand_in", game=name, side=side)
        notice = UmpireNotice(text=text, key=f"no stand-in {name} {late.asking} {side}", game=name)
        return Outgoing(notices=(notice,))
    submit(game, orders, f"{side}.orders")
    to = [thread(club, game, seat) for seat in seats_of(club, game) if seat.side == side]
    text = emails.sentence("stand_in", game=name, side=side, late=how)
    key = f"filed for {game.terms.dice.commitment} {late.asking} {side}"
    return Outgoing(
        replies=tuple(announce.filed_for(one, request, orders, asking=late.asking) for one in to),
        notices=(UmpireNotice(text=text, key=key, trouble=False, game=name),),
    )


# --- what follows the games ------------------------------------------------------------------------------------------


def _show(club: HostedClub) -> None:
    """Write the pages of the club's site for public games that changed."""
    with club.troubles.kept("the club's site"):
        target = club.folder / club.host.site
        done = showing.renew(club.folder, target, club.host.site_url, club.folders, club.log.opened, club.host.name)
        for fault in done.faults if done is not None else ():
            club.troubles.tell(UmpireNotice(text=f"the club's site: {fault}", key=f"site {fault}"))


def _continue_tournaments(club: HostedClub) -> tuple[str, ...]:
    """Continue the club's tournaments, and return the names of the games that were created."""
    made: list[str] = []
    pages = showing.pages_of_tournaments(club.folder) if club.host.site else ""
    with club.troubles.kept("the tournaments"):
        if club.beyond is not None:
            made += club.beyond(club.folder, club.now(), [folder.name for folder in club.over])
    if club.host.site and showing.pages_of_tournaments(club.folder) != pages:
        _show(club)
    return tuple(made)


def _tell_of_own_emails(club: HostedClub) -> None:
    """Inform the umpire of the club's own email templates that cannot be used."""
    for file, why in emails.failures(club.folder):
        text = emails.sentence("own_email_broken", file=f"{emails.OWN_FOLDER}/{file}", why=why)
        club.troubles.tell(UmpireNotice(text=text, key=f"email {file} {why}"))


def _deliver(club: HostedClub, *, read: bool) -> Delivery:
    """Send the emails that are due, and record what that shows about servers and addresses.

    ``read`` says whether the inbox could be read.
    """
    delivery = Delivery()
    if club.copy_check is not None:
        with suppress(GameError, OSError):  # a home folder without write access must not stop the email
            club.copy_check.tell(club.now())
    with club.troubles.kept("the outbox"):
        moment = club.now()
        delivery = club.outbox.deliver(
            club.carrier, moment, refresh=lambda until, refused: words_when_sent(club, until, moment, refused)
        )
        after_delivery(club, delivery, moment, read=read)
        for reader, why in club.outbox.unreached.items():
            club.unreachable.lose((reader,), why, moment)
        if club.watching is not None:
            club.unreachable.write(club.games.seats, club.watching.addresses)
    if delivery.trouble:
        club.troubles.note(f"mail could not be sent: {delivery.trouble}", "mail could not be sent")
    return delivery


def _finish(club: HostedClub) -> None:
    """End the round: write the heartbeat, queue the umpire's weekly email, and tidy up.

    The heartbeat is the file that records the state of the host.
    """
    tell_umpires(club)  # problems found after this are reported in the next round
    with club.troubles.kept("the heartbeat"):
        club.troubles.write(*club.outbox.counted())
    with club.troubles.kept("the letter of the week"):  # it reports on this round, and the next round sends it
        deeds = club.copy_check.deeds if club.copy_check is not None else ()
        overview.tell(club.folder, club.host, club.now(), deeds, club.outbox.put)
    if club.host.keep:
        with club.troubles.kept("tidying up"):
            tidy.daily(club.folder, club.now(), club.host.keep, partial(safely, club))
