"""What orders are made of: whom a condition is about, who stands for somebody behind it, how much a line may hold."""

from __future__ import annotations

import msgspec
import pytest

from pbem.orders import model as om
from pbem.orders.lexer import quoted_word
from pbem.orders.mail_text import text_of
from pbem.orders.reader import read_condition, read_orders

X = om.UnitRef(how="name", name="x")


@pytest.mark.parametrize(
    "text",
    ["RANGE x <= 4", "x WITHIN 3", "x IN FA", "#1 OF x DOWN", "FACED SHIELD OF x DOWN", "SPEED x > 3", "INTERNALS OF x",
     "x DAMAGED", "x LAUNCHES", "x FIRES", "x REACHES 0101"],
)  # fmt: skip
def test_whom_a_condition_is_about(text: str) -> None:
    asked = read_condition(text)
    assert om.subject(asked) == X and om.names_units(asked)
    mine = read_condition(text.replace("x", "ME"))
    assert om.subject(mine) == om.ME and not om.names_units(mine)
    assert not om.names_units(om.Negation(of=asked)) and om.subject(om.Negation(of=asked)) is None
    for joined in (om.All(of=(mine, asked)), om.AnyOf(of=(asked, mine)), om.All(of=(om.AnyOf(of=(mine, asked)), mine))):
        assert om.names_units(joined) and om.subject(joined) is None
    assert not om.names_units(om.All(of=(mine, mine)))


@pytest.mark.parametrize("text", ["IMPULSE 8", "#1 DOWN", "INTERNALS"])
def test_conditions_about_nobody_else(text: str) -> None:
    assert not om.names_units(read_condition(text))


def test_the_target_of_an_order_is_nobody_behind_a_condition() -> None:
    target = om.UnitRef(how="target")
    assert not om.names_units(om.Range(of=target, test=om.Compare(op="<", value=3)))


def test_who_has_the_helm_after_a_reaction() -> None:
    asked = read_condition("ENEMY WITHIN 3")
    for how, keeps in (("it", True), ("each", True), ("name", False), ("nearest", False)):
        pilot = om.Pilot(how="toward", unit=om.UnitRef(how=how, name="x" * (how == "name")))
        handed = om.Reaction(condition=asked, pilot=pilot).hands_over()
        assert handed is not None and (handed.condition is asked) == keeps and handed.unit == pilot.unit
    assert om.Reaction(condition=asked, codes=("F",)).hands_over() is None


def test_a_condition_may_be_so_deep_and_no_deeper() -> None:
    for opens, closes in (("(", ")"), ("NOT ", ""), ("NOT (", ")")):
        levels = len(opens.replace(" ", "").replace("NOT", "n"))
        fits = 30 // levels
        for depth, codes in ((fits, []), (fits + 1, ["too-deep"])):
            text = f"SHIP a\nBREAK\n  {opens * depth}#1 DOWN{closes * depth}"
            assert [fault.code for fault in read_orders(text, header=False).faults] == codes, depth


def test_how_much_of_a_word_is_shown() -> None:
    assert quoted_word("x" * 30) == '"' + "x" * 30 + '"' and quoted_word("x" * 31) == '"' + "x" * 29 + '…"'


