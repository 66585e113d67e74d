"""The worked examples of the handbook that one look-up answers, by rule number."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.lab.rule_cases.lookups import ASKS, ask

FED, D6 = "fed_cadet_ca", "kli_cadet_d6"

EXAMPLES: list[tuple[str, str, dict[str, Any], Any]] = [
    ("B3.0-4", "total power", {"ship": FED}, 20),
    ("B3.0-4", "total power", {"ship": D6}, 20),
    ("B3.0-4", "total power", {"ship": "rom_cadet_ca"}, 18),
    ("B3.0-5", "boxes", {"ship": FED, "system": "battery"}, 2),
    ("C2.12", "movement cost", {"hexes": 6, "move_cost": "2/3"}, 4),
    ("C2.12", "movement cost", {"hexes": 2, "move_cost": "2/3"}, 2),
    ("B3.2", "movement cost", {"hexes": 10, "move_cost": "2/3"}, 7),
    ("C1.2", "neighbour", {"hex": "2603", "facing": "A"}, "2602"),
    ("C1.2", "neighbour", {"hex": "0608", "facing": "A"}, "0607"),
    ("C1.2", "neighbour", {"hex": "2210", "facing": "C"}, "2311"),
    ("C3.3", "turn mode", {"ship": FED, "speed": 8}, 2),
    ("C3.3", "turn mode", {"ship": FED, "speed": 6}, 1),
    ("C3.3", "turn mode", {"ship": D6, "speed": 8}, 1),
    ("C3.3", "turn mode", {"ship": D6, "speed": 9}, 2),
    ("C3.3", "turn mode", {"letter": "D", "speed": 12}, 3),
    ("C3.3", "turn mode", {"letter": "D", "speed": 31}, 6),
    ("C3.41", "counts after", {"codes": ["F"] * 7 + ["R"], "since_turn": 0}, [1, 1]),
    ("C4.2", "hex after", {"hex": "1212", "facing": "A", "code": "L"}, ["1112", "F"]),
    ("C4.2", "hex after", {"hex": "1212", "facing": "A", "code": "SL"}, ["1112", "A"]),
    ("C4.33", "hex after", {"hex": "1616", "facing": "F", "code": "F"}, ["1516", "F"]),
    ("C4.33", "hex after", {"hex": "1516", "facing": "F", "code": "SR"}, ["1515", "F"]),
    ("C4.33", "hex after", {"hex": "1515", "facing": "F", "code": "F"}, ["1414", "F"]),
    ("C4.33", "hex after", {"hex": "1414", "facing": "F", "code": "R"}, ["1413", "A"]),
    ("C4.33", "neighbour", {"hex": "1414", "facing": "B"}, "1514"),
    ("C4.33", "counts after", {"codes": ["F", "SR", "F"], "since_turn": 0, "since_slip": 0}, [3, 1]),
    ("C4.33", "counts after", {"codes": ["F", "SR"], "since_turn": 0, "since_slip": 0}, [2, 0]),
    ("C5.11", "neighbour", {"hex": "0305", "facing": "A"}, "0304"),
    ("C5.11", "neighbour", {"hex": "0305", "facing": "B"}, "0404"),
    ("C5.11", "neighbour", {"hex": "0305", "facing": "F"}, "0204"),
    ("C5.231", "impulses of", {"speed": 4, "impulses": 32}, [8, 16, 24, 32]),
    ("D2.1", "neighbour", {"hex": "0915", "facing": "C"}, "1015"),
    ("D2.2", "arcs", {"arc": "FX"}, ["L", "LF", "R", "RF"]),
    ("D2.2", "arcs", {"arc": "RX"}, ["L", "LR", "R", "RR"]),
    ("D2.2", "arcs", {"arc": "RA"}, ["LR", "RR"]),
    ("D2.2", "arcs", {"arc": "LS"}, ["L", "LF", "LR"]),
    *[
        ("D2.1", "in arc", {"hex": "0915", "facing": "C", "target": hex, "arc": "LF"}, True)
        for hex in ("1114", "1315", "1612", "2017", "2817", "1417", "1910")
    ],
    *[
        ("D2.1", "in arc", {"hex": "0915", "facing": "C", "target": hex, "arc": arc}, False)
        for hex in ("0701", "2604", "0301")
        for arc in ("LF", "RF")
    ],
    *[
        ("D2.1", "in arc", {"hex": "0915", "facing": "C", "target": "1417", "arc": arc}, True)
        for arc in ("FA", "LS", "RS")
    ],
    ("D3.11", "neighbour", {"hex": "0202", "facing": "B"}, "0302"),
    ("D3.11", "shield faced", {"hex": "0202", "facing": "A", "source": "0201"}, [1]),
    ("D3.11", "shield faced", {"hex": "0202", "facing": "A", "source": "0302"}, [2]),
    ("D3.11", "shield faced", {"hex": "0202", "facing": "A", "source": "0103"}, [5]),
    ("D3.21", "absorb", {"points": 12, "boxes": 16}, {"general": 0, "specific": 0, "boxes": 12, "internals": 0}),
    ("D3.21", "absorb", {"points": 12, "boxes": 12}, {"general": 0, "specific": 0, "boxes": 12, "internals": 0}),
    ("D3.21", "absorb", {"points": 12, "boxes": 10}, {"general": 0, "specific": 0, "boxes": 10, "internals": 2}),
    ("D3.341", "general reinforcement", {"energy": 10}, 5),
    (
        "D3.343",
        "absorb",
        {"points": 2, "boxes": 20, "general": 3},
        {"general": 2, "specific": 0, "boxes": 0, "internals": 0},
    ),
    (
        "D3.343",
        "absorb",
        {"points": 15, "boxes": 20, "general": 1, "specific": 10},
        {"general": 1, "specific": 10, "boxes": 4, "internals": 0},
    ),
    (
        "D3.343",
        "absorb",
        {"points": 5, "boxes": 0, "general": 1, "specific": 2},
        {"general": 1, "specific": 0, "boxes": 0, "internals": 4},
    ),
    ("D3.4", "shield faced", {"hex": "0707", "facing": "A", "source": "0806"}, [2]),
    ("D3.4", "hex after", {"hex": "0708", "facing": "A", "code": "R"}, ["0807", "B"]),
    ("D3.4", "shield faced", {"hex": "0807", "facing": "B", "source": "0806"}, [6]),
    ("D3.4 odd", "shield faced", {"hex": "0707", "facing": "A", "source": "0807", "grid": "odd"}, [2]),
    ("D3.4", "shield faced", {"hex": "0202", "facing": "A", "source": "0305"}, [4]),
    ("D3.41", "shield faced", {"hex": "0304", "facing": "D", "source": "0405"}, [1, 6]),
    ("D4.5", "absorb", {"points": 2, "boxes": 12}, {"general": 0, "specific": 0, "boxes": 2, "internals": 0}),
    ("D4.5", "absorb", {"points": 21, "boxes": 8}, {"general": 0, "specific": 0, "boxes": 8, "internals": 13}),
    ("D4.5", "absorb", {"points": 55, "boxes": 30}, {"general": 0, "specific": 0, "boxes": 30, "internals": 25}),
    ("D4.5", "boxes", {"ship": D6, "system": "shield 2"}, 12),
    ("D4.321", "shield faced", {"hex": "0619", "facing": "A", "source": "0719"}, [2]),
    ("D9.2", "boxes repaired", {"energy": 4}, 2),
    ("E1.5", "quarter turn", {"impulses": 8}, 2),
    ("E1.5", "quarter turn", {"impulses": 16}, 4),
    ("E1.5", "quarter turn", {"impulses": 32}, 8),
    ("E2.1", "phaser energy", {"type": "ph1"}, 1.0),
    ("E2.1", "phaser energy", {"type": "ph3"}, 0.5),
    ("E2.1", "phaser energy", {"type": "phG"}, 1.0),
    ("E2.4", "phaser damage", {"type": "ph2", "range": 3, "die": 2}, 4),
    ("E2.4", "phaser damage", {"type": "ph1", "range": 1, "die": 1}, 8),
    ("E2.4", "phaser damage", {"type": "ph1", "range": 76, "die": 1}, 0),
    ("E3.31", "shot", {"type": "disruptor", "range": 3, "effective": 11, "die": 4}, 4),
    ("E3.31", "shot", {"type": "disruptor", "range": 3, "effective": 16, "die": 4}, 0),
    ("E4.12", "photon hits", {"range": 6, "die": 3}, True),
    ("E4.12", "photon hits", {"range": 6, "die": 4}, False),
    ("E4.12", "photon hits", {"range": 11, "die": 4}, False),
    ("E4.12", "photon hits", {"range": 11, "die": 2}, True),
    ("E4.13", "photon damage", {}, 8),
    ("FD1.52", "shot", {"type": "photon", "range": 2, "die": 3, "target": "drone"}, 8),
    ("FD1.52", "shot", {"type": "photon", "range": 2, "die": 4, "target": "drone"}, 0),
    ("FD1.51", "shot", {"type": "ph1", "range": 1, "die": 6, "target": "drone"}, 4),
    ("FD1.4", "drone endurance", {"turn": 3, "impulse": 4, "impulses": 16}, [6, 4]),
    ("FD1.4", "drone endurance", {"turn": 3, "impulse": 32, "impulses": 32}, [6, 32]),
    ("FD1.6", "drone", {"level": "cadet"}, [6, 4]),
    ("FD1.6", "drone", {"level": "standard"}, [12, 4]),
    ("F2.0", "seeker steps", {"at": "1109E", "target": "0808"}, ["1009E", "1008F"]),
    ("F2.0", "seeker steps", {"at": "1206F", "target": "0808"}, ["1107E"]),
    ("F2.0", "seeker step", {"at": "1206F", "target": "0808"}, "1107E"),
    ("F2.0", "seeker step", {"at": "1109E", "target": "0808"}, "1009E"),
    ("F2.0 odd", "seeker steps", {"at": "1109E", "target": "0809", "grid": "odd"}, ["1010E", "1009F"]),
    ("F2.0 odd", "seeker steps", {"at": "1206F", "target": "0809", "grid": "odd"}, ["1106E"]),
    ("F2.0 odd", "seeker step", {"at": "1206F", "target": "0808", "grid": "odd"}, "1106E"),
    ("F2.0 odd", "seeker step", {"at": "1209E", "target": "0808", "grid": "odd"}, "1109E"),
    ("F2.0", "seeker step", {"at": "1109E", "target": "0808", "way": "RIGHT"}, "1008F"),
    ("F2.0", "seeker step", {"at": "1109E", "target": "0808", "way": "LEFT"}, "1009E"),
    ("FD1.2", "seeker steps", {"at": "1206F", "target": "0808", "straight": 0}, ["1106F"]),
    ("H6.0", "capacity", {"ship": FED}, 3.0),
    ("H6.0", "capacity", {"ship": "kzi_cadet_ca"}, 3.0),
    ("C1.42", "maximum speed", {"impulses": 8}, 8),
    ("C1.42", "maximum speed", {"impulses": 16}, 16),
    ("C1.42", "maximum speed", {"impulses": 32}, 31),
    ("C1.42", "maximum speed", {"impulses": 32, "seeker": True}, 32),
    ("D1.4", "distance", {"a": "1207", "b": "0808"}, 4),
    ("D1.4", "distance", {"a": "1306", "b": "0808"}, 5),
    ("D1.4", "distance", {"a": "1307", "b": "0808"}, 5),
    ("D1.4", "distance", {"a": "0808", "b": "0808"}, 0),
    ("#5", "start", {"scenario_number": "5", "unit": "Constellation"}, "2801E"),
    ("#4", "start", {"scenario_number": "4", "unit": "War"}, "0117B"),
]


@pytest.mark.parametrize(
    ("rule", "function", "given", "answer"), EXAMPLES, ids=[f"{n}-{e[0]}-{e[1]}" for n, e in enumerate(EXAMPLES)]
)
def test_example(rule: str, function: str, given: dict[str, Any], answer: Any) -> None:
    assert ask(function, **given) == answer


IMPULSE_CHART_EXAMPLE = {
    1: [8],
    2: [8, 5, 4],
    3: [8, 3],
    4: [8, 5, 4],
    5: [8, 5],
    6: [8, 4, 3],
    7: [8, 5],
    8: [8, 5, 4, 3],
}


@pytest.mark.parametrize(("impulse", "movers"), IMPULSE_CHART_EXAMPLE.items())
def test_example_of_the_8_impulse_chart_c1_44(impulse: int, movers: list[int]) -> None:
    assert [speed for speed in (8, 5, 4, 3) if ask("moves", speed=speed, impulse=impulse, impulses=8)] == movers


def test_half_circle_of_turn_mode_2_is_five_hexes_across_c3_1() -> None:
    hex, facing, columns = "1515", "A", set()
    for code in ("R", "F", "R", "F", "R"):
        hex, facing = ask("hex after", hex=hex, facing=facing, code=code)
        columns.add(int(hex[:2]))
    assert facing == "D"
    assert len(columns | {15}) == 5


def test_every_look_up_says_what_it_answers() -> None:
    for name, function in ASKS.items():
        assert function.__doc__, name


def test_unknown_look_ups_and_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="phaser damage"):
        ask("phaser dammage")
    with pytest.raises(ValueError, match="photon hits"):
        ask("photon hits", reach=3)
