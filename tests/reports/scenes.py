"""What games look like to those who play them, as texts kept whole in tests/reports/kept/, a file for each kind.

    python tests/reports/scenes.py              writes all of them anew; look at the diff before you keep it
    python tests/reports/scenes.py fleet        those of one scene

A scene is a rule case's file (``tests/reports/scenes/``, or one of tests/cases/): it is played up to the request of its
last turn that nobody answers there.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from email import message_from_bytes
from email.policy import default
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pbem.ai.robot import commanders  # noqa: E402
from pbem.data.scenarios import Scenario, scenario  # noqa: E402
from pbem.engine import events as ev  # noqa: E402
from pbem.engine.checking.check import check  # noqa: E402
from pbem.engine.log import (  # noqa: E402
    decode_records,
    encode_records,
    fold_records,
)
from pbem.engine.on_file import unit_on_file  # noqa: E402
from pbem.engine.options import Options  # noqa: E402
from pbem.engine.play.resolve import Filed, resolve  # noqa: E402
from pbem.engine.state import State  # noqa: E402
from pbem.lab.rule_cases.format import Case, read_case  # noqa: E402
from pbem.lab.rule_cases.play import dice_for, opening, scenario_for  # noqa: E402
from pbem.orders.reader import read_orders  # noqa: E402
from pbem.reports.draft.draft import draft_for  # noqa: E402
from pbem.reports.form.form import form_html  # noqa: E402
from pbem.reports.html.board import board_of, watched_page  # noqa: E402
from pbem.reports.html.page import sitrep_html  # noqa: E402
from pbem.reports.html.public import seen_records, without_addresses  # noqa: E402
from pbem.reports.html.site import (  # noqa: E402
    Around,
    GameLine,
    SiteLink,
    TurnEntry,
    damage_in_short,
    feed,
    games_page,
    positions,
    stands,
    turn_in_short,
)
from pbem.reports.mail.mime import Attachment  # noqa: E402
from pbem.reports.mail.sitrep_mail import mail_summary, mail_text, sitrep_mail  # noqa: E402
from pbem.reports.map.drawing import chart  # noqa: E402
from pbem.reports.map.picture import map_style, map_svg, map_words, svg_in_mail  # noqa: E402
from pbem.reports.text import sentences  # noqa: E402
from pbem.reports.text.map import plain_text, text_map  # noqa: E402
from pbem.reports.text.sitrep import sitrep_text  # noqa: E402
from pbem.reports.view.build import build_view  # noqa: E402
from pbem.reports.view.model import (  # noqa: E402
    Proof,
    ReportView,
    SegmentProof,
)
from tests import kept  # noqa: E402

HERE = Path(__file__).parent


class Scene(NamedTuple):
    """A game as a host has it."""

    scenario: Scenario
    records: tuple[ev.Record, ...]


def played(case: Case) -> Scene:
    """A case as a game with a beginning of its own: whatever it sets up stands in the log."""
    setting = scenario_for(case)
    state = opening(case, setting)
    dice = dice_for(case, exact=False)
    records = list(_begun(state))
    for number, turn in enumerate(case.turn, start=1):
        rebids = list(turn.rebid)
        answers = (
            {side: turn.orders.get(side) or _idle(case, state, side) for side in state.request.sides}
            if state.request
            else {}
        )
        while answers:
            filed = {side: Filed(text=_good(state, setting, side, text)) for side, text in sorted(answers.items())}
            # the last turn may stop at the request after its first stretch
            result = resolve(
                state,
                setting,
                filed,
                dice,
                strikes=strikes_of(case),
                robots=commanders(setting),
                until=case.stop if number == len(case.turn) else None,
            )
            records += result.records
            state = result.state
            request = state.request
            answers = {}
            if request is None or request.turn != state.turn or state.over:
                break
            if number < len(case.turn) or rebids:
                answers = {
                    side: rebids.pop(0).orders if rebids and rebids[0].side == side else "CONTINUE"
                    for side in request.sides
                }
    numbered = (replace(record, n=n) for n, record in enumerate(records, start=1))
    return Scene(setting, tuple(numbered))


def _idle(case: Case, state: State, side: str) -> str:
    """Orders of a side the scene says nothing of: its ships fly on as fast as their ``state`` says."""
    speeds = {unit.name: unit.state.get("speed", 0) for unit in case.unit}
    ships = [ship for ship in state.ships() if ship.side == side and ship.obeys]
    return "".join(f'SHIP "{ship.name}"\nENERGY\n  SPEED {speeds.get(ship.name, 0)}\n' for ship in ships) or "DO\n"


def strikes_of(case: Case) -> dict[tuple[int, int], list[tuple[str, int | str, int]]]:
    """Damage from outside, by turn and impulse."""
    return {(strike.turn, strike.impulse): [(strike.unit, strike.shield, strike.points)] for strike in case.strike}


def _good(state: State, setting: Scenario, side: str, text: str) -> str:
    assert state.request is not None
    read = read_orders(text, header=False)
    faults = read.faults or check(state, setting, state.request, side, read.orders).faults
    assert not faults, (side, [str(fault) for fault in faults])
    return text


def _begun(state: State) -> Iterator[ev.Record]:
    assert state.request is not None
    before = state.request.turn - 1
    yield ev.Record(
        n=0,
        event=ev.GameStarted(
            turn=before,
            game="scene",
            scenario=state.scenario,
            level=state.level,
            impulses=state.impulses,
            map=state.map,
            grid=state.grid,
            options=state.options,
            asteroids=state.asteroids,
            sides=tuple(state.sides.values()),
        ),
    )
    for unit in state.units.values():
        yield ev.Record(n=0, event=ev.UnitPlaced(turn=before, unit=unit_on_file(unit)))
    yield ev.Record(
        n=0, event=ev.Requested(turn=state.request.turn, impulse=state.request.impulse, request=state.request)
    )


@lru_cache
def scene(name: str) -> Scene:
    """A scene by its name."""
    if name not in MADE:
        return played(read_case(HERE / "scenes" / f"{name}.toml"))
    path = HERE / "duel.py"
    spec = importlib.util.spec_from_file_location("report_duel_of_scenes", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    records = module.ended() if name == "ended" else module.duel()
    if name == "ruled":
        acts = umpires_acts(len(records))
        records += [ev.Record(n=n, event=act, only=only) for n, (act, only) in enumerate(acts, start=len(records) + 1)]
    return Scene(scenario("5"), tuple(records))


MADE = ("duel", "ended", "ruled")
"""Scenes that are no rule case: the duel made by hand, after its end, and after the umpire took part."""


def umpires_acts(last: int) -> list[tuple[ev.AnyEvent, str]]:
    """What the umpire did after the duel's last record, and who was told."""
    now: dict[str, Any] = {"turn": 2, "impulse": 9}
    return [
        (ev.HouseRuled(number=2, text="no dice on Sundays", withdrawn=False, why="", **now), ""),
        (ev.HouseRuled(number=1, text="drones are slow", withdrawn=False, why="agreed", **now), ""),
        (ev.HouseRuled(number=3, text="you may look", withdrawn=False, why="", **now), "klingon"),
        (ev.HouseRuled(number=2, text="no dice on Sundays", withdrawn=True, why="it is Monday", **now), ""),
        (ev.OptionsRuled(options=Options(sideslip=False), changed={"sideslip": "no"}, why="by vote", **now), ""),
        (ev.OptionsRuled(options=Options(), changed={"sideslip": "yes", "capacitor": "full"}, why="", **now), ""),
        (ev.Adjusted(unit="Constellation", at="1010C", why="agreed", **now), ""),
        (ev.Ruled(unit="Destruction", path="shield 2", value=3, was=12, why="a slip", **now), ""),
        (ev.Ruled(unit="Destruction", path="", value="", was="", why="", **now), ""),
    ]


