"""What a host is told about the machine it runs on: its paths, its time zones, its certificates."""

from __future__ import annotations

import ssl
import sys
import zoneinfo
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.errors import GameError
from pbem.games.storage.files import keep
from pbem.games.storage.folder import locked
from pbem.mail.host import clocks as timetable
from pbem.mail.host.backup import MOVED, MovedClub
from pbem.mail.host.deadlines import Rule, rule_faults
from pbem.mail.host.doctor import Finding, examine
from pbem.mail.settings import read_host
from pbem.mail.transport.inbox import open_source
from pbem.mail.transport.smtp import distrust
from pbem.mail.transport.sources import EmlFolder, Maildir

HOST = 'format = 1\norders = "orders@club.example"\numpire = "umpire@club.example"\n'


def inbox_found(folder: Path, inbox: str) -> Finding:
    (folder / "host.toml").write_text(f"{HOST}[inbox]\n{inbox}\n", encoding="utf-8")
    (found,) = (
        one
        for one in examine(folder)
        if one.what in ("inbox", "host.toml") and (one.what, one.right) != ("host.toml", True)
    )
    return found


def test_the_doctor_misses_the_folder_mail_is_to_come_in(tmp_path: Path) -> None:
    found = inbox_found(tmp_path, 'kind = "folder"\npath = "mail/in"')
    assert not found.right and "make this folder for incoming emails" in found.said
    with pytest.raises(GameError, match="make this folder"):
        list(open_source(read_host(tmp_path).inbox, tmp_path).fetch())
    (tmp_path / "mail/in").mkdir(parents=True)
    assert inbox_found(tmp_path, 'kind = "folder"\npath = "mail/in"').right


def test_the_doctor_finds_each_thing_that_is_wrong_and_only_that(tmp_path: Path) -> None:
    def wrong(host: str) -> list[tuple[str, str]]:
        (tmp_path / "host.toml").write_text(host, encoding="utf-8")
        return [(one.what, one.said) for one in examine(tmp_path) if not one.right]

    inbox = '[inbox]\nkind = "folder"\npath = "mail"\n'
    assert {what for what, _ in wrong("format = 1\ncolour = 5\n")} == {"host.toml"}
    assert [what for what, _ in wrong("format = ")] == ["host.toml"]
    assert wrong(HOST) == [("inbox", "host.toml has no [inbox]: no email comes in")]
    assert wrong(HOST + inbox) == []
    ((what, said),) = wrong(HOST.replace("orders@club.example", "Ann <ann@example.org>") + inbox)
    assert (what, said) == ("host.toml", "it still has the address of the example: ann@example.org")
    ((what, said),) = wrong(HOST.replace("umpire@", "Orders@") + inbox)
    assert what == "umpire" and "the one players write to" in said
    ((what, said),) = wrong(HOST.partition("umpire")[0] + inbox)
    assert what == "umpire" and said.startswith("name an umpire")
    assert wrong(f'figures = "mine"\n{HOST}{inbox}') == [("figures", "there is no folder mine: no game can be made")]
    for folder in ("waiting", "failed"):
        (tmp_path / "mail/outbox" / folder).mkdir(parents=True)
        (tmp_path / "mail/outbox" / folder / "1.eml").write_bytes(b"x")
    ((what, said),) = wrong(HOST + inbox)
    assert what == "outbox" and said.startswith("1 email to nobody could not be sent: the reason was lost")
    (tmp_path / "mail/outbox/failed/1.eml").unlink()
    said_of = {one.what: one.said for one in examine(tmp_path)}
    assert said_of["outbox"] == "1 email waits to be sent" and said_of["games"].startswith("there is no game yet")
    assert said_of["inbox"] == "folder: can be read, 0 emails are waiting"
    with locked(tmp_path, "host"):
        assert [what for what, _ in wrong(HOST + inbox)] == ["lock"]
    keep(tmp_path / MOVED, MovedClub(file="there.tar.gz", at=datetime(2027, 3, 1, tzinfo=UTC)))
    ((what, said),) = wrong(HOST + inbox)
    assert what == "lock" and "packed to move to another machine" in said


