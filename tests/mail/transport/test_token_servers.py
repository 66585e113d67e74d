"""Mail servers that take nothing but tokens: fetching, sending, whole rounds of a host, and ``pbem doctor``."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from typer.testing import CliRunner, Result

from pbem.app.cli.commands import app
from pbem.errors import GameError
from pbem.mail.settings import Smtp
from pbem.mail.transport import login, oauth, passwords
from pbem.mail.transport.imap import Imap, imap_source
from pbem.mail.transport.login import Asking, Logins, log_in, login_for
from pbem.mail.transport.oauth import OAuth, OAuthLogin
from pbem.mail.transport.outbox import Refused, Unreachable
from pbem.mail.transport.smtp import SmtpCarrier
from tests.mail.transport.authorization import CLIENT, USER, Authorization, Mailbox, Sending, free_port, wait_for

pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
LETTERS = [f"From: ann@example.org\r\nSubject: {n}\r\n\r\nSTATUS\r\n".encode() for n in (1, 2, 3)]
COMMAND = "pbem host login club"
ANN, HOST = "ann@example.org", "orders@host.example"


def logged_in(authorization: Authorization) -> OAuthLogin:
    """Somebody has logged in, an hour ago."""
    found = Logins(msgspec.convert(authorization.settings(), OAuth), COMMAND)
    log_in(found, USER, Asking(str, sleep=bool))
    age(found)
    authorization.asked.clear()
    return login_for(found, USER)


def age(found: Logins) -> None:
    """Have the tokens be as good as before, and not as young."""
    wanted, tokens = login._wanted(found, USER), login._known(found, USER)
    older = msgspec.structs.replace(tokens, at=tokens.at - 1200)
    passwords.store_token(wanted, oauth.packed(older), keyring=False)


def no_secret(authorization: Authorization, text: str) -> bool:
    """Whether no part of a token is in a text."""
    parts = {secret[at : at + 12] for secret in authorization.secrets() for at in range(0, len(secret) - 12, 4)}
    assert bool(parts) == bool(authorization.secrets())
    return not any(part in text for part in parts)


@pytest.fixture
def mailbox(authorization: Authorization) -> Iterator[Mailbox]:
    server = Mailbox(authorization, *LETTERS)
    yield server
    server.close()


@pytest.fixture
def sending(authorization: Authorization) -> Iterator[Sending]:
    pytest.importorskip("aiosmtpd", reason="needs aiosmtpd, an SMTP server in Python (pip install aiosmtpd)")
    server = Sending(authorization)
    yield server
    server.close()


def box(port: int, entry: OAuthLogin, **more: object) -> Imap:
    settings = {"host": "127.0.0.1", "port": port, "user": USER, "security": "none", "login": "oauth", "timeout": 20.0}
    return imap_source({**settings, **more}, entry)


def carrier(port: int, entry: OAuthLogin, **more: object) -> SmtpCarrier:
    settings = {"host": "127.0.0.1", "port": port, "security": "none", "user": USER, "login": "oauth", **more}
    return SmtpCarrier(msgspec.convert(settings, Smtp), entry)


def take(source: Imap) -> list[bytes]:
    found = []
    for key, raw in source.fetch():
        source.done(key)
        found.append(raw)
    return found


# --- IMAP ---


@pytest.mark.parametrize(
    "can", [b"IMAP4rev1 AUTH=XOAUTH2", b"IMAP4rev1 AUTH=OAUTHBEARER", b"IMAP4rev1 LOGINDISABLED AUTH=XOAUTH2"]
)
def test_letters_are_fetched_with_a_token(authorization: Authorization, mailbox: Mailbox, can: bytes) -> None:
    mailbox.can = can
    source = box(mailbox.port, logged_in(authorization))
    assert take(source) == LETTERS and mailbox.seen == {1, 2, 3} and not source.missed() and authorization.asked == []
    assert source.offers == (can.rpartition(b"=")[2].decode(),)
    assert not any(word.startswith("LOGIN") for word in mailbox.said)


@pytest.mark.parametrize(
    "ends", ["bye", "NO [AUTHENTICATIONFAILED] x", "NO [EXPIRED] x", "BAD User is authenticated but not connected."]
)
@pytest.mark.parametrize(
    "when",
    ["SELECT", "UID SEARCH UNSEEN", "UID FETCH 1 (RFC822.SIZE)", "UID FETCH 2 (BODY.PEEK[])", "UID STORE 1 ",
     "UID STORE 3 "],
)  # fmt: skip
def test_a_token_that_expires_between_two_commands_loses_nothing(
    authorization: Authorization, mailbox: Mailbox, ends: str, when: str
) -> None:
    """The next command is refused; the login is renewed, and the round goes on where it was."""
    once = [when]

    def expire(word: str) -> None:
        if once and word.startswith(once[0]):
            once.clear()
            authorization.end()

    mailbox.ends, mailbox.before = ends, expire
    source = box(mailbox.port, logged_in(authorization))
    assert sorted(take(source)) == LETTERS and mailbox.seen == {1, 2, 3} and source.missed() == ()
    assert authorization.grants() == ["refresh_token"] and not once


def test_a_letter_at_which_the_server_always_hangs_up_is_passed_over(
    authorization: Authorization, mailbox: Mailbox
) -> None:
    def expire(word: str) -> None:
        if word == "UID FETCH 2 (BODY.PEEK[])":
            authorization.end()

    mailbox.before = expire
    source = box(mailbox.port, logged_in(authorization))
    renewed = source.login.access

    def access(stale: str) -> str:
        age(Logins(msgspec.convert(authorization.settings(), OAuth), COMMAND))
        return renewed(stale)

    source.login = OAuthLogin(access, bool, COMMAND)
    assert take(source) == [LETTERS[0], LETTERS[2]]
    assert len(source.missed()) == 1 and len([word for word in mailbox.said if word.startswith("UID FETCH 2 (B")]) == 2


def test_a_letter_is_marked_once_over_a_line_of_its_own(authorization: Authorization, mailbox: Mailbox) -> None:
    """Only where a line was open already is it done again over a new one."""

    def expire(word: str) -> None:
        if word.startswith("UID STORE"):
            authorization.end()

    source = box(mailbox.port, logged_in(authorization))
    (key, _), *_ = list(source.fetch())
    mailbox.before = expire
    with pytest.raises(GameError):
        source.done(key)
    assert len([word for word in mailbox.said if word.startswith("UID STORE")]) == 1


def test_a_token_that_expired_is_renewed_before_letters_are_fetched(
    authorization: Authorization, mailbox: Mailbox
) -> None:
    source = box(mailbox.port, logged_in(authorization))
    authorization.end()
    assert take(source) == LETTERS and authorization.grants() == ["refresh_token"]


def test_a_server_that_takes_no_token_is_told_in_a_sentence(authorization: Authorization, mailbox: Mailbox) -> None:
    entry = logged_in(authorization)
    mailbox.refuses = b"IMAP is switched off for this mailbox"
    for count in (1, 1):
        with pytest.raises(GameError) as told:
            take(box(mailbox.port, entry))
        assert [str(fault) for fault in told.value.faults] == [
            f"[inbox]: no-mailbox: the mail server 127.0.0.1 refuses: {USER} may not log in by OAuth; "
            f"`{COMMAND}` logs in again. It says: [AUTHENTICATIONFAILED] IMAP is switched off for this mailbox"
        ]
        assert len(authorization.asked) == count, "a login that was just renewed is not renewed again"
    mailbox.refuses = b""
    authorization.end()
    with pytest.raises(GameError) as told:
        take(box(mailbox.port, entry))
    assert "its words repeat the token and are left out" in str(told.value) and no_secret(
        authorization, str(told.value)
    )
    mailbox.can = b"IMAP4rev1 AUTH=PLAIN AUTH=LOGIN"
    with pytest.raises(GameError, match=r'takes no OAuth tokens \(it offers PLAIN, LOGIN\): set login = "password" in'):
        take(box(mailbox.port, entry))


def test_a_refused_renewal_is_told_instead_of_the_servers_words(authorization: Authorization, mailbox: Mailbox) -> None:
    source = box(mailbox.port, logged_in(authorization))
    authorization.end()
    authorization.refuses = True
    with pytest.raises(GameError) as told:
        take(source)
    assert [fault.code for fault in told.value.faults] == ["no-login"] and "to log in again" in str(told.value)
    assert no_secret(authorization, str(told.value))


# --- SMTP ---


def test_mails_are_sent_with_a_token(authorization: Authorization, sending: Sending) -> None:
    with carrier(sending.port, logged_in(authorization)) as found:
        for letter in LETTERS:
            found.send(HOST, ANN, letter)
    assert (
        sending.took == LETTERS and sending.logins == 1 and found.offers == ("XOAUTH2",) and authorization.asked == []
    )


@pytest.mark.parametrize("ends", ["535 5.7.3 no", "530 5.7.57 who?", "421 4.7.0 gone", ""])
def test_a_token_that_expires_between_two_mails_loses_none(
    authorization: Authorization, sending: Sending, ends: str
) -> None:
    sending.ends = ends
    with carrier(sending.port, logged_in(authorization)) as found:
        found.send(HOST, ANN, LETTERS[0])
        authorization.end()
        found.send(HOST, ANN, LETTERS[1])
        found.send(HOST, ANN, LETTERS[2])
    assert sending.took == LETTERS and authorization.grants() == ["refresh_token"]
    assert sending.logins == 3, "the old token was tried once more"


def test_what_smtp_refuses_is_one_sentence(authorization: Authorization, sending: Sending) -> None:
    entry = logged_in(authorization)
    authorization.end()
    with carrier(sending.port, entry) as found:
        found.send(HOST, ANN, LETTERS[0])
        sending.before = authorization.end
        with pytest.raises(Unreachable) as told:
            found.send(HOST, ANN, LETTERS[1])
    assert str(told.value) == (
        f"{USER} may not log in to 127.0.0.1 by OAuth; `{COMMAND}` logs in again. It says: "
        "(its words repeat the token and are left out)"
    )
    assert len(authorization.asked) == 1 and no_secret(authorization, str(told.value))
    authorization.refuses = True
    age(Logins(msgspec.convert(authorization.settings(), OAuth), COMMAND))
    with pytest.raises(Unreachable, match=r"run `pbem host login club` to log in again: 127\.0\.0\.1 no longer renews"):
        carrier(sending.port, entry).connect()
    with pytest.raises(Unreachable, match="only sent over an encrypted connection"):
        carrier(sending.port, OAuthLogin(lambda _: "T", bool, COMMAND), host="0.0.0.0").connect()


def test_no_mail_is_sent_twice_where_the_line_breaks_after_its_text(
    authorization: Authorization, sending: Sending
) -> None:
    """The server may have it: the outbox decides, as it does after a login by password."""
    sending.drops = True
    with carrier(sending.port, logged_in(authorization)) as found:
        with pytest.raises(Unreachable, match="broke"):
            found.send(HOST, ANN, LETTERS[0])
        assert sending.took == LETTERS[:1]
        sending.drops = False
        found.send(HOST, ANN, LETTERS[1])
    assert sending.took == LETTERS[:2] and sending.logins == 2


def test_a_reader_who_is_refused_ends_no_log_in(authorization: Authorization, sending: Sending) -> None:
    with carrier(sending.port, logged_in(authorization)) as found:
        with pytest.raises(Refused, match="550 no such reader"):
            found.send(HOST, "nobody@example.org", LETTERS[0])
        found.send(HOST, ANN, LETTERS[1])
    assert sending.logins == 1 and sending.took == LETTERS[1:2]


def test_no_password_is_sent_where_tokens_alone_are_taken(
    authorization: Authorization, sending: Sending, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(passwords.SMTP_PASSWORD, "word")
    with pytest.raises(Unreachable) as told:
        carrier(sending.port, logged_in(authorization), login="password").connect()
    assert str(told.value) == (
        '127.0.0.1: this server wants OAuth and takes no password: set login = "oauth" in [smtp] of host.toml, fill in '
        "[oauth] (`pbem help oauth`), and run `pbem host login club`"
    )
    assert sending.logins == 0


# --- a host ---

SETTINGS = """\
format = 1
name = "Test"
orders = "orders@club.example"
umpire = "you@club.example"
[inbox]
kind = "imap"
host = "127.0.0.1"
port = {imap}
user = "{user}"
security = "none"
login = "{login}"
[smtp]
host = "127.0.0.1"
port = {smtp}
user = "{user}"
security = "none"
login = "{login}"
[oauth]
client_id = "{client}"
device = "{address}/device"
token = "{address}/token"
scopes = ["mail"]
"""


class Club(NamedTuple):
    """A club with the shipped duel, whose servers take tokens alone."""

    folder: Path
    authorization: Authorization
    mailbox: Mailbox
    sending: Sending

    def settings(self, login: str = "oauth") -> None:
        self.folder.joinpath("host.toml").write_text(
            SETTINGS.format(
                imap=self.mailbox.port, smtp=self.sending.port, user=USER, client=CLIENT, login=login,
                address=self.authorization.address,
            )
        )  # fmt: skip

    def run(self, *words: str) -> Result:
        """Run a command, like ``host login`` or ``host --once``, on this club."""
        line = [word for word in words if not word.startswith("-")]
        found = CliRunner().invoke(app, [*line, str(self.folder), *words[len(line) :]])
        assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
        assert no_secret(self.authorization, found.output)
        return found

    def logins(self) -> Logins:
        return Logins(OAuth(client_id=CLIENT, token=f"{self.authorization.address}/token"))

    def everything(self) -> str:
        """All that the host wrote."""
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files)

    def told(self) -> list[str]:
        """The umpire's mails, as they were sent or wait to be sent."""
        waiting = [path.read_bytes() for path in (self.folder / "mail" / "outbox" / "waiting").glob("*.eml")]
        mails = [mail.decode("utf-8", "replace") for mail in (*self.sending.took, *waiting)]
        return [mail for mail in mails if "the umpire is needed" in mail]


