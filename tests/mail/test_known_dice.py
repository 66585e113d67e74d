"""Whatever is put back or copied, nobody plays other orders with dice that players know.

A player who read sitreps that were lost has their links, the hashes of the others' orders and their own salts. So they
can work out what any orders of theirs would roll, if the segment were played with the same link and salts again. Each
test lets a player do that, and compares the key they work out with the key that was used.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sqlite3
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.engine import dice
from pbem.engine.events import DicePassed
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.proof.seals import in_force, logged_segments, sealed_orders
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.mail import store
from pbem.mail.host.backup import backup, restore
from pbem.mail.host.clocks import due_of
from pbem.mail.host.operate import move_club, stay
from pbem.mail.host.round import Round, host_round
from pbem.mail.incoming.intake import games_of
from pbem.mail.settings import read_host
from pbem.mail.transport.inbox import open_source
from pbem.mail.web_keys import guest, key_of, renew

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, Hosted, answer, words
else:
    from post_hosted import ADDRESSES, Hosted, answer, words

WEB = "https://sfb.example.org"
BOXES = {
    "folder": 'kind = "folder"\npath = "in"\n',
    "maildir": 'kind = "maildir"\npath = "Maildir"\n',
    "mbox": 'kind = "mbox"\npath = "in.mbox"\n',
}


class Club(Hosted):
    """A host with an inbox of any kind, on a machine (an account) that can be changed."""

    def __init__(self, folder: Path, kind: str = "maildir") -> None:
        super().__init__(folder, late="hold")
        self.kind, self.state = kind, folder.parent / "state"
        settings = (folder / "host.toml").read_text("utf-8").replace(BOXES["maildir"], BOXES[kind])
        (folder / "host.toml").write_text(settings, encoding="utf-8")
        (folder / "in").mkdir()
        (folder / "in.mbox").touch()

    def go(self, *, restored: bool = False) -> Round:
        self.now += timedelta(hours=1)
        source = open_source(read_host(self.folder).inbox, self.folder)
        return host_round(
            self.folder, lambda: self.now, source=source, carrier=self.sink, state=self.state, restored=restored
        )

    def post(self, raw: bytes) -> None:
        self.posted += 1
        if self.kind == "mbox":
            with (self.folder / "in.mbox").open("ab") as box:
                box.write(b"From ann@example.org Mon Mar  1 12:00:00 2027\n" + raw.replace(b"\r\n", b"\n") + b"\n")
        else:
            where = "in" if self.kind == "folder" else "Maildir/new"
            (self.folder / where / f"{self.posted:06}.eml").write_bytes(raw)

    def play(self, times: int = 1) -> None:
        for _ in range(times):
            answer(self, "federation", "klingon")
            self.go()

    def cheat(self) -> None:
        """Federation writes what it wrote, and Klingon thinks again."""
        for times in range(2):
            text = self.scripted("klingon")
            answer(self, "federation")
            if times and not text:  # another request, which the example has not
                self.go()
                continue
            other = re.sub(r"(?im)spd 13$|(?<=plot )FF SR FF 8F$|(?<=plot )3f$", self.otherwise, text, count=1)
            assert other != text, "these are other orders"
            self.post(self.letter("klingon", other))
            self.go()

    @staticmethod
    def otherwise(found: re.Match[str]) -> str:
        return {"spd 13": "spd 12", "ff sr ff 8f": "ff sr ff 7f sl"}.get(found[0].casefold(), "2f sl")

    def anew(self, folder: Path) -> None:
        """Another machine: the club lies elsewhere, and this account has never seen it."""
        self.folder, self.game = folder, folder / "games" / "duel01"
        self.state = folder.parent / f"state of {folder.name}"

    def told(self, title: str) -> dict[str, int]:
        """How often everybody was sent a letter with this in its subject or text."""
        return {
            who: sum(title in f"{one['Subject']} {' '.join(words(one).split())}" for one in self.sent_to(who))
            for who in ("federation", "klingon", "umpire")
        }


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What a player was told of a segment."""

    link: bytes
    salt: bytes
    seals: dict[str, str]


