"""Emails that the host sends on its own: sitreps, the first email of a game, reminders and notices.

A sitrep is a side's report after a stretch of play. Its email starts from the ``mail.eml`` in the side's report
folder; the host adds the address, the deadline and the player's token. Each email is built only from that side's
folder and from what all sides may know. Answers to emails of players are in :mod:`pbem.mail.replies.answer`.

The first email of a game is both invitation and first sitrep, with the order form page.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Final

import msgspec

from pbem.engine.events import Requested
from pbem.engine.log import played
from pbem.engine.state import Request
from pbem.games.answers import answers
from pbem.games.proof.beacon import Sealing, sealed_lines
from pbem.games.storage.files import read_bytes, read_head, read_order_file
from pbem.games.storage.folder import GameFolder, turn_name
from pbem.games.storage.papers import FORM, bare_draft, reports_are_quick
from pbem.games.storage.players import Tenure, in_words, names, players
from pbem.games.storage.publish import ARCHIVE, is_published, whole_again
from pbem.mail.host.clocks import Clock, Said, due_of
from pbem.mail.host.deadlines import Rule, Standing, deadline_words, span, written
from pbem.mail.replies.receipts import asked_for, asked_of_others, paragraphs, shown, stretch_of, wrapped
from pbem.mail.replies.reply import Reply, ReplyKind, Until, until_for
from pbem.mail.seats import Games, Seat, address_of, draft_for_mail, known_as, subject_for
from pbem.mail.web_keys import link_of
from pbem.orders.header import answer_line
from pbem.reports.draft.draft import draft_for
from pbem.reports.form.form import addressed
from pbem.reports.html.page import dated
from pbem.reports.mail.mime import taken_apart
from pbem.util import regex

PAUSED: Final = "The game is paused; the clock stands."
BY_HOST: Final = "Filed by the host"
"""The comment in an order file that the host wrote, and no player, begins with these words."""
_IDENTITY = regex(rb"^Message-ID:\s*(<[!-~]+>)", re.IGNORECASE | re.MULTILINE)
_DOOR: Final = "Your page of the club, which is yours alone:"
_NEW_DOOR: Final = "Your page of the club has a new address, which is yours alone. The old one opens nothing any more:"
ABOVE, LETTER = "<!-- above -->", "<!-- letter -->"
"""Two markers in the HTML part of a sitrep, where the host inserts its own text."""
_REQUEST_FOLDER = regex(r"r(\d+)")


# --- sitreps ---------------------------------------------------------------------------------------------------------


def published(game: GameFolder) -> list[Path]:
    """Return the report folders of a game, oldest first; the last one is current.

    If the umpire had play repeated, the reports made on the way are left out. Their requests for orders were
    answered again automatically, and the sitrep at the end of the repetition covers all of them.
    """
    passed = _passed_again(game)
    found = []
    for turn in game.turns():
        inside = (game.path / turn_name(turn)).iterdir()
        numbered = [(int(m[1]), path) for path in inside if (m := _REQUEST_FOLDER.fullmatch(path.name))]
        found += [path for number, path in sorted(numbered) if (turn, number) not in passed]
        found += [game.final_folder(turn)]
    return [path for path in found if is_published(path)]


def _passed_again(game: GameFolder) -> set[tuple[int, int]]:
    """Return the requests for orders that were answered again automatically when the umpire had play repeated.

    Each is a pair of turn and number of the request.
    """
    return {(asked.turn, asked.number) for _, asked, began in played(game.effective()) if began.kept}


def sitrep_id(folder: Path, side: str) -> str:
    """Return the Message-ID of a side's sitrep from its ``mail.eml`` in the report folder; ``""`` if missing.

    The Message-ID depends on the game, its impulse and the length of its log, so it identifies the sitrep.
    """
    # Our own mail, and one line of it: a parser would take ten times as long, for every report of every round.
    found = _IDENTITY.search(read_head(folder / side / "mail.eml"))
    return found[1].decode("ascii") if found else ""


class Above(msgspec.Struct, frozen=True, kw_only=True):
    """Text that the host adds to the email with a sitrep.

    Attributes:
        notes: Sentences.
        asked: What the reader has to do, for the text part only; the HTML part says so itself.
        until: The deadline, as sentences.
        letter: Paragraphs of an accompanying letter; an indented one is a list and is not wrapped.
        title: Text added to the subject.
        door: The reader's private link to their page of the club.
        keys: Keys under which the host records what else the reader knows from this email.
    """

    notes: tuple[str, ...] = ()
    asked: str = ""
    until: str = ""
    letter: tuple[str, ...] = ()
    title: str = ""
    door: str = ""
    keys: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The host's text for the plain-text part of the email, to be put above the sitrep."""
        said = f"{self.asked} {self.until}".strip()
        letter = (part if part.startswith(" ") else wrapped(part) for part in self.letter)
        door = f"{_DOOR}\n  {self.door}" if self.door else ""
        return "\n\n".join(filter(None, (*letter, *map(wrapped, self.notes), wrapped(said) if said else "", door)))

    def upon(self, summary: str) -> str:
        """Return ``summary``, the HTML part of the sitrep, with the host's text inserted.

        The first paragraph of ``letter``, the notes and the link go to the top. The other paragraphs go below the
        list of what the reader has to do.
        """
        top = "".join(
            f'<p style="margin:0 0 10px"><b>{escape(note)}</b></p>\n' for note in (*self.letter[:1], *self.notes)
        )
        if self.door:
            top += f'<p style="margin:0 0 10px"><a href="{escape(self.door)}">{_DOOR.rstrip(":")}</a></p>\n'
        rest = "".join(
            f'<p style="margin:0 0 8px">{escape(part.strip()).replace(chr(10), "<br>")}</p>\n'
            for part in self.letter[1:]
        )
        if rest:
            heading = '<h2 style="font-size:17px;line-height:1.3;margin:26px 0 8px">Who plays, and how to answer</h2>\n'
            rest = heading + rest
        return dated(summary.replace(ABOVE, top, 1).replace(LETTER, rest, 1), self.until)


