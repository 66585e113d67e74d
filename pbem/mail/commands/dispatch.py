"""The email commands of players: the list of them all, and the commands about reports and orders.

A command is the subject of an email or its first line. This module has HELP, STATUS, DRAFT, PREVIEW, WAIT,
WITHDRAW, RESEND and STANDINGS. The other commands are in the other modules of :mod:`pbem.mail.commands`. The dict
``COMMANDS`` maps each command word to its function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pbem.engine.state import Request
from pbem.errors import GameError
from pbem.games.answers import answers, lay_aside
from pbem.games.proof.beacon import sealing_of
from pbem.games.status import SideStatus, status as look
from pbem.games.storage.files import read_bytes, read_order_file, remove, write_text
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.papers import FORM
from pbem.games.storage.publish import reports_folder, whole_again
from pbem.games.submit import check
from pbem.mail.commands import endings, seats, spectators as watching, time
from pbem.mail.emails import Value
from pbem.mail.host import clocks as timetable
from pbem.mail.host.deadlines import written
from pbem.mail.incoming.extract import begins_orders, has_orders
from pbem.mail.replies.receipts import WIDTH, asked_for, echo, paragraphs, shown, told, wrapped
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Seat, address_of, subject_for
from pbem.mail.web_keys import link_of
from pbem.reports.form.form import addressed
from pbem.reports.text.sentences import asked_because

if TYPE_CHECKING:
    from pbem.mail.replies.answer import Attachments, Attendant


_SAID = "This side asked that nothing be played before the deadline of this request.\n"


def in_words(request: Request, *, wait: bool) -> str:
    """Return a sentence that explains to a player what WAIT, or WAIT OFF, does for the current request for orders."""
    if not wait:
        return f"Request {request.number} is played as soon as all orders are in, as far as you are concerned."
    return (
        f"Request {request.number} is not played before its deadline, even if all orders are in. You may send or "
        "change orders until then. WAIT OFF takes this back."
    )


def wait_file(game: GameFolder, request: Request, side: str) -> Path:
    """Return the path of the file that records that a side sent WAIT; it counts for one request for orders only."""
    return game.orders_folder(request.turn) / f"{side}.r{request.number}.wait"


def set_wait(game: GameFolder, side: str, *, wait: bool) -> None:
    """Record whether a side wants nothing to be played before the deadline, even if all orders are there.

    This counts for the current request for orders only. The caller holds the lock.
    """
    request = game.state().request
    if request is None:
        return
    file = wait_file(game, request, side)
    if wait:
        write_text(file, _SAID, private=True)
        return
    remove(file)


def waiting(game: GameFolder) -> tuple[str, ...]:
    """Return the sides that sent WAIT, so that nothing is played before the deadline."""
    request = game.state().request
    if request is None:
        return ()
    return tuple(side for side in request.sides if wait_file(game, request, side).is_file())


def withdraw_orders(game: GameFolder, side: str) -> bool:
    """Withdraw a side's orders for the current request; return whether there were any.

    The orders are kept as an older version. The caller holds the lock.
    """
    request = game.state().request
    if request is None:
        return False
    filed = [one for one in game.versions(request.turn, side, request.number) if not one.version]
    for one in filed:
        lay_aside(game, one)
    return bool(filed)


_HELP: Final = """\
Send your orders as plain text or as an attached file (.txt or .orders). They
begin with a GAME line and end with END. You get a receipt, or are told what is
wrong. As long as they are not played you may send new ones; the last one counts.

Words to people, in the same mail or in one of their own: a line MESSAGE TO
klingon (or MESSAGE TO ALL, or UMPIRE), your words below it, END MESSAGE. They
stand in the next sitrep of whom they are for; the umpire reads them too. A mail
that holds nothing else at all is passed on to the umpire.

