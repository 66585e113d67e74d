"""Handle the email commands about reports and orders, and list the function of each command.

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
from typing import Final

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
from pbem.mail import emails
from pbem.mail.commands import EMAIL_COMMANDS, endings, seats, spectators, time
from pbem.mail.emails import WIDTH, Value, shown
from pbem.mail.host import clocks as timetable
from pbem.mail.host.deadlines import written
from pbem.mail.incoming.extract import begins_orders, has_orders
from pbem.mail.replies.conversation import Attachments, Conversation
from pbem.mail.replies.receipts import asked_for, echo, numbered_faults
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Seat, address_of, subject_for
from pbem.mail.web_keys import link_of
from pbem.reports.form.form import addressed
from pbem.reports.text.sentences import asked_because

_SAID = "This side asked that nothing be played before the deadline of this request.\n"


def in_words(request: Request, *, wait: bool) -> str:
    """Return a sentence that tells the player what WAIT, or WAIT OFF, does for this request for orders."""
    return emails.sentence("wish", request=request.number, wait=wait)


def wait_file(game: GameFolder, request: Request, side: str) -> Path:
    """Return the path of the file that records that a side sent WAIT for a request for orders."""
    return game.orders_folder(request.turn) / f"{side}.r{request.number}.wait"


def set_wait(game: GameFolder, side: str, *, wait: bool) -> None:
    """Record whether a side wants the game to wait for the deadline even if all orders have arrived.

    This applies to the current request for orders only. The caller must hold the game's lock.
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
    """Return the sides that sent WAIT for the current request, so nothing is played before the deadline."""
    request = game.state().request
    if request is None:
        return ()
    return tuple(side for side in request.sides if wait_file(game, request, side).is_file())


def withdraw_orders(game: GameFolder, side: str) -> bool:
    """Withdraw a side's orders for the current request; return whether there were any.

    The orders are kept as an older version. The caller must hold the game's lock.
    """
    request = game.state().request
    if request is None:
        return False
    filed = [version for version in game.versions(request.turn, side, request.number) if not version.version]
    for version in filed:
        lay_aside(game, version)
    return bool(filed)


_MOST_LINES: Final = 32
"""Maximum number of lines of a section of the guides in an email, so that the email fits on a screen."""
_FIRST_LINES: Final = 16
"""Maximum number of lines of the first section of a guide page in an email.

Below it the email lists the other sections.
"""
_MOST_TITLES: Final = 900
"""Maximum total number of characters of the titles in the list of other sections."""


def help_(conversation: Conversation) -> Reply:
    """Answer HELP with the list of commands, or with what the guides say about the word after HELP.

    The guides' answer is an entry of the glossary, the section of a page that matches best, or the beginning of a page.
    If a page's name and ALL follow HELP, the whole page is attached as a file.
    """
    from pbem.reports.text import guide

    topic = conversation.letter.argument
    if not topic:
        seat, games = conversation.seat, conversation.games
        return conversation.answer(
            "command",
            "help",
            address=address_of(games, seat) if games.tags and games.orders else "",
            token=seat.token,
            commands=[one.help for one in EMAIL_COMMANDS if one.help],
            pages=[page.page for page in guide.ways()[0].pages],
        )
    if page := guide.whole_page(topic):
        name, text = f"{page.page}.txt", guide.text_of(page, block="|| ", ask="HELP")
        attached: Attachments = ((name, "text/plain", text.encode("utf-8")),)
        return conversation.answer(
            "command", "help-page", attached, page=page.page, attached=name, text=[], cut=False, titles=[]
        )
    named, section = guide.page_named(topic), guide.section_for(topic)
    if named is None and (entry := guide.entry_of(topic, WIDTH, "HELP")):
        word, more = topic.lower(), section.page.page if section is not None else ""
        return conversation.answer(
            "command", "help-word", word=word, entry=[entry.rstrip()], glossary=guide.GLOSSARY, page=more
        )
    if named is None and section is not None:
        text, cut = guide.section_text(section, _MOST_LINES, topic, block="|| ", ask="HELP")
        return conversation.answer(
            "command", "help-page", page=section.page.page, attached="", text=[text], cut=cut, titles=[]
        )
    page = named or guide.find(topic)
    text, cut = guide.section_text(guide.first_section(page), _FIRST_LINES, block="|| ", ask="HELP")
    titles = _fitting(guide.titles_of(page))
    return conversation.answer("command", "help-page", page=page.page, attached="", text=[text], cut=cut, titles=titles)


def _fitting(titles: Sequence[str]) -> list[str]:
    """Return the first titles of a list, as many as fit into an email, and ``…`` if some are left out."""
    kept, length = list[str](), 0
    for title in titles:
        length += len(title) + 2
        if length > _MOST_TITLES:
            return [*kept, "…"]
        kept.append(title)
    return kept


