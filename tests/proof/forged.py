"""Archives that somebody tampered with: one change each, with all else made to fit it as well as he can.

Who changes proof.json or the log also mends what follows from that without any secret: the data in proof.html, and
where it helps him the digests of the log, whose keys are in the archive. So each has to be found by the check it is
meant for, and ``says`` is what by_the_page.py must say of it.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import hmac
import io
import json
import re
import zipfile
from collections.abc import Callable
from typing import Any, NamedTuple

DATA = re.compile(r'(?<=id="data">).*?(?=</script>)', re.DOTALL)
OTHER = "0123456789abcdef" * 4
"""A hash that is nothing's."""


class Forged:
    """An archive in pieces. ``proof`` and ``log`` are written back by :meth:`fit`; ``files`` are changed after that."""

    def __init__(self, data: bytes) -> None:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            self.files = {name: packed.read(name) for name in packed.namelist()}
        self.proof: dict[str, Any] = json.loads(self.files["proof.json"])
        self.log: list[tuple[str, dict[str, Any]]] = sorted(
            (
                (name, json.loads(line))
                for name, text in self.files.items()
                if name.endswith("events.jsonl")
                for line in text.splitlines()
            ),
            key=lambda one: int(one[1]["n"]),
        )

    # -- finding a place for a change

    def segment(self, kind: str = "rolls", which: int = 0) -> dict[str, Any]:
        """The first segment that has such a thing (or the one after it …)."""
        found: list[dict[str, Any]] = [one for one in self.proof["segments"] if one.get(kind)]
        return found[which]

    def place(self, kind: str, has: str = "", which: int = 0) -> int:
        """Where in the log the first event of a kind stands (with such a field)."""
        found = [i for i, (_, one) in enumerate(self.log) if one["event"]["event"] == kind]
        return [i for i in found if not has or has in self.log[i][1]["event"]][which]

    def event(self, kind: str, has: str = "", which: int = 0) -> dict[str, Any]:
        found: dict[str, Any] = self.log[self.place(kind, has, which)][1]["event"]
        return found

    def renumber(self) -> None:
        for n, (_, record) in enumerate(self.log, 1):
            record["n"] = n

    def file(self, ending: str, which: int = 0) -> str:
        return [name for name in self.files if name.endswith(ending)][which]

    def replace(self, name: str, old: str, new: str, count: int = -1) -> None:
        text = self.files[name].decode()
        assert old in text, f"{name} has no {old!r}"
        self.files[name] = text.replace(old, new, count).encode()

    # -- writing it back

    def lines(self) -> list[str]:
        return [json.dumps(record, ensure_ascii=False, separators=(",", ":")) for _, record in self.log]

    def fit_digests(self) -> None:
        running, told = bytes(32), {}
        for (_, record), line in zip(self.log, self.lines(), strict=True):
            running = hashlib.sha256(running + hashlib.sha256(line.encode()).digest()).digest()
            told[record["n"]] = running
        for one in self.proof["segments"]:
            if one["last"] in told:
                key = bytes.fromhex(one["log_key"])
                one["log"] = hmac.new(key, told[one["last"]], hashlib.sha256).hexdigest()

    def fit(self) -> None:
        self.files["proof.json"] = (json.dumps(self.proof, ensure_ascii=False, indent=1) + "\n").encode()
        logs: dict[str, str] = {}
        for (name, _), line in zip(self.log, self.lines(), strict=True):
            logs[name] = logs.get(name, "") + line + "\n"
        for name in [name for name in self.files if name.endswith("events.jsonl") and name not in logs]:
            del self.files[name]
        self.files |= {name: text.encode() for name, text in logs.items()}
        data = self.page_data() | {"log": self.lines(), "proof": self.proof}
        self.put_page_data(data)

    def page_data(self) -> dict[str, Any]:
        found = DATA.search(self.files["proof.html"].decode())
        assert found
        made: dict[str, Any] = json.loads(found[0])
        return made

    def put_page_data(self, data: dict[str, Any]) -> None:
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=False)
        for sign in "<>&":
            text = text.replace(sign, f"\\u{ord(sign):04x}")
        self.files["proof.html"] = DATA.sub(lambda _: text, self.files["proof.html"].decode(), count=1).encode()

    def packed(self) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
            for name, data in self.files.items():
                made.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, compresslevel=1)
        return out.getvalue()