def known_to(club: Club, side: str) -> dict[int, Known]:
    """What a player knows of the dice, from the sitreps in his mails."""
    found: dict[int, Known] = {}
    for mail in club.sent_to(side):
        for part in re.split(r"(?m)^\s*Segment (?=\d+: request)", words(mail))[1:]:
            link = re.search(r"\blink\s+([0-9a-f]{64})", part)
            salt = re.search(r"your salt\s+([0-9a-f]{64})", part)
            seals = dict(re.findall(r"orders of (\w+)\s+([0-9a-f]{64})", part))
            assert link is not None and salt is not None
            one = Known(link=bytes.fromhex(link[1]), salt=bytes.fromhex(salt[1]), seals=seals)
            found[int(part.partition(":")[0])] = one
    return found


def keys_of(club: Club) -> dict[int, tuple[bytes, dict[str, str]]]:
    """The key and the orders in force of each segment of the game."""
    with opened(club.game) as game:
        found = {}
        for number, one in logged_segments(game.records()).items():
            _, key = sealed_orders(game.dice(), one.before, one.texts, one.beacon)
            found[number] = key, in_force(one.before, one.texts)
        return found


def verify_unknown(club: Club, known: dict[int, Known], lost: dict[int, tuple[bytes, dict[str, str]]]) -> None:
    """No roll of a segment that was told is used with other orders: neither the same key, nor one that Klingon works
    out by trying their new orders in a segment that they know.
    """
    assert known, "the player knows something"
    with opened(club.game) as game:
        name, scheme = game.terms.name, game.terms.dice.scheme
        assert verify(game).faults == ()
    before = dict(lost.values())
    for number, (key, orders) in keys_of(club).items():
        assert before.get(key, orders) == orders, f"segment {number} has the dice of one that was told"
        if number in known and orders != lost[number][1]:
            one = known[number]
            mine = hashlib.sha256(one.salt + orders["klingon"].encode()).hexdigest()
            seals = sorted({**one.seals, "klingon": mine}.items())
            worked_out = dice.segment_key(one.link, name, number, seals, scheme=scheme)
            label = "1.5.fire Destruction DISRA 1"
            assert worked_out != key, dice.SegmentDice(key).roll(label)


def passed_in(club: Club) -> list[tuple[int, int, bool]]:
    with opened(club.game) as game:
        found = [record.event for record in game.records() if isinstance(record.event, DicePassed)]
    return [(one.told, one.segment, bool(one.fresh)) for one in found]


def by_hand(club: Club, game: GameFolder) -> None:
    """The umpire files what the players wrote, and plays without the host."""
    for side, text in {side: club.scripted(side) for side in ("federation", "klingon")}.items():
        submit(game, text, side)
    resolve_game(game)


def explained(club: Club) -> str:
    done = CliRunner().invoke(app, ["verify", str(club.game)])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def test_one_game_that_is_put_back_under_its_host(tmp_path: Path) -> None:
    club = Club(tmp_path / "club")
    club.go()
    club.play()
    shutil.copytree(club.game, tmp_path / "copy")
    club.play(2)
    known, lost = known_to(club, "klingon"), keys_of(club)
    shutil.rmtree(club.game)
    shutil.copytree(tmp_path / "copy", club.game)
    club.now += timedelta(days=9)
    done = club.go()
    assert not done.halted and done.put
    with opened(club.game) as game:
        found = due_of(game.path)
        assert found is not None and found[0].due > club.now + timedelta(days=1), "nobody is late for it"
    club.cheat()
    verify_unknown(club, known, lost)
    assert passed_in(club) == [(3, 64, False)]
    assert club.told("copy was restored") == {"federation": 1, "klingon": 1, "umpire": 0}
    assert club.told("A copy of duel01 was restored: the players know 2 stretches")["umpire"] == 1
    assert "known to have been told up to segment 3 were not rolled again" in explained(club)

    # What was played since is known too, and so it goes on however often the same copy comes back.
    last = max(keys_of(club))
    known, lost = known_to(club, "klingon"), {**lost, **keys_of(club)}
    shutil.rmtree(club.game)
    shutil.copytree(tmp_path / "copy", club.game)
    club.go()
    club.cheat()
    verify_unknown(club, known, lost)
    assert last > 64 and passed_in(club) == [(last, 128, False)]


def test_one_game_that_is_put_back_and_played_as_before_is_the_same_play(tmp_path: Path) -> None:
    club = Club(tmp_path / "club")
    club.go()
    shutil.copytree(club.game, tmp_path / "copy")
    club.play(2)
    logs = club.logs()
    shutil.rmtree(club.game)
    shutil.copytree(tmp_path / "copy", club.game)
    club.go()
    club.play(2)
    assert club.logs() == logs and passed_in(club) == []


