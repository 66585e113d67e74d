"""Verify the archive of a finished game (``pbem verify``).

The commitments made before the game and every record of its log are checked.

The archive can also be compared with the emails that a player kept: with the dice proofs in sitreps, and with the
commitment in the invitation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import msgspec

from pbem import __version__
from pbem.data.files import FIGURES
from pbem.engine import dice
from pbem.engine.events import ACTS, DicePassed, Record, Requested, Reran, Undone
from pbem.engine.log import effective, fold_records
from pbem.errors import Fault, GameError
from pbem.games.proof import reveal
from pbem.games.proof.archive import by_turn, opened_archive, order_texts, readme
from pbem.games.proof.replay import Replay, ReplayedSegment
from pbem.games.proof.reveal import ProofFile, ProvenSegment, lines_of, running_digests
from pbem.games.proof.verify_game import Verified, as_written, dice_in, repeated_in, restored_in
from pbem.games.storage.files import read_bytes
from pbem.games.storage.folder import GameFolder, turn_name
from pbem.games.storage.players import elsewhere, version_spans
from pbem.orders import mail_text
from pbem.util import regex, several

LARGEST = 30_000_000
"""Maximum size in bytes of an email that is read; a sitrep with its page has some hundred thousand bytes."""

MOST_IN_MAILBOX = 20
"""Maximum size of an mbox file that is read, as a multiple of :data:`LARGEST`."""
READ = (".eml", ".txt", ".mbox")
"""File name suffixes of the email files that are read; other files are reported as not read."""

_HEX = r"([0-9a-f]{64})"
_HEAD = regex(r"Dice of (\S+), scheme (\d+)")
_SEGMENT = regex(r"Segment (\d{1,9}): request (\d{1,9}) of turn (\d{1,9})")
_VALUE = regex(rf"(committed|salts|link|log|your salt)\s+{_HEX}")
_ALONE = regex(_HEX)
_ORDERS = regex(r"orders of (\S+)")
_BEACON = regex(r"beacon, round (\d+)")
_AWAITS = regex(r"awaits round (\d+) of the beacon")
_READER = regex(r"This sitrep is for (\S+)\.")
_INVITED = regex(r"You play (\S{1,100}) in ([^\s:]{1,100}+):")
_COMMITTED = regex(rf"dice are committed to:\s++{_HEX}\s++\(scheme\s++(\d{{1,9}})\)")


class DisclosedValue(msgspec.Struct, frozen=True):
    """One value from the dice proof in an email.

    ``segment`` is the segment of play that the value belongs to (0: the whole game), ``what`` the name of the
    value, ``side`` its side, and ``value`` the value itself.
    """

    segment: int
    what: str
    side: str
    value: str


class KeptEmail(msgspec.Struct, frozen=True, kw_only=True):
    """An email with a dice proof that a player kept: file, game, the player's side, and the values in the proof."""

    file: str
    game: str
    side: str
    told: tuple[DisclosedValue, ...]


def kept_letters(kept: Path) -> Iterator[KeptEmail]:
    """Yield the emails with a dice proof from the ``.eml``, ``.txt`` and ``.mbox`` files in a folder.

    Subfolders are included; ``kept`` may also be a single file. Emails without a dice proof are skipped.

    Raises:
        GameError: A file cannot be read.
    """
    for path in _files(kept):
        suffix = path.suffix.casefold()
        if suffix not in READ or path.stat().st_size > LARGEST * (MOST_IN_MAILBOX if suffix == ".mbox" else 1):
            continue
        name = path.relative_to(kept).as_posix() if path != kept else path.name
        data = read_bytes(path)
        letters = _in_mailbox(data) if suffix == ".mbox" else [data]
        for number, letter in enumerate(letters, start=1):
            file = f"{name}, letter {number}" if suffix == ".mbox" else name
            if (found := read_kept(text_of(letter, suffix), file)) is not None:
                yield found


