"""Dice by a second, naive reading of docs/dice.md; dice of rule cases; dice that are kept."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest

from pbem.engine import dice

SECRET = b"a secret"


def chain(first: bytes, many: int) -> list[bytes]:
    links = [hashlib.sha256(b"pbem dice chain 1|" + first).digest()]
    while len(links) <= many:
        links.append(hashlib.sha256(links[-1]).digest())
    return links


@pytest.mark.parametrize("index", [0, 1, 2, 255, 256, 257, 511, 512, 700])
def test_links_of_the_chain(index: int) -> None:
    links = chain(SECRET, index)
    assert dice.chain_link(SECRET, index) == links[index]
    assert dice.hashed(links[-1]) == hashlib.sha256(links[-1]).digest()
    assert dice.commitment(SECRET, index) == links[index].hex()


def test_segments_walk_the_chain_back() -> None:
    assert [dice.link_for(segment, 9) for segment in range(1, 10)] == [8, 7, 6, 5, 4, 3, 2, 1, 0]
    assert (dice.link_for(1), dice.CHAIN_LENGTH) == (4095, 4096)
    for segment in (0, -1, 10):
        with pytest.raises(ValueError, match=f"segment {segment} is beyond the 9 links of this game's dice chain"):
            dice.link_for(segment, 9)


def mac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def test_salts_seals_and_keys() -> None:
    salt = dice.salt(SECRET, 2, 3, "gorn", 4)
    assert salt == mac(SECRET, "salt|2|3|gorn|4")
    assert dice.sealed("SHIP Hood", salt) == hashlib.sha256(salt + b"SHIP Hood").hexdigest()
    assert dice.log_key(SECRET, 4) == mac(SECRET, "log|4")
    assert dice.next_log_digest(b"x", b"line") == hashlib.sha256(b"x" + hashlib.sha256(b"line").digest()).digest()
    assert dice.keyed_log_digest(b"x", SECRET) == hmac.new(SECRET, b"x", hashlib.sha256).hexdigest()
    seals = [("zulu", "bb"), ("alpha", "aa")]
    assert dice.segment_key(SECRET, "duel", 4, seals) == mac(SECRET, "pbem dice 1|duel|4|alpha=aa|zulu=bb")
    assert dice.segment_key(SECRET, "duel", 4, seals, scheme=2) == mac(SECRET, "pbem dice 2|duel|4|alpha=aa|zulu=bb")
    assert dice.segment_key(SECRET, "duel", 4, [], scheme=2, beacon="7:ff") == mac(
        SECRET, "pbem dice 2|duel|4|beacon=7:ff"
    )
    assert dice.preview_key("duel", "t") == hashlib.sha256(b"pbem preview|duel|t").digest()


@pytest.mark.parametrize("scheme", [1, 2])
def test_what_a_secret_knows(scheme: int) -> None:
    source = dice.Secret(SECRET, scheme, length=10)
    salts = mac(SECRET, "pbem salts")
    made_of = chain(salts, 9)[7] if scheme == 2 else SECRET
    assert (source.scheme, source.length) == (scheme, 10)
    assert source.link(3) == chain(SECRET, 9)[7] and source.salt_link(3) == made_of
    assert source.salt(2, 1, "gorn", 3) == mac(made_of, "salt|2|1|gorn|3") and source.log_key(3) == mac(
        made_of, "log|3"
    )
    assert source.commitment == chain(SECRET, 10)[10].hex()
    assert source.salt_commitment == (chain(salts, 10)[10].hex() if scheme == 2 else "")
    assert (dice.Secret(SECRET).scheme, dice.Secret(SECRET).length) == (1, 4096)


def test_a_die_is_the_first_word_of_the_digests_that_favours_nobody() -> None:
    shown = dice.SegmentDice(b"key", 5)
    for number in range(200):
        label = dice.label(1, number, "fire", "Con", "PH 1", number)
        assert label == f"1.{number}.fire Con PH1 {number}"
        first = int.from_bytes(mac(b"key", f"{label}|0")[:8], "big")
        assert shown.roll(label) == first % 6 + 1 and shown.roll(label, 20) == first % 20 + 1
        assert shown.roll(label, 1) == 1
    assert shown.segment == 5 and dice.SegmentDice(b"key").segment == 0
    assert dice.label(1, 2, "fire", "Con", "DAC") == "1.2.fire Con DAC 1"


def test_words_that_would_favour_low_faces_are_passed_over() -> None:
    """With so many sides that half of all words are: the second, the third, the words of the next digest."""
    sides = (1 << 63) + 1
    passed: Counter[int] = Counter()
    for number in range(300):
        words = []
        for block in range(4):
            digest = mac(b"key", f"{number}|{block}")
            words += [int.from_bytes(digest[at : at + 8], "big") for at in (0, 8, 16, 24)]
        place = next(at for at, word in enumerate(words) if word < sides)
        passed[place] += 1
        assert dice.SegmentDice(b"key").roll(str(number), sides) == words[place] + 1
    assert len(passed) > 6 and max(passed) >= 5


def test_dice_of_a_case_by_label_then_in_order_then_others() -> None:
    others = dice.SegmentDice(b"key")
    scripted = dice.ScriptedDice([3, 4], {"a": 5, "1.1.fire x DAC1 1": 9, "1.1.fire x DAC2 1": 3, "20": 20}, others)
    asked = [scripted.roll(label) for label in ("b", "a", "c", "d", "a")]
    assert asked == [3, 5, 4, others.roll("d"), 5] and scripted.roll("20", 20) == 20
    assert scripted.asked == [("b", 3), ("a", 5), ("c", 4), ("d", others.roll("d")), ("a", 5), ("20", 20)]
    # Two dice that are added: as much as can be on the second.
    both = [[scripted.roll(f"1.1.fire x DAC{n}{which} 1") for which in "ab"] for n in (1, 2)]
    assert both == [[3, 6], [1, 2]]
    assert scripted.used == {"a", "20", "1.1.fire x DAC1 1", "1.1.fire x DAC2 1"} and scripted.left_over == 0
    assert dice.ScriptedDice([1, 2]).left_over == 2


@pytest.mark.parametrize(
    ("label", "given", "told"),
    [
        ("x", {}, "the case gives no die for 'x'"),
        ("x", {"x": 7}, "7 is no face of a 6-sided die for 'x'"),
        ("x", {"x": 0}, "0 is no face of a 6-sided die for 'x'"),
        (
            "1.1.fire x DAC1a 1", {"1.1.fire x DAC1a 1": 9},
            "9 is no face of a 6-sided die for '1.1.fire x DAC1a 1'; two dice are rolled there one after the other, "
            "not their sum",
        ),
    ],
)  # fmt: skip
def test_a_die_that_is_none(label: str, given: dict[str, int], told: str) -> None:
    scripted = dice.ScriptedDice(by_label=given)
    with pytest.raises(LookupError) as wrong:
        scripted.roll(label)
    assert wrong.value.args == (told,) and scripted.asked == []


class Shows:
    """Dice that always show the same."""

    def __init__(self, die: int) -> None:
        self.die = die

    def roll(self, label: str, sides: int = 6) -> int:
        return self.die


def test_kept_dice_show_what_their_moment_showed() -> None:
    """From a place on, until before another; the first span that covers a moment counts."""
    spans = [
        dice.DiceSpan(dice.place(1, 2, "move"), dice.place(1, 3, "fire"), Shows(2)),
        dice.DiceSpan(dice.place(1, 3, "launch"), dice.ENDLESS, Shows(3)),
    ]
    kept = dice.KeptDice(Shows(1), spans)
    moments = ["1.2.energy", "1.2.move", "1.2.fire", "1.3.launch", "1.3.bay", "1.3.fire", "1.3.resolve", "9.16.close"]
    assert [kept.roll(f"{moment} x PH1 1") for moment in moments] == [1, 2, 2, 2, 2, 3, 3, 3]
    assert (
        dice.place(1, 2, "fire") < dice.place(1, 2, "resolve") < dice.place(1, 3, "energy") < dice.place(2, 0, "energy")
    )
    with pytest.raises(KeyError):
        dice.place(1, 1, "tea")


def test_who_listens_hears_each_label_once_and_whose_dice_they_were() -> None:
    first, second, own = (dice.SegmentDice(key.encode(), n) for n, key in enumerate("abc", start=1))
    inner = dice.KeptDice(second, [dice.DiceSpan(dice.place(1, 1, "move"), dice.place(1, 2, "move"), first)])
    kept = dice.KeptDice(own, [dice.DiceSpan(dice.place(1, 1, "move"), dice.place(1, 3, "move"), inner)])
    heard = dice.RecordingDice(kept)
    labels = {"1.1.fire x PH1 1": first, "1.2.fire x PH1 1": second, "1.3.fire x PH1 1": own}
    for _ in range(2):
        assert [heard.roll(label, 20) for label in labels] == [who.roll(label, 20) for label, who in labels.items()]
    assert heard.rolls == {label: (20, who.roll(label, 20)) for label, who in labels.items()}
    assert heard.of == {label: who.segment for label, who in labels.items()}
    plain = dice.RecordingDice(first)
    assert plain.roll("1.1.fire x PH1 1") == plain.rolls["1.1.fire x PH1 1"][1] and plain.of == {}