Edit = Callable[[Forged], None]


LETTERS = "a letter told"
"""Said of what fits itself: the archive of another game."""
REPLAY = ""


class Tampering(NamedTuple):
    name: str
    base: str
    """Of which honest archive (see honest.py)."""
    edit: Edit
    says: str
    """What by_the_page.py says of it, among other things, if it has letters too; :data:`REPLAY` if only the program
    can find it."""
    kind: str = "content"
    """content: ``edit`` changes ``proof`` and ``log``; file: it changes ``files``; zip: the packed bytes."""
    digests: bool = True
    """Whether he made the digests of the log anew."""


TAMPERINGS: list[Tampering] = []


def tampering(
    name: str, says: str, base: str = "duel01", kind: str = "content", *, digests: bool = True
) -> Callable[[Edit], Edit]:
    def keep(edit: Edit) -> Edit:
        TAMPERINGS.append(Tampering(name, base, edit, says, kind, digests))
        return edit

    return keep


def tampered(base: bytes, one: Tampering) -> bytes:
    """The archive after somebody did this to it."""
    forged = Forged(base)
    if one.kind == "content":
        before = repr((forged.proof, forged.log))
        one.edit(forged)
        assert before != repr((forged.proof, forged.log)), f"{one.name} changes nothing"
        if one.digests:
            forged.fit_digests()
        forged.fit()
        return forged.packed()
    before_files = dict(forged.files)
    one.edit(forged)
    if one.kind == "file":
        assert before_files != forged.files, f"{one.name} changes nothing"
        return forged.packed()
    return forged.files["zip"]


def flipped(text: str) -> str:
    """Another hash: its first digit is the next one."""
    return f"{(int(text[0], 16) + 1) % 16:x}{text[1:]}"


# -- what proof.json says of the dice


# -- one value

Find = Callable[[Forged], Any]


def _roll(which: int = 1, row: int = 0) -> Find:
    return lambda forged: forged.segment("rolls", which)["rolls"][row]


def _head(forged: Forged) -> Any:
    return forged.proof


def _nth(n: int) -> Find:
    return lambda forged: forged.proof["segments"][n]


def _sent(n: int, side: int = 0) -> Find:
    return lambda forged: forged.proof["segments"][n]["orders"][side]


def _event(kind: str, has: str = "", which: int = 0) -> Find:
    return lambda forged: forged.event(kind, has, which)


def _record(kind: str, has: str = "", which: int = 0) -> Find:
    return lambda forged: forged.log[forged.place(kind, has, which)][1]


def _with(kind: str) -> Find:
    return lambda forged: forged.segment(kind)


def _options(forged: Forged) -> Any:
    return forged.event("game_started")["options"]


def _up(number: int) -> int:
    return number + 1


def _down(number: int) -> int:
    return number - 1


def _face(die: int) -> int:
    return die % 6 + 1


def _flipped(text: str) -> str:
    """Another hash: its first digit is the next one."""
    return f"{(int(text[0], 16) + 1) % 16:x}{text[1:]}"


Value = tuple[str, str, Find, Any, Any]
"""What it is called, what is said of it, where it is, its key there, the new value (or what makes it of the old)."""
GONE = object()


def _value(base: str, value: Value) -> None:
    name, says, find, key, change = value

    def edit(forged: Forged) -> None:
        box = find(forged)
        if change is GONE:
            del box[key]
        else:
            box[key] = change(box[key]) if callable(change) else change

    tampering(name, says, base)(edit)


