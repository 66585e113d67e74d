"""Handle rulings by email: an umpire sends a ruling, reads what it would do, and confirms it.

The umpire rules by answering any notice of the game. By email an umpire can also pause and resume a game, extend a
deadline and undo play. The first email changes nothing. The proposal is stored in the game's ``mail/ruling.json`` with
a confirmation word. An answer with the line ``DO IT WORD`` carries out exactly that proposal, as long as nothing
was played or ruled since.

:func:`what_helps` lists the commands an umpire may type after a player's request in free text.
"""

from __future__ import annotations

import hashlib
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.engine import log
from pbem.engine.events import Record
from pbem.errors import Fault, GameError
from pbem.games.storage.files import keep, read_kept, remove
from pbem.games.storage.folder import GameFolder
from pbem.games.umpire.decree import Decree, Overruled, override
from pbem.games.umpire.rerun import copied, sitrep_differences
from pbem.games.umpire.undo import TakenBack, undo
from pbem.mail import emails
from pbem.mail.emails import wrapped
from pbem.mail.host import clocks as timetable
from pbem.mail.host.deadlines import span, written
from pbem.mail.incoming.message import Letter
from pbem.mail.replies.reply import Reply, letter_key, to_umpire
from pbem.mail.seats import ALPHABET, Games, Seat, without_tokens
from pbem.mail.settings import host_of, read_host, shown_path
from pbem.mail.umpires import RULING_FILE, Umpire, token_for
from pbem.orders.mail_text import own_lines
from pbem.util import regex, several, typed

_AWAY: Final = timedelta(days=14)
"""Number of days from today to the last day in the example of an absence.

That day is in the future, and within the longest absence that a club allows.
"""


def what_helps(club: Path, seat: Seat, now: datetime | None) -> list[str]:
    """Return lines with the shell commands that may help an umpire to answer a player's free text.

    The first line introduces the commands.
    """
    home, game, who = shown_path(club), shown_path(club, seat.folder), typed(seat.person or seat.addresses[0])
    away = f"until {now + _AWAY:%Y-%m-%d}" if now is not None else "14 days"
    return [
        emails.sentence("helps"),
        f'  pbem host extend {game} "2 days" --reason TEXT',
        f"  pbem host player {home} {who} --mail ADDRESS",
        f'  pbem host player {home} {who} --away "{away}"',
        f"  pbem host player {game} {seat.side} --vacant",
    ]


_LINE: Final = regex(
    r"(?P<what>RULE|OPTION|HOUSE\s+RULE|WITHDRAW|RESULT|REOPEN|PUBLIC|REASON|FOR)\b(?P<said>.*)", re.DOTALL
)
_ACT: Final = regex(r"(?P<act>PAUSE|RESUME|EXTEND(?=\s+\d)|UNDO)\b(?P<said>[\s\d.]*|\s+\d.*)")
_DO_IT: Final = regex(r"\W{0,9}DO\s+IT\s+([A-Za-z0-9]{4,12})\W{0,9}", re.IGNORECASE)
_DO: Final = regex(r"\W{0,9}DO\s+IT\W{0,9}", re.IGNORECASE)
_MEANT: Final = regex(
    r"\W{0,9}(?:DO\s*IT|RULE|OPTION|HOUSE\s+RULE|WITHDRAW|RESULT|REOPEN|PAUSE|RESUME|EXTEND|UNDO)\b.*", re.IGNORECASE
)
"""Regular expression that finds lines that resemble rulings, if no line could be read as a ruling."""
_YES: Final = regex(r"\W{0,9}(?:yes|ok|okay|agreed|go\s+ahead|please\s+do|do\s+so)\b.{0,80}", re.IGNORECASE)
_LINES: Final = {
    "reason": "REASON", "ruling": "HOUSE RULE", "to": "FOR", "option": "OPTION", "withdraw": "WITHDRAW",
    "result": "RESULT", "reopen": "REOPEN", "public": "PUBLIC",
}  # fmt: skip
"""For each option of ``pbem override``, the keyword of the email line with the same effect."""
_OPTION: Final = regex(rf"--({'|'.join(_LINES)})\b")
TO_DO: Final = "To confirm, reply with this line and nothing else:"
"""The line above the confirming line ``DO IT WORD`` in our emails.

If the umpire's email has it above that line too, the email only quotes ours and confirms nothing.
"""


