"""Receive the emails of a host's round, and continue a club from a restored backup.

If the folder is a backup, emails that were received since are read from the mailbox and played again, and the players
are informed. Nobody is late because of the lost time. Restoring the files themselves is in
:mod:`pbem.mail.host.backup`.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from pbem.games.proof.restored import CLUB_PUT_BACK, PUT_BACK, remember
from pbem.games.storage.files import remove
from pbem.games.storage.folder import GameFolder
from pbem.mail import emails
from pbem.mail.commands import seats
from pbem.mail.event_log import note_email
from pbem.mail.host import clocks as timetable
from pbem.mail.host.backup import CopyCheck, Elsewhere
from pbem.mail.host.clocks import hour, read_rounds
from pbem.mail.host.club import HostedClub, queue, safely, seated, seats_of, thread, worked
from pbem.mail.host.deadlines import written
from pbem.mail.host.lateness import after_fetching, rounds_of, words_for_receipt
from pbem.mail.host.play import resolve, settle
from pbem.mail.host.workers import Working
from pbem.mail.incoming import ledger
from pbem.mail.incoming.intake import Taken, take_in_all, to_players
from pbem.mail.incoming.ledger import held
from pbem.mail.people import read_moves
from pbem.mail.replies import announce
from pbem.mail.replies.reply import Outgoing, UmpireNotice
from pbem.mail.seats import Games
from pbem.mail.settings import game_rule
from pbem.mail.store import EmailRecord
from pbem.mail.transport.sources import Source
from pbem.mail.web_keys import renew_all

REREAD = timedelta(days=30)
"""How far back emails are read again if a restored folder does not say when the backup was made."""
SLACK = timedelta(days=2)
"""Emails are read again if they arrived after the backup, or at most this long before it.

