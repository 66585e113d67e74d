"""Nothing a side is given tells what only another side may know: all golden games, every request, every byte.

Three ways to look, each of which finds what the others may miss:

* reports and drafts are made anew from a log out of which everything was cut that their reader may not see: they must
  come out the same, byte for byte;
* a stretch of play is played again with another secret (another energy form, a condition, a break, a choice of
  damage) and the same dice: as long as nothing follows from it, the others must be given the same bytes;
* the bytes are searched for words: lines of orders, tokens, salts and links of the dice that are not yet revealed.
"""

from __future__ import annotations

import html
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from email import message_from_bytes
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import msgspec
import pytest

from pbem.engine import dice, events as ev
from pbem.engine.checking.check import check
from pbem.engine.log import fold, fold_records
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.state import State
from pbem.errors import GameError
from pbem.games import create
from pbem.games.proof.reveal import proofs
from pbem.games.proof.seals import sealed_orders
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.papers import FORM
from pbem.games.storage.publish import reports_folder
from pbem.games.vassal_files import POSITIONS
from pbem.lab.random_games.play import answer
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders
from pbem.reports.draft.draft import draft_for
from pbem.reports.form.form import form_html
from pbem.reports.html.page import WHOLE
from pbem.reports.html.whole_game import whole_html
from pbem.reports.mail.mime import Attachment
from pbem.reports.view.build import build_whole
from tests.rendered import render

HERE = Path(__file__).parent
replace = msgspec.structs.replace


