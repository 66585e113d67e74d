"""Every shell, TOML, order and Python block of README and the guides is run, read or checked by a test; `python -m
tests.docs.blocks` says how many there are, and which cannot be run as they stand, and why.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Mapping
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import pytest

from pbem.games.create import new
from pbem.games.site import site_settings
from pbem.games.storage.opening import opened
from pbem.games.submit import check
from pbem.lab.rule_cases import run_file
from pbem.mail.commands import EMAIL_COMMANDS
from pbem.mail.incoming.extract import command_in
from pbem.mail.people import read_people
from pbem.mail.seats import token_of
from pbem.mail.settings import game_rule, read_host
from pbem.mail.transport.inbox import open_source
from pbem.orders.messages import messages_in
from pbem.vassal_bridge.binding import read_binding
from tests.docs.blocks import CANNOT, PAGES, ROOT, RUN, SHOWN, Block, blocks, lines, runs, tell

ENERGY = "GAME duel01  TURN 1  SIDE {side}  REPLY 1\nSHIP {ship}\nENERGY\n  SPEED 9\n  PHASERS 2\nEND\n"
SHIPS = {"ann.txt": ("federation", "Constellation"), "bob.txt": ("klingon", "Destruction")}
BOOK = ("club", "post", "first-game", "season", "late", "players-change", "spectators", "trouble", "moving", "upgrades")
"""The host's book: these pages are one story, told in one folder."""
STORIES: dict[str, tuple[tuple[str, Mapping[int, str]], ...]] = {
    "the host's book": tuple((f"docs/{name}.md", {3: "club/players.toml"} if name == "club" else {}) for name in BOOK),
    "hosting": (("docs/hosting.md", {9: "club/players.toml"}),),
    "hosting-quickstart": (("docs/hosting-quickstart.md", {2: "ann.txt", 7: "duel01/site.toml"}),),
    "tournaments": (("docs/tournaments.md", {2: "club/players.toml"}),),
    "rehearsal": (("docs/rehearsal.md", {}),),
    "install": (("docs/install.md", {}), ("docs/package.md", {})),
    "dice": (("docs/dice.md", {}),),
    "figures": (("docs/figures.md", {2: "figures/romulan.toml"}),),
    "odds": (("docs/odds.md", {3: "my.orders"}),),
    "captains": (("docs/captains.md", {}), ("docs/laboratory.md", {})),
    "companion-module": (("docs/companion-module.md", {}),),
    "cases": (("docs/cases.md", {}),),
}
"""Pages whose commands are done one after the other, and which of their blocks are saved as what."""
ELSEWHERE = {
    ("docs/evening.md", "sh"): "tests/app/web/test_door.py",
    ("docs/door.md", "sh"): "tests/app/web/test_clubhouse.py",
    ("docs/umpire.md", "sh"): "tests/app/cli/test_umpire.py",
    ("docs/vassal-by-mail.md", "sh"): "tests/app/cli/test_table_docs.py",
    ("docs/vassal.md", "python"): "tests/vassal/test_docs.py",
    ("docs/programs.md", "pycon"): "tests/test_programs.py",
    ("README.md", "pycon"): "tests/test_programs.py",
    ("README.md", "orders"): "tests/test_readme.py",
    ("docs/orders.md", "orders"): "tests/docs/test_orders.py",
    ("docs/odds.md", "orders"): "tests/app/cli/test_odds.py",
    ("docs/play-by-mail.md", "orders"): "tests/docs/test_orders.py",
}
"""Pages that have a test of their own for a kind of block, which names the page."""
TOML = {
    "docs/club.md-2": "host.toml",
    "docs/club.md-3": "players.toml",
    "docs/post.md-1": "host.toml",
    **{f"docs/post.md-{number}": "host.toml" for number in (4, 6, 7, 9)},
    "docs/season.md-5": "host.toml",
    "docs/tournaments.md-2": "players.toml",
    "docs/tournaments.md-8": "host.toml",
    "docs/late.md-2": "post.toml",
    "docs/players-change.md-3": "players.toml",
    "docs/spectators.md-2": "host.toml",
    "docs/spectators.md-3": "players.toml",
    "docs/door.md-1": "host.toml",
    "docs/settings.md-1": "host.toml",
    "docs/settings.md-2": "post.toml",
    "docs/hosting.md-5": "host.toml",
    "docs/hosting.md-9": "players.toml",
    "docs/hosting-quickstart.md-7": "site.toml",
    "docs/figures.md-2": "figures",
    "docs/umpire.md-8": "post.toml",
    "docs/cases.md-1": "case",
    "docs/vassal-by-mail.md-4": "vassal.toml",
}
"""What reads a block of TOML."""
ORDERS = ("docs/mistakes.md", "docs/stop-playing.md", "docs/hosting-quickstart.md")
"""Pages whose orders are checked in a duel as they stand."""
TOLD = {page: files for story in STORIES.values() for page, files in story}


def key(block: Block) -> str:
    return f"{block.page}-{block.number}"


@pytest.mark.parametrize("page", PAGES)
def test_every_block_has_a_kind_and_a_test(page: str) -> None:
    for block in blocks(page):
        assert block.kind in (*RUN, *SHOWN), f"{block}: which kind of block is this?"
        if block.kind in SHOWN or not runs(block):
            assert not re.match(r"\s*pbem ", block.text) or not runs(block), f"{block}: commands are a block of sh"
            continue
        done = {
            "sh": block.page in TOLD,
            "toml": key(block) in TOML,
            "orders": block.page in ORDERS,
        }.get(block.kind, False)
        assert done or (block.page, block.kind) in ELSEWHERE, f"{block}: no test runs this block"