VALUES: dict[str, tuple[Value, ...]] = {
    "duel01": (
        # proof.json: rolls
        ("a die's face", "was told", _roll(), 2, _face),
        ("a die's faces", "was told", _roll(), 1, 11),
        ("a label's number", "is not what was rolled", _roll(), 0, lambda label: label[:-1] + "7"),
        ("a label's unit", "is not what was rolled", _roll(), 0, lambda label: label.replace(" ", " Other", 1)),
        ("a label's impulse", "not played in it", _roll(), 0, lambda label: re.sub(r"\.\d+\.", ".15.", label)),
        ("a label's step", "no such step", _roll(), 0, lambda label: re.sub(r"\.[a-z]+ ", ".luck ", label)),
        ("a label without a number", "a value of segment", _roll(), 0, lambda label: label.rpartition(" ")[0]),
        ("a die that is a text", "a value of segment", _roll(), 2, str),
        ("a die that is a fraction", "a value of segment", _roll(), 2, lambda die: die + 0.5),
        # proof.json: links, salts, hashes, orders
        ("a link at the beginning", "lead to the commitment", _nth(0), "link", _flipped),
        ("a link in the middle", "lead to the commitment", _nth(5), "link", _flipped),
        ("a link at the end", "lead to the commitment", _nth(-1), "link", _flipped),
        ("a link in capital letters", "a value of segment", _nth(3), "link", str.upper),
        ("a link too short", "a value of segment", _nth(3), "link", lambda link: link[2:]),
        ("a salt", "the orders of", _sent(2), "salt", _flipped),
        ("a hash of orders", "the orders of", _sent(2), "sealed", _flipped),
        ("an order in proof.json", "the orders of", _sent(1), "text", lambda text: text.replace("PLOT 4F", "PLOT 5F")),
        ("the side of orders", "in force", _sent(1), "side", "aliens"),
        ("a last record too late", "its last record", _nth(4), "last", _up),
        ("a last record too early", "its last record", _nth(4), "last", _down),
        ("a turn", "turn and request", _nth(4), "turn", _up),
        ("a request", "turn and request", _nth(4), "request", _up),
        ("a segment's number", "is not there", _nth(4), "segment", 50),
        ("kept where nothing was repeated", "another kept", _nth(4), "kept", [1, 2]),
        ("of where nothing was repeated", "of", _nth(4), "of", {"1.15.fire Destruction DISRA 1": 4}),
        ("an empty kept", "a value of segment", _nth(4), "kept", []),
        ("a segment that is older", "a value of segment", _with("rolls"), "older", True),
        ("a beacon where there is none", "another beacon", _nth(4), "beacon", f"7:{OTHER}"),
        # proof.json: its heading
        ("the format", "another heading", _head, "format", 2),
        ("the game's name in proof.json", "another heading", _head, "game", "duel02"),
        ("the scheme", "another heading", _head, "scheme", 2),
        ("the length", "another heading", _head, "length", 4097),
        ("the commitment", "another heading", _head, "commitment", _flipped),
        ("salts in scheme 1", "another heading", _head, "salts", OTHER),
        ("a salt link in scheme 1", "salt_link where there is none", _head, "salt_link", OTHER),
        ("a beacon of the game", "another heading", _head, "beacon", "drand"),
        ("a field there is not", "other fields", _head, "note", "all is well"),
        ("a field of segments there is not", "other fields", _nth(2), "note", "all is well"),
        ("a field of orders there is not", "a value of segment", _sent(2), "note", "all is well"),
        ("a field that is gone", "other fields", _nth(2), "beacon", GONE),
        # the log, with digests made anew
        ("a die in the log", "is not what was rolled", _event("fired"), "die", _face),
        ("a label in the log", "is not what was rolled", _event("fired"), "roll", lambda label: label[:-1] + "7"),
        ("a record's turn", "the folder", _event("moved"), "turn", _up),
        ("a record's step", "no such step", _event("moved"), "step", "luck"),
        ("a record's impulse", LETTERS, _event("moved"), "impulse", _up),
        ("a place on the map", LETTERS, _event("moved"), "at", "1010A"),
        ("a speed", LETTERS, _event("speed_announced"), "speed", _up),
        ("a field of records there is not", "fields there are not", _record("moved"), "note", "all is well"),
        ("a field of events there is not", LETTERS, _event("moved"), "note", "all is well"),
        ("a kind of event there is not", LETTERS, _event("moved"), "event", "beamed"),
        ("who was told", "told to their side", _record("orders_filed"), "only", "klingon"),
        ("what others were told", "what the others are told", _record("orders_filed"), "shown", GONE),
        ("what the others saw", LETTERS, _record("moved", which=0), "shown", {"event": "moved"}),
        ("the index of a link", "index of its link", _event("segment_began", which=3), "link", _down),
        ("a segment's number in the log", "not those of proof.json", _event("segment_began", which=3), "segment", 9),
        ("a beacon in the log", "another beacon", _event("segment_began", which=3), "beacon", f"7:{OTHER}"),
        ("kept in the log", "another kept", _event("segment_began", which=3), "kept", [1]),
        ("sealed in the log", "sealed of", _event("orders_filed", which=3), "sealed", _flipped),
        ("an order in the log", "in force", _event("orders_filed"), "text", lambda text: text.replace("9 W", "8 W")),
        ("the request of orders", "answer another request", _event("orders_filed"), "request", _up),
        ("the side of orders in the log", "in force", _event("orders_filed"), "side", "aliens"),
        ("continued orders that are not", "in force", _event("orders_filed", "continued"), "continued", GONE),
        ("what was asked", "turn and request", _event("requested", which=2), "request", {"turn": 9, "number": 1}),
        ("the name the log begins with", "name, scenario or grid", _event("game_started"), "game", "duel02"),
        ("an option the log begins with", "option dac", _options, "dac", "fancy"),
    ),
    "other-orders": (
        ("a salt of scheme 2", "not of the salt chain", _sent(0), "salt", _flipped),
        ("a log key of scheme 2", "not of the salt chain", _nth(3), "log_key", _flipped),
        ("the salt link", "what was committed to", _head, "salt_link", _flipped),
        ("no salt link", "salt_link is no link", _head, "salt_link", ""),
        ("salts of scheme 2", "another heading", _head, "salts", _flipped),
        ("kept of another segment", "another kept", _with("kept"), "kept", [2]),
        ("kept of more segments", "another kept", _with("kept"), "kept", [1, 2]),
        ("kept that is gone", "another kept", _with("kept"), "kept", GONE),
        ("how far a repetition goes", "not that of the act", _event("reran"), "through", _up),
        ("what a repetition keeps", "not that of the act", _event("reran"), "kept", [2]),
        ("to where a repetition goes back", "to is not the last record", _event("reran"), "to", _up),
    ),
    "repeated": (
        ("whose dice", "of", _with("of"), "of", lambda of: dict.fromkeys(of, 1)),
        ("nobody's dice", "of", _with("of"), "of", GONE),
        ("a die that was kept", "was told", lambda f: f.segment("of")["rolls"][0], 2, _face),
        ("to where play was taken back", "to is not the last record", _event("undone"), "to", _down),
    ),
    "beacon": (
        ("a beacon's value", "another beacon", _with("beacon"), "beacon",
         lambda text: text[:-1] + "ab"[text[-1] == "a"]),
        ("a beacon's round", "another beacon", _with("beacon"), "beacon", lambda text: "1" + text),
        ("no beacon", "another beacon", _with("beacon"), "beacon", ""),
        ("a beacon of a repetition", "another beacon", _with("kept"), "beacon", f"99999999:{OTHER}"),
    ),
}  # fmt: skip

