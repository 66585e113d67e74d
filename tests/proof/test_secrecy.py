"""What a running game reveals: the links of what was played, and nothing by which anybody could know more than he
may.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.engine import dice
from pbem.engine.events import OrdersFiled, Record, Requested, SegmentBegan, seen_by
from pbem.games.proof.reveal import proof_for, running_digests
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.lab.random_games.play import deal, key_for, opening, playable, stretches

KINDS = ("first", "second", "beacon")


def moments(game: GameFolder) -> list[tuple[int, list[Record]]]:
    """Every moment at which reports were written: the segments played by then, and the log."""
    records = game.effective()
    ends = [place for place, record in enumerate(records) if isinstance(record.event, SegmentBegan)]
    found = []
    for number, end in enumerate([*ends, len(records)]):
        found.append((number, records[:end]))
    return found


def report_folder(game: GameFolder, records: list[Record]) -> Path:
    asked = [record.event.request for record in records if isinstance(record.event, Requested)][-1]
    return game.request_folder(asked.turn, asked.number)


@pytest.mark.parametrize("kind", KINDS)
def test_no_report_has_a_link_of_a_segment_not_yet_played(kind: str, games: dict[str, Path]) -> None:
    """Nor the secret, nor anything a later link follows from; and each has the link of the segment just played."""
    with opened(games[kind]) as game:
        secret = game.secret()
        links = {number: dice.chain_link(secret, dice.link_for(number)).hex() for number in range(1, 60)}
        for played, records in moments(game)[:-1]:
            folder = report_folder(game, records)
            files = [path for path in folder.rglob("*") if path.is_file()]
            whole = b"\n".join(path.read_bytes() for path in files)
            assert len(files) >= 3
            for number, link in links.items():
                assert number <= played or link.encode() not in whole, f"segment {number} in {folder}"
            assert secret.hex().encode() not in whole
            if played:
                assert links[played].encode() in whole


@pytest.mark.parametrize("kind", KINDS)
def test_salts_and_log_keys_of_others_are_in_no_report(kind: str, games: dict[str, Path]) -> None:
    with opened(games[kind]) as game:
        source = game.dice()
        assert isinstance(source, dice.Secret)
        sides = [name for name, side in game.state().sides.items() if not side.robot]
        for played, records in moments(game)[1:]:
            proofs = {side: proof_for(game, records, side) for side in (*sides, "umpire", "")}
            for reader, proof in proofs.items():
                assert proof is not None and proof.segments[-1].segment == played
                text = repr(proof)
                for segment in proof.segments:
                    number = segment.segment
                    assert source.log_key(number).hex() not in text
                    assert source.salt_link(number).hex() not in text
                    for other in sides:
                        salt = source.salt(segment.turn, segment.request, other, number).hex()
                        assert (salt in text) == (other == reader), (reader, other, number)


@pytest.mark.parametrize("kind", KINDS)
def test_own_orders_can_be_held_against_the_hash_that_was_told(kind: str, games: dict[str, Path]) -> None:
    """With the salt a player is told, the orders he sent (in normal form, as his receipt echoed them) give the hash."""
    checked = 0
    with opened(games[kind]) as game:
        for record in game.effective():
            event = record.event
            if not isinstance(event, OrdersFiled) or event.continued:
                continue
            began = [r for r in game.effective() if isinstance(r.event, SegmentBegan) and r.n < record.n][-1]
            assert isinstance(began.event, SegmentBegan)
            moment = next(records for played, records in moments(game) if played == began.event.segment)
            proof = proof_for(game, moment, event.side)
            assert proof is not None
            told = next(one for one in proof.segments if one.segment == began.event.segment)
            assert dice.sealed(event.text, bytes.fromhex(told.salt)) == dict(told.seals)[event.side] == event.sealed
            checked += 1
    assert checked >= 6


def told_dice(event: object) -> dict[str, object]:
    """All that an event says of dice."""
    fields = ("roll", "die", "rolls", "holders_dice", "raiders_dice", "second_roll", "second")
    return {field: value for field in fields if (value := getattr(event, field, None))}


@pytest.mark.parametrize("number", playable())
@pytest.mark.slow
def test_every_die_is_told_to_all(number: str) -> None:
    """Who knows a segment's link can work out any roll of it. So no roll may be one side's secret: a rule that wants
    one needs a key of its own for it, and a new scheme.
    """
    begun = opening(deal(key_for(number, 7, 0)))
    played = list(stretches(begun, turns=4))
    records = [record for stretch in played for record in stretch.records]
    sides = sorted(begun.state.sides)
    rolls = 0
    for record in records:
        dice_told = told_dice(record.event)
        rolls += bool(dice_told)
        for side in (*sides, ""):
            seen = seen_by(record, side)
            assert not dice_told or (seen is not None and told_dice(seen) == dice_told), record
    assert rolls, "the games played here must have dice"


def test_the_digest_of_the_log_depends_on_every_record(games: dict[str, Path]) -> None:
    with opened(games["second"]) as game:
        records = game.records()
        whole = running_digests(records)
        hidden = next(place for place, record in enumerate(records) if seen_by(record, "klingon") is None)
        without = [record for place, record in enumerate(records) if place != hidden]
        other = running_digests(without)
    assert whole.keys() == other.keys() == {1, 2, 3}
    assert all(whole[number] != other[number] for number in whole)
