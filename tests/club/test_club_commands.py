"""What the commands of a club say, and the host who goes on with a tournament."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.club.directing import direct_all
from pbem.games.storage.opening import opened
from pbem.games.umpire.decree import Decree, override
from pbem.mail.host.round import host_round
from pbem.mail.seats import token_of
from pbem.mail.transport.sources import EmlFolder

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)


def club(folder: Path) -> Path:
    (folder / "games").mkdir(parents=True)
    (folder / "in").mkdir()
    (folder / "host.toml").write_text('format = 1\norders = "orders@host.example"\n[ranks]\nEnsign = -9\n', "utf-8")
    rows = [f'[people.{one}]\nname = "{one.title()}"\nmail = "{one}@example.org"\n' for one in ("ann", "bob")]
    (folder / "players.toml").write_text("format = 1\n" + "".join(rows), encoding="utf-8")
    return folder


def run(*words: str) -> str:
    done = CliRunner().invoke(app, [*words], prog_name="pbem", catch_exceptions=False)
    return f"{done.exit_code} {done.output}"


class Sink:
    def __init__(self) -> None:
        self.mails: list[tuple[str, bytes]] = []

    def send(self, sender: str, to: str, mail: bytes) -> None:
        self.mails.append((to, mail))


def test_a_tournament_from_its_first_command_to_its_winner(tmp_path: Path) -> None:
    """The host invites, counts, tells both, and answers STANDINGS."""
    home, sink = club(tmp_path / "club"), Sink()
    assert run("host", "tournament", str(home)) == "0 This club has no tournament.\n"
    said = run("host", "tournament", str(home), "cup", "--new", "knock-out", "-s", "5", "--title", "The cup")
    assert said.startswith("0 Round 1 of 1 begins.\nGames: cup-1-1. ")
    game = home / "games" / "cup-1-1"

    def host() -> list[str]:
        sink.mails.clear()
        host_round(home, lambda: NOW, source=EmlFolder(home / "in"), carrier=sink, beyond=direct_all)
        return [mail.decode().partition("Subject: ")[2].partition("\r\n")[0] for _, mail in sink.mails]

    assert sorted(host())[:2] == ["The cup: round 1", "The cup: round 1"] and len(sink.mails) == 4
    assert (
        run("host", "tournament", str(home))
        == "0 cup  The cup: a knock-out of 2, round 1 of 1: one game is still played\n"
    )
    text = f"From: ann@example.org\nMessage-ID: <1@x>\nSubject: STANDINGS TOKEN {token(game, 'ann')}\n\n"
    (home / "in" / "1.eml").write_text(text, encoding="utf-8")
    assert ["standings" in one for one in host()] == [True]
    assert b"The cup: a knock-out of 2, round 1 of 1" in sink.mails[0][1]
    with opened(game, lock="test") as there:
        winner = there.terms.sides["klingon"].player
        override(there, Decree(reason="so", result={"klingon": "victory", "federation": "defeat"}))
    assert sorted(host())[:2] == ["The cup: the end", "The cup: the end"]
    assert f"Won by {winner.title()}." in run("host", "tournament", str(home), "cup")
    told = json.loads(run("host", "tournament", str(home), "cup", "--json")[2:])
    assert told["winner"] == winner and [row["points"] for row in told["table"]] == [2, 0]


def token(game: Path, who: str) -> str:
    with opened(game) as there:
        side = next(side for side, seat in there.terms.sides.items() if seat.player == who)
    return token_of(game, side)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tournament", "DIR", "cup", "--new", "chess"], "'swiss', 'round robin' and 'knock-out'"),
        (["tournament", "DIR", "--next"], "say which tournament"),
        (["rehearse", "DIR", "soon"], "not a length of time like '60 days'"),
        (["rehearse", "DIR", "60", "days", "--late", "often"], "'often' is not a percentage like 10%"),
        (["rehearse", "DIR", "60 days", "--err", "110%"], "'110%' is not a percentage like 10%"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(tmp_path: Path, words: list[str], said: str) -> None:
    home = club(tmp_path / "club")
    told = run("host", *(str(home) if word == "DIR" else word for word in words))
    assert told.startswith("2 ") and said in told


def test_a_ladder_without_games_and_one_with_a_broken_game(tmp_path: Path) -> None:
    home = club(tmp_path / "club")
    assert run("host", "ladder", str(home)) == "0 No game between people is over yet.\n"
    (home / "games" / "bad").mkdir()
    (home / "games" / "bad" / "game.toml").write_text("", encoding="utf-8")
    said = run("host", "ladder", str(home))
    assert said.startswith("1 No game between people is over yet.\n") and "bad" in said