def test_the_tests_elsewhere_name_their_pages_and_no_list_is_longer_than_it_need_be() -> None:
    every = [block for page in PAGES for block in blocks(page)]
    for (page, kind), test in ELSEWHERE.items():
        assert Path(page).name in (ROOT / test).read_text(encoding="utf-8"), f"{test} does not name {page}"
        assert any((block.page, block.kind) == (page, kind) for block in every)
    assert set(TOML) == {key(block) for block in every if block.kind == "toml"}
    commands = [line for block in every if block.kind == "sh" for line in lines(block)]
    assert not [begins for begins in CANNOT if not any(re.match(begins, line) for line in commands)]


def test_remarks_behind_commands_are_remarks() -> None:
    for page in PAGES:
        for block in blocks(page, "sh"):
            for line in lines(block):
                assert not re.match(r"pbem .*\S {2,}[^#\s]", line.partition("#")[0]), f"a remark without #: {line}"


@pytest.mark.parametrize("block", [block for page in ORDERS for block in blocks(page, "orders")], ids=str)
def test_orders_are_legal_as_they_stand(tmp_path: Path, block: Block) -> None:
    side = re.search(r"SIDE (\w+)", block.text)
    assert side is not None
    other = "klingon" if side[1] == "federation" else "federation"
    players = {side[1]: "ann", other: "robot" if other == "klingon" else "bob"}
    new("5", tmp_path / "duel01", players=players, options={"reveal": "none"})
    with opened(tmp_path / "duel01") as game:
        receipt = check(game, block.text, "guide")
    assert (receipt.side, receipt.turn, receipt.request) == (side[1], 1, 1)


def test_letters_are_read_as_what_the_pages_say() -> None:
    """What stands as a letter is one: a command, or words to somebody; and so are the commands in the tables."""
    told = 0
    for page in (
        "docs/away.md",
        "docs/mistakes.md",
        "docs/stop-playing.md",
        "docs/play-by-mail.md",
        "docs/spectators.md",
    ):
        for block in blocks(page, "text"):
            if block.text.startswith("MESSAGE"):
                [message] = messages_in(block.text.splitlines())
                assert message.text
                told += 1
            elif block.text.startswith(tuple(one.word for one in EMAIL_COMMANDS)):
                assert command_in(block.text.strip(), "") is not None, block.text
                told += 1
    for page in ("docs/away.md", "docs/play-by-mail.md"):
        for row in re.findall(r"(?m)^\| (`.*?) \|", (ROOT / page).read_text(encoding="utf-8")):
            for command in re.findall(r"`([^`]+)`", row):
                assert command_in(command, "") is not None, command
                told += 1
    assert told > 20


@pytest.mark.parametrize("block", [block for page in PAGES for block in blocks(page, "toml")], ids=str)
def test_settings_are_read_by_what_reads_them(tmp_path: Path, block: Block) -> None:
    file, text = TOML[key(block)], block.text
    if file == "case":
        (tmp_path / "case.toml").write_text(text, encoding="utf-8")
        assert [(result.passed, result.differences) for result in run_file(tmp_path / "case.toml")] == [(True, ())]
        return
    if file == "figures":
        from pbem.data.house_figures import read_figures

        whole = re.sub(r"(?m)^# (?!---)", "", text)
        for number, said in enumerate((text, whole)):
            folder = tmp_path / f"figures{number}"
            folder.mkdir()
            (folder / "ships.toml").write_text(said, encoding="utf-8")
            read_figures(folder)
        return
    head = {"host.toml": 'format = 1\norders = "orders@club.example"\n', "post.toml": "format = 1\n"}.get(file, "")
    whole = text if "format = 1" in text else head + text
    (tmp_path / file).write_text(whole, encoding="utf-8")
    if file == "host.toml":
        host = read_host(tmp_path)
        if host.inbox:
            open_source(host.inbox, tmp_path)
    elif file == "players.toml":
        assert read_people(tmp_path).people
    elif file == "vassal.toml":
        assert read_binding(whole, file).counters
    elif file == "site.toml":
        assert site_settings(tmp_path).format == 1
    else:
        (tmp_path / "host.toml").write_text(head + 'orders = "orders@club.example"\n', encoding="utf-8")
        rule = game_rule(read_host(tmp_path), tmp_path)
        assert "[deadlines]" not in text or rule != read_host(tmp_path).deadlines


def put_aside(work: Path, line: str) -> None:
    """What the umpire would let in by this line: a letter that came from elsewhere."""
    if not line.startswith("pbem mail accept"):
        return
    letter = EmailMessage(policy=SMTP)
    letter["From"], letter["To"] = "ann@elsewhere.example", "orders@club.example"
    letter["Subject"] = f"STATUS TOKEN {token_of(work / 'club' / 'games' / 'duel01', 'federation')}"
    letter.set_content("Where does the game stand?")
    file = work / "club" / "mail" / line.split()[-1]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(bytes(letter))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the blocks are for a POSIX shell")
@pytest.mark.parametrize("name", STORIES)
def test_commands_work_as_printed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "work"
    work.mkdir()
    for file, (side, ship) in SHIPS.items():
        if name == "hosting":
            (work / file).write_text(ENERGY.format(side=side, ship=ship), encoding="utf-8")
    if name in ("dice", "companion-module"):
        shutil.copytree(ROOT / "turns" / "duel01", work / "duel01")
    for page, files in STORIES[name]:
        wanted = [block for block in blocks(page) if block.number in files or (block.kind == "sh" and runs(block))]
        assert tell(page, work, files, monkeypatch, lambda line: put_aside(work, line)) == len(wanted)
    if name == "hosting-quickstart":  # the orders acted: somebody moved
        turn = (work / "web" / "turn-01.txt").read_text(encoding="utf-8")
        assert "moves" in turn and "player not named" in turn