def status(conversation: Conversation) -> Reply:
    """Answer STATUS with the public state of the game and the state of this side's own orders.

    The player's other games follow, one line each.
    """
    now = look(conversation.game)
    request = now.request
    values: dict[str, Value] = {"game": now.game, "scenario": now.scenario, "title": now.title}
    if request is None:
        ends = [f"{end.side}: {end.result} ({end.why})" for end in now.outcome]
        return conversation.answer("command", "status-over", **values, outcome=ends)
    deadline = conversation.deadline()
    return conversation.answer(
        "command",
        "status",
        (),
        deadline,
        **values,
        turn=now.turn,
        impulse=now.impulse,
        impulses=now.impulses,
        asked=asked_for(request),
        reason=asked_because(request.reason),
        sides=[f"  {side.side:<14} {_stands(side, conversation.seat.side)}" for side in now.sides],
        waits=conversation.seat.side in waiting(conversation.game),
        draw=endings.read_endings(conversation.game.path).draw,
        deadline=deadline.words if deadline is not None else "",
        late=_late(conversation.game.path, now.owing, conversation.games.now),
        others=_elsewhere(conversation),
        page=link_of(conversation.games, conversation.seat),
    )


def _late(folder: Path, owing: Sequence[str], now: datetime | None) -> str:
    """Return a sentence that names the late sides of a game, and since when; ``""`` if none are late."""
    deadlines = timetable.due_of(folder, now) if now is not None else None
    if deadlines is None or now is None or not owing or deadlines[2].paused is not None or now <= deadlines[0].due:
        return ""
    return emails.sentence("late", since=written(deadlines[0].due, deadlines[1].zone), sides=owing)


def _elsewhere(conversation: Conversation) -> list[str]:
    """Return a line for each other game of the player.

    Each line has the turn, the orders that the player owes, their deadline, and who is late.
    """
    games = conversation.games
    others = [
        one
        for one in games.of_person(conversation.seat, conversation.letter.sender)
        if one.token != conversation.seat.token
    ]
    return [f"{one.game} ({one.side}): {_in_short(one, games.now)}" for one in others]


def _in_short(seat: Seat, now: datetime | None) -> str:
    try:
        with opened(seat.folder) as game:
            stands = look(game)
            deadlines = timetable.due_of(seat.folder, now)
    except Exception:
        return "it cannot be shown now."
    request = stands.request
    if request is None:
        return "the game is over."
    return emails.sentence(
        "other_game",
        turn=stands.turn,
        impulse=stands.impulse,
        owes=asked_for(request) if seat.side in stands.owing else "",
        paused=deadlines is not None and deadlines[2].paused is not None,
        due=written(deadlines[0].due, deadlines[1].zone) if deadlines is not None else "",
        late=_late(seat.folder, stands.owing, now),
    )


def _stands(side: SideStatus, own_side: str) -> str:
    return emails.sentence(
        "standing",
        robot=side.robot,
        asked=side.asked,
        arrives=side.arrives,
        answered=side.answered,
        mine=side.side == own_side,
        version=side.version,
    )


def draft(conversation: Conversation) -> Reply:
    """Answer DRAFT with the order draft that this side has to fill in now."""
    attachments = conversation.draft_file()
    if not attachments:
        return conversation.answer("command", "no-draft", over=conversation.request is None)
    ((name, _, data),) = attachments
    lines = shown(data.decode())
    return conversation.answer_with_notes("command", "draft", attachments, name=name, draft=lines)


def preview(conversation: Conversation) -> Reply:
    """Answer PREVIEW with what the side's own ships would do under its orders; nothing is filed.

    The orders in the email are used. If the email has none, the orders that the side sent before are used.
    """
    if has_orders(conversation.letter.text) or begins_orders(conversation.letter.text):
        text, what = conversation.orders(), "the orders you sent"
    else:
        answered, _ = answers(conversation.game)
        mine = answered.get(conversation.seat.side)
        if mine is None:
            return conversation.answer("command", "preview-nothing")
        text, what = mine.sent if not mine.from_form else mine.text, "your orders on file"
    wrong = conversation.misdirected(text)
    try:
        if wrong is not None:
            raise GameError(wrong)
        receipt = check(conversation.game, text, "")
    except GameError as error:
        return conversation.answer_with_notes("command", "preview-faults", faults=numbered_faults(error.faults, text))
    return conversation.answer_with_notes(
        "command", "preview", what=what, **echo(receipt), **_alone(conversation, receipt.orders)
    )


def _alone(conversation: Conversation, orders: str) -> dict[str, Value]:
    """Return template values that describe what the side's ships would do with these orders.

    The engine plays the orders without the other sides' units. The dict is empty if the scenario cannot be played by
    one side.
    """
    from pbem.games.preview import preview as play

    try:
        preview_result = play(conversation.game.state(), conversation.game.scenario(), conversation.seat.side, orders)
    except (LookupError, ValueError):
        # Not every scenario can be played by one side. The answer already has the course that is certain.
        return {"tracks": [], "events": []}
    tracks = [(unit, ", ".join(f"{impulse}: {at}" for impulse, at in track)) for unit, track in preview_result.tracks]
    return {"tracks": tracks, "events": [(impulse, text) for impulse, text in preview_result.told]}


