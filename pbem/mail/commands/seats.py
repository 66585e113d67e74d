"""Handle the email commands ADDRESS and TAKE, and change the player of a side.

ADDRESS sends a player's email to a new address in all their games of the club. Both addresses are told. The change
takes effect when the player sends back the code that went to the new address. It is stored in the fact ``addresses``
of the club's database (:class:`pbem.mail.people.Move`) and overrides players.toml; neither players.toml nor any game
file is changed.

TAKE takes over a side that the umpire has offered; the first player who sends it gets the side. Until then the old
player's emails still count. A change of player is first written to one file of the game and then carried out. So
after an interruption the next command or the host's next round can finish it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.errors import GameError
from pbem.games.answers import answers
from pbem.games.storage.files import json_in, keep, read_bytes, read_kept, remove
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.players import Tenure, players, replace_player, tenures
from pbem.games.storage.publish import publish
from pbem.mail import emails
from pbem.mail.commands.endings import forget
from pbem.mail.host.clocks import NEVER, read_clock, read_rounds, write_clock
from pbem.mail.host.deadlines import Rule
from pbem.mail.incoming.message import Letter
from pbem.mail.people import MOVES, Move, People, is_address, read_moves, read_people, remember_names
from pbem.mail.replies.conversation import Conversation
from pbem.mail.replies.reply import Reply, letter_key, to_umpire
from pbem.mail.seats import Games, Seat, new_token, player_addresses, renew_token
from pbem.mail.settings import game_rule, host_of, read_host
from pbem.mail.store import keep_fact
from pbem.mail.umpires import derived
from pbem.reports.html.public import name_of

_CODE: Final = "CODE "
LASTS: Final = timedelta(days=30)
"""How long the confirmation code for a new address stays valid."""
MOST: Final = 3
"""Maximum number of open codes for one player, so that nobody can use the host to flood a mailbox."""


def address(conversation: Conversation) -> Reply | tuple[Reply, ...]:
    """Answer ADDRESS: send a confirmation code to a player's new address, and explain the next step."""
    games, seat = conversation.games, conversation.seat
    if games.club is None or games.now is None:
        return conversation.answer("command", "no-host", command="ADDRESS")
    argument = conversation.letter.argument
    if wrong := _refused(conversation, argument):
        return conversation.answer("fault", "address-refused", why=wrong, address=argument.lower())
    new, old = argument.lower(), seat.addresses[0]
    moves = read_moves(games.post)
    move = next((one for one in moves if one.cause == conversation.letter.digest), None)
    if move is None:
        since = [one for one in moves if (one.old, one.person) == (old, seat.person) and _is_open(one, games.now)]
        if len(since) >= MOST:
            return conversation.answer("fault", "address-too-many", codes=len(since))
        cause = conversation.letter.digest
        code = derived(games.post, f"address {cause}")  # so an email that is processed again has the same code
        move = Move(old=old, new=new, person=seat.person, code=code, cause=cause, asked=games.now)
        keep_fact(games.post, MOVES, (*moves, move))
    theirs = _games(games, seat, conversation.letter.sender)
    reply = conversation.answer("command", "address-asked", new=new, old=old, games=theirs)
    return reply, _code_for(conversation.letter, games, move)


def _refused(conversation: Conversation, new_address: str) -> str:
    """Return a keyword for the reason why a change of address is refused; ``""`` if it is allowed."""
    games = conversation.games
    assert games.club is not None
    if not read_host(games.club).letters.address:
        return "closed"
    if new_address.startswith(_CODE):
        return "code"
    if not is_address(new_address):
        return "unclear"
    if new_address.lower() == conversation.seat.addresses[0]:
        return "same"
    if new_address.lower() in (*player_addresses(games.umpire), *player_addresses(games.orders)):
        return "club"
    return ""


def to_come(games: Games) -> frozenset[str]:
    """Return the new addresses of players that are not confirmed yet.

    Emails from such an address may be older than the one that contains the confirmation code.
    """
    if games.club is None or (now := games.now) is None:
        return frozenset()
    return frozenset(one.new for one in read_moves(games.post) if _is_open(one, now))


def _is_open(move: Move, now: datetime) -> bool:
    return not move.done and move.asked is not None and now - move.asked < LASTS


def _games(games: Games, seat: Seat, sender: str) -> str:
    return ", ".join(dict.fromkeys(one.game for one in games.of_person(seat, sender)))


def _key(letter: Letter, what: str) -> str:
    return letter_key(letter.digest, what)