def not_read(kept: Path) -> list[str]:
    """Return those files in a folder and its subfolders that are of a kind this module cannot read."""
    return [path.relative_to(kept).as_posix() for path in _files(kept) if path.suffix.casefold() not in READ]


def _files(kept: Path) -> list[Path]:
    return [kept] if kept.is_file() else [path for path in sorted(kept.rglob("*")) if path.is_file()]


def _in_mailbox(data: bytes) -> list[bytes]:
    """Return the emails in the data of an mbox file; each begins after a line that starts with ``From``."""
    return [part.partition(b"\n")[2] for part in re.split(rb"(?m)(?:\A|(?<=\n))From (?=.*\d)", data)[1:]]


def text_of(data: bytes, suffix: str) -> str:
    """Return the plain text of an email file or a text file."""
    if suffix == ".txt":
        return mail_text.text_of(data)
    message = message_from_bytes(data, policy=default)
    assert isinstance(message, EmailMessage)
    body = message.get_body(("plain",))
    content = body.get_payload(decode=True) if body is not None else b""
    return content.decode("utf-8", errors="replace") if isinstance(content, bytes) else ""


def read_kept(text: str, file: str) -> KeptEmail | None:
    """Return the dice proof found in the text of an email, or ``None`` if there is none.

    The proof may be quoted, as in a reply.
    """
    lines = [re.sub(r"^(\s*>)+", "", line).strip() for line in text.replace("\r", "").split("\n")]
    proof = _ProofLines()
    for line in lines:
        proof.read(line)
    if proof.game:
        return KeptEmail(file=file, game=proof.game, side=proof.side, told=tuple(proof.told))
    whole = "\n".join(lines)
    if (invited := _INVITED.search(whole)) and (dice := _COMMITTED.search(whole, invited.end())):
        told = (DisclosedValue(0, "scheme", "", dice[2]), DisclosedValue(0, "committed", "", dice[1]))
        return KeptEmail(file=file, game=invited[2], side=invited[1], told=told)
    return None


class _ProofLines:
    """A reader for the dice proof section of an email that is given its lines one by one.

    It collects the game, the side and the values from these lines.
    """

    def __init__(self) -> None:
        self.game = self.side = ""
        self.told: list[DisclosedValue] = []
        self._segment = 0
        self._named = ("", "")  # name and side of a value that is alone on the next line

    def read(self, line: str) -> None:
        """Read the next line of the email; lines before the heading of the dice proof are ignored."""
        if found := _READER.fullmatch(line):
            self.side = found[1]
        elif found := _HEAD.fullmatch(line):
            self.game, self._segment, self._named = found[1], 0, ("", "")
            self.told.append(DisclosedValue(0, "scheme", "", found[2]))
        elif self.game:
            self._read_value(line)

    def _read_value(self, line: str) -> None:
        if found := _SEGMENT.fullmatch(line):
            self._segment, self._named = int(found[1]), ("", "")
            self._tell("request", f"{found[3]}.{found[2]}")
        elif found := _VALUE.fullmatch(line):
            self._tell(found[1], found[2], self.side if found[1] == "your salt" else "")
        elif found := _ORDERS.fullmatch(line):
            self._named = ("orders", found[1])
        elif found := _BEACON.fullmatch(line):
            self._named = ("beacon", found[1])
        elif found := _AWAITS.fullmatch(line):
            self._tell("round", found[1])
        elif (found := _ALONE.fullmatch(line)) and self._named[0]:
            what, of = self._named
            self._named = ("", "")
            if what == "beacon":
                self._tell(what, f"{of}:{found[1]}")
            else:
                self._tell(what, found[1], of)

    def _tell(self, what: str, value: str, side: str = "") -> None:
        self.told.append(DisclosedValue(self._segment, what, side, value))


_FOR_PEOPLE = ("README.txt", "proof.html")
_MADE_BY = regex(r"^Made by pbem (\S{1,40})\. ", re.MULTILINE)