def sitrep(game: GameFolder, games: Games, seat: Seat, folder: Path, above: Above, root: str) -> Reply:
    """Return the email with a side's sitrep.

    The sitrep comes from the report ``folder``, and ``above`` is the host's text to add. Order drafts get the
    player's token, and the order form page gets the reply address. Saved boards (``*.vsav``) in the folders are
    attached. When the game is over, its archive is attached too.

    Args:
        root: Message-ID of the first email to this player about the game, for the References header.
    """
    whole_again(game, folder, seat.side)
    mail = taken_apart(read_bytes(folder / seat.side / "mail.eml"))
    above = msgspec.structs.replace(above, door=link_of(games, seat))
    attached = []
    for name, mime, content in mail.attachments:
        if name.endswith(".orders"):
            content = known_as(games, seat, content.decode("utf-8")).encode("utf-8")
        elif name == FORM:
            to, about = address_of(games, seat), subject_for(games, seat, f"Re: {mail.subject}")
            content = addressed(content.decode("utf-8"), to, about).encode("utf-8")
        if mime == "text/html" and above.until:
            content = dated(content.decode("utf-8"), above.until).encode("utf-8")
        attached.append((name, mime, content))
    # Counters on the table that the host laid out by hand, for this reader or for all.
    for save in (*sorted((folder / seat.side).glob("*.vsav")), *sorted(folder.glob("*.vsav"))):
        attached.append((save.name, "application/octet-stream", read_bytes(save)))
    # When the game is over, its archive: all dice and events can be checked with it.
    for archive in sorted(folder.glob(f"*{ARCHIVE}")):
        attached.append((archive.name, "application/zip", read_bytes(archive)))
        told = f"{archive.name} is attached: open proof.html in it, and it works out every die of the game again."
        above = msgspec.structs.replace(above, notes=(*above.notes, told))
    return Reply(
        to=seat.to,
        subject=subject_for(games, seat, f"{mail.subject}{above.title}"),
        text=f"{above.text}\n\n{mail.text}" if above.text else mail.text,
        html=above.upon(mail.summary),
        kind="sitrep",
        references=(root,),
        game=seat.game,
        side=seat.side,
        attachments=tuple(attached),
        pictures=mail.pictures,
        key=sitrep_key(sitrep_id(folder, seat.side), seat),
        until=until_for(game, seat, "owes" if above.asked else "answered", above.until, asks=True),
    )


def sitrep_key(name: str, seat: Seat) -> str:
    """Return the key of a sitrep's email; it makes sure that each sitrep goes to an address only once."""
    return f"sitrep {name} {seat.addresses[0]}"