def _code_for(letter: Letter, games: Games, move: Move) -> Reply:
    email = emails.render("address-code", games.club, old=move.old, code=move.code)
    key = _key(letter, "code")
    return Reply(to=move.new, subject=email.subject, text=f"{email.text}\n", kind="command", key=key)


def confirmed(letter: Letter, games: Games) -> tuple[Seat, tuple[Reply, ...]] | None:
    """Confirm a change of address, if an email contains the confirmation code for the new address.

    From then on the player's email is sent there. Repeating this for the same email changes nothing more.

    Returns:
        A seat of the sender and the answers, or ``None`` for any other email.
    """
    if games.club is None or games.now is None or letter.command != "ADDRESS":
        return None
    code = letter.argument.removeprefix(_CODE).strip().lower() if letter.argument.startswith(_CODE) else ""
    moves = read_moves(games.post)
    move = next((one for one in moves if code and one.code == code), None)
    if move is None or letter.sender not in (move.new, move.old) or not (move.done or _is_open(move, games.now)):
        return None
    seats = [one for one in games.seats if one.is_of(move.old, move.person) or one.is_of(move.new, move.person)]
    if not seats:
        return None
    if not move.done:
        done = msgspec.structs.replace(move, done=games.now)
        keep_fact(games.post, MOVES, [done if one is move else one for one in moves])
    key = [_key(letter, to) for to in (move.new, move.old)]
    return seats[0], _told(move, seats, games, key, letter)


def _told(
    move: Move, seats: list[Seat], games: Games, keys: list[str], letter: Letter | None = None
) -> tuple[Reply, ...]:
    """Return two emails that announce a change of address, to the new and to the old address.

    ``letter`` is the email that asked for it; without one, the umpire changed the address. ``keys`` are the keys of the
    two emails.
    """
    replies = list[Reply]()
    for key, to in zip(keys, (move.new, move.old), strict=True):
        email = emails.render(
            "address-changed",
            games.club,
            to_new=to == move.new,
            new=move.new,
            old=move.old,
            games=", ".join(sorted({one.game for one in seats})),
            by_umpire=letter is None,
            umpire=games.umpire,
        )
        answered = letter.message_id if letter is not None and to == letter.sender else ""
        replies.append(
            Reply(to=to, subject=email.subject, text=f"{email.text}\n", kind="command", key=key, in_reply_to=answered)
        )
    return tuple(replies)


def somebody(club: Path, games: Games, who: str) -> tuple[str, str, list[Seat]]:
    """Find the one person whom the umpire names by an address, or by a key or name of players.toml.

    Former addresses count too.

    Returns:
        The person's key in players.toml (``""`` if not listed there), current address, and seats.

    Raises:
        GameError: If nobody or more than one person matches.
    """
    people = read_people(club)
    matches = people.meant(who)
    (wanted,) = people.now([" ".join(who.split()).casefold()])
    seats = [one for one in games.seats if one.person in matches or (not one.person and wanted in one.addresses)]
    if len(matches) > 1 or not (matches or seats):
        text = f"{who!r} is {'more than one person' if matches else 'nobody'} here: give an address or a key"
        if people.people and not matches:
            text += f"; there are {', '.join(sorted(people.people)[:20])}"
        raise GameError.saying("address", text, file=str(club))
    return *next(((key, person.mail.lower()) for key, person in matches.items()), ("", wanted)), seats


def move_by_hand(club: Path, games: Games, who: str, new: str, now: datetime) -> Move:
    """Record a change of a player's address that the umpire commands, and return it.

    :func:`tell` announces it to both addresses. If the command is repeated before that, the same change is
    returned.

    Args:
        club: The club's folder.
        games: All games of the club.
        who: The person, as for :func:`somebody`.
        new: The new address.
        now: The time.

    Raises:
        GameError: If the address is invalid or unchanged, or ``who`` does not match exactly one person.
    """
    if not is_address(new):
        raise GameError.saying("address", f"{new!r} is not a plain email address like ann@example.org", file=str(club))
    key, old, _ = somebody(club, games, who)
    moves = read_moves(games.post)
    stopped = next((one for one in moves if one.untold and (one.new, one.person) == (new.lower(), key)), None)
    if stopped is not None and new.lower() == old:
        return stopped
    if old == new.lower():
        raise GameError.saying("address", f"emails to {who} already go to {old}", file=str(club))
    cause = f"umpire {now.isoformat()}"
    move = Move(old=old, new=new.lower(), person=key, code="", cause=cause, done=now, untold=True)
    keep_fact(games.post, MOVES, (*moves, move))  # the change is valid from here on
    return move