for _base, _values in VALUES.items():
    for _one in _values:
        _value(_base, _one)


# -- rows and lines: gone, twice, in another order


@tampering("a roll is gone", "is not what was rolled")
def _(forged: Forged) -> None:
    del forged.segment("rolls", 1)["rolls"][0]


@tampering("a roll stands twice", "a value of segment")
def _(forged: Forged) -> None:
    rolls = forged.segment("rolls", 1)["rolls"]
    rolls.append(rolls[0])


@tampering("two rolls in another order", "in the order they were made")
def _(forged: Forged) -> None:
    rolls = forged.segment("rolls", 1)["rolls"]
    rolls[0], rolls[-1] = rolls[-1], rolls[0]


@tampering("two rolls of one moment in another order", REPLAY)
def _(forged: Forged) -> None:
    rolls = forged.segment("rolls", 1)["rolls"]
    rolls[-1], rolls[-2] = rolls[-2], rolls[-1]


@tampering("a roll of another segment", "not played in it")
def _(forged: Forged) -> None:
    forged.proof["segments"][0]["rolls"].append(forged.segment("rolls", 1)["rolls"].pop(0))


@tampering("two links in another order", "lead to the commitment")
def _(forged: Forged) -> None:
    one, other = forged.proof["segments"][3:5]
    one["link"], other["link"] = other["link"], one["link"]


