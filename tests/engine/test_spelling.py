"""What people write in a case, and what docs/cases.md calls it."""

from __future__ import annotations

import pytest

from pbem.data.files import NotToml
from pbem.engine.state_paths import loads, moment_text, near, path_as_meant, state_paths


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Shield_1", "shield 1"), ("shields #6", "shield 6"), ("#3", "shield 3"), ("3", "shield 3"), ("0", "0"),
        ("SHIELD # 2", "shield 2"), ("shield7", "shield7"), ("Reinforcement #4", "reinforcement 4"),
        ("ph1", "ph 1"), ("PHASER-12", "phaser 12"), ("fired drn2", "fired drn 2"), ("rack 3", "rack 3"),
        ("photA", "phot a"), ("fired PHOTON_b", "fired photon b"), ("plase", "plase"), ("disr  D", "disr d"),
        ("since-turn", "since turn"), ("Left_Warp", "warp left"), ("transporter", "tran"), ("ph a", "ph a"),
    ],
)  # fmt: skip
def test_a_path_as_it_is_meant(written: str, meant: str) -> None:
    assert path_as_meant(written) == meant == path_as_meant(meant)


def test_each_other_name_is_another() -> None:
    assert all(path_as_meant(name.upper()) == known != name for name, known in state_paths()["spellings"].items())


def test_several_keys_in_one_line() -> None:
    assert loads('a = 1; b = "x; c = 2"\n# d = 3; e = 4\nf = \'\'\'y; z = 1\'\'\'; "g h" = 5\n') == {
        "a": 1, "b": "x; c = 2", "f": "y; z = 1", "g h": 5,
    }  # fmt: skip
    assert loads("[t]\na = 1\n") == {"t": {"a": 1}}
    for wrong in ("a = 1; b", "a = = 1", "a = 1; = 2"):
        with pytest.raises(NotToml) as told:
            loads(wrong)
        assert told.value.__suppress_context__


def test_what_is_spelled_much_alike() -> None:
    assert near("shild 1", ["shield 1", "hull"]) == "; did you mean shield 1?"
    assert near("PHOT a", ["PHOT A", "ph 1"]) == "; did you mean PHOT A?"
    assert near("", ["hull"]) == near("xyz", ["hull"]) == near("hull", []) == ""


def test_moments_in_words() -> None:
    assert [moment_text(moment, 16) for moment in (None, 1, 16, 17, 33)] == ["", "1.1", "1.16", "2.1", "3.1"]