def thread_key(game: GameFolder, seat: Seat) -> str:
    """Return the key of the invitation, which is the first email to a player about a game.

    It differs if the player left the side and returned, so that they get a new invitation.
    """
    again = f" {seat.tenure}" if seat.tenure else ""
    return f"invitation {game.terms.name} {game.terms.dice.commitment} {seat.side} {seat.addresses[0]}{again}"


def above_sitrep(game: GameFolder, seat: Seat, deadline: str, clock: Clock) -> Above:
    """Return the host's text for the sitrep that asks for the orders now wanted.

    It holds the deadline, the reasons why it was moved, and the sides for which the host filed orders.
    """
    request = game.state().request
    moved = tuple(moves(clock, seat.side))
    notes = (*filed_by_host(game), *(why for _, why, _ in moved))
    keys = tuple(move_key(clock, cause, seat.side) for cause, _, _ in moved)
    if request is None:
        return Above(notes=notes, keys=keys)
    if not request.asks(seat.side):
        return Above(notes=notes, asked=asked_of_others(request), keys=keys)
    if seat.side in answers(game)[0]:
        # They may have come along with the energy form.
        here = "Your orders for this are on file already; you may still send others."
        return Above(notes=(*notes, here), until=deadline, keys=keys)
    return Above(notes=notes, asked="Your orders are wanted.", until=deadline, keys=keys)


def filed_by_host(game: GameFolder) -> list[str]:
    """Return a sentence for each side that sent no orders for the last request, so that the host filed some."""
    asked = [record.event.request for record in game.effective() if isinstance(record.event, Requested)]
    over = game.state().request is None
    before = asked[-1] if over and asked else asked[-2] if len(asked) > 1 else None
    if before is None:
        return []
    found = []
    for side in before.sides:
        file = game.order_file(before.turn, side, before.number)
        if not file.is_file() or BY_HOST.encode() not in read_bytes(file)[: 2 * len(BY_HOST)]:
            continue  # as nearly all: nothing more need be read of it
        first = read_order_file(file).partition("\n")[0].lstrip("# ")
        if first.startswith(BY_HOST):
            found.append(f"{side}: no orders came for request {before.number} of turn {before.turn}. {first}")
    return found


# --- deadlines -------------------------------------------------------------------------------------------------------


def due_words(game: Path, now: datetime, standing: Standing) -> str:
    """Return sentences about the deadline for the orders that a hosted game now waits for.

    The result is ``""`` if there is no deadline. For a paused game the text says that the game is paused.
    """
    found = due_of(game, now)
    if found is None:
        return ""
    times, rule, clock = found
    return PAUSED if clock.paused is not None else deadline_words(times, rule, now, standing)


def missing(game: GameFolder, request: Request, side: str) -> list[str]:
    """Return a line for each unit whose orders a side still owes.

    Each line names the form, the unit, the turn and the impulses.
    """
    draft = draft_for(game.state(), game.scenario(), request, side).split("\n")
    units = [line.partition("  #")[0].strip() for line in draft if line.startswith(("SHIP ", "SHUTTLE "))]
    return [f"{request.form}  {unit.partition(' ')[2]}  ({stretch_of(request)})" for unit in units]


class Thread(msgspec.Struct, frozen=True):
    """The conversation by email with one player about one game; it builds the next email of that thread.

    Attributes:
        root: Message-ID of the email that began the thread; ``""`` for a notice outside any thread.
        commitment: The published hash of the game's secret dice seed; it is part of the key of every email.
    """

    games: Games
    seat: Seat
    root: str
    commitment: str

    def letter(
        self, kind: ReplyKind, title: str, lines: list[str], what: str, about: object, more: str = "", *,
        draft: tuple[str, str, bytes] | None = None, until: Until | None = None,
    ) -> Reply:  # fmt: skip
        """Return a new email to the player.

        The email's key, which prevents sending it twice, has five parts: ``what`` kind of notice it is, what it is
        ``about``, the side, the address and ``more``.
        """
        seat = self.seat
        return Reply(
            to=seat.to,
            subject=subject_for(self.games, seat, title),
            text="\n".join(lines) + "\n",
            kind=kind,
            references=(self.root,) if self.root else (),
            game=seat.game,
            side=seat.side,
            attachments=(draft,) if draft else (),
            key=f"{what} {self.commitment} {about} {seat.side} {seat.addresses[0]}{more}",
            until=until,
        )


