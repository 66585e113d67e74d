"""Receive the emails of a host's round, and note whether some were left unread in the mailbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbem.mail.commands import seats
from pbem.mail.event_log import note_email
from pbem.mail.incoming import ledger
from pbem.mail.incoming.intake import Taken, take_in_all, to_players
from pbem.mail.incoming.ledger import held
from pbem.mail.people import read_moves
from pbem.mail.seats import Games
from pbem.mail.store import EmailRecord
from pbem.mail.transport.sources import Source

if TYPE_CHECKING:
    from pbem.mail.host.round import HostRound


class Receiving:
    """The part of a round of the host that receives emails.

    ``taken`` describes the new emails, so that somebody can find them in the mailbox. ``read`` says whether the
    inbox could be read; it is true if there is none.
    """

    def __init__(self, round: HostRound) -> None:
        self.round, self.lateness, self.troubles = round, round.lateness, round.troubles
        self.taken: list[str] = []
        self.read = True

    def receive(self) -> list[str]:
        """Receive all emails, and return a text for each that says what was done with it."""
        round = self.round
        with self.troubles.kept("new addresses"):
            if any(move.untold for move in read_moves(round.games.post)):  # a command was stopped before it told them
                with held(round.games.post):
                    seats.tell(round.games, round.say)
        letters = self._fetch(round.source) if round.source is not None else []
        self.lateness.unheard()
        with self.troubles.kept("what was put aside"):
            ledger.tell(round.games.post, round.host.umpire, round.zone, round.now(), round.say)
        for name, why in round.games.broken:
            self.troubles.tell(f"the game {name} cannot be read: {why}", f"broken {name} {why}", game=name)
        return letters

    def _fetch(self, source: Source) -> list[str]:
        restore, letters, left = self.round.restore, list[str](), set[str]()
        self.read = False
        source.guard = restore.look if restore is not None else None
        with self.troubles.kept("the inbox"):
            put, due = to_players(self.round.say), self.lateness.due
            for taken in take_in_all(source, self.round.games, put, due=due, left=left, anew=self._anew):
                again = restore if restore is not None and restore.going_on else None
                if taken.again and again is not None:
                    continue  # one of those before the backup
                note_email(taken.entry, again=taken.again)
                self.taken += [] if taken.again else [_named(taken.entry)]
                self._hear(taken)
                letters.append(f"{taken.entry.done}{' (again)' * taken.again}")
                if again is not None:
                    again.replay(taken.entry)
            self.read = True
        self.lateness.fetched(read=self.read, left=bool(left))
        for why in source.missed():
            self.troubles.tell(f"the inbox: {why}", f"missed {why}")
        return letters

    def _anew(self) -> Games:
        """Return the games with their seats, read again.

        An email may have changed which player has which side.
        """
        self.round.seat_all()
        return self.round.games

    def _hear(self, taken: Taken) -> None:
        """Update the record of addresses that email does not reach, because of a received email.

        Its sender is reachable, unless the email only announces a new address. If it is a bounce, the address that
        it names is not.
        """
        entry = taken.entry
        if taken.again:
            return
        if entry.done == "bounce":
            self.round.unreachable.lose(entry.lost, "mail came back", self.round.now())
        elif entry.side and entry.done != "quarantine" and not taken.moves:
            self.round.unreachable.hear(entry.sender)


def _named(entry: EmailRecord) -> str:
    """Return a description of a received email, by which it can be found in the mailbox."""
    about = " ".join(filter(None, (entry.done, entry.game, entry.side)))
    return f"{entry.message_id or 'without a Message-ID'} from {entry.sender or 'nobody'} ({about})"