def tell(games: Games, put: Callable[[Reply], object]) -> None:
    """Announce the address changes that the umpire made and that were not announced yet.

    The function ``put`` puts an email into the outbox. Each email is sent once, however often this is interrupted. The
    caller must hold the lock of the journal.
    """
    moves = read_moves(games.post)
    untold = [move for move in moves if move.untold]
    for move in untold:
        seats = [one for one in games.seats if one.is_of(move.old, move.person) or one.is_of(move.new, move.person)]
        keys = [letter_key(move.cause, move.old, move.new, to) for to in ("new", "old")]
        for letter in _told(move, seats, games, keys):
            put(letter)
    if untold:
        keep_fact(games.post, MOVES, [msgspec.structs.replace(one, untold=False) for one in moves])


FILE: Final = "vacant.json"


def vacant(game: Path) -> tuple[str, ...]:
    """Return the sides of a game that others may take over.

    Raises:
        GameError: If the file is damaged.
    """
    file = game / "mail" / FILE
    if not file.is_file():
        return ()
    damaged = "what is known of vacant sides is damaged"
    return json_in(read_bytes(file), tuple[str, ...], "vacant-damaged", damaged, file)


def offer(game: GameFolder, side: str, *, vacant_now: bool = True) -> str:
    """Offer a side to other players, or withdraw that offer; return the name of the side.

    With ``vacant_now`` false the offer is withdrawn. The caller must hold the game's lock.

    Raises:
        GameError: If the game is over, there is no such side, or a computer plays it.
    """
    state = game.state()
    name = next((one for one in state.sides if one.casefold() == side.casefold()), "")
    if not name or state.sides[name].robot or state.over:
        sides = ", ".join(one for one, seat in state.sides.items() if not seat.robot)
        text = "the game is over" if state.over else f"no player has a side {side!r}; players have {sides}"
        raise GameError.saying("wrong-side", text, file=str(game.path))
    offered = {*vacant(game.path)} - {name} | ({name} if vacant_now else set())
    if offered:
        keep(game.path / "mail" / FILE, sorted(offered))
    else:
        remove(game.path / "mail" / FILE)
    return name


def times(game: GameFolder, side: str) -> int:
    """Return how often a side has changed players; this number distinguishes the offers of the side."""
    return sum(one.side == side for one in tenures(game.path))


REPLACING_FILE: Final = "replacing.json"
"""Name of the file of a game that exists while a player is being replaced."""
AGAIN: Final = timedelta(minutes=10)
"""If the umpire repeats a replacement within this time, the repetition has no effect."""


class DecidedReplacement(msgspec.Struct, frozen=True, kw_only=True):
    """The decision to replace a side's player; it may not be completely carried out yet.

    ``tenure`` says who replaces whom; ``token`` is the new player's token.
    """

    tenure: Tenure
    token: str


def replace(game: GameFolder, side: str, player: str, now: datetime) -> str:
    """Give a side a new player and a new token; return the side's name.

    If the side owes orders, the time to answer the request starts again for all sides that owe orders. Otherwise the
    new player's deadline might be past already. The caller must hold the game's lock.

    Args:
        game: The game.
        side: The side, in any case of letters.
        player: The new player: an address, or a key of players.toml.
        now: The time.

    Raises:
        GameError: If there is no such side, a computer plays it, or ``player`` is neither an address nor somebody in
            players.toml.
    """
    sides = list(game.terms.sides)
    name = next((one for one in sides if one.casefold() == side.casefold()), "")
    if not name:
        raise GameError.saying("wrong-side", f"there is no side {side!r}; the sides are {', '.join(sides)}")
    if game.state().sides[name].robot:
        raise GameError.saying("wrong-side", f"{name} is played by the robot for the whole game")
    home = host_of(game.path)
    people = read_people(home) if home is not None else People()
    if not player_addresses(player) and people.find(player) is None:
        raise GameError.saying("address", f"{player!r} is neither an email address nor a person in players.toml")
    finish(game)
    last = next((one for one in reversed(tenures(game.path)) if one.side == name), None)
    before, state = players(game.path, game.terms).get(name, ""), game.state()
    turn = state.request.turn if state.request is not None else state.turn
    if before == player and last is not None and last.at is not None and now - last.at < AGAIN:
        return name  # the command is repeated after an interruption, and the replacement is done already
    decided = DecidedReplacement(
        tenure=Tenure(side=name, before=before, player=player, at=now, turn=turn), token=new_token()
    )
    keep(game.path / "secret" / REPLACING_FILE, decided)  # the replacement is valid from here on
    finish(game)
    return name