def reminder(
    game: GameFolder, to: Thread, said: str, *, number: int, asking: tuple[int, int, int], later: str = ""
) -> Reply:
    """Return a reminder to a player: the forms still missing for each unit, the deadline, and the order draft.

    Args:
        said: The deadline, as sentences.
        number: Which reminder this is, part of its key.
        asking: The request for orders: turn, number and segment.
        later: Text that differs each time the deadline is moved, so that the player is reminded again.
    """
    request, seat = game.state().request, to.seat
    assert request is not None
    lines = paragraphs(
        f"In {seat.game} these forms of yours are still missing:",
        [f"  {line}" for line in missing(game, request, seat.side)],
        said,
        "One mail may hold all of them; the draft is attached. It begins with this line:",
        [f"| {answer_line(seat.game, seat.side, request)}"],
    )
    state = game.state()
    draft = (
        bare_draft(state, seat.side) if reports_are_quick() else draft_for(state, game.scenario(), request, seat.side)
    )
    return to.letter(
        "reminder", f"{seat.game} {request.turn}.{request.impulse}: orders are missing", lines,
        "reminder", asking, f" {number}{f' later {later}' if later else ''}",
        draft=draft_for_mail(to.games, seat, request.number, draft),
        until=until_for(game, seat, "owes", said),
    )  # fmt: skip


def waits_for(game: GameFolder, to: Thread, late: Sequence[str], since: str, *, asking: object) -> Reply:
    """Return a notice to a player that the game waits for the ``late`` sides, and since when."""
    name, request = to.seat.game, game.state().request
    assert request is not None
    said = (
        f"{name} waits for {', '.join(late)}: the deadline of {stretch_of(request)} was {since}. They are reminded, "
        "and the umpire knows of it. Nothing is wanted from you."
    )
    title = f"{name} {request.turn}.{request.impulse}: waiting for {', '.join(late)}"
    return to.letter("notice", title, paragraphs(said), "waits for", f"{asking} {' '.join(late)}")


def game_paused(to: Thread, since: str, reason: str, mark: str) -> Reply:
    """Return a notice to a player that the umpire has paused the game."""
    said = f"{to.seat.game} is paused since {since}: nothing is played, nobody is late. Letters are answered."
    return to.letter("notice", f"{to.seat.game}: the game is paused", paragraphs(said, reason), mark, "")


def game_resumed(game: GameFolder, to: Thread, said: str, standing: Standing, mark: str) -> Reply:
    """Return a notice to a player that a paused game goes on; ``said`` is the new deadline in words."""
    lines = paragraphs(f"{to.seat.game} goes on; the deadline is later by as long as it stood.", said)
    until = until_for(game, to.seat, standing, said)
    return to.letter("notice", f"{to.seat.game}: the game goes on", lines, mark, "", until=until)


def filed_for(to: Thread, request: Request, orders: str, *, asking: tuple[int, int, int]) -> Reply:
    """Return a notice to a late player, with the orders that the host filed for them."""
    name = to.seat.game
    said = f"No answer came to request {request.number} of turn {request.turn} of {name}: {asked_for(request)}."
    lines = paragraphs(f"{said} So these orders were filed for you:", shown(orders))
    title = f"{name} {request.turn}.{request.impulse}: orders were filed for you"
    return to.letter("notice", title, lines, "filed for", asking)


def deadline_moved(game: GameFolder, to: Thread, why: str, cause: str, said: str, standing: Standing) -> Reply:
    """Return a notice to a player that the deadline is later, with the reason ``why``.

    Args:
        cause: What the deadline was moved for; part of the email's key.
        said: The new deadline, as sentences.
    """
    name, request = to.seat.game, game.state().request
    assert request is not None
    lines = paragraphs(f"{name}, {stretch_of(request)}: {why}", said)
    asking = (request.turn, request.number, game.state().segment)
    until = until_for(game, to.seat, standing, said)
    return to.letter("notice", f"{name}: more time", lines, "moved", f"{asking} {cause}", until=until)