@tampering("two salts in another order", "the orders of")
def _(forged: Forged) -> None:
    one, other = forged.proof["segments"][0]["orders"]
    one["salt"], other["salt"] = other["salt"], one["salt"]


@tampering("a side's orders are gone", "in force")
def _(forged: Forged) -> None:
    del forged.proof["segments"][0]["orders"][0]


@tampering("two sides in another order", "a value of segment")
def _(forged: Forged) -> None:
    forged.proof["segments"][0]["orders"].reverse()


@tampering("orders of one more side", "in force")
def _(forged: Forged) -> None:
    orders = forged.proof["segments"][0]["orders"]
    salt, text = "00" * 32, "CONTINUE"
    sealed = hashlib.sha256(bytes.fromhex(salt) + text.encode()).hexdigest()
    orders.append({"side": "tholian", "salt": salt, "sealed": sealed, "text": text})


@tampering("the last segment is gone", "not those of proof.json")
def _(forged: Forged) -> None:
    forged.proof["segments"].pop()


@tampering("the first segment is gone", "the segments of the log are not those of proof.json")
def _(forged: Forged) -> None:
    del forged.proof["segments"][0]


@tampering("a segment stands twice", "is not there")
def _(forged: Forged) -> None:
    forged.proof["segments"].insert(3, forged.proof["segments"][3])


@tampering("two segments in another order", "is not there")
def _(forged: Forged) -> None:
    segments = forged.proof["segments"]
    segments[3], segments[4] = segments[4], segments[3]


def _near(forged: Forged) -> int:
    """A record in the middle of the play of a segment."""
    return forged.place("moved", which=20)


def _move_last(forged: Forged, place: int, by: int) -> None:
    """The ends of segments, when lines were put in or taken out."""
    for one in forged.proof["segments"]:
        if one["last"] > place:
            one["last"] += by


@tampering("a line of the log is gone", "without a gap")
def _(forged: Forged) -> None:
    del forged.log[_near(forged)]


@tampering("a line of the log is gone, and all counted anew", LETTERS)
def _(forged: Forged) -> None:
    place = _near(forged)
    del forged.log[place]
    forged.renumber()
    _move_last(forged, place, -1)


@tampering("a line of the log stands twice", "without a gap")
def _(forged: Forged) -> None:
    place = _near(forged)
    forged.log.insert(place, forged.log[place])


@tampering("a line of the log stands twice, and all counted anew", LETTERS)
def _(forged: Forged) -> None:
    place = _near(forged)
    forged.log.insert(place, copy.deepcopy(forged.log[place]))
    forged.renumber()
    _move_last(forged, place, 1)


@tampering("two lines in another order", "stands behind")
def _(forged: Forged) -> None:
    place = _near(forged)
    forged.log[place], forged.log[place + 1] = forged.log[place + 1], forged.log[place]


@tampering("two lines in another order, and counted anew", LETTERS)
def _(forged: Forged) -> None:
    place = _near(forged)
    forged.log[place], forged.log[place + 1] = forged.log[place + 1], forged.log[place]
    forged.renumber()


@tampering("a line in another turn's file", "the folder")
def _(forged: Forged) -> None:
    place = forged.place("turn_began", which=1)
    forged.log[place] = (forged.log[0][0], forged.log[place][1])


@tampering("a line put behind the end", "its last record")
def _(forged: Forged) -> None:
    forged.log.append((forged.log[-1][0], {"n": len(forged.log) + 1, "event": forged.log[-1][1]["event"]}))


@tampering("the last line is gone", "its last record")
def _(forged: Forged) -> None:
    forged.log.pop()


@tampering("the end decreed is gone", "the game is not over", "other-orders")
def _(forged: Forged) -> None:
    forged.log.pop()


@tampering("an act of the umpire is gone", LETTERS, "ruled")
def _(forged: Forged) -> None:
    place = forged.place("ruled")
    del forged.log[place]
    forged.renumber()
    _move_last(forged, place, -1)


@tampering("what was taken back is gone", "turn and request", "taken-back")
def _(forged: Forged) -> None:
    place = forged.place("undone")
    del forged.log[place]
    forged.renumber()
    _move_last(forged, place, -1)