def test_one_game_that_is_put_back_is_not_played_by_hand_with_dice_that_were_told(tmp_path: Path) -> None:
    """The umpire resolves before the host has looked at it."""
    club = Club(tmp_path / "club")
    club.go()
    shutil.copytree(club.game, tmp_path / "copy")
    club.play(2)
    shutil.rmtree(club.game)
    shutil.copytree(tmp_path / "copy", club.game)
    with opened(club.game) as game:
        by_hand(club, game)
    assert passed_in(club) == [(2, 64, False)]


@pytest.mark.parametrize("word", [True, False], ids=["with the word", "without"])
@pytest.mark.parametrize("kind", list(BOXES))
def test_a_backup_on_a_new_machine(tmp_path: Path, kind: str, word: bool) -> None:
    club = Club(tmp_path / "club", kind)
    club.go()
    club.play()
    backup(club.folder, tmp_path / "club.tar.gz")
    club.play(2)
    known, lost, logs = known_to(club, "klingon"), keys_of(club), club.logs()
    mails = len(club.sink.mails)
    club.anew(tmp_path / "new machine")
    restore(tmp_path / "club.tar.gz", club.folder, club.now)
    logs = club.logs()
    if not word:
        for _ in range(2):
            answer(club, "federation")
            done = club.go()
            assert done.halted and "--once --restored" in done.troubles[0] and not done.letters
        assert club.logs() == logs and len(club.sink.mails) == mails + 1, "the umpire alone is told, and once"
        assert club.told("restored from a backup") == {"federation": 0, "klingon": 0, "umpire": 1}
        with opened(club.game) as game, pytest.raises(GameError, match="--restored` first"):
            by_hand(club, game)
        return
    club.go(restored=True)
    assert not (club.folder / "mail" / "put-back.json").exists()
    club.cheat()
    verify_unknown(club, known, lost)
    assert passed_in(club) == [(0, 64, True)]
    assert club.told("duel01: a backup was restored") == {"federation": 1, "klingon": 1, "umpire": 0}
    assert club.told("Check the games: your rulings since")["umpire"] == 1
    said = explained(club)
    assert "may have been told" in said and "new salts" in said
    with opened(club.game) as game:
        [fresh] = [r.event.fresh for r in game.records() if isinstance(r.event, DicePassed)]
    assert club.told(fresh)["klingon"] >= 1, "the player holds the hash of the new salts"
    assert not club.go().halted

    # The same backup on a third machine: nobody there knows of the second one.
    known, lost = known_to(club, "klingon"), {**lost, **keys_of(club)}
    club.anew(tmp_path / "third machine")
    restore(tmp_path / "club.tar.gz", club.folder, club.now)
    club.go(restored=True)
    club.cheat()
    verify_unknown(club, known, lost)


@pytest.mark.parametrize("word", [True, False], ids=["with the word", "without"])
def test_a_folder_that_was_copied_to_a_second_host(tmp_path: Path, word: bool) -> None:
    """By hand: no mark of the backup lies in it, and it has an inbox of its own."""
    club = Club(tmp_path / "club", "folder")
    club.go()
    club.play()
    shutil.copytree(club.folder, tmp_path / "copy")
    club.play(2)
    known, lost = known_to(club, "klingon"), keys_of(club)
    club.anew(tmp_path / "copy")
    answer(club, "federation")
    done = club.go()
    assert done.halted and "this club was last worked on at" in done.troubles[0] and "--restored" in done.troubles[0]
    if word:
        club.go(restored=True)
        club.cheat()
        verify_unknown(club, known, lost)
        assert passed_in(club) == [(0, 64, True)]
        assert club.told("duel01: a backup was restored") == {"federation": 1, "klingon": 1, "umpire": 0}
        assert "new salts" in explained(club) and not club.go().halted
    else:
        assert club.go().halted and set(keys_of(club)) == {1}


def test_a_game_that_was_copied_to_a_second_host(tmp_path: Path) -> None:
    club, other = Club(tmp_path / "club"), Club(tmp_path / "other")
    club.go()
    club.play()
    other.state = tmp_path / "state of the other"
    other.go()
    shutil.copytree(club.game, copy := tmp_path / "copy")
    club.play(2)
    known, lost = known_to(club, "klingon"), keys_of(club)
    for number in range(2):
        shutil.rmtree(other.game)
        shutil.copytree(copy, other.game)
        if not number:
            with opened(other.game) as game, pytest.raises(GameError, match="another host played this game last"):
                by_hand(other, game)
    for _ in range(2):
        other.go()
    other.cheat()
    verify_unknown(other, known, lost)
    assert passed_in(other) == [(0, 64, True)]
    assert other.told("copy was restored") == {"federation": 1, "klingon": 1, "umpire": 0}
    assert other.told("Another host played duel01 last")["umpire"] == 1
    assert "new salts" in explained(other)