def moves(clock: Clock, reader: str) -> Iterator[tuple[str, str, str]]:
    """Yield the reasons why the deadline for the orders now wanted was moved, as sentences for the side ``reader``.

    Each item is (cause, sentence, side). ``side`` is the one whose email moved the deadline, and so knows of it from
    the answer. It is ``""`` if no email did.
    """
    for one in clock.extended:
        whose = f"{one.side} asked for more time." if one.side else "" if one.by_host else "The umpire gives more time."
        yield one.cause, f"{whose} {one.reason}".strip(), one.side
    for away in clock.away:
        who = "You are" if away.side == reader else f"{away.side} is"
        knows = away.side if away.answered else ""
        yield f"away {away.side} {away.days}", f"{who} away on {away.days}: these days do not count.", knows


def move_key(clock: Clock, cause: str, side: str = "") -> str:
    """Return the key under which the host records that a ``side`` knows of a deadline moved for this ``cause``.

    Without a side it records that everybody knows.
    """
    return f"moved {clock.asking} {cause}" + (f" told {side}" if side else "")


def draw_offered(to: Thread, side: str, wanted: Sequence[str], turn: int) -> Reply:
    """Return a notice to a player that another side agrees to a draw.

    ``wanted`` are the sides that have not agreed yet.
    """
    name = to.seat.game
    said = f"{side} offers a draw in {name}. The game ends so when {', '.join(wanted)} sends DRAW, too."
    if len(wanted) > 1:
        said = f"{side} offers a draw in {name}. The game ends so when all of {', '.join(wanted)} send DRAW, too."
    how = "An answer with the line DRAW agrees to it." if to.seat.side in wanted else ""
    more = "Until then it goes on: orders are wanted as before."
    return to.letter("notice", f"{name}: {side} offers a draw", paragraphs(said, how, more), "draw", f"{side} {turn}")


def side_open(to: Thread, game: str, side: str, about: str, *, takes: bool) -> Reply:
    """Return a notice that a side of a game needs a new player.

    With ``takes`` the notice tells the reader how to take the side over. Without it, it says that players of the
    club's other games are being asked.
    """
    how = f"An answer with the line TAKE {game} {side} has you play on for it: the first who sends it has it."
    said = how if takes else "Who plays in other games of the club is asked. Until then all goes on as it did."
    lines = paragraphs(f"{game}: another player is sought for {side}.", said)
    return to.letter("notice", f"{game}: who plays {side}?", lines, "vacant", f"{game} {about}")


def player_changed(game: GameFolder, to: Thread, tenure: Tenure, number: int, said: str) -> Reply:
    """Return a notice to a player that another side has a new player; ``said`` is the deadline in words."""
    name = to.seat.game
    now = f"{tenure.side} in {name} is played by {tenure.player} from now on; before, by {tenure.before}."
    until = until_for(game, to.seat, "not asked", said)
    title = f"{name}: {tenure.side} has another player"
    return to.letter("notice", title, paragraphs(now, said), "tenure", number, until=until)


def player_thanked(game: GameFolder, tenure: Tenure, address: str, number: int) -> Reply:
    """Return the email to a replaced player: they no longer play this side, with thanks."""
    name = game.terms.name
    said = (
        f"You no longer play {tenure.side} in {name}: {tenure.player} does. Thank you for playing. Letters of yours "
        "for this side are no longer answered, and your token opens nothing any more."
    )
    key = f"tenure {game.terms.dice.commitment} {number} {tenure.side} {address} gone"
    subject = f"{name}: {tenure.side} has another player"
    return Reply(to=address, subject=subject, text=wrapped(said) + "\n", kind="notice", key=key)


def put_back(to: Thread, since: str, number: int, fresh: str = "") -> Reply:
    """Return a notice to a player that the club's games go on from a backup made at ``since``.

    It says what happens to emails sent and received after the backup. If the club has a website, the player gets a
    new private link. ``fresh`` is the hash of new salts (secret additions to the dice seed) for the game's dice. It
    is ``""`` if there are none.
    """
    name = to.seat.game
    lines = paragraphs(
        f"A backup of this club's games had to be put back: {name} stood then where it was on {since}.",
        "Your letters of the time after that are read again. Receipts and reports of that time may come again; where "
        "one differs from what you have, the one that came last counts. Nobody is late for this: the time that was "
        "lost is added to all deadlines. An answer with the line STATUS tells you yours.",
        "If the last report you get asks for orders that you sent already, send them once more.",
        *_new_salts(fresh),
        *((_NEW_DOOR, [f"  {door}"]) if (door := link_of(to.games, to.seat)) else ()),
    )
    told = f" {_digest(fresh + door)}" if fresh or door else ""
    return to.letter("notice", f"{name}: a backup was put back", lines, "restored", number, told)