def offered(letter: Letter, games: Games, folder: Path, umpire: Umpire) -> Reply:
    """Return an email that lets an umpire rule by answering it.

    It is for an umpire who wrote about a game without the game's token. It is sent to the umpire's known address at
    most once a day, because anybody can forge the sender.
    """
    game, day = folder.name, f"{games.now:%Y-%m-%d}" if games.now is not None else ""
    token = token_for(games.post, game)
    email = emails.render("for-umpire", games.club, game=game, token=token)
    key = letter_key(games.orders, game, "umpire", letter.sender, "aside", day)
    return to_umpire(umpire.to, email.subject, email.text, key, kind="command", game=game, page="umpire")


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """A ruling that was shown to the umpire and needs a confirmation.

    Attributes:
        word: The confirmation word.
        lines: The lines of the ruling, as the umpire wrote them.
        after: Number of log records of the game when the ruling was shown.
        made: SHA-256 of the records that the ruling would add to the log.
        shown: The sentences that the umpire was shown.
        done: Whether the ruling was carried out.
    """

    word: str
    lines: tuple[str, ...]
    after: int
    made: str
    shown: tuple[str, ...]
    done: bool = False


def decree_of(lines: tuple[str, ...], by: str = "") -> Decree:
    """Return the umpire's decree that the ruling lines describe.

    ``by`` is the side that the umpire plays, or ``""``. An umpire who plays may not use PUBLIC.

    Raises:
        GameError: With a fault for each line that cannot be read.
    """
    decree = Decree(by=by)
    faults: list[Fault] = []
    for line in lines:
        match = _LINE.fullmatch(line)
        assert match is not None
        what, content = " ".join(match["what"].split()), match["said"].strip(" :")
        name, equals, value = (part.strip() for part in content.partition("="))
        if what in ("OPTION", "RESULT") and not (name and equals and value):
            faults.append(Fault(code="expected", text=f"write NAME = VALUE after {what}", file=line))
        elif what == "WITHDRAW" and not (content.isdecimal() and len(content) < 10):
            faults.append(Fault(code="expected", text="write the number of a house rule after WITHDRAW", file=line))
        elif what in ("RULE", "HOUSE RULE", "REASON", "FOR") and not content:
            faults.append(Fault(code="expected", text=f"write something after {what}", file=line))
        elif what == "PUBLIC" and by:
            text = "you play in this game, so you cannot rule on one side's secrets or reveal them"
            faults.append(Fault(code="not-public", text=text, file=line))
        else:
            decree = msgspec.structs.replace(decree, **_part(decree, what, content, name, value))
    if faults:
        raise GameError(*faults)
    return decree


def _part(decree: Decree, keyword: str, text: str, name: str, value: str) -> dict[str, object]:
    match keyword:
        case "RULE":
            return {"changes": (*decree.changes, text)}
        case "OPTION":
            return {"options": {**decree.options, name: value}}
        case "RESULT":
            return {"result": {**decree.result, name: value}}
        case "HOUSE RULE":
            return {"ruling": text}
        case "WITHDRAW":
            return {"withdraw": int(text)}
        case "FOR":
            return {"to": text}
        case "REASON":
            return {"reason": text}
    return {"reopen" if keyword == "REOPEN" else "public": True}


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """An umpire's action that is not a ruling: PAUSE, RESUME, EXTEND or UNDO.

    ``said`` is the rest of the line, such as ``2 days``; ``reason`` comes from a REASON line.
    """

    act: str
    said: str = ""
    reason: str = ""

    @property
    def request(self) -> tuple[int, int]:
        """The turn and the number of the request for orders in a line such as ``UNDO 2.3``.

        The number is 1 if the line has only a turn. Both are 0 for ``UNDO`` alone.
        """
        turn, _, number = self.said.partition(".")
        return (int(turn), int(number or 1)) if turn else (0, 0)