def test_a_host_goes_on_where_its_home_cannot_be_written(tmp_path: Path) -> None:
    """Then no account knows its rounds, and that must not stop it."""
    club = Club(tmp_path / "club")
    club.state = tmp_path / "no folder"
    club.state.write_text("a file")
    for _ in range(2):
        assert not club.go().halted
        with suppress(OSError):
            club.play()
    assert set(keys_of(club)) == {1, 2}


@pytest.mark.parametrize("by", ["a backup", "a copy"])
def test_no_web_link_of_before_opens_a_club_that_was_put_back(tmp_path: Path, by: str) -> None:
    club, ann = Club(tmp_path / "club"), "ann@example.org"
    settings = (club.folder / "host.toml").read_text("utf-8")
    (club.folder / "host.toml").write_text(settings.replace("[inbox]", f'web = "{WEB}"\n[inbox]', 1), encoding="utf-8")
    club.go()
    club.play()
    before = [key_of(club.folder / "mail", ann)]
    backup(club.folder, tmp_path / "club.tar.gz")
    shutil.copytree(club.folder, tmp_path / "a copy")
    for _ in range(2):  # links that were given since are lost, and so are those that were revoked
        renew(club.folder / "mail", ann)
        before.append(key_of(club.folder / "mail", ann))
    club.anew(tmp_path / by)
    if by == "a backup":
        restore(tmp_path / "club.tar.gz", club.folder, club.now)
        assert key_of(club.folder / "mail", ann) not in before, "the pages may be open before the host is at work"
    club.go(restored=True)
    found = {key: guest(games_of(club.folder), key) for key in (*before, key_of(club.folder / "mail", ann))}
    (new,) = [key for key, one in found.items() if one is not None]
    assert found[new] is not None and new not in before
    (letter,) = [one for one in club.sent_to("federation") if "a backup was restored" in str(one["Subject"])]
    assert f"{WEB}/in#{new}" in words(letter) and club.told(new)["klingon"] == 0
    renew(club.folder / "mail", ann)
    assert guest(games_of(club.folder), new) is None


def test_games_are_told_by_their_dice_and_not_by_their_names(tmp_path: Path) -> None:
    """What an earlier version kept has names alone; and a new game may get the name of one that was taken away."""
    club = Club(tmp_path / "club")
    club.go()
    shutil.copytree(club.game, tmp_path / "copy")
    club.play(2)
    file = club.folder / "mail" / "host.json"
    kept, known = json.loads(file.read_bytes()), (club.folder / "mail" / store.FILE).read_bytes()
    assert kept["segments"] == {"duel01": 2} and list(kept["links"].values()) == [2] and kept["noted"] == kept["count"]
    file.write_text(json.dumps({name: one for name, one in kept.items() if name not in ("links", "noted")}))
    (club.game / "mail" / "hosted.json").unlink()

    shutil.rmtree(club.game)
    new("5", club.game, players=ADDRESSES, seed="another one")
    for _ in range(3):
        assert not club.go().halted
    club.play()
    assert passed_in(club) == [] and club.told("copy was restored") == {"federation": 0, "klingon": 0, "umpire": 0}

    shutil.rmtree(club.game)
    file.write_text(json.dumps({name: one for name, one in kept.items() if name not in ("links", "noted")}))
    (club.folder / "mail" / store.FILE).write_bytes(known)
    shutil.copytree(tmp_path / "copy", club.game)
    for mark in (club.folder / "Maildir").glob("*.mark"):
        mark.unlink()
    club.state = tmp_path / "another account"  # neither knows of the rounds since
    club.go()
    assert club.told("copy was restored")["klingon"] == 1


def test_two_accounts_of_a_machine_may_work_on_the_same_club(tmp_path: Path) -> None:
    club = Club(tmp_path / "club")
    club.go()
    mine, club.state = club.state, tmp_path / "state of another account"
    assert club.go().halted, "it has never worked here"
    club.go(restored=True)
    club.play()
    club.state = mine
    assert not club.go().halted
    club.play()
    assert not club.go().halted