def game_put_back(to: Thread, about: str, fresh: str = "") -> Reply:
    """Return a notice to a player that this game alone was restored from a copy.

    Play goes on from an earlier request for orders. ``fresh`` is the hash of new salts for the dice, as for
    :func:`put_back`. ``about`` names this restore in the email's key.
    """
    name = to.seat.game
    lines = paragraphs(
        f"A copy of {name} was put back: the game goes on from an earlier request. What was played since does not "
        "count, unless all orders come in again as they were.",
        "Send your orders for what is asked now, even if you sent some already: the time for them begins anew, and "
        "nobody is late for this. An answer with the line RESEND brings you the report that asks for them.",
        "Dice that were told do not come again: where orders differ from those that were played, they are new ones.",
        *_new_salts(fresh),
    )
    return to.letter("notice", f"{name}: a copy was put back", lines, "put back", about)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _new_salts(fresh: str) -> list[str | list[str]]:
    """Return paragraphs that say that the game's dice have new salts with the hash ``fresh``; empty without a hash."""
    if not fresh:
        return []
    text = (
        "Nobody knows how many dice were told since. So new salts go into all dice from here on. This number commits "
        "the host to them. Keep this mail: the archive of the game must have the same number in its log."
    )
    return [text, [f"  {fresh}"]]


def orders_sealed(to: Thread, sealing: Sealing) -> Reply:
    """Return a notice to a player that all orders are sealed, i.e. complete and unchangeable.

    It shows their hashes and the round of the public beacon that will decide the dice.
    """
    name = to.seat.game
    lines = paragraphs(
        f"All orders for request {sealing.request} of turn {sealing.turn} of {name} are in, and sealed. They can "
        "no longer be changed.",
        f"Their dice take the value of round {sealing.round} of the public beacon drand (quicknet), which is published "
        f"{written(sealing.due, 'UTC')}. Nobody knows it yet. Keep this mail: its date shows that these hashes were "
        "told before.",
        sealed_lines(name, sealing),
    )
    title = f"{name} turn {sealing.turn}: all orders are sealed"
    return to.letter("notice", title, lines, "sealed", f"{sealing.segment} {sealing.round}")


def first_mail(game: GameFolder, games: Games, seat: Seat, folder: Path, rule: Rule, above: Above) -> Reply:
    """Return the first email to a player: the invitation together with the first sitrep.

    It also says who plays which side, how to answer, and what the player's token is for. The sitrep and the order
    form page come from the report ``folder``.
    """
    letter = tuple(_letter(game, games, seat, rule))
    above = msgspec.structs.replace(above, letter=letter, title=f": you play {seat.side}")
    found = sitrep(game, games, seat, folder, above, "")
    return msgspec.structs.replace(found, kind="invitation", references=(), key=thread_key(game, seat))


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
    """Return sentences on how much time players have for an answer, and what the host does for late players."""
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
    """Prepare a game that is new to this host: record all its reports but the last as already sent.

    So players get only the latest one.
    """
    if said.new:
        old = [sitrep_id(folder, seat.side) for folder in folders[:-1] for seat in seats]
        said.add("first", *old)


def invite(
    said: Said, game: GameFolder, games: Games, seat: Seat, folder: Path, rule: Rule, above: Above,
    put: Callable[[Reply], object],
) -> bool:  # fmt: skip
    """Put a player's first email into the outbox, unless that was done before; return whether it was done now.

    The email contains the sitrep from ``folder`` and the host's text ``above``. Before the email is queued, the
    host records which sitrep it contains. If the host is interrupted there, the record shows later whether this
    sitrep or an older one was sent. So no sitrep is lost or sent twice.
    """
    root = thread_key(game, seat)
    if root in said.known:
        return False
    name = sitrep_id(folder, seat.side)
    key = sitrep_key(name, seat)
    plan = f"first mail of {root}: "
    planned = [line for line in said.known if line.startswith(plan)]
    if not planned:
        said.add(plan + key)
    put(first_mail(game, games, seat, folder, rule, above))
    carried = not planned or plan + key in planned
    said.add(root, *((name, key, *above.keys) if carried else ()))
    return True