def finish(game: GameFolder) -> None:
    """Finish a replacement of a player that was decided and interrupted; do nothing if there is none.

    However often this is interrupted, the result is the same. The caller must hold the game's lock.
    """
    file = game.path / "secret" / REPLACING_FILE
    decided = read_kept(file, DecidedReplacement)
    if decided is None:
        return
    tenure, name, now = decided.tenure, decided.tenure.side, decided.tenure.at
    assert now is not None
    home, state = host_of(game.path), game.state()
    people = read_people(home) if home is not None else People()
    # The token first: after an interruption neither the old nor the new player has access until this is finished.
    renew_token(game, name, decided.token)
    if name in vacant(game.path):
        offer(game, name, vacant_now=False)
    forget(game.path, name)
    replace_player(game.path, tenure)
    remember_names(game.path, game.terms, people)
    clock = read_clock(game.path)
    owes = state.request is not None and name in state.request.sides and name not in answers(game)[0]
    if owes and clock.asked is not None:
        rounds = (read_rounds(home) if home is not None else NEVER).at(now)
        began = clock.begun(clock.asking, now, rounds)
        rule = game_rule(read_host(home), game.path) if home is not None else Rule()
        old, new = clock.times(rule, rounds), began.times(rule, rounds)
        if old is None or new is None or new.due > old.due:
            write_clock(game.path, began)
    publish(game)  # reports contain the players' names
    remove(file)


def finish_all(folders: Iterable[Path], reported: Callable[[Path], AbstractContextManager[None]]) -> None:
    """Finish interrupted replacements of players in these games, with :func:`finish`.

    ``reported`` returns a context manager that reports an error in one game, so that the others are still handled.
    """
    for folder in folders:
        try:
            os.stat(f"{folder}/secret/{REPLACING_FILE}")  # noqa: PTH116 (quicker; done for every game in every round)
        except OSError:
            continue
        with reported(folder), opened(folder, lock="host") as game:
            finish(game)


def take(conversation: Conversation) -> Reply | tuple[Reply, ...]:
    """Answer TAKE: give the sender a side that is offered to other players, as in ``TAKE duel02 klingon``."""
    games, seat = conversation.games, conversation.seat
    if games.club is None or games.now is None:
        return conversation.answer("command", "no-host", command="TAKE")
    wanted = conversation.letter.argument.casefold().split()
    folder = next((one for one in games.by_folder if wanted and one.name.casefold() == wanted[0]), None)
    open_ = vacant(folder) if folder is not None else ()
    side = next((one for one in open_ if wanted[1:] in ([], [one.casefold()])), "")
    me = players(conversation.game.path, conversation.game.terms)[seat.side]
    mine = {one.folder for one in games.of_person(seat, conversation.letter.sender)}
    if folder is not None and not side and (now := _side_there(conversation, folder)):
        if conversation.began(folder):
            return _taken(conversation, folder.name, now, me)
        # They play in this game already.
        return conversation.answer("command", "taken", side=now, game=folder.name, new=False)
    if not read_host(games.club).letters.take or folder is None or not side or folder in mine:
        return conversation.answer("fault", "take-refused", plays=folder in mine, open=_open_sides(games))
    with opened(folder, lock="mail") as game:
        conversation.begin(game)
        replace(game, side, me, games.now)
    return _taken(conversation, folder.name, side, me)


def _side_there(conversation: Conversation, folder: Path) -> str:
    """Return the side that the sender plays in the game of a folder; ``""`` if they play none."""
    seats, seat = conversation.games.by_folder[folder], conversation.seat
    return next((one.side for one in seats if one.is_of(conversation.letter.sender, seat.person)), "")


def _taken(conversation: Conversation, game: str, side: str, player: str) -> tuple[Reply, ...]:
    """Return the answer to a player who took a side over, and the email that informs the umpire."""
    games, reply = conversation.games, conversation.answer("command", "taken", side=side, game=game, new=True)
    if not games.umpire:
        return (reply,)
    email = emails.render("side-taken", games.club, game=game, side=side, player=name_of(player) or player)
    key = letter_key(conversation.letter.digest, "took")
    return reply, to_umpire(games.umpire, email.subject, email.text, key, kind="command", game=game)


def _open_sides(games: Games) -> list[str]:
    return sorted(f"{folder.name} {side}" for folder in games.by_folder for side in vacant(folder))