@pytest.fixture
def club(
    hosted: Any, authorization: Authorization, mailbox: Mailbox, sending: Sending, monkeypatch: pytest.MonkeyPatch
) -> Club:
    monkeypatch.setenv("XDG_STATE_HOME", str(hosted.folder.parent / "state"))
    found = Club(hosted.folder, authorization, mailbox, sending)
    found.settings()
    mailbox.letters = tuple(
        hosted.letter(side, text)
        for side, text in (("federation", "STATUS"), ("klingon", "HELP"), ("federation", hosted.scripted("federation")))
    )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("ends", ["bye", "NO [AUTHENTICATIONFAILED] token expired"])
def test_a_round_in_which_the_token_expires_loses_nothing(club: Club, ends: str) -> None:
    """It expires while emails are fetched, and once more before they are sent."""
    assert club.run("host", "login").exit_code == 0
    age(club.logins())
    club.authorization.rotates = True
    fetching, sending = ["UID FETCH 2 (BODY.PEEK[])"], [True]

    def expire(word: str) -> None:
        if fetching and word.startswith(fetching[0]):
            fetching.clear()
            club.authorization.end()

    def expire_again() -> None:
        if sending and len(club.sending.took) == 1:
            sending.clear()
            club.authorization.end()
            age(club.logins())

    club.mailbox.before, club.mailbox.ends, club.sending.before = expire, ends, expire_again
    done = club.run("host", "--once")
    assert done.exit_code == 0, done.output
    assert not fetching and not sending and club.mailbox.seen == {1, 2, 3}
    assert "3 letters taken in" in done.stdout and "waits" not in done.stdout
    assert club.authorization.grants().count("refresh_token") == 2
    subjects = b"\n".join(club.sending.took)
    assert subjects.count(b"To: ann@example.org") >= 2 and subjects.count(b"To: kor@example.org") >= 1
    assert no_secret(club.authorization, club.everything())
    before = len(club.sending.took)
    assert "Nothing to do" in club.run("host", "--once").output or club.run("host", "--once").exit_code == 0
    assert len(club.sending.took) == before, "nothing is sent twice"


