"""Write the emails that the host sends on its own: sitreps, invitations, reminders and notices.

A sitrep is a side's report on a segment (play between two requests for orders). Its email starts from the ``mail.eml``
in the side's report folder; the host adds the address, the deadline and the player's token. Each email is built only
from that side's folder and from what all sides may know. Answers to emails of players are in
:mod:`pbem.mail.replies.answer`.

The first email of a game is both invitation and first sitrep, with the order form page.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from datetime import datetime
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
from pbem.mail import emails
from pbem.mail.emails import EmailText, shown
from pbem.mail.host.clocks import Clock, due_of
from pbem.mail.host.deadlines import Rule, Standing, Times, span, written
from pbem.mail.replies.receipts import asked_for, stretch_of
from pbem.mail.replies.reply import Outgoing, Reply, ReplyKind, Until, until_for
from pbem.mail.seats import Games, Seat, address_of, draft_for_mail, known_as, subject_for
from pbem.mail.settings import host_of
from pbem.mail.web_keys import link_of
from pbem.orders.header import answer_line
from pbem.reports.draft.draft import draft_for
from pbem.reports.form.form import addressed
from pbem.reports.html.page import dated
from pbem.reports.mail.mime import taken_apart
from pbem.util import regex

PAUSED: Final = "The game is paused, so the deadline does not run."
BY_HOST: Final = "Filed by the host"
"""First words of the comment in an order file that the host wrote instead of a player."""
_IDENTITY = regex(rb"^Message-ID:\s*(<[!-~]+>)", re.IGNORECASE | re.MULTILINE)
ABOVE, LETTER = "<!-- above -->", "<!-- letter -->"
"""Two markers in the HTML part of a sitrep, where the host inserts its own text."""
_REQUEST_FOLDER = regex(r"r(\d+)")


# --- sitreps ---------------------------------------------------------------------------------------------------------


def published(game: GameFolder) -> list[Path]:
    """Return the report folders of a game, oldest first; the last one is current.

    If the umpire had play repeated, reports from within the repetition are left out. Their requests for orders were
    answered again automatically, and the sitrep at the end of the repetition covers all of them.
    """
    passed = _passed_again(game)
    reports = []
    for turn in game.turns():
        inside = (game.path / turn_name(turn)).iterdir()
        numbered = [(int(m[1]), path) for path in inside if (m := _REQUEST_FOLDER.fullmatch(path.name))]
        reports += [path for number, path in sorted(numbered) if (turn, number) not in passed]
        reports += [game.final_folder(turn)]
    return [path for path in reports if is_published(path)]


def _passed_again(game: GameFolder) -> set[tuple[int, int]]:
    """Return the (turn, number) of requests that were answered automatically while play was repeated.

    The umpire can have play repeated from an earlier request for orders.
    """
    return {(asked.turn, asked.number) for _, asked, began in played(game.effective()) if began.kept}


def sitrep_id(folder: Path, side: str) -> str:
    """Return the Message-ID of a side's sitrep, from ``mail.eml`` in a report folder; ``""`` if missing.

    The Message-ID depends on the game, its impulse and the length of its log, so it identifies the sitrep.
    """
    # We wrote this file and need one line of it: a parser would take ten times as long, for every report in each round.
    match = _IDENTITY.search(read_head(folder / side / "mail.eml"))
    return match[1].decode("ascii") if match else ""


class Above(msgspec.Struct, frozen=True, kw_only=True):
    """What the host adds to the email with a sitrep (a side's report on play since the last request).

    Attributes:
        notes: Sentences.
        asked: What the reader has to do, for the text part only; the HTML part already says it.
        until: The deadline, as sentences.
        keys: Keys of other notices that this email makes unnecessary; the host records them as sent.
    """

    notes: tuple[str, ...] = ()
    asked: str = ""
    until: str = ""
    keys: tuple[str, ...] = ()


def sitrep(
    game: GameFolder, games: Games, seat: Seat, folder: Path, above: Above, root: str,
    invited: dict[str, emails.Value] | None = None,
) -> Reply:  # fmt: skip
    """Return the email with a side's sitrep.

    Order drafts get the player's token, and the order form page gets the reply address. VASSAL saves (``*.vsav``) in
    the report folders are attached. When the game is over, its archive is attached too.

    Args:
        game: The game.
        games: All games of the host, with the settings for emails.
        seat: The player's side.
        folder: The report folder with the sitrep.
        above: What the host adds.
        root: Message-ID of the first email to this player about the game, for the References header.
        invited: Additional template values of an invitation; without them the email is an ordinary sitrep.
    """
    whole_again(game, folder, seat.side)
    mail = taken_apart(read_bytes(folder / seat.side / "mail.eml"))
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
    # VASSAL saves that the umpire put there by hand, for this reader or for all.
    for save in (*sorted((folder / seat.side).glob("*.vsav")), *sorted(folder.glob("*.vsav"))):
        attached.append((save.name, "application/octet-stream", read_bytes(save)))
    # The archive of a finished game, with which all dice and events can be checked.
    for archive in sorted(folder.glob(f"*{ARCHIVE}")):
        attached.append((archive.name, "application/zip", read_bytes(archive)))
        sentence = emails.sentence("archive_attached", name=archive.name)
        above = msgspec.structs.replace(above, notes=(*above.notes, sentence))
    name, values = "invitation" if invited else "sitrep", dict(invited or {})
    values |= {"subject": mail.subject, "notes": above.notes, "deadline": above.until, "page": link_of(games, seat)}
    values |= {"asked": above.asked, "sitrep": [mail.text]}
    email = emails.render(name, games.club, **values)
    page = emails.html_parts(name, games.club, **values)
    summary = mail.summary.replace(ABOVE, page["above"], 1).replace(LETTER, page["letter"], 1)
    return Reply(
        to=seat.to,
        subject=subject_for(games, seat, email.subject),
        text=email.text,
        html=dated(summary, above.until),
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
    """Return the key of a sitrep's email; it ensures that each sitrep goes to an address only once.

    ``name`` is the result of :func:`sitrep_id`.
    """
    return f"sitrep {name} {seat.addresses[0]}"


def thread_key(game: GameFolder, seat: Seat) -> str:
    """Return the key of the invitation, which is the first email to a player about a game.

    The key changes if the player left the side and returned, so that they get a new invitation.
    """
    again = f" {seat.tenure}" if seat.tenure else ""
    return f"invitation {game.terms.name} {game.terms.dice.commitment} {seat.side} {seat.addresses[0]}{again}"


def above_sitrep(
    game: GameFolder,
    seat: Seat,
    deadline: str,
    clock: Clock,
    filed: Sequence[str] | None = None,
    answered: Callable[[], Collection[str]] | None = None,
) -> Above:
    """Return the host's text for the sitrep that asks for orders now.

    It contains the deadline, the reasons why it was moved, and the sides for which the host filed orders.

    Args:
        game: The game.
        seat: The side that reads it.
        deadline: The deadline, as sentences.
        clock: The game's clock.
        filed: The result of :func:`filed_by_host`, if the caller has it.
        answered: Returns the sides whose orders are on file; without it, the files are checked.
    """
    request = game.state().request
    moved = tuple(moves(clock, seat.side))
    notes = (*(filed_by_host(game) if filed is None else filed), *(why for _, why, _ in moved))
    keys = tuple(move_key(clock, cause, seat.side) for cause, _, _ in moved)
    if request is None:
        return Above(notes=notes, keys=keys)
    if not request.asks(seat.side):
        return Above(notes=notes, asked=emails.sentence("asked_of_others", sides=request.sides), keys=keys)
    if seat.side in (answers(game)[0] if answered is None else answered()):
        # The orders may have come together with the energy form.
        return Above(notes=(*notes, emails.sentence("orders_on_file")), until=deadline, keys=keys)
    return Above(notes=notes, asked=emails.sentence("orders_wanted"), until=deadline, keys=keys)


def filed_by_host(game: GameFolder) -> list[str]:
    """Return a sentence for each side for which the host filed orders.

    The host does so if a side sent no orders for the last request.
    """
    asked = [record.event.request for record in game.effective() if isinstance(record.event, Requested)]
    over = game.state().request is None
    before = asked[-1] if over and asked else asked[-2] if len(asked) > 1 else None
    if before is None:
        return []
    sentences = []
    for side in before.sides:
        file = game.order_file(before.turn, side, before.number)
        if not file.is_file() or BY_HOST.encode() not in read_bytes(file)[: 2 * len(BY_HOST)]:
            continue  # the usual case; the rest of the file need not be read
        first = read_order_file(file).partition("\n")[0].lstrip("# ")
        if first.startswith(BY_HOST):
            sentences.append(
                emails.sentence("no_orders_came", side=side, request=before.number, turn=before.turn, filed=first)
            )
    return sentences


# --- deadlines -------------------------------------------------------------------------------------------------------


def deadline_words(deadlines: Times, rule: Rule, now: datetime, standing: Standing = "owes") -> str:
    """Return the deadline as sentences for a player.

    They depend on whether the player's side owes an answer, has answered, or is not asked. A player who still owes an
    answer also reads what the host does after the deadline, unless the game simply waits for them.
    """
    return emails.sentence(
        "deadline",
        due=written(deadlines.due, rule.zone),
        past=now >= deadlines.due,
        asked=standing != "not asked",
        late=rule.late if standing == "owes" else "wait",
        final=written(deadlines.final, rule.zone) if deadlines.final > deadlines.due else "",
    )


def due_words(game: Path, now: datetime, standing: Standing) -> str:
    """Return sentences about the deadline for the orders that a hosted game now waits for.

    Return ``""`` if there is no deadline. For a paused game the text says that the game is paused. ``standing`` says
    whether the reader's side owes orders, has sent them or is not asked.
    """
    deadlines = due_of(game, now)
    if deadlines is None:
        return ""
    times, rule, clock = deadlines
    return PAUSED if clock.paused is not None else deadline_words(times, rule, now, standing)


def missing(game: GameFolder, request: Request, side: str) -> list[str]:
    """Return a line for each unit for which a side still owes orders.

    Each line has the form (EAF for energy, SOP for movement and fire), the unit, the turn and the impulses.
    """
    draft = draft_for(game.state(), game.scenario(), request, side).split("\n")
    units = [line.partition("  #")[0].strip() for line in draft if line.startswith(("SHIP ", "SHUTTLE "))]
    return [f"{request.form}  {unit.partition(' ')[2]}  ({stretch_of(request)})" for unit in units]


class Thread(msgspec.Struct, frozen=True):
    """The email thread with one player about one game; its method builds the next email of the thread.

    Attributes:
        games: All games of the host, with the settings for emails.
        seat: The player's side of the game.
        root: Message-ID of the email that began the thread; ``""`` for a notice outside any thread.
        commitment: The published hash of the game's secret dice seed; it is part of the key of every email.
    """

    games: Games
    seat: Seat
    root: str
    commitment: str

    def letter(
        self, kind: ReplyKind, email: EmailText, what: str, about: object, more: str = "", *,
        draft: tuple[str, str, bytes] | None = None, until: Until | None = None,
    ) -> Reply:  # fmt: skip
        """Return a new email to the player.

        Its key, which prevents sending the email twice, is made from ``what``, ``about``, the side, the address and
        ``more``.

        Args:
            kind: The kind of the reply.
            email: Its subject and text.
            what: What kind of notice it is.
            about: What it is about, such as the request for orders.
            more: A further part of the key.
            draft: An order draft to attach: file name, MIME type and content.
            until: The deadline that the text mentions.
        """
        seat = self.seat
        return Reply(
            to=seat.to,
            subject=subject_for(self.games, seat, email.subject),
            text=f"{email.text}\n",
            kind=kind,
            references=(self.root,) if self.root else (),
            game=seat.game,
            side=seat.side,
            attachments=(draft,) if draft else (),
            key=f"{what} {self.commitment} {about} {seat.side} {seat.addresses[0]}{more}",
            until=until,
        )


def reminder(
    game: GameFolder, to: Thread, deadline: str, *, number: int, asking: tuple[int, int, int], later: str = ""
) -> Reply:
    """Return a reminder to a player, with the missing forms of each unit, the deadline and an order draft.

    Args:
        game: The game.
        to: The email thread with the player.
        deadline: The deadline, as sentences.
        number: Which reminder this is; part of the email's key.
        asking: The request for orders: turn, number and segment.
        later: Text that differs each time the deadline is moved, so that the player is reminded again.
    """
    request, seat = game.state().request, to.seat
    assert request is not None
    text = emails.render(
        "reminder",
        to.games.club,
        game=seat.game,
        turn=request.turn,
        impulse=request.impulse,
        forms=missing(game, request, seat.side),
        deadline=deadline,
        first_line=answer_line(seat.game, seat.side, request),
    )
    state = game.state()
    draft = (
        bare_draft(state, seat.side) if reports_are_quick() else draft_for(state, game.scenario(), request, seat.side)
    )
    return to.letter(
        "reminder", text, "reminder", asking, f" {number}{f' later {later}' if later else ''}",
        draft=draft_for_mail(to.games, seat, request.number, draft),
        until=until_for(game, seat, "owes", deadline),
    )  # fmt: skip


def waits_for(game: GameFolder, to: Thread, late: Sequence[str], since: str, *, asking: object) -> Reply:
    """Return a notice to a player that the game waits for the ``late`` sides, and since when.

    ``since`` is the deadline as text. ``asking`` identifies the request for orders; it is part of the email's key.
    """
    name, request = to.seat.game, game.state().request
    assert request is not None
    email = emails.render(
        "waiting",
        to.games.club,
        game=name,
        turn=request.turn,
        impulse=request.impulse,
        late=late,
        stretch=stretch_of(request),
        since=since,
    )
    return to.letter("notice", email, "waits for", f"{asking} {' '.join(late)}")


def game_paused(to: Thread, since: str, reason: str, mark: str) -> Reply:
    """Return a notice to a player that the umpire has paused the game.

    ``since`` is the time as text; ``mark`` identifies the pause in the email's key.
    """
    email = emails.render("game-paused", to.games.club, game=to.seat.game, since=since, reason=reason)
    return to.letter("notice", email, mark, "")


def game_resumed(game: GameFolder, to: Thread, deadline: str, standing: Standing, mark: str) -> Reply:
    """Return a notice to a player that a paused game goes on.

    ``deadline`` is the new deadline as text; ``mark`` identifies the occasion in the email's key.
    """
    text = emails.render("game-resumed", to.games.club, game=to.seat.game, deadline=deadline)
    return to.letter("notice", text, mark, "", until=until_for(game, to.seat, standing, deadline))


def filed_for(to: Thread, request: Request, orders: str, *, asking: tuple[int, int, int]) -> Reply:
    """Return a notice to a late player, with the orders that the host filed for them.

    ``asking`` is the request for orders (turn, number and segment); it is part of the email's key.
    """
    email = emails.render(
        "orders-filed",
        to.games.club,
        game=to.seat.game,
        turn=request.turn,
        impulse=request.impulse,
        request=request.number,
        asked=asked_for(request),
        orders=shown(orders),
    )
    return to.letter("notice", email, "filed for", asking)


def deadline_moved(game: GameFolder, to: Thread, why: str, cause: str, deadline: str, standing: Standing) -> Reply:
    """Return a notice to a player that the deadline is later, with the reason ``why``.

    Args:
        game: The game.
        to: The email thread with the player.
        why: The reason, as a sentence.
        cause: Identifies the reason; part of the email's key.
        deadline: The new deadline, as sentences.
        standing: Whether the player's side owes orders, has sent them or is not asked.
    """
    name, request = to.seat.game, game.state().request
    assert request is not None
    text = emails.render("more-time", to.games.club, game=name, stretch=stretch_of(request), why=why, deadline=deadline)
    asking = (request.turn, request.number, game.state().segment)
    return to.letter("notice", text, "moved", f"{asking} {cause}", until=until_for(game, to.seat, standing, deadline))


def moves(clock: Clock, reader: str) -> Iterator[tuple[str, str, str]]:
    """Yield the reasons why the current deadline for orders was moved, as (cause, sentence, side).

    ``cause`` identifies the reason. The sentence is for a reader of the side ``reader``. ``side`` is the side whose
    email moved the deadline; its player already knows that from the answer to the email. ``side`` is ``""`` if no email
    moved the deadline.
    """
    for one in clock.extended:
        why = emails.sentence("asked_for_time", side=one.side, by_host=one.by_host, reason=one.reason)
        yield one.cause, why, one.side
    for away in clock.away:
        side = "" if away.side == reader else away.side
        knows = away.side if away.answered else ""
        yield f"away {away.side} {away.days}", emails.sentence("counted_out", side=side, days=str(away.days)), knows


def move_key(clock: Clock, cause: str, side: str = "") -> str:
    """Return the key that records that a side was informed of a deadline that was moved for this cause.

    Without ``side`` it records that all sides were informed.
    """
    return f"moved {clock.asking} {cause}" + (f" told {side}" if side else "")


def draw_offered(to: Thread, side: str, wanted: Sequence[str], turn: int) -> Reply:
    """Return a notice to a player that the side ``side`` agrees to a draw.

    ``wanted`` are the sides that have not agreed yet.
    """
    asked = to.seat.side in wanted
    email = emails.render("draw-offered", to.games.club, game=to.seat.game, side=side, wanted=wanted, asked=asked)
    return to.letter("notice", email, "draw", f"{side} {turn}")


def side_open(to: Thread, game: str, side: str, about: str, *, takes: bool) -> Reply:
    """Return a notice that a side of a game needs a new player.

    If ``takes`` is true, the notice tells the reader how to take the side over. Otherwise it says that players of the
    club's other games are being asked. ``about`` is part of the email's key.
    """
    email = emails.render("side-open", to.games.club, game=game, side=side, takes=takes)
    return to.letter("notice", email, "vacant", f"{game} {about}")


def player_changed(game: GameFolder, to: Thread, tenure: Tenure, number: int, deadline: str) -> Reply:
    """Return a notice to a player that another side has a new player.

    ``deadline`` is the deadline as text; ``number`` counts the changes of players and is part of the email's key.
    """
    text = emails.render(
        "player-changed",
        to.games.club,
        game=to.seat.game,
        side=tenure.side,
        player=tenure.player,
        before=tenure.before,
        deadline=deadline,
    )
    return to.letter("notice", text, "tenure", number, until=until_for(game, to.seat, "not asked", deadline))


def player_thanked(game: GameFolder, tenure: Tenure, address: str, number: int) -> Reply:
    """Return the email that tells a replaced player that they no longer play this side, with thanks.

    ``number`` counts the changes of players and is part of the email's key.
    """
    email = emails.render(
        "player-thanked", host_of(game.path), game=game.terms.name, side=tenure.side, player=tenure.player
    )
    key = f"tenure {game.terms.dice.commitment} {number} {tenure.side} {address} gone"
    return Reply(to=address, subject=email.subject, text=f"{email.text}\n", kind="notice", key=key)


def put_back(to: Thread, since: str, number: int, fresh: str = "") -> Reply:
    """Return a notice to a player that the club's games go on from a backup.

    It says what happens to emails sent and received after the backup. If the club has a website, the player gets a
    new private link.

    Args:
        to: The email thread with the player.
        since: When the backup was made, as text.
        number: Identifies the restore in the email's key.
        fresh: Hash of new salts (secret additions to the dice seed) for the game's dice; ``""`` if there are none.
    """
    door = link_of(to.games, to.seat)
    email = emails.render("backup-restored", to.games.club, game=to.seat.game, since=since, salts=fresh, page=door)
    more = f" {_digest(fresh + door)}" if fresh or door else ""
    return to.letter("notice", email, "restored", number, more)


def game_put_back(to: Thread, about: str, fresh: str = "") -> Reply:
    """Return a notice to a player that this game alone was restored from a copy.

    Play goes on from an earlier request for orders. ``fresh`` is the hash of new salts (secret additions to the dice
    seed) for the game's dice; ``""`` if there are none. ``about`` identifies this restore in the email's key.
    """
    email = emails.render("copy-restored", to.games.club, game=to.seat.game, salts=fresh)
    return to.letter("notice", email, "put back", about)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def orders_sealed(to: Thread, sealing: Sealing) -> Reply:
    """Return a notice to a player that all orders are sealed: complete, and no longer changeable.

    It shows their hashes and the round of the public beacon that will decide the dice.
    """
    name = to.seat.game
    email = emails.render(
        "orders-sealed",
        to.games.club,
        game=name,
        turn=sealing.turn,
        request=sealing.request,
        round=sealing.round,
        due=written(sealing.due, "UTC"),
        hashes=sealed_lines(name, sealing),
    )
    return to.letter("notice", email, "sealed", f"{sealing.segment} {sealing.round}")


def first_mail(game: GameFolder, games: Games, seat: Seat, folder: Path, rule: Rule, above: Above) -> Reply:
    """Return the first email to a player, which is both the invitation and the first sitrep.

    It also says who plays which side, how to answer, and what the player's token is for. The sitrep and the order
    form page come from the report ``folder``.
    """
    reply = sitrep(game, games, seat, folder, above, "", _invited(game, games, seat, rule))
    return msgspec.structs.replace(reply, kind="invitation", references=(), key=thread_key(game, seat))


def _invited(game: GameFolder, games: Games, seat: Seat, rule: Rule) -> dict[str, emails.Value]:
    """Return the template values of an invitation: who plays, how to answer, and the time for an answer."""
    scenario, state, dice = game.scenario(), game.state(), game.terms.dice
    called = names(game.path)
    others = [(side, called.get(who, in_words(who))) for side, who in sorted(players(game.path, game.terms).items())]
    return {
        "side": seat.side,
        "game": seat.game,
        "scenario": state.scenario,
        "title": scenario.title,
        "players": [f"  {side}: {who}" for side, who in others],
        "address": address_of(games, seat) if games.tags else "",
        "orders": games.orders,
        "token": seat.token,
        "mine": seat.addresses,
        "within": rule.within,
        "at": rule.at,
        "days": rule.days,
        "zone": rule.zone,
        "grace": rule.grace if span(rule.grace) else "",
        "late": rule.late,
        "commitment": dice.commitment,
        "scheme": dice.scheme,
        "beacon": bool(dice.beacon),
    }


def begin(known: Set[str], folders: Sequence[Path], seats: Iterable[Seat]) -> Outgoing:
    """Return the keys that record all reports except the last as sent, if the game is new to this host.

    So players get only the latest one. ``known`` are the keys that the game's folder has; if there are any, the result
    is empty.
    """
    if known:
        return Outgoing()
    return Outgoing(keys=("first", *(sitrep_id(folder, seat.side) for folder in folders[:-1] for seat in seats)))


def invite(
    known: Set[str], game: GameFolder, games: Games, seat: Seat, folder: Path, rule: Rule, above: Above
) -> Outgoing | None:
    """Return a player's first email about a game; ``None`` if it was sent before.

    The email contains the sitrep from ``folder`` and the host's text ``above``. ``known`` are the keys of what was
    sent. Before the email is queued, the host records which sitrep it contains. If the host is interrupted there, the
    record shows later whether this sitrep or an older one was sent. So no sitrep is lost or sent twice.
    """
    root = thread_key(game, seat)
    if root in known:
        return None
    name = sitrep_id(folder, seat.side)
    key = sitrep_key(name, seat)
    plan = f"first mail of {root}: "
    planned = [line for line in known if line.startswith(plan)]
    carried = not planned or plan + key in planned
    return Outgoing(
        plan=() if planned else (plan + key,),
        replies=(first_mail(game, games, seat, folder, rule, above),),
        keys=(root, *((name, key, *above.keys) if carried else ())),
    )