def _load(name: str) -> ModuleType:
    """A script that lies beside this file (test folders are no packages)."""
    if f"golden_{name}" not in sys.modules:
        spec = importlib.util.spec_from_file_location(f"golden_{name}", HERE / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[f"golden_{name}"] = module
        spec.loader.exec_module(module)
    return sys.modules[f"golden_{name}"]


golden = _load("scenarios")
refresh = golden.refresh
TRIANGLE = HERE.parent / "mail" / "triangle.toml"
"""Three sides; two of them are allies here, who share no secrets either."""
QUICK = ("s01",)
MOST = 5
"""Moments of a game that are looked at."""
HEXADECIMAL = re.compile("[0-9a-f]{64,}")
"""Where secrets, links and salts may stand in a text: all of them have 64 digits."""
EVERY_GAME = [*golden.BOOK, *refresh.EXAMPLES, "triangle"]
EVERY = [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in EVERY_GAME]


class Moment(NamedTuple):
    """A folder of reports, and the records that were in the log when they were made."""

    folder: Path
    records: list[ev.Record]


@pytest.fixture(scope="module")
def played(
    tmp_path_factory: pytest.TempPathFactory, replayed: Callable[[str], Path], scenario_game: Callable[[str], Path]
) -> Callable[[str], Path]:
    """The folder of a game played to its end; each is played once."""

    @cache
    def folder(name: str) -> Path:
        if name == "triangle":
            made = tmp_path_factory.mktemp("secrecy") / name
            _triangle(made)
            return made
        return replayed(name) if name in refresh.EXAMPLES else scenario_game(name)

    return folder


def _triangle(made: Path) -> None:
    """Two turns of random orders for three sides."""
    import random

    from pbem.games.resolve import resolve_game as play_on
    from pbem.games.submit import submit

    rng = random.Random("triangle")
    people = {"federation": "ann@example.org", "klingon": "kor@example.org", "romulan": "tal@example.org"}
    allies = {"federation": "allies", "romulan": "allies"}
    create.new(str(TRIANGLE), made, players=people, teams=allies, seed="triangle")
    while True:
        with opened(made) as game:
            state = game.state()
            if state.request is None or state.request.turn > 2:
                return
            for side in state.request.sides:
                submit(game, answer(rng, state, game.scenario(), side).sent, f"{side}.orders")
            play_on(game)


def moments(game: GameFolder) -> Iterator[Moment]:
    """Every request of a game and its end, with what was known then."""
    records = game.effective()
    for place, record in enumerate(records):
        if isinstance(record.event, ev.SegmentBegan):
            before = records[:place]
            yield Moment(reports_folder(game, fold_records(before)), before)
    yield Moment(reports_folder(game), records)


def people(game: GameFolder) -> list[str]:
    return [side for side, state in game.state().sides.items() if not state.robot]


def cut(records: list[ev.Record], side: str) -> list[ev.Record]:
    """The log as if everything that another side alone may know had never been written."""
    found = []
    for record in records:
        if record.only in ("", side):
            found.append(record)
        elif record.shown is not None:
            found.append(replace(record, event=record.shown, only="", shown=None))
    return found


def given(folder: Path, side: str) -> dict[str, bytes]:
    """Every file a side is given with a request."""
    return {path.name: path.read_bytes() for path in sorted((folder / side).iterdir())}


def some(found: Iterable[Any]) -> list[Any]:
    """All moments of a game, of a long one every so many, and its end."""
    listed = list(found)
    return listed[:-1][:: 1 + len(listed) // MOST] + listed[-1:]


def positions(mail: bytes) -> list[Attachment]:
    """The VASSAL save a mail holds: everybody's is the same, and made of what spectators see (tests/games)."""
    parts = [part for part in message_from_bytes(mail).walk() if part.get_filename() == POSITIONS]
    saves = [save for part in parts if isinstance(save := part.get_payload(decode=True), bytes)]
    return [Attachment(POSITIONS, save, "octet-stream", "application") for save in saves]


# --- from one's own view alone ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_reports_are_made_of_what_their_reader_may_see(name: str, played: Callable[[str], Path]) -> None:
    compared = 0
    with opened(played(name)) as game:
        scenario = game.scenario()
        for folder, records in some(moments(game)):
            told = proofs(game, records)
            for side in people(game):
                own = cut(records, side)
                state = fold([record.event for record in own])
                asked = state.request
                draft = draft_for(state, scenario, asked, side) if asked and side in asked.sides else ""
                draft_name = f"{side}.r{asked.number}.orders" if asked and draft else ""
                sent = given(folder, side)
                form = form_html(own, side, scenario, draft).encode() if draft else b""
                whole = whole_html(build_whole(own, side, scenario=scenario), record=True) if state.over else ""
                beside = [Attachment(WHOLE, whole, "html")] if whole else []
                made = render(
                    own, side, to=game.terms.sides[side].player, draft=draft, draft_name=draft_name,
                    enclosed=[*([Attachment(FORM, form, "html")] if draft else beside), *positions(sent["mail.eml"])],
                    proof=told(side), scenario=scenario,
                )  # fmt: skip
                files = {"mail.eml": made.mail, "sitrep.html": made.html.encode(), "sitrep.txt": made.text.encode()}
                if draft:
                    files |= {"orders.draft": draft.encode(), FORM: form}
                if whole:
                    files[WHOLE] = whole.encode()
                assert files.keys() == sent.keys()
                for file, content in sent.items():
                    assert files[file] == content, f"{folder}/{side}/{file}"
                compared += 1
    assert compared > 1


# --- with another secret ---------------------------------------------------------------------------------------------

ENERGY = (
    "GENERAL 1", "RECHARGE 1", "REINFORCE #4 WITH 1", "PHASERS 1", "PHASERS 0", "DISR A 2", "PHOT A 2", "PLAS A 1",
)  # fmt: skip
LATER = {
    "DO": ("AT {last} IF SPEED {enemy} >= 99 THEN FIRE ALL AT {enemy}", "RESERVE UP TO 1 TO #4 IF INTERNALS > 999"),
    "BREAK": ("SPEED {enemy} >= 99", "INTERNALS OF {enemy} > 999"),
}
"""Orders that never act and breaks that never fire."""


def others(state: State, text: str, ship: str, section: str, line: str) -> str:
    """Orders with one line more in a ship's section, in normal form; empty if they cannot be read."""
    lines, found, here = text.rstrip("\n").split("\n"), [], ""
    done = False
    for one in [*lines, "END"] if "END" not in lines else lines:
        head = re.match(r"(SHIP|SHUTTLE|END)\b\s*(.*)", one)
        if head:
            if here == ship and not done:
                found += [section, f"  {line}"]
                done = True
            here = head[2].strip('"') if head[1] == "SHIP" else ""
        found.append(one)
        if here == ship and not done and one.strip() == section:
            found.append(f"  {line}")
            done = True
    reading = read_orders("\n".join(found) + "\n")
    return "" if reading.faults or not done else write_orders(reading.orders)


def variants(game: GameFolder, state: State, side: str, text: str) -> Iterator[str]:
    """Legal orders of a side that differ from those it gave in what nobody else notices."""
    request = state.request
    assert request is not None
    energy = [("ENERGY", line) for line in ENERGY] if request.form == "EAF" else []
    enemy = next((unit.name for unit in state.ships() if state.enemies(unit.side, side)), "")
    later = [(section, line) for section, lines in LATER.items() for line in lines] if request.form != "EAF" else []
    for ship in [unit for unit in state.ships() if unit.side == side and unit.in_play]:
        for section, line in [*energy, *later]:
            told = line.format(enemy=f'"{enemy}"', last=request.through)
            other = others(state, text, ship.name, section, told)
            orders = replace(read_orders(other).orders, side=side, game=state.game) if other else None
            if orders and other != text and not check(state, game.scenario(), request, side, orders).faults:
                yield other


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in EVERY_GAME if name not in ("s01", "s02", "s03", "s04", "s11")])
def test_another_secret_changes_nothing_for_the_others(name: str, played: Callable[[str], Path]) -> None:
    from pbem.ai.robot import commanders

    tried = 0
    with opened(played(name)) as game:
        scenario, source = game.scenario(), game.dice()
        places = [place for place, record in enumerate(game.effective()) if isinstance(record.event, ev.SegmentBegan)]
        for place in some(places):
            records = game.effective()[:place]
            state = fold_records(records)
            request = state.request
            assert request is not None
            texts = {
                record.event.side: "CONTINUE" if record.event.continued else record.event.text
                for record in game.effective()[place : place + 1 + len(request.sides)]
                if isinstance(record.event, ev.OrdersFiled)
            }
            _, key = sealed_orders(source, state, texts)

            def outcome(changed: dict[str, str], state: State = state, key: bytes = key) -> list[ev.Record]:
                filed = {side: Filed(text=text) for side, text in changed.items()}
                return resolve(state, scenario, filed, dice.SegmentDice(key), robots=commanders(scenario)).records

            usual: list[ev.Record] | None = None
            sent: dict[str, tuple[str, str, bytes]] = {}  # what each is given of that, which is made but once
            for side, text in texts.items():
                for other in variants(game, state, side, text) if text != "CONTINUE" else ():
                    try:
                        changed = outcome({**texts, side: other})
                    except GameError:
                        continue
                    usual = usual if usual is not None else outcome(texts)
                    for reader in people(game):
                        if reader != side:
                            assert seen_of(changed, reader) == seen_of(usual, reader), (request, side, other)
                            if reader not in sent:
                                sent[reader] = report(game, [*records, *usual], reader)
                            assert report(game, [*records, *changed], reader) == sent[reader]
                    assert seen_of(changed, side) != seen_of(usual, side), "the secret is one"
                    tried += 1
        assert tried or len(people(game)) < 2, "no secret could be changed"


