"""Read the settings of a host (``host.toml``) and of a game (``post.toml``); find the games of a host.

``host.toml`` says who runs the games, how email is received and sent, and how much time players have to answer. The
people of a club are in :mod:`pbem.mail.people`.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import msgspec

from pbem.data.files import FIGURES, PLAIN_PATHS, NotToml, build, parse_toml
from pbem.errors import Fault, GameError
from pbem.games.messages import Allowed
from pbem.games.storage.files import cannot, perhaps, read_toml_file
from pbem.mail.host.deadlines import Rule, rule_faults, span
from pbem.mail.transport.oauth import OAUTH, LogIn, OAuth, oauth_faults
from pbem.mail.transport.passwords import IMAP_PASSWORD, SMTP_PASSWORD, Wanted
from pbem.util import regex, typed

FORMAT = 1
FILE, GAME_FILE = "host.toml", "post.toml"
MOST_WORKERS = 256
_SCHEDULER = regex(r"(?:tcp|tls|ws|wss)://[^\s/@]+:\d{1,5}")

_CLONE = regex(r"^clone\s*=", re.MULTILINE)
_DOOR = regex(r"https?://[A-Za-z0-9.-]+(?::\d{1,5})?/?")


class Smtp(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The section ``[smtp]`` of host.toml: the server that sends email.

    Without ``host``, emails stay in the outbox. ``timeout`` is in seconds. It limits connecting and logging in
    together, and then each email; a long email gets additional time. ``login`` says whether ``user`` logs in by a
    password or by OAuth.
    """

    host: str = ""
    port: int = 587
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str = ""
    login: LogIn = "password"
    timeout: float = 30.0


class Letters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The section ``[letters]`` of host.toml: what players may do by email.

    The first three attributes are texts such as ``2 days``.

    Attributes:
        away: Longest absence; ``0 days`` allows none.
        yearly: Longest total of all absences within a year.
        extend: Longest extension of the deadline of one request for orders.
        extensions: How often a side may extend deadlines in one game.
        draw: Whether players may end a game as a draw.
        resign: Whether players may resign.
        address: Whether players may change the address their email goes to.
        take: Whether players may take over sides that are offered.
        watch: Whether people may follow public games in which they do not play.
    """

    away: str = "21 days"
    yearly: str = "42 days"
    extend: str = "2 days"
    extensions: int = 2
    draw: bool = True
    resign: bool = True
    address: bool = True
    take: bool = True
    watch: bool = True


class Host(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a host: the contents of host.toml.

    Paths are relative to the host's folder.

    Attributes:
        format: The version of the format.
        orders: The address that players write to.
        umpire: The person who is notified of problems.
        name: The name of the host or club, used in the ``From`` header of every email.
        tags: Whether each player answers to a separate address with their token (``orders+TOKEN@example.org``).
            The mail server of ``orders`` must support such addresses.
        messages: The people to whom players may send messages in their emails.
        figures: A folder of custom figures for newly created games.
        workers: Number of processes that play games and write reports; 0 means one for each core.
        cluster: Address of a dask scheduler whose workers play games and write reports instead; empty for none.
        keep: How long sent emails are kept, such as ``60 days``, before the host deletes them
            (:mod:`pbem.mail.host.tidy`). If empty, the host deletes nothing.
        site: The folder into which the host writes the club's web pages.
        site_url: The URL at which that folder will be published; feeds need it.
        web: The URL of the club's web server (:mod:`pbem.app.web.club`).
        inbox: Where email comes from; see :mod:`pbem.mail.transport.inbox`.
        smtp: The server that sends email.
        oauth: The server that issues OAuth tokens for inbox and smtp, if these log in by OAuth.
        deadlines: The rule for deadlines.
        letters: What players may do by email.
        ranks: Names of ranks on the ladder, and the points from which each applies.
    """

    format: int
    orders: str
    umpire: str = ""
    name: str = ""
    tags: bool = False
    messages: Allowed = "all"
    figures: str = ""
    workers: int = 0
    cluster: str = ""
    keep: str = ""
    site: str = ""
    site_url: str = ""
    web: str = ""
    inbox: dict[str, Any] = {}
    smtp: Smtp = Smtp()
    oauth: OAuth = OAuth()
    deadlines: Rule = Rule()
    letters: Letters = Letters()
    ranks: dict[str, float] = {}