# --- the texts -------------------------------------------------------------------------------------------------------

KEPT = HERE / "kept"
WIDE = 118
"""Characters of a line of data."""


def lines_of(page: str) -> str:
    """A page or drawing to read and to compare: a line for each tag with its text, and data line by line.

    Scripts, styles and their hashes are left out, and the paths and numbers of a whole map's hexes are told by their
    digest.
    """
    page = re.sub(r"<style>.*?</style>|<script>.*?</script>|(?<='sha256-)[\w+/=]+", "", page, flags=re.DOTALL)
    lines: list[str] = []
    for piece in re.findall(r"<[^>]*>|[^<]+", page):
        text = " ".join(piece.split())
        if text.startswith(("{", "[")) and lines and lines[-1].startswith("<script"):
            lines += data_lines(json.loads(text))
        elif piece.startswith("</") and lines and not lines[-1].endswith("/>"):
            lines[-1] += text
        elif piece.startswith("<") and text:
            lines.append(text if len(text) < 1200 else f"{text[:100]}... {digest(text)}")
        elif text and lines:
            lines[-1] += text
    found = "\n".join(lines) + "\n"
    return re.sub(r"(?:<text[^>]*>\d{4}</text>\n)+", _numbers, found)


def _numbers(found: re.Match[str]) -> str:
    lines = found[0].splitlines()
    return f"{lines[0]} ... {lines[-1]}: {len(lines)}, {digest(found[0])}\n"


