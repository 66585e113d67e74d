"""A verifier of archives that knows docs/dice.md and nothing else: no line of it is the program's.

    python tests/proof/by_the_page.py GAME.pbem.zip [LETTER …]

prints a line for everything that is not as the page promises, and ends with 1 if there is any. It stands here so that
the page is held to being enough: whoever changes the scheme or what an archive holds has to say so there first, and
then here. So it imports nothing of the program, and does everything the slow and plain way.

It has no rules of the game. What only a replay finds out is named in the page's section "What only a replay finds".
"""

from __future__ import annotations

import base64
import email
import email.policy
import functools
import hashlib
import hmac
import html
import json
import re
import struct
import sys
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

FRAMES = Path(__file__).with_name("page.sha256")
"""The digests of the frame of proof.html that the page points to."""

HEX = re.compile(r"[0-9a-f]{64}")
BEACON = re.compile(r"([1-9][0-9]*):([0-9a-f]{64})")
LABEL = re.compile(r"([1-9][0-9]*|0)\.([1-9][0-9]*|0)\.([a-z]+) \S.* ([1-9][0-9]*)")
FOLDER = r"(?P<turn>[0-9]{2}|[1-9][0-9]{2,})"
FILES = (
    re.compile(r"game\.toml|versions\.json|proof\.json|proof\.html|README\.txt"),
    re.compile(FOLDER + r"/events\.jsonl"),
    re.compile(FOLDER + r"/orders/[^/]+\.r[1-9][0-9]*(\.v[1-9][0-9]*)?\.orders"),
    re.compile(r"(scenarios|ships|figures)/[^/]+\.toml"),
)
README = """\
This is the archive of {name}, a game of Star Fleet Battles by e-mail that is over.

proof.html    open it in a browser: it works out every die again, without any network
proof.json    what the dice were made of: links, salts, sealed orders
game.toml     what was agreed before the game began
NN/           turn NN: all orders in normal form, and the log of everything that happened

`pbem verify {name}.pbem.zip` replays the whole game by the rules, byte for byte; with `--sent FOLDER` it compares
what you were sent while the game went on. docs/proof.md of pbem describes all this for other programs.

Made by pbem {version}. The replay wants a version that plays by the same rules; the page wants none.
"""
MOST_IN_ONE, MOST_IN_ALL = 64 << 20, 256 << 20
STEPS = [
    "energy", "announce", "lockon", "monsters", "move", "shuttles", "seek", "tac", "impact", "cloak", "tractor",
    "launch", "transport", "bay", "fire", "resolve", "end", "close",
]  # fmt: skip
ACTS = {"undone", "reran", "dice_passed", "adjusted", "ruled", "options_ruled", "house_ruled", "decided"}
HEADING = ("format", "game", "scheme", "length", "commitment", "salts", "salt_link", "beacon", "segments")
SEGMENT = ("segment", "turn", "request", "link", "beacon", "orders", "log_key", "log", "last", "rolls")
SEGMENT_AT_TIMES = ("kept", "of", "older")
Moment = tuple[int, int, int]


class Broken(Exception):
    """The archive cannot be read on from here; the text says why."""


def digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def hashed(data: bytes, times: int) -> bytes:
    for _ in range(times):
        data = digest(data)
    return data