def wait(conversation: Conversation) -> Reply:
    """Answer WAIT: play nothing before the deadline of this request; WAIT OFF cancels an earlier WAIT."""
    request = conversation.asked
    if request is None:
        return conversation.answer("command", "wait-nothing")
    off = conversation.letter.argument == "OFF"
    set_wait(conversation.game, conversation.seat.side, wait=not off)
    sentence = in_words(request, wait=not off)
    return conversation.answer_with_notes("command", "wait", off=off, wish=sentence)


def withdraw(conversation: Conversation) -> Reply:
    """Answer WITHDRAW: withdraw the side's orders for the current request."""
    request = conversation.request
    sealed = request is not None and sealing_of(conversation.game) is not None
    if request is not None and not sealed and conversation.on_file:
        conversation.begin(conversation.game)
        withdraw_orders(conversation.game, conversation.seat.side)
    if request is not None and not sealed and conversation.began(conversation.game.path):
        away, draft = time.still_counts(conversation), conversation.draft_file()
        return conversation.answer_with_notes(
            "command",
            "withdrawn",
            draft,
            request=request.number,
            turn=request.turn,
            away=away,
        )
    played = request is not None and not sealed and conversation.seat.side in answers(conversation.game)[0]
    return conversation.answer("command", "withdraw-nothing", over=request is None, sealed=sealed, played=played)


def form_file(conversation: Conversation) -> Attachments:
    """Return the order form page of the last sitrep as an attachment; empty if the sitrep had none."""
    mine = reports_folder(conversation.game) / conversation.seat.side
    if not (mine / FORM).is_file():
        return ()
    form = read_bytes(mine / FORM).decode("utf-8")
    sent = message_from_bytes(read_bytes(mine / "mail.eml"), policy=default)
    about = subject_for(conversation.games, conversation.seat, f"Re: {sent['Subject']}")
    form = addressed(form, address_of(conversation.games, conversation.seat), about)
    return ((FORM, "text/html", form.encode("utf-8")),)


def resend(conversation: Conversation) -> Reply:
    """Answer RESEND with an earlier report of this side, unchanged.

    For the current report, the draft and the order form page are attached as well.
    """
    folder = _reports(conversation)
    if folder is None or not (folder / conversation.seat.side / "sitrep.txt").is_file():
        return conversation.answer("command", "no-report")
    whole_again(conversation.game, folder, conversation.seat.side)
    mine = folder / conversation.seat.side
    attachments: Attachments = ()
    if (mine / "sitrep.html").is_file():
        attachments += (("sitrep.html", "text/html", read_bytes(mine / "sitrep.html")),)
    if folder == reports_folder(conversation.game):
        attachments += conversation.draft_file()
        attachments += form_file(conversation)
    text = read_order_file(mine / "sitrep.txt")
    report = _report_name(folder)
    return conversation.answer("command", "report-again", attachments, report=report, sitrep=[text])


def _reports(conversation: Conversation) -> Path | None:
    argument = conversation.letter.argument
    if argument in ("", "LAST"):
        return reports_folder(conversation.game)
    turn, _, number = argument.rpartition(".")
    request = conversation.request
    now = int(turn) if turn else request.turn if request else conversation.game.state().turn
    if not turn and int(number) == 0:
        return None
    return conversation.game.request_folder(now, int(number))


def _report_name(folder: Path) -> str:
    """Return how the subject of an email names the reports in a folder."""
    turn = f"turn {int(folder.parent.name)}"
    return turn if folder.name == "final" else f"{turn}, request {folder.name.removeprefix('r')}"


def standings(conversation: Conversation) -> Reply:
    """Answer STANDINGS with the standings of the club's tournaments, as last computed."""
    home = conversation.games.club / "tournaments" if conversation.games.club is not None else None
    files = sorted(home.glob("*.txt")) if home is not None and home.is_dir() else []
    return conversation.answer("command", "standings", tables=list(map(read_order_file, files)))


Handler = Callable[[Conversation], Reply | tuple[Reply, ...]]
"""Type of a function that carries out a command and returns the answer and any emails to others."""
COMMANDS: Final[dict[str, Handler]] = {
    "STATUS": status,
    "DRAFT": draft,
    "PREVIEW": preview,
    "WITHDRAW": withdraw,
    "WAIT": wait,
    "RESEND": resend,
    "AWAY": time.away,
    "EXTEND": time.extend,
    "ADDRESS": seats.address,
    "DRAW": endings.draw,
    "RESIGN": endings.resign,
    "TAKE": seats.take,
    "WATCH": spectators.watch,
    "UNWATCH": spectators.watch,
    "STANDINGS": standings,
    "HELP": help_,
}
"""The function of each command of :data:`pbem.mail.commands.EMAIL_COMMANDS`."""