@tampering("a die and its roll", "was told")
def _(forged: Forged) -> None:
    """Proof and log agree on a die that was not rolled."""
    row, event = forged.segment("rolls")["rolls"][0], forged.event("fired")
    row[2] = event["die"] = _face(row[2])


@tampering("orders, their hash and the log", "is not what was played")
def _(forged: Forged) -> None:
    """Proof and log agree on orders that were not sealed. In scheme 1 nothing but dice and letters tells."""
    sent, event = forged.proof["segments"][1]["orders"][0], forged.event("orders_filed", which=2)
    sent["text"] = event["text"] = sent["text"].replace("PLOT 4F", "PLOT 5F")
    sent["sealed"] = hashlib.sha256(bytes.fromhex(sent["salt"]) + sent["text"].encode()).hexdigest()
    event["sealed"] = sent["sealed"]
    forged.log[forged.place("orders_filed", which=2)][1]["shown"]["sealed"] = sent["sealed"]


@tampering("a digest of the log", "the log was another", digests=False)
def _(forged: Forged) -> None:
    forged.proof["segments"][-1]["log"] = OTHER


@tampering("the speed of a record, without new digests", "the log was another", digests=False)
def _(forged: Forged) -> None:
    event = forged.event("energy_allotted")
    event["speed"] = 31


# -- files


def _in(name: str, says: str, ending: str, old: str, new: str, base: str = "duel01") -> None:
    def edit(forged: Forged) -> None:
        forged.replace(forged.file(ending), old, new, 1)

    tampering(name, says, base, "file")(edit)


def _gone(ending: str, says: str) -> None:
    def edit(forged: Forged) -> None:
        del forged.files[forged.file(ending)]

    tampering(f"{ending} is gone", says, kind="file")(edit)


def _more(name: str, text: bytes, says: str) -> None:
    def edit(forged: Forged) -> None:
        forged.files[name] = text

    tampering(f"{name} is there too", says, kind="file")(edit)


def _renamed(old: str, new: str, says: str) -> None:
    def edit(forged: Forged) -> None:
        forged.files = {new if name == old else name: data for name, data in forged.files.items()}

    tampering(f"{old} is called {new}", says, kind="file")(edit)


for _ending, _says in (
    ("game.toml", "is not there"),
    ("proof.json", "is not there"),
    ("proof.html", "is not there"),
    ("README.txt", "is not there"),
    ("00/events.jsonl", "is not there"),
    ("03/events.jsonl", "without a gap"),
    ("05/events.jsonl", "not those of proof.json"),
    ("02/orders/klingon.r2.orders", "is not there"),
):
    _gone(_ending, _says)

_ORDERS = b"GAME duel01 TURN 2 SIDE klingon REPLY 9 FORM SOP\n\nSHIP Destruction\nPLOT 8F\n\nEND\n"
for _name, _text, _says in (
    ("notes.txt", b"all is well\n", "is no file of an archive"),
    ("secret/seed", b"00\n", "is no file of an archive"),
    ("../proof.json", b"{}\n", "is no file of an archive"),
    ("01/state.json", b"{}\n", "is no file of an archive"),
    ("09/events.jsonl", b"", "has no lines"),
    ("02/orders/klingon.r9.orders", _ORDERS, "was never played"),
    ("02/orders/klingon.r2.v1.orders", _ORDERS, "was never played"),
    ("figures/ships.toml", b"", "of which game.toml has the hashes"),
    ("ships/own.toml", b"key = 'own'\n", "nobody plays with"),
    ("scenarios/own.toml", b"key = 'own'\n", "nobody plays with"),
):
    _more(_name, _text, _says)

for _old, _new, _says in (
    ("02/orders/klingon.r2.orders", "02/orders/orion.r2.orders", "was never played"),
    ("02/orders/klingon.r2.orders", "02/orders/klingon.r9.orders", "was never played"),
    ("02/orders/klingon.r2.orders", "02/orders/klingon.r2.v1.orders", "was never played"),
    ("02/orders/klingon.r2.orders", "05/orders/klingon.r3.orders", "was never played"),
    ("05/events.jsonl", "06/events.jsonl", "the folder"),
    ("05/events.jsonl", "5/events.jsonl", "is no file of an archive"),
    ("proof.json", "Proof.json", "is no file of an archive"),
):
    _renamed(_old, _new, _says)