def digest(text: str) -> str:
    """Enough of a text to see that it changed."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def data_lines(data: object) -> list[str]:
    """Data as JSON: what fits into a line stands in one, small parts of a list share one."""

    def write(value: object, indent: str, before: str) -> Iterator[str]:
        short = json.dumps(value, ensure_ascii=False)
        if isinstance(value, str) and len(value) > 1000 and "\n" not in value:
            yield f"{indent}{before}{len(value)} characters, {digest(value)}"
        elif len(indent) + len(before) + len(short) <= WIDE or not isinstance(value, dict | list):
            yield from (f"{indent}{before}{part}" for part in [short.replace("\\n", f"\n{indent}  ")])
        elif isinstance(value, dict):
            yield f"{indent}{before}{{"
            for key, part in value.items():
                yield from write(part, f"{indent} ", f"{json.dumps(key, ensure_ascii=False)}: ")
            yield f"{indent}}}"
        else:
            yield f"{indent}{before}["
            if all(len(json.dumps(part)) < 20 for part in value):
                yield from textwrap.wrap(short[1:-1], WIDE, initial_indent=f"{indent} ", subsequent_indent=f"{indent} ")
            else:
                for part in value:
                    yield from write(part, f"{indent} ", "")
            yield f"{indent}]"

    return list(write(data, "", ""))


def sitrep(name: str, side: str) -> str:
    return sitrep_text(view_of(name, side))


def page(name: str, side: str) -> str:
    return lines_of(sitrep_html(view_of(name, side), "GAME scene\nEND\n"))


ENCLOSED = (
    Attachment("sitrep.html", "<p>page</p>", "html"), Attachment("orders.html", "<p>form</p>", "html"),
    Attachment("federation.r3.orders", "GAME scene\n"), Attachment("turn.vsav", b"save"), Attachment("other.bin", b"x"),
)  # fmt: skip


def mail(name: str, side: str) -> str:
    """The summary of a mail, with all enclosed and with nothing; its text below the sitrep, and how it is made up."""
    view = view_of(name, side)
    made = sitrep_mail(
        view, to="Ann Smith <ann@example.org>", sender="host@example.org", text=mail_text("text\n", ENCLOSED),
        html_summary="<p>summary</p>", attachments=ENCLOSED,
    )  # fmt: skip
    message = message_from_bytes(made, policy=default)
    lines = [map_words(view), *(f"{key}: {value}" for key, value in message.items() if "boundary" not in value)]
    for part in message.walk():
        lines.append(f"{part.get_content_type()} {part.get_filename() or ''} {part.get_content_disposition() or ''}")
    lines += mail_text("text\n", ENCLOSED).splitlines()
    lines += [lines_of(mail_summary(view, None, ENCLOSED)), mail_text("text\n", ())]
    return "\n".join(lines) + lines_of(mail_summary(view))


def drawing(name: str, side: str) -> str:
    view = view_of(name, side)
    return f"{map_style()}\n{lines_of(map_svg(view, chart(view, near=True)))}"


def picture(name: str, side: str) -> str:
    """The drawing that a mail shows as a picture."""
    svg, shown = svg_in_mail(view_of(name, side))
    return f"{shown} pixels wide\n{lines_of(svg)}"


def view(name: str, side: str) -> str:
    """All that a side may see, as programs read it."""
    return "\n".join(data_lines(json.loads(msgspec.json.encode(view_of(name, side))))) + "\n"


def letters(name: str, side: str) -> str:
    """The map for terminals of several widths, each piece with its style."""
    lines: list[str] = []
    for width, ascii_only in ((200, False), (100, True), (60, False), (24, True)):
        lines.append(f"--- {width} columns{', ASCII' if ascii_only else ''}")
        drawn = text_map(view_of(name, side), width=width, ascii_only=ascii_only)
        lines += plain_text(drawn).splitlines()
        lines += [" ".join(f"{len(piece.text)}{piece.style}" for piece in line) for line in drawn]
    return "\n".join(lines) + "\n"


def site(name: str, side: str) -> str:
    """The pages of a game on the web, its positions and its feed."""
    view = view_of(name, side)
    turns = [
        TurnEntry(
            number=number,
            page=f"{number}.html",
            text=f"{number}.txt",
            positions=f"{number}.json",
            secrets="all.html" if view.over else "",
            told=turn_in_short(view),
            damage=damage_in_short(view),
            running=number == view.turn,
        )
        for number in range(1, view.turn + 1)
    ]
    around = Around(home="../", links=(SiteLink("Cup", "tournaments/cup.html"),))
    board = board_of(scene(name).records, view.side, scene(name).scenario)
    game = watched_page(board, "A title", turns, [("log.jsonl", "the log")], around)
    line = GameLine(
        name=view.game,
        folder="x",
        title="A title",
        players=(("federation", "Ann"),),
        stands=stands(view),
        over=view.over,
    )
    pages = [game, games_page([line]), feed(view, turns, "https://example.org/x/")]
    told = data_lines(json.loads(positions(view)))
    return "\n".join([*map(lines_of, pages), *told]) + "\n"


def log(name: str, side: str) -> str:
    """The log as a side may read it, and as strangers may."""
    records = without_addresses(
        seen_records(scene(name).records, "" if side == "spectators" else side), ["bob@example.org"]
    )
    lines = encode_records(records).decode().splitlines()
    return "\n".join(line if len(line) < 800 else f"{line[:200]} ... {digest(line)}" for line in lines) + "\n"


def form(name: str, side: str) -> str:
    setting, records = scene(name)
    state = fold_records(records)
    assert state.request is not None
    draft = draft_for(state, setting, state.request, side)
    return lines_of(form_html(records, side, setting, draft, to="host@example.org", subject="scene"))


def events(name: str, side: str) -> str:
    """What is said of one event of each kind, in every way in which it is said."""
    records = decode_records((HERE / "scenes" / f"{name}.jsonl").read_bytes())
    lines: list[str] = []
    for record in records:
        event = record.event
        lines.append(f"{type(event).__name__}, {sentences.words_for(event).place}: {sentences.sentence(event)}")
        lines.append(
            f"    {sentences.rule_of(event) or 'no rule'}; {', '.join(sentences.units_in(event)) or 'no unit'}"
        )
        lines += [f"    [{label}] {die}: {meaning}" for label, die, meaning in sentences.dice(event)]
    return "\n".join(lines) + "\n"


@lru_cache(maxsize=64)
def view_of(name: str, side: str) -> ReportView:
    reader = "" if side == "spectators" else side
    return build_view(scene(name).records, reader, scenario=scene(name).scenario, proof=PROOFS.get(name))


PROOFS = {
    "ended": Proof(
        scheme=2, commitment="c0ffee" * 10, salts="5a17" * 16, beacon="https://beacon.example.org",
        segments=(
            SegmentProof(
                segment=3, turn=2, request=2, link="11" * 32, log="ab" * 32, beacon=f"77:{'9' * 64}",
                seals=(("federation", "22" * 32), ("klingon", "33" * 32)), salt="44" * 16, taken_back=True,
            ),
            SegmentProof(segment=4, turn=2, request=3, link="55" * 32, log="66" * 32, seals=()),
        ),
    ),
    "duel": Proof(scheme=1, commitment="77" * 32),
}  # fmt: skip
"""What the host reveals of the dice of a scene."""

KINDS: dict[str, Callable[[str, str], str]] = {
    "sitrep": sitrep,
    "page": page,
    "mail": mail,
    "drawing": drawing,
    "form": form,
    "events": events,
    "letters": letters,
    "view": view,
    "picture": picture,
    "site": site,
    "log": log,
}

TEXTS = {
    "events": ("events.all",),
    "fleet": (
        "sitrep.umpire",
        "sitrep.federation",
        "sitrep.spectators",
        "page.federation",
        "mail.klingon",
        "drawing.kzinti",
        "letters.umpire",
        "form.federation",
    ),
    "duel": (
        "sitrep.klingon",
        "page.klingon",
        "mail.klingon",
        "site.spectators",
        "picture.klingon",
        "log.federation",
        "log.spectators",
    ),
    "ended": ("sitrep.federation", "page.umpire", "site.spectators", "mail.federation"),
    "ruled": ("sitrep.klingon", "view.klingon", "page.federation", "log.klingon"),
    "study": (
        "sitrep.umpire",
        "page.federation",
        "mail.federation",
        "form.federation",
        "letters.federation",
        "site.spectators",
    ),
    "rescue": ("sitrep.federation", "page.federation", "mail.federation", "form.federation"),
    "convoy": ("sitrep.orion", "page.orion", "form.orion", "drawing.orion", "picture.orion"),
    "crowd": ("sitrep.federation", "drawing.umpire", "mail.spectators", "letters.federation"),
    "raid": ("view.umpire", "sitrep.klingon", "sitrep.federation", "page.klingon", "form.klingon"),
}
"""Of each scene the texts that are kept: what it is, and for whom."""

NAMES = [f"{name}.{text}" for name, texts in TEXTS.items() for text in texts]


def text_of(name: str) -> str:
    """A text of :data:`NAMES`: ``fleet.sitrep.umpire``."""
    which, kind, side = name.split(".")
    return KINDS[kind](which, side)


def kept_in(name: str) -> Path:
    """The file in which a text of :data:`NAMES` is kept, with all others of its kind."""
    return KEPT / f"{name.split('.')[1]}{kept.ENDING}"


def refresh(only: Sequence[str] = ()) -> None:
    """Keep all texts as they are now, or those of some scenes."""
    KEPT.mkdir(exist_ok=True)
    chosen = [name for name in NAMES if not only or name.split(".")[0] in only]
    for file in sorted({kept_in(name) for name in chosen}):
        texts = {name: text_of(name) for name in chosen if kept_in(name) == file}
        kept.keep_parts(file, texts, all_of_them=not only)


if __name__ == "__main__":
    refresh(sys.argv[1:])