@pytest.mark.parametrize(
    ("text", "faults", "units"),
    [
        # Orders of a side without a ship: guides and breaks, and nothing else.
        ("GAME g\nDO\n  GUIDE KD/1 LEFT\nBREAK\n  IMPULSE 8", [], [""]),
        ("GAME g\nGUIDE KD/1 LEFT", [], [""]), ("GAME g\nBREAK IMPULSE 8", [], [""]),
        ("GAME g\nDO\n  GUIDE KD/1 LEFT AND CLOAK", ["no-unit"], []), ("GAME g\nDO\n  CLOAK", ["no-unit"], []),
        ("GAME g\nDO\n  GUIDE KD/1 LEFT\nPLOT F", ["no-unit"], []), ("GAME g\nENERGY\n  PHASERS 1", ["no-unit"], []),
        ("GAME g\nDO\n  GUIDE KD/1 LEFT\nSPEED 3", ["no-unit"], []), ("GAME g\nDAMAGE HULL", ["no-unit"], []),
        ("GAME g\nDO\n  GUIDE KD/1 LEFT\nENERGY", ["no-unit"], []),
        ("GAME g\nDO\nSHIP a\nPLOT F", [], ["a"]), ("GAME g\nBREAK IMPULSE 8\nSHIP a", [], ["", "a"]),
        # What follows a shuttle and is not its own is the last ship's.
        ("GAME g\nSHIP a\nSHUTTLE b\nENERGY\n  PHASERS 1\nDO\n  CLOAK", [], ["a", "b"]),
        ("GAME g\nSHIP a\nSHIP c\nSHUTTLE b\nBREAK IMPULSE 8", [], ["a", "c", "b"]),
        ("GAME g\nSHUTTLE b\nDAMAGE HULL", ["not-for-shuttle"], ["b"]),
        ("GAME g\nSHUTTLE b\nBREAK IMPULSE 8\n  IMPULSE 9", ["not-for-shuttle"], ["b"]),
        # Headers.
        ("SHIP a\nPLOT F", ["no-header"], ["a"]), ("Hello\nthere", ["no-header"], []), ("", ["no-orders"], []),
        ("TURN 2\nSHIP a", ["no-header"], ["a"]), ("GAME g\nSHIP a\nTURN 2", ["header-twice"], ["a"]),
        ("GAME g\nGAME g\nSHIP a", [], ["a"]), ("GAME g\nGAME h\nSHIP a", ["header-twice"], ["a"]),
        ("GAME\nSHIP a", ["incomplete"], ["a"]), ("CONTINUE", ["no-header"], []), ("GAME g\nCONTINUE", [], []),
        ("GAME g\nCONTINUE\nSHIP a", ["continue-and-orders"], ["a"]),
        ("GAME g CONCEDE\nSHIP a", ["concede-and-orders"], ["a"]),
        ("GAME g\nSHIP a\nEND\nSHIP b", [], ["a"]), ("GAME g\nSHIP a\nSHIP A", ["unit-twice"], ["a"]),
    ],
)  # fmt: skip
def test_whose_orders_they_are(text: str, faults: list[str], units: list[str]) -> None:
    reading = read_orders(text)
    assert [fault.code for fault in reading.faults] == faults
    assert [unit.unit for unit in reading.orders.units] == units


def test_what_stands_below_a_shuttle_belongs_to_the_ship_above_it() -> None:
    text = "GAME g\nSHIP a\nSHUTTLE boat\nENERGY\n  PHASERS 1\nBREAK IMPULSE 8\nDAMAGE HULL\n"
    text += "SHUTTLE c\nDO\n  LAND\nSPEED 4\nPLOT F"
    ship, first, second = read_orders(text).orders.units
    assert ship.energy is not None and len(ship.breaks) == len(ship.damage) == 1 and ship.plot is None
    assert first == om.UnitOrders(unit="boat", shuttle=True, line=3, column=1, text="SHUTTLE boat")
    assert len(second.do) == 1 and second.speed == 4 and second.plot is not None and second.energy is None


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\0b\0c\0", "abc"), (b"\0a\0b\0c", "abc"), (b"a\0b", "a\0b"), (b"a\0", "a"), (b"\0a", "a"), (b"a", "a"),
        (b"", ""),
        ("Łódź at 12 o'clock".encode("utf-16-le"), "Łódź at 12 o'clock"), ("日a".encode("utf-16-be"), "e\u00e5\0a"),
        (b"\0\0\0\0", "\0\0\0\0"), ("aaaa日".encode("utf-16-le"), "aaaa日"),
        ("aaa日".encode("utf-16-le"), "a\0a\0a\0\u00e5e"),
        (b"\xff\xfea\0", "a"), (b"\xfe\xff\0a", "a"), (b"\xef\xbb\xbfa", "a"), (b"\xff\xfe\0\0a\0\0\0", "a"),
        (b"\xe4", "ä"), (b"\xc3\xa4", "ä"), (b"\x80", "€"),
    ],
)  # fmt: skip
def test_bytes_without_a_label(data: bytes, text: str) -> None:
    assert text_of(data) == text


def test_what_was_read_cannot_be_changed_and_is_named_field_by_field() -> None:
    from pbem.orders import activities, conditions, draft, messages, names, reader

    structs = [
        kind
        for module in (om, activities, conditions, names, draft, messages, reader)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind.__module__ == module.__name__
    ]
    assert len(structs) > 40
    assert [kind for kind in structs if not kind.__struct_config__.frozen] == []
    with pytest.raises(TypeError):
        om.UnitRef("name", "x")  # type: ignore[call-arg]