def act_of(lines: tuple[str, ...]) -> Act | None:
    """Return the action (PAUSE, RESUME, EXTEND or UNDO) in these lines; ``None`` if they are rulings.

    Raises:
        GameError: If the lines ask for more than one thing, the action has a wrong form, or EXTEND has no REASON.
    """
    acts = [match for line in lines if (match := _ACT.fullmatch(line))]
    if not acts:
        return None
    others = [match for line in lines if (match := _LINE.fullmatch(line)) and match["what"] != "REASON"]
    if len(acts) > 1 or others:
        text = f"send {acts[0]['act']} in an email of its own, with a REASON and nothing else"
        raise GameError.saying("expected", text, file=acts[0][0])
    argument = acts[0]["said"].strip()
    name = acts[0]["act"]
    fits = {"EXTEND": bool(span(argument)), "UNDO": re.fullmatch(r"|\d{1,3}(?:\.\d{1,4})?", argument) is not None}
    if not fits.get(name, not argument):
        how = {"EXTEND": "EXTEND 2 days", "UNDO": "UNDO, or UNDO 2.3 (turn and request)"}.get(name, name)
        raise GameError.saying("expected", f"write it like this: {how}", file=acts[0][0])
    reasons = [line.removeprefix("REASON").strip(" :") for line in lines if line.startswith("REASON")]
    reason = " ".join(filter(None, reasons))
    if not reason and name == "EXTEND":
        raise GameError.saying("reason", "give a REASON for the extension: everybody reads it", file=acts[0][0])
    return Act(act=name, said=argument, reason=reason)


def ruling_lines(text: str) -> tuple[str, ...]:
    """Return the lines of an email that are rulings or actions; quoted text is ignored.

    An indented line continues the line before it.
    """
    rulings: list[str] = []
    going_on = False
    for line in own_lines(without_tokens(text)):
        if going_on and line.startswith((" ", "\t")) and line.strip():
            rulings[-1] += f" {line.strip()}"
            continue
        going_on = any(pattern.fullmatch(line.strip()) for pattern in (_LINE, _ACT))
        rulings += [line.strip()] if going_on else []
    return tuple(rulings)


def word_in(text: str) -> str:
    """Return the confirmation word in the line ``DO IT WORD``, in lower case; ``""`` without such a line.

    Quotation marks around the line are ignored, and a mail program may have broken the line before the word.
    """
    lines = [line[:200].strip() for line in own_lines(text)]
    lines = [line for line in lines if line]
    for place, line in enumerate(lines):
        if place and lines[place - 1] == TO_DO:
            continue
        if _DO.fullmatch(line) and place + 1 < len(lines):
            line = f"{line} {lines[place + 1]}"
        if confirmed := _DO_IT.fullmatch(line):
            return confirmed[1].casefold()
    return ""