def test_the_doctor_looks_at_each_game(tmp_path: Path) -> None:
    from tests.mail.hosted import DUEL

    (tmp_path / "host.toml").write_text(HOST, encoding="utf-8")
    terms = (DUEL / "game.toml").read_text(encoding="utf-8")
    for name, text in {
        "a": terms, "b": terms, "c": terms.replace('"duel01"', '"c"').replace("kor@example.org", "Kor"),
        "d": terms.replace('"duel01"', '"d"').replace("kor@example.org", "robot"), "e": "format = ",
    }.items():  # fmt: skip
        (tmp_path / "games" / name).mkdir(parents=True)
        (tmp_path / "games" / name / "game.toml").write_text(text, encoding="utf-8")
    timetable.pause(tmp_path / "games/d", datetime(2027, 3, 1, tzinfo=UTC))
    found = {one.what: one for one in examine(tmp_path) if one.what.startswith("game")}
    assert [one.right for one in found.values()] == [True, False, False, True, False]
    assert found["game a"].said == "answers within 3 days, then wait" and found["game d"].said == "paused"
    assert found["game b"].said == "games/a is called duel01 too: their emails could not be told apart"
    assert found["game c"].said.startswith("there is no address for klingon:")


def test_a_home_is_found_by_its_short_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    source = open_source({"kind": "maildir", "path": "~/Maildir"}, tmp_path / "club")
    assert isinstance(source, Maildir) and source.path == tmp_path / "Maildir"
    source = open_source({"kind": "folder", "path": "mail/in"}, tmp_path / "club")
    assert isinstance(source, EmlFolder) and source.path == tmp_path / "club/mail/in"


@pytest.mark.parametrize("path", [r"C:\temp\new", r"C:\Urlaub\ann", r"C:\mail", r"\\server\mail"])
def test_a_path_of_windows_in_double_quotes_is_told_how_to_be_written(tmp_path: Path, path: str) -> None:
    found = inbox_found(tmp_path, f'kind = "folder"\npath = "{path}"')
    assert not found.right and "write the path with / or in single quotes, because in double quotes" in found.said
    assert "write the path" not in inbox_found(tmp_path, f"kind = \"folder\"\npath = '{path}'").said
    (tmp_path / "host.toml").write_text(f'{HOST}figures = "{path}"\n', encoding="utf-8")
    if "server" not in path:  # \\s is one backslash and no sign at all
        assert "write the path with /" in examine(tmp_path)[0].said


def test_a_machine_without_time_zones_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    (fault,) = rule_faults(Rule(zone="Europe/Berlyn"))
    assert "zones are called like Europe/Berlin" in fault.text
    before = zoneinfo.TZPATH
    for name in ("tzdata", *(name for name in sys.modules if name.startswith("tzdata."))):
        monkeypatch.setitem(sys.modules, name, None)  # the package is not installed
    zoneinfo.reset_tzpath(())
    zoneinfo.ZoneInfo.clear_cache()
    try:
        assert rule_faults(Rule(zone="UTC")) == []
        (fault,) = rule_faults(Rule(zone="Europe/Berlin"))
        assert "this system has no time zones" in fault.text and "pip install tzdata" in fault.text
    finally:
        zoneinfo.reset_tzpath(before)
        zoneinfo.ZoneInfo.clear_cache()


def test_a_python_without_certificates_is_told_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_code, error.verify_message = 20, "unable to get local issuer certificate"
    for platform, way in (("darwin", "Install Certificates.command"), ("linux", "ca-certificates")):
        monkeypatch.setattr(sys, "platform", platform)
        assert "unable to get local issuer certificate" in distrust(error) and way in distrust(error)
    error.verify_code, error.verify_message = 10, "certificate has expired"
    assert distrust(error) == "its certificate is not to be trusted: certificate has expired"