def keyed(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def rolled(key: bytes, label: str, faces: int) -> int:
    """The one value of a roll, by the page's section "A roll"."""
    limit = (1 << 64) // faces * faces
    block = 0
    while True:
        for (word,) in struct.iter_unpack(">Q", keyed(key, f"{label}|{block}")):
            if word < limit:
                return int(word % faces) + 1
        block += 1


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return made


def strange(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def read_json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=once, parse_constant=strange)


def whole(value: object, least: int = 0) -> bool:
    return type(value) is int and value >= least


class Archive:
    """One archive, and what was found wrong with it (``faults``)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.faults: list[str] = []
        self.texts: dict[str, str] = {}
        self.toml: dict[str, Any] = {}
        self.proof: dict[str, Any] = {}
        self.by_number: dict[int, dict[str, Any]] = {}
        self.lines: list[str] = []
        self.records: list[dict[str, Any]] = []
        self.folders: list[str] = []
        """Of each record, the folder its log file is in."""
        self.counting: list[int] = []
        """The places of the records that count in the end."""
        self.effective_at: dict[int, list[int]] = {}
        """The places of those that counted when a segment began, or the umpire acted."""
        self.home: list[int] = []
        """Of each record, the number of the segment it belongs to; 0 if to none."""

    def wrong(self, text: str) -> None:
        self.faults.append(text)

    def must(self, holds: bool, text: str) -> None:
        if not holds:
            self.wrong(text)

    # -- 1: the zip and its files

    def read_files(self) -> None:
        try:
            with zipfile.ZipFile(self.path) as packed:
                entries = packed.infolist()
                names = [entry.filename for entry in entries]
                self.must(len({name.lower() for name in names}) == len(names), "the zip has a name twice")
                if any(entry.file_size > MOST_IN_ONE for entry in entries) or (
                    sum(entry.file_size for entry in entries) > MOST_IN_ALL
                ):
                    raise Broken("the zip claims to hold more than 64 MB in a file, or 256 MB in all")
                for entry in entries:
                    if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                        raise Broken(f"{entry.filename} is encrypted, or packed in a way not allowed")
                    if not any(kind.fullmatch(entry.filename) for kind in FILES):
                        self.wrong(f"{entry.filename} is no file of an archive")
                    self.texts[entry.filename] = self.decoded(entry.filename, packed.read(entry))
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError) as problem:
            raise Broken(f"the zip cannot be read: {problem}") from None
        for name in ("game.toml", "00/events.jsonl", "proof.json", "proof.html", "README.txt"):
            if name not in self.texts:
                raise Broken(f"{name} is not there")

    def decoded(self, name: str, data: bytes) -> str:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise Broken(f"{name} is not UTF-8") from None
        self.must(not text.startswith("\ufeff"), f"{name} begins with a byte order mark")
        self.must("\r" not in text, f"{name} has line ends other than line feeds")
        self.must(not text or text.endswith("\n"), f"{name}: the last line has no end")
        return text

    def read_game(self) -> None:
        try:
            self.toml = tomllib.loads(self.texts["game.toml"])
        except tomllib.TOMLDecodeError as problem:
            raise Broken(f"game.toml is no TOML: {problem}") from None
        dice, figures = self.toml.get("dice", {}), self.toml.get("figures", {})
        self.must(self.toml.get("format") == 1, "game.toml: format is not 1")
        self.must(dice.get("scheme") in (1, 2), "game.toml: there is no such scheme")
        self.must(dice.get("length") == 4096, "game.toml: length is not 4096")
        self.must(bool(HEX.fullmatch(dice.get("commitment", ""))), "game.toml: commitment is no hash")
        salts = dice.get("salts", "")
        self.must(bool(HEX.fullmatch(salts)) if dice.get("scheme") == 2 else salts == "", "game.toml: salts")
        self.must(dice.get("beacon", "drand") == "drand", "game.toml: there is no such beacon")
        for side, said in self.toml.get("sides", {}).items():
            self.must("@" not in said.get("player", ""), f"game.toml has the address of {side}")
        here = {
            name.partition("/")[2]: digest(text.encode()).hex()
            for name, text in self.texts.items()
            if "figures/" in name
        }
        self.must(here == figures, "the files under figures/ are not those of which game.toml has the hashes")

    def read_log(self) -> None:
        found = []
        for name, text in self.texts.items():
            if not name.endswith("/events.jsonl"):
                continue
            before = 0
            self.must(text != "", f"{name} has no lines")
            for line in text.split("\n")[:-1]:
                try:
                    record = read_json(line)
                    written = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
                except ValueError as problem:
                    raise Broken(f"{name}: a line is no record: {problem}") from None
                if not isinstance(record, dict) or not whole(record.get("n"), 1):
                    raise Broken(f"{name}: a line without a number")
                n = record["n"]
                self.must(written == line, f"record {n} is not written as JSON without blanks")
                self.must(set(record) <= {"n", "event", "only", "shown"}, f"record {n} has fields there are not")
                if not isinstance(record.get("event"), dict) or not isinstance(record["event"].get("event"), str):
                    raise Broken(f"record {n} says nothing")
                self.must(n > before, f"{name}: record {n} stands behind {before}")
                before = n
                found.append((n, line, record, name.partition("/")[0]))
        found.sort(key=lambda one: one[0])
        if [one[0] for one in found] != list(range(1, len(found) + 1)):
            raise Broken("the records of the log do not count 1, 2, 3 … without a gap")
        self.lines = [one[1] for one in found]
        self.records = [one[2] for one in found]
        self.folders = [one[3] for one in found]
        for record in self.records:
            event = record["event"]
            self.must(event.get("step", "energy") in STEPS, f"record {record['n']}: there is no such step")
            self.must(
                whole(event.get("impulse", 0)) and event.get("impulse", 0) <= 32, f"record {record['n']}: impulse"
            )

    def read_proof(self) -> None:
        text = self.texts["proof.json"]
        try:
            self.proof = proof = read_json(text)
        except ValueError as problem:
            raise Broken(f"proof.json is no JSON: {problem}") from None
        written = json.dumps(proof, ensure_ascii=False, indent=1) + "\n"
        self.must(written == text, "proof.json is not indented by one space")
        named = isinstance(proof, dict) and proof.get("played_by", {"": ""})
        fields = tuple(proof) if isinstance(proof, dict) else ()
        texts = (
            isinstance(named, dict)
            and bool(named)
            and all(isinstance(who, str) and "@" not in who for who in named.values())
        )
        more = tuple(name for name in ("played_by", "fresh") if name in fields)
        words = proof.get("fresh", ["0" * 64]) if fields else None
        known = isinstance(words, list) and bool(words) and all(HEX.fullmatch(str(word)) for word in words)
        if fields != (*HEADING, *more) or not texts or not known:
            raise Broken("proof.json has other fields than those of the page")
        dice = self.toml["dice"]
        told: tuple[Any, ...] = (1, self.toml["name"], dice["scheme"], dice["length"], dice["commitment"])
        told += (dice.get("salts", ""), dice.get("beacon", ""))
        said = tuple(proof[name] for name in ("format", "game", "scheme", "length", "commitment", "salts", "beacon"))
        self.must(told == said, "proof.json has another heading than game.toml")
        for place, one in enumerate(proof["segments"], 1):
            names = tuple(name for name in one if name not in SEGMENT_AT_TIMES)
            if names != SEGMENT or not whole(one["segment"], 1):
                raise Broken(f"proof.json: segment {place} is not there, or has other fields than those of the page")
            fit = all(HEX.fullmatch(one[name]) for name in ("link", "log_key", "log"))
            fit = fit and all(whole(one[name], 1) for name in ("segment", "turn", "request", "last"))
            fit = fit and all(one[name] for name in SEGMENT_AT_TIMES if name in one)
            fit = fit and one.get("older", True) is True and not (one.get("older") and one["rolls"])
            for sent in one["orders"]:
                fit = fit and tuple(sent) == ("side", "salt", "sealed", "text")
                fit = fit and bool(HEX.fullmatch(sent["salt"]) and HEX.fullmatch(sent["sealed"]))
            sides = [sent["side"] for sent in one["orders"]]
            fit = fit and sides == sorted(set(sides))
            labels = [label for label, faces, die in one["rolls"] if LABEL.fullmatch(label)]
            fit = fit and len(labels) == len(set(labels)) == len(one["rolls"])
            fit = fit and all(whole(faces, 2) and whole(die, 1) for label, faces, die in one["rolls"])
            if not fit:
                raise Broken(f"proof.json: a value of segment {place} is not what the page says")
        numbers = [one["segment"] for one in proof["segments"]]
        if numbers != sorted(set(numbers)) or not all(n <= 4096 for n in numbers):
            raise Broken("proof.json: a segment is not there, or twice: they do not count on")
        self.by_number = {one["segment"]: one for one in proof["segments"]}

    @property
    def segments(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.proof["segments"]
        return found

    # -- 3: chains and hashes

    def check_chain(self) -> None:
        wanted, before = self.proof["commitment"], 0
        for one in self.segments:
            made = hashed(bytes.fromhex(one["link"]), one["segment"] - before).hex()
            self.must(made == wanted, f"segment {one['segment']}: the link does not lead to the commitment")
            wanted, before = one["link"], one["segment"]

    def check_salts(self) -> None:
        link = self.proof["salt_link"]
        fresh = self.fresh()
        if self.proof["scheme"] == 1 or not self.segments:
            self.must(link == "", "proof.json has a salt_link where there is none")
            return
        if not HEX.fullmatch(link):
            raise Broken("proof.json: salt_link is no link")
        base, last = bytes.fromhex(link), self.segments[-1]["segment"]
        for one in reversed(self.segments):
            n = one["segment"]
            base, last = hashed(base, last - n), n
            for sent in one["orders"]:
                word = next((f"|{word}" for after, word in reversed(fresh) if after < n), "")
                made = keyed(base, f"salt|{one['turn']}|{one['request']}|{sent['side']}|{n}{word}").hex()
                self.must(made == sent["salt"], f"segment {n}: the salt of {sent['side']} is not of the salt chain")
            self.must(keyed(base, f"log|{n}").hex() == one["log_key"], f"segment {n}: log_key is not of the salt chain")
        base = hashed(base, last)
        self.must(base.hex() == self.proof["salts"], "the salt chain does not lead to what was committed to")

    def fresh(self) -> list[tuple[int, str]]:
        """The new words of the salts, and after which segment each counts."""
        passed = [record["event"] for record in self.records if record["event"]["event"] == "dice_passed"]
        told = [event for event in passed if event.get("fresh")]
        words = self.proof.get("fresh", [])
        made = [digest(bytes.fromhex(word)).hex() for word in words]
        self.must([event["fresh"] for event in told] == made, "fresh is not what the log committed to")
        return [(event["segment"], word) for event, word in zip(told, words, strict=False)]

    def check_sealed(self) -> None:
        for one in self.segments:
            for sent in one["orders"]:
                made = digest(bytes.fromhex(sent["salt"]) + sent["text"].encode()).hex()
                self.must(made == sent["sealed"], f"segment {one['segment']}: the orders of {sent['side']}")

    # -- 4: the log and proof.json

    def walk(self) -> None:
        """Which records count at each record, and to which segment each belongs."""
        counting: list[int] = []
        now = 0
        for place, record in enumerate(self.records):
            event = record["event"]
            if event["event"] in ("undone", "reran"):
                if not (whole(event.get("to", 0)) and event.get("to", 0) < record["n"]):
                    raise Broken(f"record {record['n']}: to")
                self.check_back(event, counting, f"record {record['n']}")
                counting = [other for other in counting if self.records[other]["n"] <= event.get("to", 0)]
            if event["event"] == "segment_began":
                now = event.get("segment", 0)
            elif event["event"] in ACTS:
                now = 0
            if event["event"] in ACTS or event["event"] == "segment_began":
                self.effective_at[place] = list(counting)
            self.check_folder(place)
            counting.append(place)
            self.home.append(now)
        self.counting = counting

    def check_folder(self, place: int) -> None:
        """An act of the umpire lies in the folder of the request in force, all else in that of its own turn."""
        event = self.records[place]["event"]
        turn = event.get("turn", 0)
        if event["event"] in ACTS:
            asked = self.before(place, "requested")
            turn = asked["request"]["turn"] if asked else turn
        where = f"record {self.records[place]['n']}"
        self.must(int(self.folders[place]) == turn, f"{where}: it belongs in the folder of turn {turn}")

    def check_back(self, act: Mapping[str, Any], counting: Sequence[int], where: str) -> None:
        """Play is taken back, or repeated, from the beginning of a segment that counts."""
        began = [place for place in counting if self.records[place]["event"]["event"] == "segment_began"]
        before = {self.records[counting[counting.index(place) - 1]]["n"] for place in began}
        self.must(act.get("to") in before, f"{where}: to is not the last record before a segment")
        if act["event"] == "reran":
            back = [self.records[place] for place in began if self.records[place]["n"] > act["to"]]
            kept = act.get("kept", [])
            first = [record["event"]["segment"] for record in back][: len(kept)]
            self.must(kept == first, f"{where}: kept are not the first segments taken back")

    def before(self, place: int, *kinds: str) -> dict[str, Any] | None:
        """The last event of these kinds that counts at a record."""
        for other in reversed(self.effective_at[place]):
            event: dict[str, Any] = self.records[other]["event"]
            if event["event"] in kinds:
                return event
        return None

    def own(self, n: int) -> Iterator[tuple[int, dict[str, Any]]]:
        return ((place, self.records[place]["event"]) for place, home in enumerate(self.home) if home == n)

    def check_segments(self) -> None:
        began = [place for place, one in enumerate(self.records) if one["event"]["event"] == "segment_began"]
        numbers = [self.records[place]["event"].get("segment") for place in began]
        if numbers != [one["segment"] for one in self.segments]:
            raise Broken("the segments of the log are not those of proof.json")
        self.check_numbers()
        latest = 0
        for place, one in zip(began, self.segments, strict=True):
            event, n = self.records[place]["event"], one["segment"]
            where = f"segment {n}"
            self.must(event.get("link") == self.proof["length"] - n, f"{where}: the log has another index of its link")
            self.must(event.get("beacon", "") == one["beacon"], f"{where}: the log has another beacon")
            kept = one.get("kept", [])
            self.must(event.get("kept", []) == kept, f"{where}: the log has another kept")
            places = [other for other, _ in self.own(n)]
            self.must(places == list(range(place, place + len(places))), f"{where} stands in the log twice")
            self.must(one["last"] == self.records[places[-1]]["n"], f"{where}: last is not its last record")
            self.check_beacon(one, latest)
            if found := BEACON.fullmatch(one["beacon"]):
                latest = int(found[1])
            self.must(
                all(whole(other, 1) and other < n for other in kept) and kept == sorted(set(kept)), f"{where}: kept"
            )
            act = self.before(place, "undone", "reran")
            repeats = act is not None and act["event"] == "reran" and act.get("segment", 0) < n <= act.get("through", 0)
            self.must(kept == (act.get("kept", []) if act and repeats else []), f"{where}: kept is not that of the act")
            self.check_answer(place, one)

    def check_numbers(self) -> None:
        """Segments count on, but where links were passed over: so far, and once before the next segment."""
        count, passed = 0, False
        for record in self.records:
            event, where = record["event"], f"record {record['n']}"
            if event["event"] == "dice_passed":
                told = event.get("told", 0)
                least = told if told > count else count + 32
                self.must(event.get("segment") == (least + 63) // 64 * 64, f"{where}: links are passed over")
                self.must(not passed, f"{where}: links are passed over twice")
                self.must(not (told and event.get("fresh")), f"{where}: links are passed over, told and fresh")
                count, passed = event.get("segment"), True
            elif event["event"] == "segment_began":
                self.must(event.get("segment") == count + 1, f"{where}: the segments do not count on")
                count, passed = event.get("segment"), False

    def check_beacon(self, one: Mapping[str, Any], latest: int) -> None:
        where, found = f"segment {one['segment']}", BEACON.fullmatch(one["beacon"])
        if self.proof["beacon"] and not one.get("kept"):
            self.must(found is not None and int(found[1]) > latest, f"{where}: no beacon, or not of a later round")
        else:
            self.must(one["beacon"] == "", f"{where} has a beacon where there is none")

    def check_answer(self, place: int, one: Mapping[str, Any]) -> None:
        """The request a segment answers, and the orders in force in it."""
        where = f"segment {one['segment']}"
        asked = self.before(place, "requested")
        if asked is None:
            raise Broken(f"{where} answers no request")
        request = asked["request"]
        self.must((request["turn"], request["number"]) == (one["turn"], one["request"]), f"{where}: turn and request")
        standing: dict[str, str] = {}
        for other in self.effective_at[place]:
            self.put_in_force(standing, self.records[other]["event"])
        answered = []
        sealed = {sent["side"]: sent["sealed"] for sent in one["orders"]}
        for _, event in self.own(one["segment"]):
            if event["event"] == "orders_filed":
                self.put_in_force(standing, event)
                answered.append(event["side"])
                self.must(event.get("request") == one["request"], f"{where}: orders that answer another request")
                self.must(event.get("sealed") == sealed.get(event["side"]), f"{where}: sealed of {event['side']}")
        self.must(len(answered) == len(set(answered)), f"{where}: a side answered twice")
        self.must(
            [(sent["side"], sent["text"]) for sent in one["orders"]] == sorted(standing.items()),
            f"{where}: its orders are not those in force",
        )

    def put_in_force(self, standing: dict[str, str], event: Mapping[str, Any]) -> None:
        if event["event"] == "orders_filed" and not (event.get("continued") and event["side"] in standing):
            standing[event["side"]] = event["text"]

    def check_normal_form(self) -> None:
        for record in self.records:
            event = record["event"]
            if event["event"] != "orders_filed":
                continue
            where = f"record {record['n']}"
            self.must(record.get("only") == event["side"], f"{where}: orders are told to their side alone")
            told = {name: value for name, value in event.items() if name not in ("text", "continued")}
            self.must(record.get("shown") == told, f"{where}: what the others are told of orders")
            text = event["text"]
            if text == "CONTINUE":
                continue
            asked = re.escape(self.proof["game"]), event["turn"], re.escape(event["side"]), event["request"]
            heading = re.compile("GAME {} TURN {} SIDE {} REPLY {}( FORM [A-Z]+)?".format(*asked))
            lines = text.split("\n")
            self.must(bool(heading.fullmatch(lines[0])), f"{where}: the orders have another heading")
            self.must(lines[-2:] == ["END", ""], f"{where}: the orders do not end with END")
            self.must(all(line == line.rstrip() for line in lines), f"{where}: blanks at the end of a line")

    # -- 5: order files

    def check_order_files(self) -> None:
        played: dict[str, list[str]] = {}
        for record, folder in zip(self.records, self.folders, strict=True):
            event = record["event"]
            if event["event"] != "orders_filed":
                continue
            text, heading = event["text"], f"GAME {self.proof['game']} TURN {int(folder)} SIDE {event['side']}"
            if text == "CONTINUE":
                text = f"{heading} REPLY {event['request']}\nCONTINUE\nEND\n"
            played.setdefault(f"{folder}/orders/{event['side']}.r{event['request']}", []).append(text)
        wanted = {}
        for name, texts in played.items():
            wanted[f"{name}.orders"] = texts[-1]
            wanted |= {f"{name}.v{i}.orders": text for i, text in enumerate(texts[:-1], 1)}
        here = {name: text for name, text in self.texts.items() if "/orders/" in name}
        for name in sorted(wanted.keys() | here.keys()):
            self.must(name in here, f"{name} was played, and is not there")
            self.must(name in wanted, f"{name} was never played")
            if name in here and name in wanted:
                self.must(here[name] == wanted[name], f"{name} is not what was played")

    # -- 6: rolls

    def span(self, n: int) -> tuple[Moment, Moment | None]:
        """The moments a segment covers: the first, and the first it does not cover any more (None: there is none)."""
        events = [event for _, event in self.own(n)]
        first = moment(events[0])
        for event in events:
            if event["event"] == "requested":
                turn = event["request"]["turn"]
                return first, moment(event) if turn == event["turn"] else (turn, 0, 0)
        return first, None

    def dice_of(self, n: int, when: Moment) -> int:
        for other in self.by_number[n].get("kept", []):
            first, end = self.spans[other]
            if first <= when and (end is None or when < end):
                return self.dice_of(other, when)
        return n

    def check_rolls(self) -> None:
        self.spans = {one["segment"]: self.span(one["segment"]) for one in self.segments}
        keys = {one["segment"]: self.key(one) for one in self.segments}
        for one in self.segments:
            n, of = one["segment"], {}
            moments = []
            for label, faces, die in one["rolls"]:
                turn, impulse, step = label.split(" ")[0].split(".")
                self.must(step in STEPS, f"segment {n}: {label}: there is no such step")
                when = int(turn), int(impulse), STEPS.index(step) if step in STEPS else 0
                moments.append(when)
                of[label] = self.dice_of(n, when)
                made = rolled(keys[of[label]], label, faces)
                self.must(made == die, f"segment {n}: {label} is {made}, {die} was told")
            self.must(moments == sorted(moments), f"segment {n}: rolls are not in the order they were made")
            first, end = self.spans[n]
            self.must(
                all(first <= when and (end is None or when <= end) for when in moments),
                f"segment {n}: a roll of a moment that was not played in it",
            )
            self.must(one.get("of", {}) == (of if one.get("kept") else {}), f"segment {n}: of")

    def key(self, one: Mapping[str, Any]) -> bytes:
        parts = [f"pbem dice {self.proof['scheme']}", self.proof["game"], str(one["segment"])]
        parts += [f"{sent['side']}={sent['sealed']}" for sent in one["orders"]]
        if one["beacon"]:
            parts.append(f"beacon={one['beacon']}")
        return keyed(bytes.fromhex(one["link"]), "|".join(parts))

    # -- 7: dice in the log

    def check_dice(self) -> None:
        rolls = {one["segment"]: {label: die for label, _, die in one["rolls"]} for one in self.segments}
        for place, record in enumerate(self.records):
            home = self.home[place]
            if home and self.by_number[home].get("older"):
                continue
            known = rolls.get(home, {})
            for labels, die in told_dice(record["event"], known):
                fits = all(label in known for label in labels) and sum(known[label] for label in labels) == die
                self.must(fits, f"record {record['n']}: {' + '.join(labels)} is not what was rolled")

    # -- 8: the digest of the log

    def check_digest(self) -> None:
        ends = {one["last"]: one for one in self.segments}
        running = bytes(32)
        for n, line in enumerate(self.lines, 1):
            running = digest(running + digest(line.encode()))
            if n in ends:
                made = hmac.new(bytes.fromhex(ends[n]["log_key"]), running, hashlib.sha256).hexdigest()
                self.must(made == ends[n]["log"], f"segment {ends[n]['segment']}: the log was another")

    # -- what the archive says of itself

    def check_agreed(self) -> None:
        """game.toml against the first record of the log."""
        event = self.records[0]["event"]
        if event["event"] != "game_started":
            raise Broken("the log does not begin with game_started")
        agreed = {name: self.toml.get(name) for name in ("name", "scenario", "grid")}
        began = {"name": event.get("game"), "scenario": event.get("scenario"), "grid": event.get("grid")}
        self.must(agreed == began, "game.toml: name, scenario or grid is not that of the log")
        for name, value in self.toml.get("options", {}).items():
            began_with = event["options"].get(name)
            without = value is True and began_with is False  # the scenario does without it
            self.must(began_with == value or without, f"game.toml: option {name} is not that of the log")
        sides = [one["name"] for one in event["sides"]]
        self.must(set(self.toml.get("sides", {})) <= set(sides), "game.toml: a side the log does not know")
        for folder in ("scenarios", "ships"):
            for name in (name for name in self.texts if name.startswith(f"{folder}/")):
                key = name.partition("/")[2].removesuffix(".toml")
                said = [text for other, text in self.texts.items() if other.startswith("scenarios/")]
                named = key in self.toml.get("ships", {}).values() or any(f'{key}.toml"' in text for text in said)
                if folder == "scenarios":
                    named = key == self.toml["scenario"]
                self.must(named, f"{name} is a file nobody plays with")

        # -- proof.html and README.txt

        over = self.last_of("game_ended", "decided", "requested")
        self.must(over is not None and bool(over.get("outcome")), "the game is not over")

    def last_of(self, *kinds: str) -> dict[str, Any] | None:
        """The last event of these kinds that counts at the end of the log."""
        events = (self.records[place]["event"] for place in reversed(self.counting))
        return next((event for event in events if event["event"] in kinds), None)

    def check_pages(self, frames: Path) -> None:
        page = self.texts["proof.html"]
        scripts = re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL)
        if [one[0] for one in scripts] != [' type="application/json" id="data"', ""]:
            raise Broken("proof.html has other scripts than its data and its own")
        data, script = scripts[0][1], scripts[1][1]
        try:
            found = read_json(data)
        except ValueError as problem:
            raise Broken(f"proof.html: the data are no JSON: {problem}") from None
        self.must(set(found) == {"log", "proof", "told"}, "proof.html: the data have other fields")
        self.must(found.get("log") == self.lines, "proof.html has another log")
        self.must(found.get("proof") == self.proof, "proof.html has another proof.json")
        styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
        self.must(len(styles) == 1, "proof.html has no style, or several")
        for kind, text in (("script", script), ("style", "".join(styles))):
            stamp = base64.b64encode(digest(text.encode())).decode()
            self.must(f"{kind}-src 'sha256-{stamp}'" in page, f"proof.html: the {kind} is not the one it allows")
        for name in found.get("told", {}):
            here = name.isdecimal() and 0 < int(name) <= len(self.records)
            self.must(here and bool(dice_fields(self.records[int(name) - 1]["event"])), f"proof.html: told of {name}")
        kind = f"{self.proof['scheme']}{self.proof['beacon']}"
        figures = self.records[0]["event"].get("figures", [])
        known = dict(line.split("  ") for line in frames.read_text(encoding="utf-8").splitlines())
        self.must(
            frame(page, self.proof, figures) == known.get(f"scheme-{kind}"), "proof.html: the frame is not pbem's"
        )
        said = self.texts["README.txt"]
        version = re.search(r"Made by pbem (\S+)\. ", said)
        wanted = README.format(name=self.proof["game"], version=version[1] if version else "")
        self.must(said == wanted, "README.txt is not pbem's")

    def all_checks(self, frames: Path) -> Iterator[Callable[[], None]]:
        yield from (self.read_files, self.read_game, self.read_log, self.read_proof)
        yield from (self.check_chain, self.check_salts, self.check_sealed)
        yield from (self.walk, self.check_segments, self.check_normal_form, self.check_order_files)
        yield from (self.check_rolls, self.check_dice, self.check_digest, self.check_agreed)
        yield lambda: self.check_pages(frames)


def frame(page: str, proof: Mapping[str, Any], figures: Sequence[str] = ()) -> str:
    """The digest of what in proof.html is the same in all games of a kind, by the page's section about it."""
    name = html.escape(proof["game"])
    page = re.sub(
        r'(<script type="application/json" id="data">).*?(</script>)', r"\1\2", page, count=1, flags=re.DOTALL
    )
    if figures:
        played = html.escape(", ".join(figures))
        page = page.replace(f'<p class="soft">Played with figures of one&#39;s own: {played}.</p>', "", 1)
    for side, who in sorted(proof.get("played_by", {}).items()):
        page = page.replace(f'<p class="soft">{html.escape(side)}: {html.escape(who)}</p>', "", 1)
    for before, value, behind in (
        ("<title>", name, ": proof of the dice"),
        ("<h1>", name, " <small>"),
        ("pbem verify ", name, ".pbem.zip"),
        ('<span class="mono">', proof["commitment"], "</span>"),
        ('<span class="mono">', proof["salts"], "</span>"),
    ):
        page = page.replace(f"{before}{value}{behind}", f"{before}{behind}", 1)
    return digest(page.encode()).hex()


def moment(event: Mapping[str, Any]) -> Moment:
    return event.get("turn", 0), event.get("impulse", 0), STEPS.index(event["step"])


def dice_fields(event: Mapping[str, Any]) -> bool:
    return bool(event.get("roll") or event.get("second_roll") or event.get("rolls"))


def told_dice(event: Mapping[str, Any], known: Mapping[str, int]) -> Iterator[tuple[list[str], int]]:
    """Labels and die (or the sum) of everything a record tells of dice."""
    if label := event.get("roll"):
        yield [label] if label in known else label.split(" + "), event.get("die", 0)
    if label := event.get("second_roll"):
        yield [label], event.get("second", 0)
    if labels := event.get("rolls"):
        dice = [*event.get("holders_dice", []), *event.get("raiders_dice", [])]
        for i, label in enumerate(labels):
            yield [label], dice[i] if i < len(dice) else 0


# -- 9: letters

SAYS = {
    kind: re.compile(pattern)
    for kind, pattern in {
        "reader": r"This sitrep is for (.+)\.",
        "heading": r"Dice of (.+), scheme (\d+)",
        "commitment": r"dice are committed to: ([0-9a-f]{64}) \(scheme (\d+)\)",
        "segment": r"Segment (\d+): request (\d+) of turn (\d+)",
        "chain": r"(committed|salts) +([0-9a-f]{64})",
        "named": r"orders of .+|beacon, round \d+",
        "link or log": r"(link|log) +([0-9a-f]{64})",
        "salt": r"your salt +([0-9a-f]{64})",
        "awaited": r"awaits round (\d+) of the beacon",
        "value": HEX.pattern,
    }.items()
}
"""The lines of a letter that tell of dice; no line is of two kinds."""


@functools.lru_cache(maxsize=1000)
def told_in(letter: bytes) -> list[tuple[str, re.Match[str]]]:
    """The lines of a letter (``.eml``), or of a sitrep kept as a text, that tell of dice, with their kinds."""
    read = email.message_from_bytes(letter, policy=email.policy.default)
    body = read.get_body(("plain",)) if read.get("MIME-Version") else None
    text = body.get_content() if body else letter.decode("utf-8", "replace")
    lines = [line.lstrip("> \t").rstrip() for line in text.splitlines()]
    return [(kind, found) for line in lines for kind, says in SAYS.items() if (found := says.fullmatch(line))]


def compare(letter: bytes, proof: Mapping[str, Any]) -> Iterator[str]:
    """What a letter tells that the archive has otherwise."""
    side, about, named, passed = "", False, "", ""
    one: Mapping[str, Any] | None = None
    for kind, found in told_in(letter):
        line = found[0]
        if kind == "reader":
            side = found[1]
        elif kind == "heading":
            about, one = found[1] == proof["game"], None
            if about and int(found[2]) != proof["scheme"]:
                yield line
        elif kind == "commitment":
            yield from [line] * ((found[1], int(found[2])) != (proof["commitment"], proof["scheme"]))
        if not about:
            continue
        if kind == "segment":
            n, request, turn = map(int, found.groups())
            one = next((other for other in proof["segments"] if other["segment"] == n), None)
            later = next((other for other in proof["segments"] if other["segment"] > n), None)
            passed = hashed(bytes.fromhex(later["link"]), later["segment"] - n).hex() if later and not one else ""
            if not passed and (one is None or (one["request"], one["turn"]) != (request, turn)):
                yield line
        elif kind == "chain":
            if proof[{"committed": "commitment", "salts": "salts"}[found[1]]] != found[2]:
                yield line
        elif kind == "named":
            named = line
        elif one is None:
            if kind == "link or log" and found[1] == "link" and passed not in ("", found[2]):
                yield line
        elif kind == "link or log":
            if one[found[1]] != found[2]:
                yield line
        elif kind == "salt":
            if {sent["side"]: sent["salt"] for sent in one["orders"]}.get(side) != found[1]:
                yield line
        elif kind == "awaited":
            if one["beacon"].partition(":")[0] != found[1]:
                yield line
        elif kind == "value" and named:
            sealed = {f"orders of {sent['side']}": sent["sealed"] for sent in one["orders"]}
            sealed["beacon, round " + one["beacon"].partition(":")[0]] = one["beacon"].partition(":")[2]
            if sealed.get(named) != line:
                yield f"{named} {line}"
            named = ""


def faults(archive: Path, letters: Sequence[bytes] = (), *, frames: Path = FRAMES) -> list[str]:
    """Everything that is not as docs/dice.md promises; nothing, if the archive is sound."""
    looked = Archive(archive)
    try:
        for check in looked.all_checks(frames):
            check()
        for letter in letters:
            looked.faults.extend(f"a letter told: {line}" for line in compare(letter, looked.proof))
    except Broken as problem:
        looked.wrong(str(problem))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as problem:
        looked.wrong(f"something is not of the kind the page says: {problem!r}")
    return looked.faults


def main(arguments: Sequence[str]) -> int:
    found = faults(Path(arguments[0]), [Path(one).read_bytes() for one in arguments[1:]])
    print("\n".join(found) or "sound")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
