"""Letters of who takes a side over that is on offer (:mod:`pbem.mail.commands.vacancies`): TAKE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbem.games.storage.opening import opened
from pbem.games.storage.players import players
from pbem.mail.commands.replacing import replace
from pbem.mail.commands.vacancies import vacant
from pbem.mail.replies.receipts import paragraphs, wrapped
from pbem.mail.replies.replies import Reply, letter_key, to_umpire
from pbem.mail.seats import Games
from pbem.mail.settings import read_host
from pbem.reports.html.public import name_of

if TYPE_CHECKING:
    from pbem.mail.replies.answer import Attendant


def take(desk: Attendant) -> Reply:
    """Somebody of the club takes a side over: ``TAKE duel02 klingon``."""
    games, seat = desk.games, desk.seat
    if games.club is None or games.now is None:
        return desk.reply("command", "nothing was changed", ["No host keeps this game: ask its umpire."])
    wanted = desk.letter.argument.casefold().split()
    folder = next((one for one in games.by_folder if wanted and one.name.casefold() == wanted[0]), None)
    open_ = vacant(folder) if folder is not None else ()
    side = next((one for one in open_ if wanted[1:] in ([], [one.casefold()])), "")
    me = players(desk.game.path, desk.game.terms)[seat.side]
    mine = {one.folder for one in games.of_person(seat, desk.letter.sender)}
    if folder is not None and not side:
        now = next((one.side for one in games.by_folder[folder] if one.is_of(desk.letter.sender, seat.person)), "")
        if now:  # the letter came before, or he plays there anyway
            return desk.reply("command", f"you play {now} in {folder.name}", [f"You play {now} in {folder.name}."])
    if not read_host(games.club).letters.take or folder is None or not side or folder in mine:
        why = "You play in it." if folder in mine else f"TAKE GAME SIDE takes over a side that is open. {_open(games)}"
        return desk.reply("fault", "nothing was taken over", paragraphs(f"{why} Nothing was changed."))
    with opened(folder, lock="mail") as game:
        replace(game, side, me, games.now)
    text = f"{name_of(me) or me} took over {side} of {folder.name} by letter. The others are told."
    key = letter_key(desk.letter.digest, "took")
    if games.umpire:
        subject = f"pbem: {folder.name}: {side} has a player"
        desk.also.append(to_umpire(games.umpire, subject, wrapped(text), key, kind="command", game=folder.name))
    said = f"You play {side} in {folder.name} from now on. The first mail of that game, with its token, is on its way."
    return desk.reply("command", f"you play {side} in {folder.name}", [wrapped(said)])


def _open(games: Games) -> str:
    found = [f"{folder.name} {side}" for folder in games.by_folder for side in vacant(folder)]
    return f"Open are: {', '.join(sorted(found))}." if found else "None is open."