class GamePost(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of one game in its post.toml: umpire, rule for messages between players, and deadlines.

    Settings that are missing are taken from the host.
    """

    format: int
    umpire: str = ""
    messages: Allowed | None = None
    deadlines: dict[str, Any] = {}


def read_host(folder: Path) -> Host:
    """Return the settings of a host folder.

    Raises:
        GameError: With all errors in the settings, or if the folder has no host.toml.
    """
    file = folder / FILE
    if not file.is_file():
        raise GameError.saying("no-host", _no_host(folder), file=str(folder))
    host: Host = _read(Host, file)
    faults = rule_faults(host.deadlines, str(file))
    faults += _address_faults(host, str(file))
    faults += _login_faults(host, str(file))
    for field in ("away", "yearly", "extend"):
        text = str(getattr(host.letters, field))
        if span(text) is None:
            wrong_span = f"write letters.{field} as a length of time, like '3 days', not {text!r}"
            faults.append(Fault(code="deadline-rule", text=wrong_span, file=str(file)))
    if host.web and not _DOOR.fullmatch(host.web):
        wrong_web = f"write web as an address without a path, like https://sfb.example.org, not {host.web!r}"
        faults.append(Fault(code="web-address", text=wrong_web, file=str(file)))
    if host.keep and span(host.keep) is None:
        wrong_keep = f"write keep as a length of time, like '60 days', not {host.keep!r}"
        faults.append(Fault(code="keep", text=wrong_keep, file=str(file)))
    if not 0 <= host.workers <= MOST_WORKERS:
        said = f"set workers to 1 to {MOST_WORKERS}, or to 0 for one process per core, not {host.workers}"
        faults.append(Fault(code="workers", text=said, file=str(file)))
    if host.cluster and not _SCHEDULER.fullmatch(host.cluster):
        wrong_cluster = (
            "write cluster as the address of a dask scheduler, like tls://scheduler.example.org:8786, "
            f"not {host.cluster!r}"
        )
        faults.append(Fault(code="workers", text=wrong_cluster, file=str(file)))
    for name, path in (("figures", host.figures), ("site", host.site)):
        if not path.isprintable():
            wrong_path = f"{name} = {path!r} has a character that paths cannot contain: {PLAIN_PATHS}"
            faults.append(Fault(code="no-such-folder", text=wrong_path, file=str(file)))
    if host.site and _is_inside(folder / host.site, folder):
        inside = f"put the site outside the host's folder, because that folder holds secrets: site = {host.site!r}"
        faults.append(Fault(code="site-place", text=inside, file=str(file)))
    if faults:
        raise GameError(*faults)
    return host


def _is_inside(path: Path, folder: Path) -> bool:
    """Return whether a path is a folder itself, or inside it."""
    return path.resolve().is_relative_to(folder.resolve())


def _no_host(folder: Path) -> str:
    """Return the error message for a folder without a host.toml."""
    if (folder / "game.toml").is_file():
        return "name the club's folder (the one with host.toml), not a game's folder"
    if other := perhaps(folder / FILE):
        return f"this folder is not a host: it has no host.toml{other}"
    if folder.is_dir():
        return "run `pbem host init` to make a host: this folder is not one, because it has no host.toml"
    return "there is no folder and no command of that name; `pbem host -h` lists the commands"


def game_rule(host: Host, game: Path) -> Rule:
    """Return the rule for deadlines of a game: the host's rule with the settings of the game's post.toml.

    Raises:
        GameError: If post.toml is invalid.
    """
    file = game / GAME_FILE
    if not file.is_file():
        return host.deadlines

    own = _read(GamePost, file).deadlines
    rule = build(Rule, {**msgspec.to_builtins(host.deadlines), **own}, str(file))
    if faults := rule_faults(rule, str(file)):
        raise GameError(*faults)
    return rule


def umpire_named(game: Path) -> str:
    """Return the umpire named in a game's post.toml: an address, or the key of a person in players.toml.

    Return ``""`` if it names none; then the club's umpire applies.

    Raises:
        GameError: If post.toml is invalid.
    """
    file = game / GAME_FILE
    return str(_read(GamePost, file).umpire) if file.is_file() else ""


def shown_path(club: Path, game: Path | None = None) -> str:
    """Return the path of a club or of one of its games as shown in suggested commands.

    The command can be pasted into a shell whose current folder contains the club's folder.
    """
    home = club.name or "."
    return typed(home if game is None else f"{home}/{game.parent.name}/{game.name}")


def host_of(game: Path) -> Path | None:
    """Return the folder of the host to which a game's folder belongs; ``None`` if there is none.

    The game need not exist yet.
    """
    return next((folder for folder in game.absolute().parents if (folder / FILE).is_file()), None)


def game_folders(folder: Path) -> list[Path]:
    """Return the folders of a host's games under ``games/``.

    Raises:
        GameError: If that folder cannot be read.
    """
    games = folder / "games"
    return games_under(games)[0] if games.is_dir() else []


def games_under(home: Path) -> tuple[list[Path], list[tuple[str, str]]]:
    """Return the game folders in a folder, and the unusable ones as (name, reason).

    Folders whose name begins with a dot are skipped: :func:`pbem.games.create.new` builds a new game in such a folder,
    and leaves it there if the command is interrupted.

    Raises:
        GameError: If the folder itself cannot be read.
    """
    folders, broken = [], []
    try:
        inside = sorted(os.listdir(home))  # noqa: PTH208 (making paths of all and comparing them takes thrice as long)
    except OSError as error:
        raise cannot("read", home, error) from error
    for name in inside:
        if name.startswith("."):
            continue
        try:
            if _is_file(f"{home}{os.sep}{name}{os.sep}game.toml"):
                name.encode("utf-8")  # a name of other bytes cannot be in an email or in the journal
                folders.append(home / name)
        except (OSError, UnicodeError) as error:
            broken.append((printable(name), broken_by(error)))
    return folders, broken


def misplaced(club: Path) -> list[Path]:
    """Return the game folders that the host ignores, because they are not directly under ``games/``.

    They are beside ``games/`` or one folder too deep. Clones (copies of a game to try things out) are left out,
    since nobody plays them by email.
    """
    home = club / "games"
    inside = [one for one in _folders_in(club) if one != home]
    for folder in _folders_in(home):
        if not (folder / "game.toml").is_file():
            inside += _folders_in(folder)
    games = []
    for folder in inside:
        with suppress(OSError, UnicodeError):
            if not _CLONE.search((folder / "game.toml").read_text("utf-8")):
                games.append(folder)
    return sorted(games)


def move_it(club: Path, game: Path) -> str:
    """Return a sentence that tells the umpire where to move one of the :func:`misplaced` games."""
    here = game.relative_to(club).as_posix()
    return f"move the folder {here} to games/{game.name}: a host plays only games that are directly under games/"


def _folders_in(folder: Path) -> list[Path]:
    with suppress(OSError):
        return [one for one in folder.iterdir() if one.is_dir() and not one.name.startswith(".")]
    return []


def right_place(club: Path, game: Path) -> Path | None:
    """Return the folder to which a misplaced game of a club should be moved.

    Return ``None`` if the game is in the right place or not part of this club's folder.
    """
    whole, home = game.absolute(), club / "games"
    if whole.parent == home or not (whole.parent == club or whole.is_relative_to(home)) or whole == home:
        return None
    return home / whole.name


def _is_file(path: str) -> bool:
    """Return whether a path is an existing file.

    Raises:
        OSError: If access is denied.
    """
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116
    except OSError:
        return Path(path).is_file()


def broken_by(error: Exception) -> str:
    """Return a clause for the umpire about an error that occurred while the host worked on a game."""
    if isinstance(error, GameError):
        return printable("; ".join(fault.text for fault in error.faults))
    if isinstance(error, RecursionError):
        return "something in it is nested more deeply than can be read"
    if isinstance(error, UnicodeError):
        return "a name or a file in it is not UTF-8 text"
    if isinstance(error, OSError):
        at = f": {error.filename}" if error.filename else ""
        return printable(f"{error.strerror or error}{at}")
    return printable(f"{type(error).__name__}: {error}")


def printable(text: str) -> str:
    r"""Return a text that an email can contain: undecodable bytes in it become escapes.

    Such bytes occur in the names of files; the escapes are like ``\udc80``.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def figures_for(game: Path) -> Path | None:
    """Return the folder of custom figures for the new game ``game``; ``None`` if there is none.

    This is the setting ``figures`` of the host to which the game will belong, else the folder ``figures`` beside
    the game's folder.

    Raises:
        GameError: If the host's settings cannot be read.
    """
    beside = game.absolute().parent
    if (beside.parent / FILE).is_file() and beside.name == "games" and (named := read_host(beside.parent).figures):
        return beside.parent / named
    return beside / FIGURES if (beside / FIGURES).is_dir() else None


def passwords_wanted(host: Host) -> list[Wanted]:
    """Return the passwords that these settings need, for the SMTP server and the IMAP inbox.

    No password is needed for a login by OAuth.
    """
    smtp, inbox, wanted = host.smtp, host.inbox, list[Wanted]()
    if smtp.host and smtp.user and smtp.login != OAUTH:
        wanted.append(Wanted(SMTP_PASSWORD, smtp.host, smtp.user))
    if inbox.get("kind") == "imap" and inbox.get("login") != OAUTH:
        wanted.append(Wanted(IMAP_PASSWORD, str(inbox.get("host", "")), str(inbox.get("user", ""))))
    return wanted


def _read(kind: type[Any], file: Path) -> Any:
    try:
        raw = parse_toml(read_toml_file(file).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise GameError.saying("not-utf8", "this file is not UTF-8 text", file=str(file)) from error
    except NotToml as error:
        raise GameError.saying("not-toml", f"this file is not valid TOML: {error}", file=str(file)) from error
    if raw.get("format") != FORMAT:
        has = f"this file has format {raw['format']!r}" if "format" in raw else "this file has no line `format = 1`"
        has = has if raw else "this file is empty"
        raise GameError.saying("format", f"{has}; this version reads format {FORMAT}", file=str(file))
    return build(kind, raw, str(file))


def _login_faults(host: Host, file: str) -> list[Fault]:
    by_oauth = {"inbox": host.inbox.get("login") == OAUTH, "smtp": host.smtp.login == OAUTH}
    users = {"inbox": host.inbox.get("user"), "smtp": host.smtp.user}
    if not any(by_oauth.values()) and host.oauth == OAuth():
        return []
    return oauth_faults(host.oauth, file, used=any(by_oauth.values())) + [
        Fault(code="oauth", text=f'[{section}] has login = "oauth" and no user', file=file)
        for section, wanted in by_oauth.items()
        if wanted and not users[section]
    ]


def _address_faults(host: Host, file: str) -> list[Fault]:
    from pbem.reports.mail.mime import address_header

    return [
        Fault(code="address", text=f"{field} = {value!r} is not an email address", file=file)
        for field, value in (("orders", host.orders), ("umpire", host.umpire))
        if (value or field == "orders") and address_header(value) is None
    ]


INITIAL = """\
# A club that plays Star Fleet Battles by email: `pbem host DIR` plays all games in DIR/games/.
# `pbem doctor DIR` tries these settings and says what is wrong; `pbem help settings` explains every line.
format = 1
name = ""                       # your name or your club's; it is in the From of every email
orders = "orders@example.org"   # the address players write to; every email comes from it
umpire = "umpire@example.org"   # gets an email when a person must decide something
messages = "all"                # messages between players: all, umpire (only to the umpire), none
figures = ""                    # a folder with your own figures for new games (pbem help figures)
tags = false                    # true: players answer to orders+TOKEN@…, if your server accepts such addresses
workers = 0                     # processes that play and write reports; 0: one for each core
keep = "60 days"                # how long sent emails are kept; old reports are made again when needed ("": keep all)
site = ""                       # a folder outside this one, like "../web", for the site of public games
site_url = ""                   # the https:// address of that folder; then the site has feeds
web = ""                        # https://sfb.example.org: the address of `pbem host web` (pbem help host web)
cluster = ""                    # tls://… or tcp://…: a dask cluster that plays the turns (pbem help cluster)

# Incoming email: a Maildir, an mbox, a folder of .eml files, or IMAP. `pbem help mailbox` has an example.
[inbox]
kind = "folder"
path = "mail/in"
# IMAP server (its password: PBEM_IMAP_PASSWORD in ~/.pbem-passwords, or the keyring; see pbem help mailbox):
# kind = "imap"
# host = "imap.example.org"
# user = "orders@example.org"
# security = "tls"              # tls (port 993), starttls (port 143) or none (a server on this machine)
# port = 993
# done = ""                     # answered emails are moved to this mailbox; without it they are marked as read
# login = "password"            # password, or oauth (Microsoft, Google, others): see [oauth]

# Outgoing email. Without a host, emails stay as .eml files in mail/outbox/waiting.
# Its password: PBEM_SMTP_PASSWORD in ~/.pbem-passwords, or the keyring; see `pbem help mailbox`.
[smtp]
host = ""
port = 587
security = "starttls"           # starttls, tls (port 465) or none (a server on this machine)
user = ""
login = "password"              # password, or oauth: see [oauth]

# For login = "oauth": the provider, and the client_id that you registered there (`pbem help oauth`).
# To log in, run `pbem host login DIR`.
# [oauth]
# provider = "microsoft"        # microsoft, google or generic
# client_id = ""
# client_secret = ""            # if the registration has one
# tenant = "common"             # Microsoft: common, consumers, organizations or your organization's
# flow = "device"               # device (a code, in any browser) or code (a browser on this machine)
# device = ""                   # generic: https:// address for device codes,
# authorize = ""                # address where a browser logs in,
# token = ""                    # and address for tokens
# scopes = []                   # permissions; default: read and send email

# For one game, its own post.toml (format = 1 and a [deadlines] table) can set other deadlines.
[deadlines]
zone = "UTC"                    # like Europe/Berlin
within = "3 days"               # from the sitrep to the deadline ...
at = ""                         # ... then on to the next such time, like "18:00"
days = []                       # ... on one of these days: ["mon", "thu"]
remind = ["1 day"]              # reminders before the deadline; another at the deadline, if there is grace
grace = "12 hours"
late = "wait"                   # after grace: wait, hold (course and fire), last orders, robot, captain
stop = 0.5                      # if more than this fraction of all players is late at once, stop and tell the umpire
nag = "1 day"                   # how often to remind late players while a game waits ("0 days": never)
holidays = []                   # days that do not count towards deadlines: ["2027-12-24 to 2028-01-01"]

# Ranks on the ladder, with the lowest points for each (pbem host ladder):
# [ranks]
# Ensign = -9
# Commander = 10

# What players may do by email. For more they must ask you.
[letters]
away = "21 days"                # AWAY: the longest absence ("0 days": none)
yearly = "42 days"             # all absences within a year
extend = "2 days"               # EXTEND: the longest extension of one request
extensions = 2                  # how often a side may extend in one game
draw = true                     # DRAW: the game ends when every side still in play has sent it
resign = true                   # RESIGN: a player gives up
address = true                  # ADDRESS: a player changes their address; a code sent there confirms it
take = true                     # TAKE: the first player who sends it gets a side that you offered (pbem host player)
watch = true                    # WATCH: anybody can get the public facts of each turn of a public game by email
"""