class ArchiveVerified(msgspec.Struct, frozen=True, kw_only=True):
    """The result of verifying an archive.

    ``rolls`` is the number of dice rolled in the game. ``letters`` are the emails compared, and ``compared`` is the
    number of values in them. ``sent`` lists the differences found in this comparison. ``unread`` are files that
    were not read. ``worded`` are files for human readers that another version of pbem wrote, with sentences that
    this version would word differently.
    """

    game: str
    scheme: int
    found: Verified
    rolls: int
    letters: tuple[str, ...] = ()
    compared: int = 0
    sent: tuple[Fault, ...] = ()
    beacon: str = ""
    unread: tuple[str, ...] = ()
    worded: tuple[str, ...] = ()

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Everything that is wrong: the faults of the archive, and its differences from the emails."""
        return (*self.found.faults, *self.sent)


def verify_archive(path: Path, sent: Path | None = None) -> ArchiveVerified:
    """Replay the game in an archive and return the faults found.

    The archive is also compared with the emails in the folder or file ``sent``, if one is given.

    Raises:
        GameError: The file is not an archive, or ``sent`` does not exist.
    """
    if sent is not None and not sent.exists():
        raise GameError.saying("no-such-folder", "there is no such folder of saved emails", file=str(sent))
    with opened_archive(path) as (game, proof):
        game.verify_scheme()
        records, worded = game.records(), list[str]()
        replay = Replay(game, records, elsewhere=elsewhere(game))
        wrong = [*_commitment_faults(game, proof), *as_written(game), *replay.run(), *replay.other, *_order_files(game)]
        wrong += [*_unused_files(game), *_misplaced(game)]
        if not wrong and not fold_records(replay.kept).over:
            text = "this game is not over: the end is missing, or this is not the archive of a finished game"
            wrong = [Fault(code="not-over", text=text, file=path.name)]
        if not wrong:
            wrong = [*_proof_faults(game, proof, replay)] or [*_for_people(game, proof, worded)]
        found = Verified(
            records=len(records), segments=replay.segments, dice=dice_in(records), record=tuple(wrong),
            passed=replay.passed, repeated=repeated_in(records), restored=restored_in(records),
            versions=version_spans(game),
        )  # fmt: skip
        letters = [] if sent is None else list(kept_letters(sent))
        about = [one for one in letters if one.game == proof.game]
        faults = list(_email_faults(about, proof))
        faults += [] if sent is None or about else [_nothing_kept(sent, proof.game)]
        return ArchiveVerified(
            game=proof.game,
            scheme=proof.scheme,
            found=found,
            rolls=sum(len(one.rolls) for one in proof.segments),
            letters=tuple(one.file for one in about),
            compared=sum(len(one.told) for one in about),
            sent=tuple(faults),
            beacon=proof.beacon,
            unread=tuple(not_read(sent)) if sent is not None else (),
            worded=tuple(worded),
        )


# --- commitments, links and salts -------------------------------------------------------------------------------------


def _nothing_kept(sent: Path, game: str) -> Fault:
    """Return the fault for a folder ``sent`` in which no email has a dice proof of the game."""
    text = f"save emails of {game} in this folder, as files that end in {', '.join(READ)}"
    text += "; none of its files shows dice of the game"
    if passed_over := not_read(sent):
        text += f"; other files there: {', '.join(passed_over[:3])}"
    return Fault(code="nothing-kept", text=text, file=str(sent))


def _commitment_faults(game: GameFolder, proof: ProofFile) -> Iterator[Fault]:
    """Yield a fault for every dice link or salt that does not match the commitments in ``game.toml``."""
    terms = game.terms.dice
    told = (proof.game, proof.scheme, proof.length, proof.commitment, proof.salts, proof.beacon)
    if told != (game.terms.name, terms.scheme, terms.length, terms.commitment, terms.salts, terms.beacon):
        yield _fault("proof-differs", "its heading differs from game.toml")
        return
    if any("@" in who for who in proof.played_by.values()):
        yield _fault("proof-differs", "it has the address of a player")
    numbers = [one.segment for one in proof.segments]
    if numbers != sorted(set(numbers)) or not all(0 < number <= proof.length for number in numbers):
        yield _fault("proof-differs", "its segments are not numbered 1, 2, 3 and so on")
        return
    if not numbers:
        return
    passed = [one.event for one in game.records() if isinstance(one.event, DicePassed) and one.event.fresh]
    if [one.fresh for one in passed] != [dice.committed(word) for word in proof.fresh]:
        yield _fault("salt-commitment", "its new secrets differ from those that the log committed to")
        return
    fresh = [dice.Fresh(one.segment, word) for one, word in zip(passed, proof.fresh, strict=True)]
    if broken := _broken_link(proof):
        yield _fault("dice-commitment", f"the link of segment {broken} does not match the commitment")
    elif proof.scheme > 1:
        yield from _salts(proof, fresh)
    elif proof.salt_link:
        yield _fault("proof-differs", "it has a link of a salt chain, which scheme 1 does not have")


def _broken_link(proof: ProofFile) -> int:
    """Return the number of the first segment whose dice link does not follow from the commitment, or 0."""
    wanted, before = proof.commitment, 0
    for one in proof.segments:
        # Segment 1 uses the link just before the commitment, and each next segment the link before that. Links that
        # were skipped (the log says so) count as used.
        link = bytes.fromhex(one.link)
        for _ in range(one.segment - before):
            link = dice.hashed(link)
        if link.hex() != wanted:
            return one.segment
        wanted, before = one.link, one.segment
    return 0


def _salts(proof: ProofFile, fresh: Sequence[dice.Fresh]) -> Iterator[Fault]:
    """Yield a fault for every salt or key that does not follow from the chain of salts (scheme 2).

    Because all salts must follow from this chain, the host cannot have chosen any of them.
    """
    last = proof.segments[-1].segment
    if not proof.salt_link:
        yield _fault("salt-commitment", "the link of the salt chain is missing")
        return
    links = {last: bytes.fromhex(proof.salt_link)}
    for number in range(last - 1, -1, -1):
        links[number] = dice.hashed(links[number + 1])
    if links[0].hex() != proof.salts:
        yield _fault("salt-commitment", f"the salt link of segment {last} does not match the commitment")
        return
    for one in proof.segments:
        base = links[one.segment]
        for orders in one.orders:
            word = dice.word_of(fresh, one.segment)
            if dice.salt(base, one.turn, one.request, orders.side, one.segment, word).hex() != orders.salt:
                text = f"the salt of {orders.side} in segment {one.segment} does not match the commitment"
                yield _fault("salt-commitment", text)
        if dice.log_key(base, one.segment).hex() != one.log_key:
            yield _fault("salt-commitment", f"the log key of segment {one.segment} does not match the commitment")


def _order_files(game: GameFolder) -> Iterator[Fault]:
    """Yield a fault for each order file that differs from the orders in the log, or that the log does not have."""
    wanted = order_texts(game)
    found = {path.relative_to(game.path).as_posix(): read_bytes(path) for path in game.path.glob("*/orders/*")}
    for name in sorted(wanted.keys() | found.keys()):
        if name not in found:
            yield Fault(code="orders-missing", text="these orders were played, but the file is missing", file=name)
        elif name not in wanted:
            yield Fault(code="orders-changed", text="these orders were never played", file=name)
        elif found[name] != wanted[name]:
            yield Fault(code="orders-changed", text="these orders differ from those that were played", file=name)


def _unused_files(game: GameFolder) -> Iterator[Fault]:
    """Yield a fault for each file in the archive that the game does not use, and for each log file without records."""
    for turn, records in sorted(game.log_files().items()):
        if not records:
            text = "this file has no record; every turn that was played has records"
            yield Fault(code="log-damaged", text=text, file=f"{turn_name(turn)}/events.jsonl")
    named = {unit.ship for unit in game.scenario().units} | set(game.terms.ships.values())
    figures = {name.removesuffix(".toml") for name in game.terms.figures}
    for kind, played in (("scenarios", {game.terms.scenario}), ("ships", named), (FIGURES, figures)):
        for path in sorted((game.path / kind).glob("*.toml")):
            if path.stem not in played:
                text = "this game does not use this file"
                yield Fault(code="no-use", text=text, file=f"{kind}/{path.name}")


def _misplaced(game: GameFolder) -> Iterator[Fault]:
    """Yield a fault for each log record that is in the wrong turn's file.

    An action of the umpire belongs in the file of the request for orders that was in force.
    """
    counting: list[Record] = []
    for turn, record in by_turn(game):
        if isinstance(record.event, Undone | Reran):
            counting = effective([*counting, record])
        else:
            counting.append(record)
        wanted = record.event.turn
        if isinstance(record.event, ACTS):
            wanted = next((r.event.request.turn for r in reversed(counting) if isinstance(r.event, Requested)), wanted)
        if turn != wanted:
            text = f"record {record.n} belongs in the file of turn {wanted}"
            yield Fault(code="log-damaged", text=text, file=f"{turn_name(turn)}/events.jsonl")


def _proof_faults(game: GameFolder, proof: ProofFile, replay: Replay) -> Iterator[Fault]:
    """Yield a fault for each difference between ``proof.json`` and the result of the replay."""
    if reveal.encode(proof) != read_bytes(game.path / "proof.json"):
        yield _fault("proof-differs", "it is not written like a proof.json")
    if len(proof.segments) != len(replay.stretches):
        has, stand = several(len(proof.segments), "segment"), several(len(replay.stretches), "was", "were")
        text = f"it has {has} where {stand} played"
        yield _fault("proof-differs", text)
        return
    digests = running_digests(game.records())
    for told, played in zip(proof.segments, replay.stretches, strict=True):
        yield from _segment_faults(told, played, digests)


def _segment_faults(told: ProvenSegment, played: ReplayedSegment, digests: Mapping[int, bytes]) -> Iterator[Fault]:
    """Yield a fault for each difference between a segment in ``proof.json`` and the same segment when replayed."""
    where = f"segment {told.segment}"
    one = (told.segment, told.turn, told.request, told.beacon, told.last)
    if one != (played.segment, played.turn, played.request, played.beacon, played.last):
        yield _fault("proof-differs", f"{where} differs from the log")
    if [(orders.side, orders.text) for orders in told.orders] != sorted(played.orders.items()):
        yield _fault("proof-differs", f"{where} has orders that differ from the log")
    for orders in told.orders:
        if dice.sealed(orders.text, bytes.fromhex(orders.salt)) != orders.sealed:
            yield _fault("proof-differs", f"{where}: the sealed orders of {orders.side} differ from the log")
    if [(roll.label, (roll.faces, roll.die)) for roll in told.rolls] != list(played.rolls.items()):
        yield _fault("proof-differs", f"{where} has die rolls that differ from the log")
    if (told.kept, told.of, told.older) != (played.kept, played.of, played.older):
        yield _fault("proof-differs", f"{where} keeps dice that differ from the log")
    if dice.keyed_log_digest(digests[told.segment], bytes.fromhex(told.log_key)) != told.log:
        yield _fault("proof-differs", f"{where}: the digest differs from that of the log")


def _for_people(game: GameFolder, proof: ProofFile, worded: list[str]) -> Iterator[Fault]:
    """Yield a fault if ``README.txt`` or ``proof.html`` is not exactly what pbem writes for this game.

    These two files came from the host and could otherwise contain anything. If another version of pbem made the
    archive, sentences are not compared. If its ``README.txt`` then differs, the file's name is added to ``worded``.
    """
    from pbem.reports.html.proof_page import is_proof_page

    records = game.records()
    files = {name: read_bytes(game.path / name) for name in _FOR_PEOPLE if (game.path / name).is_file()}
    for name in (name for name in _FOR_PEOPLE if name not in files):
        yield Fault(code="page-missing", text="this file is missing; every archive has one", file=name)
    said = files.get("README.txt", b"").decode("utf-8", errors="replace")
    made_by = found[1] if (found := _MADE_BY.search(said)) else "no version that it names"
    ours = not found or made_by == __version__
    if said and said.encode() != readme(proof.game, made_by):
        text = "do not trust this text: pbem did not write it"
        if ours:
            yield Fault(code="page-differs", text=text, file="README.txt")
        else:
            worded.append("README.txt")
    page = files.get("proof.html", b"").decode("utf-8", errors="replace")
    if page and not is_proof_page(page, proof, records, lines_of(records), own_words=ours):
        text = (
            f"do not trust this page: neither pbem {__version__} nor an earlier version it knows makes it "
            f"(README.txt names pbem {made_by}); make your own with `pbem verify FILE --page OWN.html`"
        )
        yield Fault(code="page-differs", text=text, file="proof.html")


def own_page(path: Path) -> bytes:
    """Return the proof page of an archive as this program makes it; the page in the archive is ignored.

    Raises:
        GameError: The file is not a valid archive.
    """
    from pbem.reports.html.proof_page import proof_html

    with opened_archive(path) as (game, proof):
        records = game.records()
        return proof_html(proof, records, lines_of(records)).encode()


def _fault(code: str, text: str) -> Fault:
    return Fault(code=code, text=text, file="proof.json")


# --- comparison with emails -------------------------------------------------------------------------------------------


def _email_faults(letters: Iterable[KeptEmail], proof: ProofFile) -> Iterator[Fault]:
    """Yield a fault for each link or hash in the emails that the archive lacks or that differs there."""
    segments = {one.segment: one for one in proof.segments}
    last = max(segments, default=0)
    for letter in letters:
        for told in letter.told:
            if told.segment not in segments and 0 < told.segment < last:
                # The link was disclosed before a backup was restored. Then it was skipped, because play was different.
                if told.what == "link" and told.value != _link_taken_back(proof, told.segment):
                    text = (
                        f"the link of segment {told.segment} was given as {told.value}, which is not part of this chain"
                    )
                    yield Fault(code="sent-differs", text=text, file=letter.file)
                continue
            if told.segment and told.segment not in segments:
                text = f"this email has dice of segment {told.segment}, but the archive has no such segment"
                yield Fault(code="sent-differs", text=text, file=letter.file)
                break
            known = _value_in_archive(told, proof, segments.get(told.segment))
            if known != told.value:
                about = f" of segment {told.segment}" if told.segment else ""
                whose = f" of {told.side}" if told.side else ""
                text = f"the {told.what}{whose}{about} was given as {told.value}, but the archive has {known or 'none'}"
                yield Fault(code="sent-differs", text=text, file=letter.file)


def _link_taken_back(proof: ProofFile, segment: int) -> str:
    """Return the dice link (hex) of a segment that was taken back.

    It is computed from the link of the next segment that was not taken back.
    """
    later = next(one for one in proof.segments if one.segment > segment)
    link = bytes.fromhex(later.link)
    for _ in range(later.segment - segment):
        link = dice.hashed(link)
    return link.hex()


def _value_in_archive(told: DisclosedValue, proof: ProofFile, segment: ProvenSegment | None) -> str:
    """Return the archive's value that a value from an email must equal; empty if there is none."""
    if segment is None:
        return {"scheme": str(proof.scheme), "committed": proof.commitment, "salts": proof.salts}.get(told.what, "")
    orders = {one.side: one for one in segment.orders}
    match told.what:
        case "orders" if told.side in orders:
            return orders[told.side].sealed
        case "your salt" if told.side in orders:
            return orders[told.side].salt
        case "request":
            return f"{segment.turn}.{segment.request}"
        case "round":
            return segment.beacon.partition(":")[0]
    return {"link": segment.link, "log": segment.log, "beacon": segment.beacon}.get(told.what, "")