class Ruling:
    """Handles one email of a game's umpire, while the game is open and locked.

    Args:
        letter: The email.
        game: The game.
        umpire: The game's umpire.
        token: The umpire's token, for the subject of the answer.
        key: The key of the answer.
        now: The time; ``None`` without a host.
    """

    def __init__(
        self, letter: Letter, game: GameFolder, umpire: Umpire, token: str, key: str, now: datetime | None
    ) -> None:
        self.letter, self.game, self.umpire, self.token, self.key, self.now = letter, game, umpire, token, key, now
        self.file = game.path / "mail" / RULING_FILE

    def attend(self) -> Reply | None:
        """Handle the email and return the answer; ``None`` if it neither contains nor resembles a ruling."""
        lines = ruling_lines(self.letter.text)
        if word := word_in(self.letter.text):
            return self._do(word, besides=bool(lines))
        return self._shown(lines) if lines else self._unclear()

    def _unclear(self) -> Reply | None:
        """Return the answer to an email that resembles a ruling but has no readable ruling line.

        Return ``None`` if it does not resemble a ruling.
        """
        own = [line[:200].strip() for line in own_lines(without_tokens(self.letter.text)) if line.strip()]
        seems = any(_MEANT.fullmatch(line) for line in own)
        waiting = self._waiting()
        if not seems and not (waiting and own and _YES.fullmatch(own[0])):
            return None
        return self._reply("ruling-unread", pending=waiting, to_do=TO_DO)

    def _waiting(self) -> str:
        """Return the confirmation word of the proposal that is not confirmed yet; ``""`` if there is none."""
        pending = read_kept(self.file, Pending)
        return "" if pending is None or pending.done else pending.word

    # --- what would be ---

    def _shown(self, lines: tuple[str, ...], *, again: bool = False) -> Reply:
        try:
            if (act := act_of(lines)) is not None:
                return self._act_shown(act, lines, again=again)
            with copied(self.game) as copy:
                done = override(copy, decree_of(lines, self.umpire.plays))
                records = copy.records()
                sitreps = sitrep_differences(self.game.records(), records)
        except GameError as error:
            return self._reply("ruling-impossible", plays="", faults=self._faults(error))
        if self.umpire.plays and any(told.to not in ("", self.umpire.plays) for told in done.told):
            return self._reply("ruling-impossible", plays=self.umpire.plays, faults=[])
        return self._keep_shown(lines, told_of(done), records, sitreps, again=again)

    def _keep_shown(
        self, lines: tuple[str, ...], shown: list[str], records: list[Record], sitreps: dict[str, str], *, again: bool
    ) -> Reply:
        """Save a proposal with its confirmation word, and return the email that shows it to the umpire.

        Args:
            lines: The lines of the umpire's email.
            shown: Sentences that say what the proposal would do.
            records: The game's log as it would be with the proposal.
            sitreps: For each side, what would change in its last sitrep.
            again: Whether it is shown again because the game has gone on.
        """
        after = len(self.game.records())
        pending = Pending(
            word=_word(self.letter.digest), lines=lines, after=after, made=_digest(records[after:]), shown=tuple(shown)
        )
        keep(self.file, pending)
        if self.umpire.plays:
            sitreps = {side: text for side, text in sitreps.items() if side == self.umpire.plays}
        return self._reply(
            "ruling-shown",
            again=again,
            lines=lines,
            shown=shown,
            word=pending.word,
            to_do=TO_DO,
            sitreps=[[text] for text in sitreps.values()],
        )

    def _act_shown(self, act: Act, lines: tuple[str, ...], *, again: bool) -> Reply:
        """Return the email that shows what an action would do.

        Raises:
            GameError: The action is not possible.
        """
        name, records = self.game.path.name, self.game.records()
        if act.act == "UNDO":
            with copied(self.game) as copy:
                taken = self._undo(copy, act)
                after = copy.records()
                sitreps = sitrep_differences(records, after)
            asked = taken.asked
            sentences = [
                emails.sentence(
                    "undo_shown",
                    request=asked.number,
                    turn=asked.turn,
                    records=several(taken.records, "record goes", "records go"),
                ),
                emails.sentence("undo_told"),
                *(f"Laid aside: {one}" for one in taken.laid_aside),
            ]
            return self._keep_shown(lines, sentences, after, sitreps, again=again)
        clock, state = timetable.read_clock(self.game.path), self.game.state()
        if state.over or self.now is None:
            ended = "this game is over" if state.over else "no host sets deadlines for this game"
            raise GameError.saying("no-deadline", ended, file=name)
        if act.act == "EXTEND":
            _, _, due = timetable.extended(self.game, _span(act), self.now, _grounds(act, _word(self.letter.digest)))
            zone = read_host(self.game.path.absolute().parent.parent).deadlines.zone
            sentences = [emails.sentence("extend_shown", game=name, due=written(due, zone))]
        elif (clock.paused is not None) == (act.act == "PAUSE"):
            if act.act == "PAUSE":
                raise GameError.saying("paused", "this game is already paused", file=name)
            raise GameError.saying("not-paused", "this game is not paused", file=name)
        elif act.act == "PAUSE":
            sentences = [emails.sentence("pause_shown", game=name)]
        else:
            sentences = [emails.sentence("resume_shown", game=name)]
        return self._keep_shown(lines, sentences, records, {}, again=again)

    def _undo(self, game: GameFolder, act: Act) -> TakenBack:
        turn, number = act.request
        return undo(game, turn=turn, request=number, reason=act.reason, by=self.umpire.plays)

    def _carry_out(self, act: Act, word: str) -> None:
        """Carry out the EXTEND, PAUSE or RESUME that was shown; repeating this changes nothing."""
        path, now = self.game.path, self.now
        assert now is not None
        paused = timetable.read_clock(path).paused is not None
        if act.act == "EXTEND":
            timetable.extend(self.game, _span(act), now, _grounds(act, word))
        elif act.act == "PAUSE" and not paused:
            timetable.pause(path, now, act.reason)
        elif act.act == "RESUME" and paused:
            timetable.resume(path, now)

    def _faults(self, error: GameError) -> list[str]:
        texts = []
        for fault in error.faults:
            # An umpire who plays must not learn other sides' secrets by proposing changes.
            text = "this change cannot be made" if self.umpire.plays and fault.code == "no-change" else fault.text
            text = f"{fault.file}: {text}" if fault.file else text
            texts.append(wrapped(_OPTION.sub(lambda found: _LINES[found[1]], text)))
        return texts

    # --- what is ---

    def _do(self, word: str, *, besides: bool = False) -> Reply:
        """Carry out the proposal with this confirmation word, and return the answer.

        If the game has gone on since, nothing is done and the proposal is shown again. ``besides`` says that the
        email also has ruling lines, which are ignored.
        """
        pending = read_kept(self.file, Pending)
        if pending is None or pending.word != word:
            return self._reply("ruling-unknown", word=word, pending=self._waiting(), to_do=TO_DO)
        records = self.game.records()
        made = records[pending.after :]
        act = act_of(pending.lines)
        if pending.done:
            pass
        elif act is not None and act.act != "UNDO":
            if made:
                remove(self.file)
                return self._shown(pending.lines, again=True)
            self._carry_out(act, word)
            keep(self.file, msgspec.structs.replace(pending, done=True))
        elif not made and act is not None:
            self._undo(self.game, act)
        elif not made:
            override(self.game, decree_of(pending.lines, self.umpire.plays))
        elif not self._is_done(made, pending):
            remove(self.file)
            return self._shown(pending.lines, again=True)
        return self._reply("ruling-done", shown=pending.shown, act=act is not None, besides=besides)

    def _is_done(self, made: list[Record], pending: Pending) -> bool:
        """Return whether the log already contains exactly this ruling, after the records that were shown.

        If so, the host was stopped after carrying the ruling out and before sending the answer. ``made`` are the log
        records since the ruling was shown.
        """
        return any(_digest(made[:count]) == pending.made for count in range(1, len(made) + 1))

    def _reply(self, name: str, /, **values: emails.Value) -> Reply:
        letter, email = self.letter, emails.render(name, host_of(self.game.path), **values)
        return Reply(
            to=letter.sender,
            subject=f"{self.game.path.name}: {email.subject} TOKEN {self.token}",
            text=f"{email.text}\n",
            in_reply_to=letter.message_id,
            references=tuple(filter(None, (*letter.references[-10:], letter.message_id))),
            game=self.game.path.name,
            side="umpire",
            kind="command",
            key=self.key,
        )


def _grounds(act: Act, word: str) -> timetable.Grounds:
    """Return the cause and the reason for an extension of a deadline.

    The cause contains the confirmation word, so the same email extends the deadline only once.
    """
    return timetable.Grounds(cause=f"umpire's letter {word}", reason=act.reason)


def _span(act: Act) -> timedelta:
    length = span(act.said)
    assert length is not None
    return length


def told_of(done: Overruled) -> list[str]:
    """Return sentences that say what a ruling did and which sides are informed of it."""
    lines = []
    for told in done.told:
        lines.append(emails.sentence("told_to", text=told.text, to=told.to))
        lines += [emails.sentence("others_read", text=told.others)] if told.others else []
    lines += [emails.sentence("no_longer_legal", fault=str(fault)) for fault in done.faults]
    lines += [emails.sentence("laid_aside", file=name) for name in done.laid_aside]
    return [*lines, emails.sentence("game_over")] if done.asked is None else lines


def _word(digest: str) -> str:
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in bytes.fromhex(digest)[:6])


def _digest(records: list[Record]) -> str:
    return hashlib.sha256(log.encode_records(records)).hexdigest()