Mail servers date emails by their own clocks. The journal recognizes emails that were handled before.
"""


class Received(msgspec.Struct, frozen=True, kw_only=True):
    """The result of receiving emails.

    Attributes:
        club: The club afterwards. Emails may have changed who plays; the mailbox may show that the folder is a backup.
        letters: For each email, what was done with it.
        taken: A description of each new email, by which a person can find it in the mailbox.
        read: Whether the inbox could be read; true if the club has no inbox.
    """

    club: HostedClub
    letters: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    read: bool = True


def receive(club: HostedClub) -> Received:
    """Receive and answer all emails of a round, and return the result."""
    with club.troubles.kept("new addresses"):
        if any(move.untold for move in read_moves(club.games.post)):  # an interrupted command has not informed them
            with held(club.games.post):
                seats.tell(club.games, lambda reply: club.outbox.put(reply))
    received = _fetched(club, club.source) if club.source is not None else Received(club=club)
    club = received.club
    if club.hour.rounds.dumb:  # players may not have received the request for orders
        club = msgspec.structs.replace(club, hour=club.hour.unsure())
    with club.troubles.kept("what was put aside"):
        zone = club.host.deadlines.zone
        ledger.tell(club.games.post, club.host.umpire, zone, club.now(), lambda reply: club.outbox.put(reply))
    for name, why in club.games.broken:
        text = emails.sentence("game_unreadable", game=name, why=why)
        club.troubles.tell(UmpireNotice(text=text, key=f"broken {name} {why}", game=name))
    return msgspec.structs.replace(received, club=club)


def _fetched(club: HostedClub, source: Source) -> Received:
    letters, taken, left, read = list[str](), list[str](), set[str](), False

    def look(marks: tuple[str, ...]) -> None:
        nonlocal club
        club = after_marks(club, marks)

    def anew() -> Games:
        nonlocal club
        club = seated(club)
        return club.games

    source.guard = look if club.copy_check is not None else None
    with club.troubles.kept("the inbox"):
        for one in take_in_all(
            source, club.games, to_players(lambda reply: club.outbox.put(reply)), left=left, anew=anew,
            due=lambda seat, standing: words_for_receipt(club, seat, standing),
        ):  # fmt: skip
            if one.again and club.restoring:
                continue  # handled before the backup was made
            note_email(one.entry, again=one.again)
            taken += [] if one.again else [_described(one.entry)]
            _note_address(club, one)
            letters.append(f"{one.entry.done}{' (again)' * one.again}")
            if club.restoring:
                _play_again(club, one.entry)
        read = True
    club = after_fetching(club, read=read, left=bool(left))
    for why in source.missed():
        text = emails.sentence("inbox_trouble", why=why)
        club.troubles.tell(UmpireNotice(text=text, key=f"missed {why}"))
    return Received(club=club, letters=tuple(letters), taken=tuple(taken), read=read)


def _note_address(club: HostedClub, taken: Taken) -> None:
    """Update the record of addresses that email does not reach, because of a received email.

    The sender is reachable, unless the email only announces a new address. If the email is a bounce, the address that
    it names is not reachable.
    """
    entry = taken.entry
    if taken.again:
        return
    if entry.done == "bounce":
        club.unreachable.lose(entry.lost, "mail came back", club.now())
    elif entry.side and entry.done != "quarantine" and not taken.moves:
        club.unreachable.hear(entry.sender)


def _described(entry: EmailRecord) -> str:
    """Return a description of a received email, by which it can be found in the mailbox."""
    about = " ".join(filter(None, (entry.done, entry.game, entry.side)))
    return f"{entry.message_id or 'without a Message-ID'} from {entry.sender or 'nobody'} ({about})"


# --- a backup that was put back --------------------------------------------------------------------------------------


def after_marks(club: HostedClub, marks: tuple[str, ...]) -> HostedClub:
    """Return the club after checking the marks of hosts in the mailbox, before emails are fetched.

    A mark is a note about a host's last round (:mod:`pbem.mail.host.backup`). If the marks show that this folder is a
    backup, the round begins to continue from it.
    """
    copy_check = club.copy_check
    if copy_check is None:
        return club
    heard = copy_check.counted.count
    copy_check.look(marks)
    if club.restoring and copy_check.counted.count > heard:
        for folder in club.folders:  # another machine played on after this backup
            safely(club, folder, lambda game: _remember(copy_check, game))
    return continued(club, asked=True)


def verified_newest(club: HostedClub) -> HostedClub:
    """Return the club after the last check that its folder is the newest copy.

    This is called when emails have been fetched. The round continues from a backup even if the mailbox had no mark of
    this host (:mod:`pbem.mail.host.backup`).

    Raises:
        Elsewhere: Nothing shows whether this folder is the newest copy. Or the inbox could not be read, although
            it may show that.
    """
    copy_check = club.copy_check
    if copy_check is None:
        return club
    if not club.restoring and copy_check.older and club.source is not None and not copy_check.mailbox_checked:
        text = "try again later: the inbox cannot be read now, and may show what was done since this backup"
        raise Elsewhere.saying("restored", text, file=str(club.folder))
    if not club.restoring:
        copy_check.verify_known()
    club = continued(club, asked=True)
    remove(club.folder / CLUB_PUT_BACK)
    return club


def continued(club: HostedClub, *, asked: bool = False) -> HostedClub:
    """Let the round continue from the backup if the club's folder certainly is one; return the club.

    That is certain if work done since the backup is known. If the mailbox was already checked (``asked``), the umpire's
    confirmation is enough, too.
    """
    copy_check = club.copy_check
    if copy_check is None or club.restoring or not (copy_check.lost or (asked and copy_check.older)):
        return club
    copy_check.lost = True
    if copy_check.put_back is None or copy_check.put_back.moved:  # else the restore has done this
        renew_all(club.games.post, f"{copy_check.counted.count} {copy_check.counted.word}")
    now = club.now()
    since = club.last or now - REREAD
    this_hour = hour(read_rounds(club.folder), now, up=club.up, lost=True)
    club = msgspec.structs.replace(club, restoring=True, hour=this_hour)
    club.outbox.sent_since = copy_check.sent
    for name in copy_check.sent:
        club.outbox.went(name)
    if club.source is not None:
        club.source.since = since - SLACK
    when = written(since, club.host.deadlines.zone)
    text = emails.sentence("backup_continued", since=when, links=bool(club.host.web))
    club.troubles.tell(UmpireNotice(text=text, key=f"restored {copy_check.counted.count}", trouble=False))
    for folder in club.folders:
        safely(club, folder, lambda game: _tell_players(club, copy_check, game, since))
    remove(club.folder / CLUB_PUT_BACK)  # each game has recorded which dice are known, so play may go on
    return club


def _tell_players(club: HostedClub, copy_check: CopyCheck, game: GameFolder, since: datetime) -> None:
    fresh = _remember(copy_check, game)
    if game.state().over:
        return
    notices = timetable.SentNotices(game.path)
    when = written(since, game_rule(club.host, game.path).zone)
    to = [thread(club, game, seat) for seat in seats_of(club, game) if announce.thread_key(game, seat) in notices.known]
    queue(
        club,
        notices,
        (Outgoing(replies=(announce.put_back(one, when, copy_check.counted.count, fresh),)) for one in to),
    )


def _remember(copy_check: CopyCheck, game: GameFolder) -> str:
    """Record which dice of a game players may have seen since the backup, so that these are not reused.

    Return the hash of new salts (secret additions to the dice seed); ``""`` if none are needed.
    """
    note = remember(game, copy_check.since.get(game.path.name, ()), sure=copy_check.sure, why=PUT_BACK)
    return note.fresh if note is not None else ""


def _play_again(club: HostedClub, entry: EmailRecord) -> None:
    """After an email was read again, continue its game before the next email is read.

    Each email answered its own request, so the earlier answers must be played first. An email without orders may have
    had an effect too, for example WAIT OFF or a DRAW that ended the game.
    """

    def work(game: GameFolder) -> Working[None]:
        settle(club, game)
        clock = timetable.start(game, club.now(), rounds_of(club))
        if clock.paused is None:
            yield from resolve(club, game, clock, game_rule(club.host, game.path))

    folder = club.games.folder_of_side.get((entry.game, entry.side))
    if folder is not None:
        worked(club, [(folder, work)])