for _name, _says, _ending, _old, _new in (
    ("a line of an order file", "is not what was played", "02/orders/klingon.r2.orders", "PLOT", "plot"),
    ("a comment in an order file", "is not what was played", "02/orders/klingon.r2.orders", "\n\nEND", "\n\n# hm\nEND"),
    ("an order file of other line ends", "line ends", "02/orders/klingon.r2.orders", "\n", "\r\n"),
    ("an order file without its last line end", "no end", "02/orders/klingon.r2.orders", "END\n", "END"),
    (
        "a CONTINUE with another heading",
        "is not what was played",
        "01/orders/federation.r3.orders",
        "REPLY 3",
        "REPLY 4",
    ),
    ("blanks in the log", "without blanks", "01/events.jsonl", '{"n":', '{ "n": '),
    ("an empty line in the log", "is no record", "01/events.jsonl", "\n", "\n\n"),
    ("a field twice in a record", "is no record", "01/events.jsonl", '{"n":', '{"n":1,"n":'),
    ("a number that is none", "is no record", "01/events.jsonl", '"speed":10', '"speed":NaN'),
    ("proof.json in another form", "indented by one space", "proof.json", '\n "format"', '\n  "format"'),
    ("a field twice in proof.json", "is no JSON", "proof.json", '"format": 1,', '"format": 1,\n "format": 1,'),
    ("a byte order mark", "byte order mark", "game.toml", "# A game", "\ufeff# A game"),
    ("the name in game.toml", "another heading", "game.toml", 'name = "duel01"', 'name = "duel02"'),
    ("the scenario in game.toml", "name, scenario or grid", "game.toml", 'scenario = "5"', 'scenario = "6"'),
    ("the grid in game.toml", "name, scenario or grid", "game.toml", 'grid = "even"', 'grid = "odd"'),
    ("an option in game.toml", "option sideslip", "game.toml", "sideslip = true", "sideslip = false"),
    ("the commitment in game.toml", "another heading", "game.toml", 'commitment = "a8', 'commitment = "b8'),
    ("the length in game.toml", "length is not 4096", "game.toml", "length = 4096", "length = 4095"),
    ("the scheme in game.toml", "another heading", "game.toml", "scheme = 1", "scheme = 2"),
    ("a beacon in game.toml", "another heading", "game.toml", "scheme = 1", 'scheme = 1\nbeacon = "drand"'),
    ("an address in game.toml", "has the address", "game.toml", 'player = ""', 'player = "ann@example.org"'),
    ("a side's name in game.toml", "the log does not know", "game.toml", "[sides.klingon]", "[sides.gorn]"),
    ("game.toml that is no TOML", "is no TOML", "game.toml", "[dice]", "[dice"),
    ("README.txt of another game", "README.txt", "README.txt", "archive of duel01", "archive of duel02"),
    ("one more line in README.txt", "README.txt", "README.txt", "\n\n`pbem", "\n\nTrust me.\n\n`pbem"),
):
    _in(_name, _says, _ending, _old, _new)

for _name, _old, _new in (
    ("the page's title", "<title>duel01", "<title>duel02"),
    ("the page's heading", "<h1>duel01", "<h1>duel02"),
    ("the commitment on the page", '"mono">a820', '"mono">b820'),
    ("the page's policy is gone", "default-src 'none'; ", ""),
    ("the page finds all sound before it looks", "Nothing was checked, because", "Everything is sound, though"),
    ("a sentence of the page", "Hashes cannot show this.", "Hashes can show this."),
    ("a link to elsewhere", "</footer>", '<a href="https://example.org">more</a></footer>'),
    ("a picture from elsewhere", "</footer>", '<img src="https://example.org/a.png"></footer>'),
    ("a handler", '<main id="main">', '<main id="main" onclick="show()">'),
    ("a comment in the page", "</main>", "<!-- hm --></main>"),
    ("a base address", "<title>", '<base href="https://example.org/"><title>'),
    ("another scheme on the page", "&middot; scheme 1", "&middot; scheme 2"),
    ("the command on the page", "pbem verify duel01.pbem.zip", "pbem verify duel02.pbem.zip"),
):
    _in(_name, "the frame is not pbem's", "proof.html", _old, _new)

