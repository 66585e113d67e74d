"""Handle one game in a round of the host: play on, send reports and notices, and remind its players.

A round is one pass of the host over all its games; the order of its steps is in :mod:`pbem.mail.host.round`.
Deadlines and late players are in :mod:`pbem.mail.host.lateness`, and the texts of the emails in
:mod:`pbem.mail.replies.announce`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pbem.games.answers import answers
from pbem.games.proof.beacon import sealing_of
from pbem.games.proof.restored import PUT_BACK, hosted_by, is_noted, note_host, remember
from pbem.games.resolve import ALONE, Happening, resolve_with_jobs
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.players import names, players, tenures
from pbem.games.storage.publish import save_is_late
from pbem.mail.commands import endings, seats
from pbem.mail.commands.dispatch import waiting
from pbem.mail.event_log import note_games
from pbem.mail.host import clocks as timetable
from pbem.mail.host.deadlines import Rule, Standing, Times, deadline_words, nags, written
from pbem.mail.host.idle import Rest
from pbem.mail.host.workers import Working
from pbem.mail.people import remember_names
from pbem.mail.replies import announce
from pbem.mail.seats import Seat, out_of_reach, player_addresses
from pbem.mail.settings import game_rule, shown_path
from pbem.util import several

if TYPE_CHECKING:
    from pbem.mail.host.round import HostRound

PATIENCE = timedelta(hours=1)
"""How long the drand value (the public random value for the dice) may be overdue before the umpire is told."""


class Playing:
    """The part of the host's round that handles single games.

    ``happened`` lists what happened in each game, by its name. ``looked_at`` contains the folders of all games that
    were opened.
    """

    def __init__(self, round: HostRound) -> None:
        self.round, self.lateness, self.host, self.now = round, round.lateness, round.host, round.now
        self.say, self.thread, self.seats, self.troubles = round.say, round.thread, round.seats, round.troubles
        self.happened: dict[str, list[Happening]] = {}
        self.looked_at: set[Path] = set()

    def play(self, game: GameFolder) -> Working[Rest]:
        """Play a game on, send its reports and reminders, and return until when the host may ignore the game."""
        self.looked_at.add(game.path)
        self._look_back(game)
        rest = yield from self._go_on(game)
        if self.round.apart is not None:
            self.round.apart.told(game)
        if save_is_late(game):  # whoever holds the file may let go of it at any time, and changes nothing
            rest = msgspec.structs.replace(rest, until=self.now())
        self.round.resting.keep(game.path, rest)
        return rest

    def _look_back(self, game: GameFolder) -> None:
        """Detect whether this game's folder was restored from a copy, or last played by another host.

        If so, its players and the umpire are told, and the time for orders starts again. Dice that the players may
        know already are not used again.
        """
        apart, state = self.round.apart, game.state()
        if apart is None:
            return
        host, through, played_by = apart.counted.host, apart.told_of(game), hosted_by(game.path)
        sure = played_by in ("", host)
        if sure and (through <= state.segment or is_noted(game, through)):
            if not played_by and apart.counted.count:
                note_host(game.path, host)
            return
        told = remember(game, apart.played_of(game.path.name, state.segment), sure=sure, why=PUT_BACK, through=through)
        if told is None or state.over:
            note_host(game.path, host)
            return
        clock = timetable.read_clock(game.path)
        timetable.write_clock(game.path, clock.begun(clock.asking, self.now(), self.lateness.rounds))
        about = f"{state.segment} {told.through} {told.fresh or len(game.records())}"
        for seat in self.seats(game):
            self.say(announce.game_put_back(self.thread(game, seat), about, told.fresh))
        name = game.terms.name
        if sure:
            known = several(told.through - state.segment, "stretch", "stretches")
            text = f"A copy of {name} was put back: the players know {known} of play that this folder does not have."
        else:
            text = f"{name} was played by another host last, so nobody knows here which of its dice the players know."
        text += (
            " The game goes on from its folder. Where orders differ from those that were played, the dice are new "
            "ones; the time for the orders begins anew, and the players are told. Where this was a mistake, "
            f"`pbem pause {shown_path(self.round.folder, game.path)}` stops it."
        )
        self.troubles.tell(text, f"put back {game.terms.dice.commitment} {about}", trouble=False, game=name)
        note_host(game.path, host)

    def _go_on(self, game: GameFolder) -> Working[Rest]:
        """Do everything that is due in a game; return which sides are late, and when something is due next."""
        rule = game_rule(self.host, game.path)
        remember_names(game.path, game.terms, self.round.roll)
        self.settle(game)
        self._look_for_players(game)
        clock = timetable.start(game, self.now(), self.lateness.rounds)
        if clock.paused is None:
            clock = yield from self.resolve(game, clock, rule)
        mine = self.seats(game)
        clock = self.lateness.let_be_away(game, mine, rule, clock)
        clock = self._ask_anew(game, mine, rule, clock)
        self._announce(game, mine, rule, clock)
        self._tell_moved(game, mine, rule, clock)
        self._tell_paused(game, mine, rule, clock)
        self._tell_draw(game, mine)
        self._tell_vacant(game, mine)
        self._tell_sealed(game, mine)
        if self.round.watching is not None:
            with self.troubles.kept(f"{game.terms.name}, as it is watched", game=game.terms.name):
                self.round.watching.tell(game, mine, self.round.unreachable.known, self.say)
        state = game.state()
        if state.over or state.request is None:
            return Rest(mark="")
        waits = tuple(seat.side for seat in mine)
        sealed = sealing_of(game) is not None  # the beacon may speak at any time, and changes no file
        found = self.lateness.times(game.path, clock, rule)
        if clock.paused is not None or found is None:
            return Rest(mark="", waits=waits, until=self.now() if sealed else None)
        answered, _ = answers(game)
        owing = tuple(side for side in state.request.sides if side not in answered)
        self.lateness.remind(game, [seat for seat in mine if seat.side in owing], rule, clock, found)
        _, nag = nags(rule, found, self.now())
        moments = (*found.reminders, found.due, found.final, *([nag] if nag is not None and owing else []))
        ahead = [moment for moment in moments if moment > self.now()]
        unsure = self.now() >= found.due and not self.lateness.hour.passed(found.due)
        if sealed or unsure or self.lateness.hour.sure is None:
            ahead = [self.now()]
        rest = Rest(mark="", waits=waits, owes=owing, until=min(ahead, default=None), asking=clock.asking)
        if not owing or self.now() < found.final:
            return rest
        self.lateness.nag(game, mine, owing, rule, clock, found)
        return msgspec.structs.replace(rest, late=owing, final=found.final)

    def _ask_anew(self, game: GameFolder, mine: list[Seat], rule: Rule, clock: timetable.Clock) -> timetable.Clock:
        """Return the game's clock after restarting the deadline of players whose email bounced.

        This is done for a player who now has a new address, since they could not know that orders were wanted. It
        is done once for each failure of their address.
        """
        request = game.state().request
        if clock.paused is not None:
            return clock  # nobody's time runs
        for seat in mine:
            if (since := self.round.unreachable.elsewhere(seat)) is None:
                continue
            if request is not None and request.asks(seat.side) and seat.side not in answers(game)[0]:
                clock = self.lateness.begin_anew(game, seat, rule, clock, since)
            self.round.unreachable.settle(seat)
        return clock

    def settle(self, game: GameFolder) -> None:
        """End the game, or remove a side from it, if players asked for that by email (DRAW or RESIGN)."""
        if endings.settle(game):
            self._note(game, [Happening(what="over")])

    def _note(self, game: GameFolder, done: list[Happening]) -> None:
        """Keep what happened in a game for the result of the round, and log it."""
        self.happened.setdefault(game.terms.name, []).extend(done)
        note_games(game.terms.name, done)

    def resolve(self, game: GameFolder, clock: timetable.Clock, rule: Rule) -> Working[timetable.Clock]:
        """Play on while all wanted orders are there; return the game's new clock.

        If a side asked to wait (WAIT), nothing is played before the deadline.
        """
        found = self.lateness.times(game.path, clock, rule)
        state = game.state()
        early = found is not None and not self.lateness.hour.passed(found.due)
        if waiting(game) and early and state.request is not None:
            return clock
        happened = yield from resolve_with_jobs(game, self.round.beacon)
        done = [one for one in happened if one.what != "waiting"]
        if done and not state.over:
            self._note(game, done)
        clock = timetable.start(game, self.now(), self.lateness.rounds)
        return self._stop_captains(game) if any(one.what == "alone" for one in done) else clock

    def _stop_captains(self, game: GameFolder) -> timetable.Clock:
        """Pause a game in which only computer players have played for many turns, and tell the umpire.

        Computer players could circle each other forever, so a person must say whether the game goes on.
        """
        why = f"computer captains alone have played {several(ALONE, 'turn')}, and nothing is decided"
        path = shown_path(self.round.folder, game.path)
        text = (
            f"{game.terms.name} is paused: {why}. `pbem resume {path}` has them play so many more, "
            f"`pbem override {path} --result SIDE=RESULT --reason WHY` ends the game."
        )
        self.troubles.tell(text, f"captains alone {game.terms.name} {game.state().turn}", game=game.terms.name)
        return timetable.pause(game.path, self.now(), f"{why[0].upper()}{why[1:]}.")

    def _look_for_players(self, game: GameFolder) -> None:
        """Tell the umpire about sides whose player has no known address, because they cannot be asked for orders."""
        if game.state().over:
            return
        for side, player in out_of_reach(self.round.roll, players(game.path, game.terms)).items():
            text = (
                f"{game.terms.name} has no address for {side}, which {player!r} plays: nothing is asked of him. "
                f"`pbem host replace {shown_path(self.round.folder, game.path)} {side} ADDRESS` gives one, or a person "
                "of that key or name in players.toml."
            )
            self.troubles.tell(text, f"no address {game.terms.name} {side} {player}", game=game.terms.name)

    # --- what its players are told ---

    def _announce(self, game: GameFolder, mine: list[Seat], rule: Rule, clock: timetable.Clock) -> None:
        """Send all sitreps that were not sent yet, and invitations to players who have none.

        If the game is new to this host, only its last sitrep is sent.
        """
        said = timetable.SentNotices(game.path)
        folders = announce.published(game)
        if not folders:
            return
        announce.begin(said, folders, mine)
        found = self.lateness.times(game.path, clock, rule)
        self._tell_tenures(game, mine, said, rule, found)
        when = deadline_words(found, rule, self.now()) if found else ""
        for seat in mine:
            now = announce.above_sitrep(game, seat, when, clock)
            announce.invite(said, game, self.round.games, seat, folders[-1], rule, now, self.say)
            for folder in folders:
                last = folder == folders[-1]
                name = announce.sitrep_id(folder, seat.side)
                key = announce.sitrep_key(name, seat)
                if (key if last else name) in said.known:
                    continue
                above = now if last else announce.Above()
                self.say(announce.sitrep(game, self.round.games, seat, folder, above, self.thread(game, seat).root))
                said.add(name, key, *above.keys)

    def _tell_tenures(
        self, game: GameFolder, mine: list[Seat], said: timetable.SentNotices, rule: Rule, found: Times | None
    ) -> None:
        """Announce changes of the player of a side to the other sides, and send thanks to the players who were
        replaced.
        """
        words = deadline_words(found, rule, self.now(), "not asked") if found and game.state().request else ""
        known = {address for seat in mine for address in seat.addresses}
        changes, called = tenures(game.path), names(game.path)
        for number, tenure in enumerate(changes, start=1):
            mark = f"tenure {number}"
            if mark in said.known:
                continue
            told = msgspec.structs.replace(
                tenure,
                before=called.get(tenure.before, tenure.before),
                player=called.get(tenure.player, tenure.player),
            )
            if number == len(changes):
                for seat in mine:
                    if seat.side != tenure.side:
                        self.say(announce.player_changed(game, self.thread(game, seat), told, number, words))
            for address in self._addresses_of(tenure.before):
                if address not in known:
                    self.say(announce.player_thanked(game, told, address, number))
            said.add(mark)

    def _addresses_of(self, player: str) -> tuple[str, ...]:
        """Return the address to which a player's email goes, as a tuple; empty if it is unknown."""
        person = self.round.roll.find(player)
        return (person.mail.lower(),) if person is not None else player_addresses(player)[:1]

    def _tell_moved(self, game: GameFolder, mine: list[Seat], rule: Rule, clock: timetable.Clock) -> None:
        """Tell the players that a deadline is now later, and why.

        The player whose email moved it knows already, and so does one whose sitrep says it.
        """
        request, found = game.state().request, self.lateness.times(game.path, clock, rule)
        if not (clock.extended or clock.away) or request is None or found is None or clock.paused is not None:
            return
        said = timetable.SentNotices(game.path)
        known = frozenset(said.known)
        for seat, standing in self._standings(game, mine):
            words = deadline_words(found, rule, self.now(), standing)
            for cause, why, knows in announce.moves(clock, seat.side):
                keys = {announce.move_key(clock, cause), announce.move_key(clock, cause, seat.side)}
                if seat.side != knows and not keys & known:
                    self.say(announce.deadline_moved(game, self.thread(game, seat), why, cause, words, standing))
        said.add(*(announce.move_key(clock, cause) for cause, _, _ in announce.moves(clock, "")))

    def _standings(self, game: GameFolder, mine: list[Seat]) -> Iterator[tuple[Seat, Standing]]:
        """Yield each seat (side played by email) with its status: owes orders, has sent them, or is not asked.

        Nothing is yielded if the game is over.
        """
        request = game.state().request
        if request is None:
            return
        answered, _ = answers(game)
        for seat in mine:
            asked: Standing = "answered" if seat.side in answered else "owes"
            yield seat, asked if request.asks(seat.side) else "not asked"

    def _tell_paused(self, game: GameFolder, mine: list[Seat], rule: Rule, clock: timetable.Clock) -> None:
        """Tell all players that the game is paused; once it goes on, tell them that too."""
        said, now = timetable.SentNotices(game.path), clock.paused.isoformat() if clock.paused is not None else ""
        before = {line.partition(" ")[2] for line in said.known if line.startswith("paused ")}
        if clock.paused is not None and now not in before:
            for seat in mine:
                since = written(clock.paused, rule.zone)
                self.say(announce.game_paused(self.thread(game, seat), since, clock.reason, f"paused {now}"))
            said.add(f"paused {now}")
        found = self.lateness.times(game.path, clock, rule)
        for one in sorted(before - {now} - {line.partition(" ")[2] for line in said.known if line[:7] == "resumed"}):
            for seat, standing in self._standings(game, mine) if clock.paused is None else ():
                words = deadline_words(found, rule, self.now(), standing) if found is not None else ""
                self.say(announce.game_resumed(game, self.thread(game, seat), words, standing, f"resumed {one}"))
            said.add(f"resumed {one}")

    def _tell_draw(self, game: GameFolder, mine: list[Seat]) -> None:
        """Tell the other players which side agrees to a draw, and how they can agree.

        This is done at most once a turn for each side.
        """
        state, asked = game.state(), endings.read_endings(game.path)
        offered = [side for side in asked.draw if side in endings.left(state)]
        if not offered or state.over or (asked.resign and not endings.wanted(state, asked)):
            return
        said = timetable.SentNotices(game.path)
        for side in offered:
            mark = f"draw {side} {state.turn}"
            if mark in said.known:
                continue
            for seat in mine:
                if seat.side != side:
                    wanted = endings.wanted(state, asked)
                    self.say(announce.draw_offered(self.thread(game, seat), side, wanted, state.turn))
            said.add(mark)

    def _tell_vacant(self, game: GameFolder, mine: list[Seat]) -> None:
        """Tell the club's players once that a side needs a new player.

        Players of the club's other games are told only if the host accepts the TAKE command.
        """
        if game.state().over:
            return
        for side in seats.vacant(game.path):
            said, about = timetable.SentNotices(game.path), f"{side} {seats.times(game, side)}"
            if f"vacant {about}" in said.known:
                continue
            told = {one.to for one in mine}
            for seat in mine:
                if seat.side != side:
                    self.say(announce.side_open(self.thread(game, seat), game.terms.name, side, about, takes=False))
            for seat in self.round.games.seats if self.host.letters.take else ():
                if seat.to not in told:
                    told.add(seat.to)
                    to = announce.Thread(self.round.games, seat, "", game.terms.dice.commitment)
                    self.say(announce.side_open(to, game.terms.name, side, about, takes=True))
            said.add(f"vacant {about}")

    def _tell_sealed(self, game: GameFolder, mine: list[Seat]) -> None:
        """Tell the players that their orders are sealed and wait for a drand value (the public random value for the
        dice).

        If the value is overdue, tell the umpire.
        """
        sealing = sealing_of(game)
        if sealing is None:
            return
        for seat in mine:
            self.say(announce.orders_sealed(self.thread(game, seat), sealing))
        if self.now() > sealing.due + PATIENCE:
            text = (
                f"{game.terms.name} has waited for round {sealing.round} of the beacon drand since {sealing.due}. "
                f"`pbem resolve {shown_path(self.round.folder, game.path)} --beacon VALUE` takes the value from you."
            )
            key = f"silent {game.terms.dice.commitment} {sealing.segment} {sealing.round}"
            self.troubles.tell(text, key, game=game.terms.name)