def seen_of(records: list[ev.Record], side: str) -> list[ev.AnyEvent]:
    return [seen for record in records if (seen := ev.seen_by(record, side))]


def report(game: GameFolder, records: list[ev.Record], side: str) -> tuple[str, str, bytes]:
    state = fold_records(records)
    asked = state.request
    draft = draft_for(state, game.scenario(), asked, side) if asked and side in asked.sides else ""
    made = render(records, side, draft=draft)
    return made.text, made.html, made.mail


# --- words -----------------------------------------------------------------------------------------------------------


def readable(files: dict[str, bytes]) -> str:
    """All that files hold, as it is and as it is read: entities, escapes of JSON, parts of mails."""
    pieces = []
    for name, content in files.items():
        # Order forms offer everybody the same words, whatever others wrote; they are compared above.
        if name == FORM:
            continue
        if not name.endswith(".eml"):
            pieces.append(content)
        else:
            mail = message_from_bytes(content)
            found = [part for part in mail.walk() if part.get_filename() != FORM]
            pieces += [str(part.items()).encode() for part in mail.walk()]
            parts = [part.get_payload(decode=True) for part in found]
            pieces += [part for part in parts if isinstance(part, bytes)]
    text = b"\n".join(pieces).decode("utf-8", "replace")
    plain = html.unescape(re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), text))
    return " ".join(f"{text}\n{plain}".replace('\\"', '"').split()).casefold()


def lines_of(text: str) -> set[str]:
    """The lines of orders that say something of their own."""
    found = {" ".join(line.split()).casefold() for line in re.sub(r" #(?!\d).*", "", text).split("\n")}
    heads = ("game ", "ship ", "shuttle ")
    # Without a number or a name a line may stand in anybody's orders, and in the hints of every draft.
    return {line for line in found if len(line) >= 12 and re.search(r"\d", line) and not line.startswith(heads)}


@pytest.mark.parametrize("name", EVERY)
def test_no_word_of_what_is_hidden_is_given_away(name: str, played: Callable[[str], Path]) -> None:
    found = 0
    with opened(played(name)) as game:
        secret = game.secret()
        everybody = people(game)
        links = {
            dice.link_for(number): dice.chain_link(secret, dice.link_for(number)).hex() for number in range(1, 400)
        }
        assert {len(one) for one in (secret.hex(), *links.values())} == {64}
        for folder, records in some(moments(game)):
            state = fold_records(records)
            filed = [record.event for record in records if isinstance(record.event, ev.OrdersFiled)]
            requests = {record.event.request.number for record in records if isinstance(record.event, ev.Requested)}
            for side in everybody:
                files = given(folder, side)
                text = readable(files)
                digits = " ".join(HEXADECIMAL.findall(text))
                assert secret.hex() not in digits
                # The links of what has been played may be told: anybody can check the dice with them.
                coming = dice.link_for(state.segment + 1)
                assert not [link for place, link in links.items() if place <= coming and link in digits]
                salts = {
                    dice.salt(secret, turn, number, other, segment).hex()
                    for other in everybody
                    if other != side
                    for turn in range(max(1, state.turn - 1), state.turn + 2)
                    for number in requests
                    for segment in range(max(1, state.segment - 3), state.segment + 2)
                }
                assert not [salt for salt in salts if salt in digits]
                seen = " ".join(str(seen) for seen in seen_of(records, side))
                # Hints of a draft are made for its reader, and may say what others order as well.
                hints = (folder / side / "orders.draft").read_text("utf-8") if "orders.draft" in files else ""
                known = f"{' '.join(seen.split())} {' '.join(hints.split()).replace('# ', '')}".casefold()
                for event in filed:
                    if event.side != side:
                        hidden = {line for line in lines_of(event.text) if line not in known}
                        assert not {line for line in hidden if line in text}, folder
                    else:
                        found += any(line in text for line in lines_of(event.text))
    assert found, "the search finds what is there"