for _name, _says, _old, _new in (
    ("the page's script finds all sound", "script is not the one", "every((check) =>", "every((check) => true ||"),
    ("the page's style hides faults", "style is not the one", "</style>", ".no { display: none; }</style>"),
    ("one more script", "other scripts", "</body>", "<script>1</script></body>"),
    ("one more data block", "other scripts", "<main", '<script type="application/json" id="data">{}</script><main'),
    ("one more style", "has no style, or several", "</head>", "<style>p{}</style></head>"),
    ("the page's data are no JSON", "the data are no JSON", 'id="data">{', 'id="data">'),
):
    _in(_name, _says, "proof.html", _old, _new)


@tampering("the page's script finds all sound, and its policy allows it", "the frame is not pbem's", kind="file")
def _(forged: Forged) -> None:
    forged.replace("proof.html", "every((check) =>", "every((check) => true ||", 1)
    text = forged.files["proof.html"].decode()
    script = text.rpartition("<script>")[2].partition("</script>")[0]
    stamp = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    forged.files["proof.html"] = re.sub(r"(?<=script-src 'sha256-)[^']*", lambda _: stamp, text).encode()


def _data(name: str, says: str, change: Callable[[dict[str, Any]], Any], base: str = "duel01") -> None:
    def edit(forged: Forged) -> None:
        data = forged.page_data()
        change(data)
        forged.put_page_data(data)

    tampering(name, says, base, "file")(edit)


def _page_roll(data: dict[str, Any]) -> None:
    row = next(one for one in data["proof"]["segments"] if one["rolls"])["rolls"][0]
    row[2] = _face(row[2])


_data("a die in the page's data", "another proof.json", _page_roll)
_data("a commitment in the page's data", "another proof.json", lambda data: data["proof"].update(commitment=OTHER))
_data("the log in the page's data", "another log", lambda data: data["log"].pop())
_data("two lines in the page's data", "another log", lambda data: data["log"].reverse())
_data("what the page says of a die", REPLAY, lambda data: data["told"].update({min(data["told"]): "It missed."}))
_data("what the page says of no die", "told of 1", lambda data: data["told"].update({"1": "die 6"}))
_data("a field of the page's data", "other fields", lambda data: data.update(verdict="fits"))


@tampering("the host's own ship", REPLAY, "own-ship", "file")
def _(forged: Forged) -> None:
    forged.replace(forged.file("my_ca.toml"), "shields = [1", "shields = [2", 1)


# -- the zip


def _zip(name: str, says: str, change: Callable[[Forged, bytes], bytes]) -> None:
    def edit(forged: Forged) -> None:
        forged.files["zip"] = change(forged, forged.packed())

    tampering(name, says, kind="zip")(edit)


def _twice(forged: Forged, data: bytes) -> bytes:
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a") as made:
        made.writestr(zipfile.ZipInfo("PROOF.json"), forged.files["proof.json"])
    return out.getvalue()


def _packed_otherwise(forged: Forged, data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as made:
        for name, text in forged.files.items():
            made.writestr(name, text)
    return out.getvalue()


def _marked(forged: Forged, data: bytes) -> bytes:
    """Every entry said to be encrypted."""
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            data = data[: at + place] + b"\x01" + data[at + place + 1 :]
            at = data.find(mark, at + 1)
    return data


def _huge(forged: Forged, data: bytes) -> bytes:
    """An entry that claims to hold 80 MB."""
    at = data.find(b"PK\x01\x02")
    return data[: at + 24] + (80 << 20).to_bytes(4, "little") + data[at + 28 :]


_zip("a name twice in the zip", "a name twice", _twice)
_zip("a zip packed otherwise", "packed in a way not allowed", _packed_otherwise)
_zip("a zip said to be encrypted", "is encrypted", _marked)
_zip("a zip that claims too much", "more than 64 MB", _huge)
_zip("half a zip", "cannot be read", lambda forged, data: data[: len(data) // 2])
_zip(
    "a zip with a byte changed",
    "cannot be read",
    lambda forged, data: data[:2000] + bytes([data[2000] ^ 1]) + data[2001:],
)
_zip("a text in place of a zip", "cannot be read", lambda forged, data: b"trust me\n")