@pytest.mark.slow
def test_a_log_in_that_is_not_renewed_is_told_once_and_stops_no_round(club: Club) -> None:
    club.run("host", "login")
    club.authorization.refuses = True
    wanted, tokens = login._wanted(club.logins(), USER), login._known(club.logins(), USER)
    soon = msgspec.structs.replace(tokens, renew=time.time() - 1)
    passwords.store_token(wanted, oauth.packed(soon), keyring=False)
    (club.folder / "host.toml").write_text((club.folder / "host.toml").read_text() + '[deadlines]\nwithin = "2 days"\n')
    sentence = f"to log in again: 127.0.0.1 no longer renews the login of {USER}"
    done = club.run("host", "--once")
    assert done.exit_code == 1 and sentence in " ".join(done.output.split())
    assert club.mailbox.seen == {1, 2, 3}, "the access token is still good, and the round goes on"
    (mail,) = club.told()
    assert sentence in " ".join(mail.replace("=\r\n", "").split()) and "pbem host login" in mail
    assert mail.encode().replace(b"\n", b"\r\n") in club.sending.took or mail.encode() in club.sending.took
    club.authorization.end()
    over = msgspec.structs.replace(login._known(club.logins(), USER), expires=time.time() - 1)
    passwords.store_token(wanted, oauth.packed(over), keyring=False)
    for _ in range(2):
        done = club.run("host", "--once")
        assert done.exit_code == 1 and "Traceback" not in done.output
    assert len(club.told()) == 1 and club.authorization.grants().count("refresh_token") == 1
    status = CliRunner().invoke(app, ["host", "status", str(club.folder)])
    assert sentence in " ".join(status.output.split()) and "pbem host login" in status.output
    assert no_secret(club.authorization, club.everything() + status.output)
    club.authorization.refuses = False
    club.run("host", "login")
    done = club.run("host", "--once")
    assert done.exit_code == 0, done.output
    assert sentence not in CliRunner().invoke(app, ["host", "status", str(club.folder)]).output


