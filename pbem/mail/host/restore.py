"""Continue a club from a restored backup.

Emails that arrived since the backup are read from the mailbox again and played again, and the players are told.
Nobody is late because of the lost time. Restoring the files themselves is in :mod:`pbem.mail.host.backup`.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pbem.games.proof.restored import CLUB_PUT_BACK, PUT_BACK, remember
from pbem.games.storage.files import remove
from pbem.games.storage.folder import GameFolder
from pbem.mail.host import clocks as timetable
from pbem.mail.host.backup import Elsewhere
from pbem.mail.host.clock_faults import hour, read_rounds
from pbem.mail.host.deadlines import written
from pbem.mail.replies import announce
from pbem.mail.settings import game_rule
from pbem.mail.store import EmailRecord
from pbem.mail.web_keys import renew_all

if TYPE_CHECKING:
    from pbem.mail.host.backup import Apart
    from pbem.mail.host.round import HostRound
    from pbem.mail.host.workers import Working

REREAD = timedelta(days=30)
"""How far back emails are read again if a restored folder does not say when the backup was made."""
SLACK = timedelta(days=2)
"""Emails are read again from this long before the backup was made.

Servers date emails by their own clocks, and the journal knows which emails were handled before.
"""


class Restore:
    """The part of a round of the host that continues from a backup; ``going_on`` says whether it does so.

    ``apart`` compares the counts of the host's rounds (:mod:`pbem.mail.host.backup`).
    """

    def __init__(self, round: HostRound, apart: Apart) -> None:
        self.round, self.apart = round, apart
        self.going_on = False

    def look(self, marks: tuple[str, ...]) -> None:
        """Check the marks of hosts in the mailbox before emails are fetched.

        If this folder turns out to be a backup, begin to continue from it.
        """
        heard = self.apart.counted.count
        self.apart.look(marks)
        if self.going_on and self.apart.counted.count > heard:
            for folder in self.round.folders:  # another machine went on from here
                self.round.safely(folder, self._remember)
        self.begin(asked=True)

    def settle(self) -> None:
        """Finish the check after emails were fetched: continue from a backup even if the mailbox had no mark of this
        host.

        Raises:
            Elsewhere: Nobody can say whether this folder is the newest copy. Or the inbox could not be read, although
                it may have the answer.
        """
        round, apart = self.round, self.apart
        if not self.going_on and apart.older and round.source is not None and not apart.marked:
            text = "the inbox cannot be read now, and it may know what was done since this backup; try again later"
            raise Elsewhere.saying("restored", text, file=str(round.folder))
        if not self.going_on:
            apart.verify_known()
        self.begin(asked=True)
        remove(round.folder / CLUB_PUT_BACK)

    def begin(self, *, asked: bool = False) -> None:
        """Begin to continue from the backup, if it is certain that this folder is one.

        It is certain if work done since the backup is known. If the mailbox was ``asked`` already, the umpire's
        confirmation suffices too.
        """
        if self.going_on or not (self.apart.lost or (asked and self.apart.older)):
            return
        self.going_on = self.apart.lost = True
        round = self.round
        if self.apart.put_back is None or self.apart.put_back.moved:  # else it was done as the backup was put back
            renew_all(round.games.post, f"{self.apart.counted.count} {self.apart.counted.word}")
        now = round.now()
        since = round.last or now - REREAD
        round.lateness.hour = hour(read_rounds(round.folder), now, up=round.up, lost=True)
        round.resting.drifted(round.lateness.hour.rounds.drift)
        round.sent_since = round.outbox.sent_since = self.apart.sent
        for name in self.apart.sent:
            round.outbox.went(name)
        if round.source is not None:
            round.source.since = since - SLACK
        text = (
            f"This folder is that of {written(since, round.zone)}. What came since is read again, from the letters in "
            "the mailbox, and played again; all deadlines come later by that time, and the players are told. What you "
            "ruled since, and orders that were filed for who was late, are not known any more: look at the games. Dice "
            "that players may know are passed over where orders differ from those that were played."
        )
        if round.host.web:
            text += " Everybody has a new link to the club's pages."
        round.troubles.tell(text, f"restored {self.apart.counted.count}", trouble=False)
        for folder in round.folders:
            round.safely(folder, lambda game: self._tell_players(game, since))
        remove(round.folder / CLUB_PUT_BACK)  # now each game knows its told dice: what is read again may be played

    def _tell_players(self, game: GameFolder, since: datetime) -> None:
        fresh = self._remember(game)
        if game.state().over:
            return
        round, known = self.round, timetable.Said(game.path).known
        when = written(since, game_rule(round.host, game.path).zone)
        for seat in round.seats(game):
            if announce.thread_key(game, seat) in known:
                round.say(announce.put_back(round.thread(game, seat), when, self.apart.counted.count, fresh))

    def _remember(self, game: GameFolder) -> str:
        """Record which dice of a game players may have seen since the backup, so that these are not rolled again.

        It returns the hash of new salts (secret additions to the dice seed), or an empty text if none are needed.
        """
        told = remember(game, self.apart.since.get(game.path.name, ()), sure=self.apart.sure, why=PUT_BACK)
        return told.fresh if told is not None else ""

    def replay(self, entry: EmailRecord) -> None:
        """After an email was read again, play its game on before the next email is read.

        Each email answered its own request, so the earlier answers must be played first. An email without orders
        may have mattered too, for example WAIT OFF or one that ends the game.
        """
        folder = self.round.homes.get((entry.game, entry.side))
        if folder is not None:
            self.round.worked([(folder, self._play_again)])

    def _play_again(self, game: GameFolder) -> Working[None]:
        round = self.round
        round.playing.settle(game)
        clock = timetable.start(game, round.now(), round.lateness.rounds)
        if clock.paused is None:
            yield from round.playing.resolve(game, clock, game_rule(round.host, game.path))