Commands, as the subject or as the first line of a mail:

  STATUS      where all your games here stand, what you owe by when, who is late
  DRAFT       the form to fill in, with what your ships can do now
  PREVIEW     with orders: what they would amount to; nothing is filed.
              Without: the same for your orders on file
  WITHDRAW    takes your orders for this request back
  WAIT        nothing is played before the deadline, even if all orders are in;
              WAIT OFF takes that back
  RESEND      your last report once more; RESEND 3 that of request 3 of this
              turn, RESEND 2.3 that of request 3 of turn 2
  AWAY 2027-07-01 to 2027-07-14
              when you are away: where an answer of yours is wanted these days do
              not count, in all your games. AWAY 1 to 14 July, AWAY until Sunday
              (or 14 July), AWAY 5 days; AWAY OFF when you are back
  EXTEND 1 day
              more time for what is asked of you now, as far as your club allows
  ADDRESS new@example.org
              your mail goes there, in all your games here; a code is sent there first
  DRAW        you agree to a draw: the game ends so when every side still in play
              has sent it; DRAW OFF takes it back
  RESIGN duel01
              how you give up, and what comes of it
  TAKE duel02 klingon
              you take a side over that the umpire has offered
  WATCH duel02
              you are told of each turn of a public game as everybody may know it;
              WATCH ALL of all such games, WATCH which there are, UNWATCH duel02
  STANDINGS   the tables of the tournaments here
  HELP        this page; HELP and a word, as in HELP away, a page of the guides