def findings(done: Result) -> dict[str, str]:
    """What doctor says, by what it says it of."""
    rows = [line for line in done.stdout.split("\n") if line[:4].strip() in ("ok", "NO")]
    return {line[4:].strip().split("  ")[0]: line for line in rows}


@pytest.mark.slow
def test_doctor_says_what_a_server_offers_and_which_command_to_run(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (passwords.SMTP_PASSWORD, passwords.IMAP_PASSWORD):
        monkeypatch.setenv(name, "word")
    club.settings(login="password")
    club.mailbox.can = b"IMAP4rev1 LOGINDISABLED AUTH=XOAUTH2"
    found = findings(club.run("doctor"))
    for what, section in (("inbox", "inbox"), ("outgoing mail", "smtp")):
        assert found[what].startswith("NO") and f'set login = "oauth" in [{section}] of host.toml' in found[what]
        assert f"`pbem host login {club.folder.name}`" in found[what]
    club.mailbox.can = b"IMAP4rev1 AUTH=PLAIN AUTH=XOAUTH2"
    found = findings(club.run("doctor"))
    assert found["inbox"].startswith("NO") and found["inbox"].endswith("; it offers PLAIN, XOAUTH2")
    club.settings()
    found = findings(club.run("doctor"))
    for what in (f"login {USER}", "inbox", "outgoing mail"):
        assert found[what].startswith("NO") and "to log in as" in found[what]
    club.run("host", "login")
    found = findings(club.run("doctor"))
    assert "is logged in by OAuth, and 127.0.0.1 renews it; it is kept in the file" in found[f"login {USER}"]
    assert "3 emails are waiting; it offers PLAIN, XOAUTH2; the login by OAuth is used" in found["inbox"]
    assert "; it offers XOAUTH2; the login by OAuth is used" in found["outgoing mail"]
    assert all(found[what].startswith("ok") for what in (f"login {USER}", "inbox", "outgoing mail"))


# --- Dovecot, with its own OAuth ---

DOVECOT = shutil.which("dovecot", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
CONF = """\
protocols = imap
listen = 127.0.0.1
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
ssl = no
disable_plaintext_auth = no
auth_mechanisms = xoauth2 oauthbearer
default_internal_user = {user}
default_login_user = {user}
default_internal_group = {group}
first_valid_uid = 0
first_valid_gid = 0
mail_location = maildir:{folder}/Maildir
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {folder}/oauth2.conf
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/home
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
"""
OAUTH2 = """\
introspection_mode = post
introspection_url = {address}/introspect
username_attribute = username
active_attribute = active
active_value = true
"""


@pytest.fixture
def dovecot(authorization: Authorization) -> Iterator[tuple[int, Path]]:
    """The port of Dovecot, and its Maildir; it asks the authorization server about each token."""
    if DOVECOT is None or sys.platform == "win32":
        pytest.skip("needs Dovecot, an IMAP server (Debian: apt install dovecot-imapd)")
    import grp
    import pwd

    # Dovecot's processes for strangers refuse to run as root.
    account = pwd.getpwnam("nobody") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
    # The path of a socket has hardly more than 100 characters.
    folder, port = Path(tempfile.mkdtemp(prefix="d")), free_port()
    for name in ("run", "state", "home", "Maildir/new", "Maildir/cur", "Maildir/tmp"):
        (folder / name).mkdir(parents=True)
    filled = {
        "folder": folder, "port": port, "user": account.pw_name, "uid": account.pw_uid, "gid": account.pw_gid,
        "group": grp.getgrgid(account.pw_gid).gr_name,
    }  # fmt: skip
    (folder / "dovecot.conf").write_text(CONF.format(**filled))
    (folder / "oauth2.conf").write_text(OAUTH2.format(address=authorization.address))
    more: dict[str, Any] = {}
    if os.getuid() == 0:
        more = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        folder.parent.chmod(folder.parent.stat().st_mode | 0o111)
        for path in (folder, *folder.rglob("*")):
            os.chown(path, account.pw_uid, account.pw_gid)
    process = subprocess.Popen([DOVECOT, "-F", "-c", folder / "dovecot.conf"], stderr=subprocess.DEVNULL, **more)

    def answers() -> bool:
        if process.poll() is not None:
            said = (folder / "log").read_text() if (folder / "log").is_file() else ""
            pytest.skip(f"Dovecot does not run here: {said[-300:]}")
        import socket

        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as line:
            return line.recv(100).startswith(b"* OK")
        return False

    try:
        wait_for(answers)
        yield port, folder / "Maildir"
    finally:
        process.terminate()
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
def test_dovecot_takes_our_tokens(authorization: Authorization, dovecot: tuple[int, Path]) -> None:
    port, maildir = dovecot
    for number, letter in enumerate(LETTERS):
        (maildir / "new" / f"{number}.x").write_bytes(letter)
    entry = logged_in(authorization)
    source = box(port, entry, done="Played")
    assert {"XOAUTH2", "OAUTHBEARER"} >= {*source.offers}
    fetched = []
    for key, raw in source.fetch():
        assert {*source.offers} == {"XOAUTH2", "OAUTHBEARER"}
        source.done(key)
        fetched.append(raw)
    assert fetched == LETTERS and list(source.fetch()) == [] and authorization.asked == []
    (maildir / "new" / "9.x").write_bytes(LETTERS[0])
    authorization.end()
    again = box(port, entry)
    assert [raw for _, raw in again.fetch()] == [LETTERS[0]] and authorization.grants() == ["refresh_token"]
    authorization.end()
    authorization.refuses = True
    age(Logins(msgspec.convert(authorization.settings(), OAuth), COMMAND))
    with pytest.raises(GameError) as told:
        list(box(port, entry).fetch())
    assert [fault.code for fault in told.value.faults] == ["no-login"] and no_secret(authorization, str(told.value))
    log = (maildir.parent / "log").read_text()
    assert f"user=<{USER}>, method=XOAUTH2" in log


@pytest.mark.slow
def test_dovecot_takes_the_other_mechanism(
    authorization: Authorization, dovecot: tuple[int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    port, maildir = dovecot
    (maildir / "new" / "1.x").write_bytes(LETTERS[0])
    entry = logged_in(authorization)
    monkeypatch.setattr("pbem.mail.transport.imap.mechanism", lambda offers: "OAUTHBEARER")
    assert [raw for _, raw in box(port, entry).fetch()] == [LETTERS[0]]
    authorization.end()
    assert [raw for _, raw in box(port, entry).fetch()] == [LETTERS[0]] and authorization.grants() == ["refresh_token"]
    assert f"user=<{USER}>, method=OAUTHBEARER" in (maildir.parent / "log").read_text()


def test_the_mailbox_of_these_tests_is_strict(authorization: Authorization) -> None:
    """It would notice words that are not those of XOAUTH2."""
    from tests.mail.transport.authorization import shown

    assert shown(base64.b64encode(b"user=a@b\x01auth=Bearer T\x01\x01").decode()) == ("a@b", "T")
    for wrong in (b"user=a@b\x01auth=Bearer T\x01", b"auth=Bearer T\x01\x01", b"n,a=a,\x01auth=Bearer T\x01\x01"):
        with pytest.raises(AssertionError):
            shown(base64.b64encode(wrong).decode())