def test_a_pack_that_was_put_back_elsewhere_says_that_nobody_knows_its_dice(tmp_path: Path) -> None:
    """The mailbox lies in the club, and is as old as the pack: it may have been put back before."""
    club = Club(tmp_path / "club")
    club.go()
    club.play()
    move_club(club.folder, tmp_path / "pack.tar.gz", club.now, club.state)
    forks: list[dict[int, tuple[bytes, dict[str, str]]]] = []
    for name in ("one machine", "another"):
        club.anew(tmp_path / name)
        restore(tmp_path / "pack.tar.gz", club.folder, club.now)
        assert not club.go().halted
        known, lost = known_to(club, "klingon"), keys_of(club)
        for one in forks:
            lost |= one
        club.cheat()
        verify_unknown(club, known, lost)
        assert passed_in(club) == [(0, 64, True)]
        forks.append(keys_of(club))
    assert {key for key, _ in forks[0].values()} & {key for key, _ in forks[1].values()} == {forks[0][1][0]}


def test_an_account_that_packed_a_club_knows_that_it_went_on_elsewhere(tmp_path: Path) -> None:
    club = Club(tmp_path / "club")
    club.go()
    here = club.folder, club.game, club.state
    move_club(club.folder, tmp_path / "pack.tar.gz", club.now, club.state)
    club.anew(tmp_path / "there")
    restore(tmp_path / "pack.tar.gz", club.folder, club.now)
    club.go()
    club.play(2)
    known, lost = known_to(club, "klingon"), keys_of(club)
    club.folder, club.game, club.state = here
    restore(tmp_path / "pack.tar.gz", club.folder, club.now)
    assert not club.go().halted
    club.cheat()
    verify_unknown(club, known, lost)

    stay_here = Club(tmp_path / "stays")
    stay_here.state = tmp_path / "state of it"
    stay_here.go()
    move_club(stay_here.folder, tmp_path / "other.tar.gz", stay_here.now, stay_here.state)
    assert stay_here.go().halted
    stay(stay_here.folder, stay_here.state)
    assert not stay_here.go().halted
    stay_here.play(2)
    assert passed_in(stay_here) == []


PARTS = {
    "the game": ("games/duel01",),
    "the correspondence": ("mail",),
    "the database": ("mail/club.db", "mail/club.db-wal"),
    "all but the database": ("games/duel01", "mail/host.json", "mail/outbox"),
}


@pytest.mark.parametrize("log", [True, False], ids=["with its log", "without its log"])
@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_a_club_that_is_put_back_from_a_copy(tmp_path: Path, part: str, rounds: int, log: bool) -> None:
    """The account and the mailbox are those of the copy, too: games and database notice it by each other's numbers."""
    club, copy = Club(tmp_path / "club"), tmp_path / "copy"
    club.go()
    with closing(sqlite3.connect(club.folder / "mail" / store.FILE)) as other:  # so the log of the copy has something
        other.execute("SELECT count(*) FROM facts").fetchall()
        club.play()
        shutil.copytree(club.folder, copy)
        shutil.copytree(club.state, tmp_path / "copy of the state")
    assert (copy / "mail" / "club.db-wal").stat().st_size
    if not log:
        (copy / "mail" / "club.db-wal").unlink()
    (copy / "mail" / "club.db-shm").unlink()
    club.play(rounds)
    known, lost = known_to(club, "klingon"), keys_of(club)
    for name in PARTS[part]:
        old, new = copy / name, club.folder / name
        (shutil.rmtree if new.is_dir() else Path.unlink)(new) if new.exists() else None
        if old.exists():
            (shutil.copytree if old.is_dir() else shutil.copy2)(old, new)
    if part != "the game":
        (mark,) = copy.glob("Maildir/*.mark")
        shutil.copy2(mark, club.folder / "Maildir" / mark.name)
        shutil.rmtree(club.state)
        shutil.copytree(tmp_path / "copy of the state", club.state)
    mails = len(club.sink.mails)
    done = club.go()
    if part == "the game":
        assert not done.halted and club.told("a copy was restored")["klingon"] == 1
    else:
        assert done.halted and "a part of this folder was restored from a copy" in done.troubles[0]
        assert {to for to, _ in club.sink.mails[mails:]} == {"umpire@host.example"}
        assert not club.go(restored=True).halted
    if "game" in part or "all" in part:
        club.cheat()
    else:
        club.play(2)
    verify_unknown(club, known, lost)
    assert not club.go().halted