"""
_MOST_PAGE: Final = 40_000
"""Maximum number of characters of a guide page shown in the text of an email; a longer page is attached."""


def help_(desk: Attendant) -> Reply:
    """HELP: return the list of commands, or the guide page or glossary entry for the word after HELP."""
    from pbem.reports.text import guide

    if not desk.letter.argument:
        pages = ", ".join(page.page for page in guide.ways()[0].pages)
        said = wrapped(f"These are the pages for players: {pages}. HELP and one of these words gets you that page.")
        return desk.reply("command", "what you can send", [_HELP, *_known_as(desk), "", said])
    page = guide.find(desk.letter.argument)
    named = page.page == desk.letter.argument.casefold()
    if not named and (entry := guide.entry_of(desk.letter.argument, WIDTH, "HELP")):
        whole = wrapped(f"HELP {guide.GLOSSARY} gets you all words of the game and of play by mail.")
        return desk.reply("command", f"the word {desk.letter.argument.lower()}", paragraphs([entry.rstrip()], whole))
    attached: Attachments = ()
    text = guide.text_of(page, block="|| ", ask="HELP")
    if len(text) > _MOST_PAGE:
        name = f"{page.page}.txt"
        text, attached = f"The page is attached: {name}.", ((name, "text/plain", text.encode("utf-8")),)
    return desk.reply("command", f"the page {page.page}", [text], attached)


def _known_as(desk: Attendant) -> list[str]:
    seat, games = desk.seat, desk.games
    if games.tags and games.orders:
        return [wrapped(f"Write to {address_of(games, seat)}: that address is yours alone. Show it to nobody.")]
    said = (
        f"Your token is {seat.token}: the words TOKEN {seat.token} stand in the subject of your mails, or on the "
        "first line. An answer to one of mine has them already. Show your token to nobody, and write from the "
        "address you are known by."
    )
    return [wrapped(said)]


def status(desk: Attendant) -> Reply:
    """STATUS: return an email with the public state of the game and the state of this side's own orders.

    The player's other games follow, one line each.
    """
    now = look(desk.game)
    first, request = f"{now.game}: scenario #{now.scenario}, {now.title}.", now.request
    if request is None:
        ends = [wrapped(f"{end.side}: {end.result} ({end.why})", "  ") for end in now.outcome]
        return desk.reply("command", "where the game stands", paragraphs(first, ["The game is over.", *ends]))
    asked = f"Turn {now.turn}, impulse {now.impulse} of {now.impulses}. Asked: {asked_for(request)}."
    waits = desk.seat.side in waiting(desk.game)
    lines = paragraphs(
        first,
        [wrapped(asked), wrapped(f"Why: {asked_because(request.reason)}.")],
        [f"  {side.side:<14} {_stands(side, desk.seat.side)}" for side in now.sides],
        "You asked that nothing be played before the deadline." if waits else "",
        _offered(desk),
        desk.deadline(),
        _late(desk.game.path, now.owing, desk.games.now),
        _elsewhere(desk),
        ["Your page of the club:", f"  {door}"] if (door := link_of(desk.games, desk.seat)) else "",
    )
    return desk.reply("command", "where the game stands", lines)


def _offered(desk: Attendant) -> str:
    """Return a sentence that names the sides that agree to a draw; ``""`` if there are none."""
    found = endings.read_endings(desk.game.path)
    return f"A draw is agreed to by {', '.join(found.draw)}; DRAW agrees, too." if found.draw else ""


def _late(folder: Path, owing: Sequence[str], now: datetime | None) -> str:
    """Return a sentence that names the sides that are late in a game, and since when; ``""`` if none are."""
    found = timetable.due_of(folder, now) if now is not None else None
    if found is None or now is None or not owing or found[2].paused is not None or now <= found[0].due:
        return ""
    return f"Late since {written(found[0].due, found[1].zone)}: {', '.join(owing)}."


def _elsewhere(desk: Attendant) -> list[str]:
    """Return a line for each other game of the player.

    It says the turn, what orders the player owes and by when, and who is late.
    """
    games = desk.games
    others = [one for one in games.of_person(desk.seat, desk.letter.sender) if one.token != desk.seat.token]
    lines = [wrapped(f"{one.game} ({one.side}): {_in_short(one, games.now)}", "  ") for one in others]
    return ["YOUR OTHER GAMES HERE", *lines] if lines else []


def _in_short(seat: Seat, now: datetime | None) -> str:
    try:
        with opened(seat.folder) as game:
            stands = look(game)
            found = timetable.due_of(seat.folder, now)
    except Exception:
        return "it cannot be looked at now."
    request = stands.request
    if request is None:
        return "the game is over."
    said = f"turn {stands.turn}, impulse {stands.impulse}; "
    owes = seat.side in stands.owing
    said += f"you owe {asked_for(request)}" if owes else "nothing is wanted from you"
    if found is not None and found[2].paused is not None:
        said += "; the game is paused"
    elif found is not None:
        said += f"{' by' if owes else '; the deadline is'} {written(found[0].due, found[1].zone)}"
    return f"{said}. {_late(seat.folder, stands.owing, now)}".strip()


def _stands(side: SideStatus, mine: str) -> str:
    if side.robot:
        return "played by the robot"
    if not side.asked:
        return f"comes on turn {side.arrives}" if side.arrives else "not asked; its orders stand"
    if not side.answered:
        return "owes orders"
    if side.side != mine:
        return "has answered"
    return f"has answered (version {side.version})" if side.version else "has answered with its energy form"


def draft(desk: Attendant) -> Reply:
    """DRAFT: return an email with the order draft that this side has to fill in now."""
    attachments = desk.draft_file()
    if not attachments:
        why = "The game is over." if desk.request is None else "Nothing is asked of you now; your orders stand."
        return desk.reply("command", "no draft", [why])
    ((name, _, data),) = attachments
    said = f"Attached is {name}, the form for what is asked of you now. Fill it in and send it back. It holds:"
    lines = paragraphs([wrapped(said), *desk.notes()], shown(data.decode()))
    return desk.reply("command", "your draft", lines, attachments)


def preview(desk: Attendant) -> Reply:
    """PREVIEW: return what orders would do for the side's own ships; nothing is filed.

    The orders are those in the email. If it has none, they are those the side has sent before.
    """
    if has_orders(desk.letter.text) or begins_orders(desk.letter.text):
        text, what = desk.orders(), "the orders you sent"
    else:
        found, _ = answers(desk.game)
        mine = found.get(desk.seat.side)
        if mine is None:
            said = (
                "You have no orders on file for this request. Send PREVIEW together with orders to have them looked at."
            )
            return desk.reply("command", "nothing to preview", [wrapped(said)])
        text, what = mine.sent if not mine.from_form else mine.text, "your orders on file"
    wrong = desk.judge_side(text)
    try:
        if wrong is not None:
            raise GameError(wrong)
        receipt = check(desk.game, text, "")
    except GameError as error:
        faults = ["These orders could not be filed:", *told(error.faults, text)]
        lines = paragraphs(["Nothing was filed by this letter.", *desk.notes()], faults)
        return desk.reply("command", "preview: the orders have faults", lines)
    return desk.answer(
        "command", "preview", what=what, notes=desk.notes(), **echo(receipt), **_alone(desk, receipt.orders)
    )


def _alone(desk: Attendant, orders: str) -> dict[str, Value]:
    """Return the course of the side's ships, played on the real engine with no other units on the map.

    Nothing is returned of a scenario that cannot be played by one side.
    """
    from pbem.games.preview import preview as play

    try:
        found = play(desk.game.state(), desk.game.scenario(), desk.seat.side, orders)
    except (LookupError, ValueError):
        # Not every scenario can be played by one side; the course that is certain stands above.
        return {"tracks": [], "events": []}
    tracks = [(unit, ", ".join(f"{impulse}: {at}" for impulse, at in track)) for unit, track in found.tracks]
    return {"tracks": tracks, "events": [(impulse, text) for impulse, text in found.told]}


def wait(desk: Attendant) -> Reply:
    """WAIT: ask that nothing is played before the deadline of this request; WAIT OFF takes that back."""
    request = desk.request
    if request is None or not request.asks(desk.seat.side):
        return desk.reply("command", "nothing to wait for", ["Nothing is asked of you now."])
    off = desk.letter.argument == "OFF"
    set_wait(desk.game, desk.seat.side, wait=not off)
    said = in_words(request, wait=not off)
    title = "no longer waiting" if off else "waiting for the deadline"
    return desk.reply("command", title, [wrapped(said), *desk.notes()])


def withdraw(desk: Attendant) -> Reply:
    """WITHDRAW: take back the side's orders for the current request."""
    request = desk.request
    if request is None:
        return desk.reply("command", "nothing to take back", ["The game is over."])
    if sealing_of(desk.game) is not None:
        said = "All orders are in and sealed: the dice are about to be rolled, and nothing can be taken back."
        return desk.reply("command", "nothing to take back", [wrapped(said)])
    if withdraw_orders(desk.game, desk.seat.side):
        said = f"Your answer to request {request.number} of turn {request.turn} is taken back. You owe orders again."
        above = [wrapped(said), *time.still_counts(desk), *desk.notes()]
        return desk.reply("command", "your orders are taken back", above, desk.draft_file())
    said = "You have no orders on file for this request that were not played."
    found, _ = answers(desk.game)
    if desk.seat.side in found:
        said = (
            "Your orders came in one file with the energy form, which has been played. Send new ones: they stand for "
            "the old."
        )
    return desk.reply("command", "nothing to take back", [wrapped(said)])


def resend(desk: Attendant) -> Reply:
    """RESEND: send an earlier report of this side again, as it was.

    For the current report, the draft and the order form page are attached as well.
    """
    folder = _reports(desk)
    if folder is None or not (folder / desk.seat.side / "sitrep.txt").is_file():
        said = (
            "There is no such report. RESEND alone gets you the last one, RESEND 3 that of request 3 of this turn, "
            "RESEND 2.3 that of request 3 of turn 2."
        )
        return desk.reply("command", "no such report", [wrapped(said)])
    whole_again(desk.game, folder)
    mine = folder / desk.seat.side
    attachments: Attachments = ()
    if (mine / "sitrep.html").is_file():
        attachments += (("sitrep.html", "text/html", read_bytes(mine / "sitrep.html")),)
    if folder == reports_folder(desk.game):
        attachments += desk.draft_file()
        if (mine / FORM).is_file():
            # As the sitrep names it; who is asked no more has no use for it.
            form = read_bytes(mine / FORM).decode("utf-8")
            sent = message_from_bytes(read_bytes(mine / "mail.eml"), policy=default)
            about = subject_for(desk.games, desk.seat, f"Re: {sent['Subject']}")
            form = addressed(form, address_of(desk.games, desk.seat), about)
            attachments += ((FORM, "text/html", form.encode("utf-8")),)
    text = read_order_file(mine / "sitrep.txt")
    name = f"report {folder.parent.name}/{folder.name} once more"
    return desk.reply("command", name, [text], attachments)


def _reports(desk: Attendant) -> Path | None:
    said = desk.letter.argument
    if said in ("", "LAST"):
        return reports_folder(desk.game)
    turn, _, number = said.rpartition(".")
    request = desk.request
    now = int(turn) if turn else request.turn if request else desk.game.state().turn
    if not turn and int(number) == 0:
        return None
    return desk.game.request_folder(now, int(number))


def standings(desk: Attendant) -> Reply:
    """STANDINGS: return the standings of the club's tournaments, as they were last counted."""
    home = desk.games.club / "tournaments" if desk.games.club is not None else None
    found = sorted(home.glob("*.txt")) if home is not None and home.is_dir() else []
    if not found:
        return desk.reply("command", "no tournament", ["There is no tournament here."])
    return desk.reply("command", "the standings", "\n".join(map(read_order_file, found)).split("\n"))


COMMANDS: Final[dict[str, Callable[[Attendant], Reply]]] = {
    "HELP": help_,
    "STATUS": status,
    "DRAFT": draft,
    "PREVIEW": preview,
    "WAIT": wait,
    "WITHDRAW": withdraw,
    "RESEND": resend,
    "AWAY": time.away,
    "EXTEND": time.extend,
    "DRAW": endings.draw,
    "RESIGN": endings.resign,
    "ADDRESS": seats.address,
    "TAKE": seats.take,
    "WATCH": watching.watch,
    "UNWATCH": watching.watch,
    "STANDINGS": standings,
}
