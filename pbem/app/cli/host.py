"""The commands host (with subcommands), pause, resume and doctor: games by email that run unattended.

A round of the host is one pass over all games: fetch emails, check and answer them, play, send, and remind.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import pbem
from pbem.app.cli import club, complete, web
from pbem.app.cli.club import Club
from pbem.app.cli.help import Commands, Sections
from pbem.app.cli.output import (
    FAULTY,
    Json,
    LogFormat,
    arg,
    begin_log,
    columns,
    into,
    listed,
    opened,
    opt,
    progress,
    refusal,
    say,
    tell_faults,
)
from pbem.app.cli.play import Game
from pbem.util import several, typed

if TYPE_CHECKING:
    from datetime import datetime

    from pbem.errors import GameError
    from pbem.games.resolve import Happening
    from pbem.mail.host.clocks import Up
    from pbem.mail.host.round import Round
    from pbem.mail.host.service import HostProgram as Served
    from pbem.mail.host.workers import Workers
    from pbem.mail.settings import Host
    from pbem.mail.transport.outbox import Carrier


def _now() -> datetime:
    return datetime.now(UTC)


def invite(game: Game, json: Json = False) -> None:
    """Send each player of a game the first email now.

    It has the list of players, the player's token, the first report and the order form. The time for the first
    answer begins with it. The next round of `pbem host DIR` sends the email.
    """
    from pbem.mail.host.operate import invite as write

    wrote = write(game, _now())
    text = "All players are already invited."
    if wrote:
        text = f"Written to {listed(wrote)}, not sent yet: `pbem host {_typed(game)} --once` sends them."
    say({"game": game.name, "invited": wrote}, text, json=json)


def _typed(game: Path) -> str:
    """Return the path of a game's club as the user can type it in the current folder."""
    from pbem.mail.settings import host_of

    club, cwd = host_of(game) or game, Path.cwd()
    return typed(club.relative_to(cwd) if club.is_relative_to(cwd) else club)


def replace(
    game: Game,
    side: Annotated[str, arg("SIDE", offer=complete.sides)],
    player: Annotated[str, arg("ADDRESS", "Ann <ann@example.org>")],
    json: Json = False,
) -> None:
    """Give a side another player, who gets a new token; the previous player's token becomes invalid."""
    from pbem.mail.commands.seats import replace as write

    with opened(game, lock="host replace") as folder:
        name = write(folder, side, player, _now())
    text = f"{name} of {game.name} is played by {player}; the next round of `pbem host` invites them."
    say({"game": game.name, "side": name, "player": player}, text, json=json)


def player(
    folder: Annotated[Path, arg("GAME|DIR", "A game, for one of its sides; a club, for a player in all games.")],
    who: Annotated[str, arg("SIDE|WHO", "A side, or a player: an address, a name or a key of players.toml.")],
    mail: Annotated[str, opt("The player's new email address, in all games.", metavar="ADDRESS")] = "",
    away: Annotated[
        str,
        opt(
            'The player is away, in all games: "until 2027-03-09", "until Sunday", "5 days"; off: the player is back.',
            metavar="DAYS",
        ),
    ] = "",
    by: Annotated[str, opt("Give the side another player: Ann <ann@example.org>.", metavar="PLAYER")] = "",
    vacant: Annotated[bool, opt("Offer the side: the first player who sends TAKE gets it.", "--vacant")] = False,
    stays: Annotated[bool, opt("Withdraw the offer of the side.", "--stays")] = False,
    json: Json = False,
) -> None:
    """Change a player's address, or say that they are away; give a side another player, or offer it.

    All players concerned are informed once.
    """
    from pbem.mail.commands import seats
    from pbem.mail.host import operate

    game = (folder / "game.toml").is_file()
    if sum((bool(mail), bool(away), bool(by), vacant, stays)) != 1 or game == bool(mail or away):
        text = "use --mail or --away for a club; use --by, --vacant or --stays for a game"
        raise refusal("wrong-usage", text, file=str(folder))
    if mail:
        move = operate.move_address(folder, who, mail, _now())
        say(move, f"Email for {who} goes to {move.new}; email from {move.old} no longer counts.", json=json)
        return
    if away:
        gone = operate.away(folder, who, away, _now())
        games = f" ({', '.join(gone.games)})" if gone.games else ""
        told = f"is away on {gone.days}, which do not count where their answer is wanted" if gone.days else "is back"
        say(gone, f"{who} {told}{games}. The next round of `pbem host` tells whom it concerns.", json=json)
        return
    with opened(folder, lock="host player") as one:
        side = seats.replace(one, who, by, _now()) if by else operate.vacate(one, who, now=vacant)
    said = f"is played by {by}" if by else "is offered: the first who sends TAKE has it" if vacant else "is not offered"
    data = {"game": folder.name, "side": side, "player": by, "vacant": vacant}
    say(data, f"{side} of {folder.name} {said}. The next round of `pbem host` tells everybody.", json=json)


def extend(
    folder: Annotated[Path, arg("GAME|DIR", "A game; or a club, with --player or --all.")],
    by: Annotated[str, arg("SPAN", '"2 days", "12 hours", "until Sunday", "until 2027-03-09"')],
    reason: Annotated[str, opt("The reason; everybody sees it.", metavar="TEXT")],
    player: Annotated[
        str,
        opt("All games that wait for this player: an address, a name or a key of players.toml.", metavar="WHO"),
    ] = "",
    every: Annotated[bool, opt("All games of the club.", "--all")] = False,
    json: Json = False,
) -> None:
    """Give more time for the orders that are due now.

    The time counts from the deadline, or from now if the deadline has passed.
    """
    from pbem.mail.host.deadlines import written
    from pbem.mail.host.operate import extend as give
    from pbem.mail.settings import host_of, read_host

    found = give(folder, by, _now(), reason, player=player, every=every)
    home = folder if (folder / "host.toml").is_file() else host_of(folder)
    zone = read_host(home).deadlines.zone if home is not None else "UTC"
    rows = [
        (
            one.game,
            f"due {written(one.due, zone)}"
            + (", as before: not sooner" if one.enough else ", as it was given before" if not one.new else ""),
        )
        if one.due is not None
        else (one.game, f"NOT extended: {one.trouble}")
        for one in found
    ]
    text = "\n".join(columns(rows, "")) if rows else "None of these games is waiting for orders."
    said = "The next round of `pbem host` tells everybody." if any(one.new for one in found) else ""
    say({"games": found}, f"{text}\n{said}".rstrip("\n"), json=json)
    if any(one.trouble for one in found):
        raise typer.Exit(FAULTY)


def install_service(
    folder: Club,
    kind: Annotated[str, opt("The kind: systemd, cron, windows or launchd; default: this machine's.", "--for")] = "",
    dry: Annotated[bool, opt("Show the file and write nothing.", "--dry-run")] = False,
    json: Json = False,
) -> None:
    """Write the file with which this system keeps the host running, and show the command that enables it.

    The service is not enabled yet. It does not see the variables of your shell; missing passwords are listed.
    """
    from pbem.games.storage.files import read_bytes, write_bytes
    from pbem.mail.host.service import KINDS, service
    from pbem.mail.settings import passwords_wanted, read_host
    from pbem.mail.transport.login import logins_of, not_logged_in
    from pbem.mail.transport.passwords import how_for_service, lacking

    host = read_host(folder)
    passwords, logins = passwords_wanted(host), logins_of(folder, host)
    wanted = kind or _system()
    found = next((one for one in KINDS if one == wanted), None)
    if found is None:
        raise typer.BadParameter(f"{wanted!r} must be one of {', '.join(KINDS)}", param_hint="--for")
    made = service(found, _served(folder))
    file = Path(made.file)
    shown = made.data.decode("utf-16" if made.kind == "windows" else "utf-8").replace("\r\n", "\n")
    if not dry:
        if file.exists() and read_bytes(file) != made.data:
            said = "move the existing file away first; it was not changed (--dry-run shows the new one)"
            raise refusal("not-empty", said, file=str(file))
        write_bytes(file, made.data, private=True)
    lines = [f"{file} would hold:", "", shown] if dry else [f"{file} is written."]
    lines += ["This switches it on:", *(f"    {line}" for line in made.on)]
    lines += ["and this off:", *(f"    {line}" for line in made.off), made.note]
    warned = f"Here {made.kind} does not run: with --for {_system()} it is another file." * (not _runs(made.kind))
    lines += ["", warned] if warned else []
    if password_lines := list(how_for_service(passwords)):
        lines += ["", *password_lines]
    lines += [f"Nobody is logged in as {user}: `{logins.command}`." for user in not_logged_in(logins, host)]
    data = {
        "kind": made.kind, "file": file, "text": shown, "on": made.on, "off": made.off, "written": not dry,
        "lacks": [one.variable for one in lacking(passwords)], "warning": warned,
    }  # fmt: skip
    say(data, "\n".join(lines), json=json)


_BOOTED = Path("/run/systemd/system")
"""A path that exists if systemd runs the machine (sd_booted(3)).

It does not exist if systemd is only installed, as in a container.
"""


def _system() -> str:
    """Return the name of this machine's service manager: systemd, cron, windows or launchd."""
    return {"darwin": "launchd", "win32": "windows"}.get(sys.platform, "systemd" if _BOOTED.is_dir() else "cron")


def _runs(kind: str) -> bool:
    """Return whether a file for this service manager can work on this machine.

    A file for cron works everywhere except on Windows.
    """
    return kind == _system() or (kind == "cron" and sys.platform != "win32")


def services(folder: Path) -> list[Path]:
    """Return the paths of the installed service files that may run this host.

    Files with the same name that belong to another club are left out.
    """
    from pbem.errors import GameError
    from pbem.mail.host.service import KINDS, names, service

    served = _served(folder)
    with suppress(GameError):  # a service file cannot name every folder
        return [Path(made.file) for kind in KINDS if names(made := service(kind, served), served)]
    return []


def _served(folder: Path) -> Served:
    """Return the facts that a service file needs, such as the host's folder and the path of this program."""
    from pbem.mail.host.service import HostProgram as Making

    door, home = Path(sys.argv[0]), Path.home()
    installed = door.name in ("pbem", "pbem.exe") and door.is_file()
    program = (str(door.absolute()),) if installed else (sys.executable, "-m", "pbem")
    begin = home if installed else Path(pbem.__file__).parents[1]
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return Making(folder=folder.absolute(), program=program, begin=begin, home=home, config=config)


Folder = Annotated[Path, arg("DIR", "The host's folder.")]


class _Group(Sections):
    """A command group that runs the subcommand ``run`` if none is given, so that ``pbem host DIR`` works."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            ctx.fail("Name the club's folder: `pbem host DIR`. `pbem host -h` lists the other commands.")
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return ["DIR | COMMAND [ARGS]..."]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands:
            args = ["run", *args]
        return super().resolve_command(ctx, args)


app = Commands(
    cls=_Group,
    help="Host games by email: `pbem host DIR` fetches, answers, plays and sends until stopped.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "ignore_unknown_options": True},
)


def _up() -> Up:
    """Return how many seconds this machine has been running, including sleep, and an id of this boot.

    Changes of the system's time do not affect the seconds.
    """
    from pbem.mail.host.clocks import Up

    clock = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
    seconds = time.monotonic() if clock is None else time.clock_gettime(clock)
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        boot = ""
    return Up(seconds=int(seconds), boot=boot)


@app.command("run")
def run(
    folder: Folder,
    once: Annotated[bool, opt("Do one round, for cron; default: go on until stopped.", "--once")] = False,
    every: Annotated[int, opt("The time between two rounds.", min=1, metavar="SECONDS")] = 60,
    anyway: Annotated[bool, opt("Apply the rule for late players even if most players are late.", "--anyway")] = False,
    restored: Annotated[bool, opt("Continue from this restored backup.", "--restored")] = False,
    log_format: LogFormat = "text",
    json: Json = False,
) -> None:
    """Run the club's host until it is stopped: answer emails, play turns, send reports and reminders.

    With --once, do one round.
    """
    from pbem.errors import GameError
    from pbem.mail.host.workers import Workers
    from pbem.mail.settings import read_host
    from pbem.mail.web_keys import last_woken

    begin_log(log_format, json=json)
    if not once:
        read_host(folder)  # report a wrong folder at once; later errors in it may be corrected while the host runs
        if not json and log_format == "text":
            _greet(folder, every)
    failed = ""
    workers = Workers()
    while True:
        rung = last_woken(folder)
        try:
            host = read_host(folder)
            workers = workers.as_wanted(host.workers, host.cluster)
            with _carrier(folder, host) as carrier, progress("one round of the mail"):
                done = _round(folder, host, carrier, workers, anyway=anyway, restored=restored)
                restored = False
            _log(done, always=once and sys.stdout.isatty(), json=json)
        except GameError as error:
            if once:
                _end_once(folder, error)
                return
            failed = _log_failure(error, failed, log_format)
        else:
            failed = ""
            if once and done.troubles:
                raise typer.Exit(FAULTY)
        if once:
            return
        try:
            _sleep(folder, every, rung)
        except KeyboardInterrupt:
            return


def _greet(folder: Path, every: int) -> None:
    """Print that the rounds of the host begin, if stderr is a terminal."""
    if _at_terminal():
        rounds = f"a round every {several(every, 'second')}"
        typer.echo(f"At work on {folder}: {rounds}. What happens is told here; Ctrl+C ends it.", err=True)


def _round(
    folder: Path, host: Host, carrier: Carrier | None, workers: Workers, *, anyway: bool, restored: bool
) -> Round:
    """Do one round of a host, with the inbox from the host's settings, and return what was done."""
    from pbem.club.directing import direct_all
    from pbem.mail.host.backup import state_folder
    from pbem.mail.host.round import host_round
    from pbem.mail.transport.inbox import open_source
    from pbem.mail.transport.login import login_for, logins_of

    login = login_for(logins_of(folder, host), str(host.inbox.get("user", "")))
    return host_round(
        folder,
        _now,
        source=open_source(host.inbox, folder, login) if host.inbox else None,
        carrier=carrier,
        anyway=anyway,
        state=state_folder(),
        restored=restored,
        workers=workers,
        beyond=direct_all,
        up=_up(),
    )


def _log_failure(error: GameError, before: str, log_format: str) -> str:
    """Print why a round failed, unless the round before failed for the same reason; return the reason.

    ``before`` is the reason of the round before, or empty.
    """
    from pbem.mail.event_log import tell

    if str(error) != before:
        if log_format == "json":
            tell(f"no round is done: {error}", "trouble", trouble=True)
        else:
            tell("no round is done:", "trouble", trouble=True, at=f"{_now():%Y-%m-%d %H:%M} UTC  ")
            tell_faults(error.faults, json=False)
    return str(error)


def _end_once(folder: Path, error: GameError) -> None:
    """Report why a command with ``--once`` did no round.

    If the reason is that the previous round is still running, return normally.

    Raises:
        typer.Exit: The reason was already reported today.
        GameError: The given ``error``, in all other cases.
    """
    if _at_work(folder, error):
        from pbem.mail.event_log import tell

        tell(error.faults[0].text, "trouble", at=f"{_now():%Y-%m-%d %H:%M} UTC  ")
        return
    if _told_today(folder, error):
        raise typer.Exit(FAULTY) from error
    raise error


def _at_terminal() -> bool:
    """Return whether stderr is a terminal, where a person can read messages."""
    return sys.stderr.isatty()


def _sleep(folder: Path, seconds: int, rung: int) -> None:
    """Wait for the next round; orders that are submitted on the club's web pages end the wait early.

    ``rung`` is the value of :func:`pbem.mail.web_keys.last_woken` before the last round.
    """
    from pbem.mail.web_keys import last_woken

    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0 and last_woken(folder) == rung:
        time.sleep(min(1.0, left))


def _log(done: Round, *, always: bool, json: bool) -> None:
    """Print a line with the time if something happened in the round, and a line for each new problem.

    A problem is new if it was not printed today. With ``always``, old problems and rounds in which nothing happened
    are printed too. With ``json``, all data of the round is printed instead.
    """
    if json:
        say(done, "", json=True)
        return
    from pbem.mail.event_log import tell

    at = f"{_now():%Y-%m-%d %H:%M} UTC  "
    summary = _round_text(done)
    if summary or (always and not done.troubles):
        tell(summary or "Nothing to do.", "round", at=at)
    for trouble in dict.fromkeys((*done.news, *(done.troubles if always else ()))):
        tell(trouble, "trouble", trouble=True, at=at)


def _at_work(folder: Path, error: GameError) -> bool:
    """Return whether the round failed only because the previous round is still running."""
    from pbem.mail.host.trouble import read_heartbeat

    heartbeat = read_heartbeat(folder)
    before = heartbeat.done or heartbeat.at
    locked = all(fault.code == "game-locked" for fault in error.faults)
    return locked and before is not None and _now() - before < timedelta(hours=1)


def _told_today(folder: Path, error: GameError) -> bool:
    """Return whether the failure ``error`` was already reported today; record that it is reported now.

    At a terminal the result is always False, so the failure is reported each time.
    """
    from pbem.errors import GameError
    from pbem.mail.host.trouble import Troubles
    from pbem.mail.settings import FILE

    if _at_terminal() or not (folder / FILE).is_file():
        return False
    with suppress(GameError, OSError):
        troubles = Troubles(folder, _now())
        text = f"no round is done: {'; '.join(fault.text for fault in error.faults)}"
        times = troubles.again(text, text)
        troubles.write(troubles.before.waiting, troubles.before.failed, done=False)
        return not times
    return False


@contextmanager
def _carrier(folder: Path, host: Host) -> Iterator[Carrier | None]:
    from pbem.mail.transport.login import login_for, logins_of
    from pbem.mail.transport.smtp import SmtpCarrier

    if not host.smtp.host:
        yield None
        return
    with SmtpCarrier(host.smtp, login_for(logins_of(folder, host), host.smtp.user)) as carrier:
        yield carrier


def _round_text(done: Round) -> str:
    lines = [f"{several(len(done.letters), 'letter')} taken in"] if done.letters else []
    lines += [line for name, happened in done.games for one in happened for line in _game_lines(name, one)]
    if done.put:
        lines.append(f"{several(done.put, 'mail')} written")
    if done.delivery.sent:
        lines.append(f"{several(len(done.delivery.sent), 'mail')} sent")
    if done.delivery.waiting and (done.put or done.delivery.sent):
        waits = "waits" if done.delivery.waiting == 1 else "wait"
        lines.append(f"{several(done.delivery.waiting, 'mail')} {waits} in mail/outbox/waiting")
    return ". ".join(lines) + "." if lines else ""


def _game_lines(name: str, one: Happening) -> list[str]:
    """Return a line about an event in the game ``name`` during a round; empty if it is not worth a line."""
    if one.what == "played":
        return [f"{name}: played request {one.request} of turn {one.turn}"]
    if one.what == "sealed" and one.sealing is not None:
        return [f"{name}: all orders are sealed until round {one.sealing.round} of the beacon"]
    if one.what == "over":
        return [f"{name}: the game is over"]
    if one.what == "late":
        return [f"{name}: another program has {one.reports} open, it is written when it lets go of it"]
    return []


@app.command("status")
def status(folder: Folder, json: Json = False) -> None:
    """Show first what you must do, with the commands that help; then when each game's orders are due.

    Exit code 1 if something is not in order, or if no round was done for a day; 0 if players are only late.
    """
    from pbem.mail.host.overview import in_words, overview
    from pbem.mail.settings import read_host

    found = overview(folder, _now())
    lines = in_words(found, read_host(folder).deadlines.zone)
    say(found, "\n".join([*lines, *columns((row.name, row.says) for row in found.games)]), json=json)
    if found.red:
        raise typer.Exit(FAULTY)


@app.command("log")
def log(
    folder: Folder,
    game: Annotated[str, opt("Show only emails about this game.", metavar="NAME")] = "",
    person: Annotated[str, opt("Show only emails of this person: an address, key or name.", metavar="WHO")] = "",
    aside: Annotated[bool, opt("Show only emails put aside, with the command that accepts each.", "--aside")] = False,
    json: Json = False,
) -> None:
    """Show the correspondence: what came in, what was done with it, and what went out, in order of time."""
    from pbem.mail.host.overview import correspondence, still_aside

    found = correspondence(folder, game=game, person=person)
    if aside:
        found = still_aside(folder, found)
    accept = f"\n    pbem mail accept {typed(folder)} " if aside else ""
    lines = [one.words + (accept and accept + one.file) for one in found]
    say({"emails": found}, "\n".join(lines) or "There is no email of that kind.", json=json)


@app.command("init")
def init(folder: Folder, json: Json = False) -> None:
    """Make a host's folder with a host.toml to fill in."""
    from pbem.games.storage.files import make_folder, write_text
    from pbem.mail.settings import FILE, INITIAL

    file = folder / FILE
    if file.exists():
        raise refusal("not-empty", "there is already a host.toml; it was not changed", file=str(file))
    make_folder(folder / "games")
    write_text(file, INITIAL, private=True)
    make_folder(folder / "mail" / "in", private=True)
    text = (
        f"{file} is written. Fill it in, then test it with `pbem doctor {typed(folder)}`.\n"
        f"`pbem new SCENARIO {typed(folder / 'games' / 'NAME')} --player SIDE=ADDRESS …` makes a game."
    )
    say({"file": file}, text, json=json)


@app.command("login")
def login(
    folder: Folder,
    keyring: Annotated[bool, opt("Store the login in the keyring, not in the password file.", "--keyring")] = False,
    paste: Annotated[
        bool, opt("Use a browser on another machine, and paste the address it ends on.", "--paste")
    ] = False,
    json: Json = False,
) -> None:
    """Log in to the mailboxes that have `login = "oauth"` in host.toml.

    It shows a web address, and waits until you have logged in there.

    It is needed once, and again if the server ends the login. Repeat it as often as you like.
    """
    from pbem.mail.settings import read_host
    from pbem.mail.transport.login import Asking, log_in, logins_of, users_of

    host = read_host(folder)
    users = users_of(host)
    if not users:
        text = 'write login = "oauth" in a section of host.toml first; see `pbem help oauth`'
        raise refusal("no-login", text, file=str(folder / "host.toml"))
    asking = Asking(lambda text: typer.echo(text, err=json), (lambda: sys.stdin.readline(20_000)) if paste else None)
    kept = {}
    for user in users:
        kept[user] = log_in(logins_of(folder, host), user, asking, keyring=keyring)
    lines = [f"{user} is logged in; the login is kept in {place}." for user, place in kept.items()]
    lines.append(f"`pbem doctor {typed(folder)}` tries it.")
    say({"logins": [{"user": user, "kept": place} for user, place in kept.items()]}, "\n".join(lines), json=json)


@app.command("backup")
def backup(
    folder: Folder,
    file: Annotated[Path | None, into("The file to write; default: DIR-DATE-TIME.tar.gz beside the folder.")] = None,
    json: Json = False,
) -> None:
    """Write the whole club into one file, at a time when no round is running.

    The file contains all secrets, so keep it to yourself.
    """
    from pbem.mail.host.backup import backup as write

    made = write(folder, file or _packed_as(folder))
    lines = [f"{made.file} is written: {several(made.files, 'file')}."]
    lines += [f"Left out, as it leads elsewhere: {one}" for one in made.left_out]
    say(made, "\n".join(lines), json=json)


def _packed_as(folder: Path) -> Path:
    home = folder.absolute()
    return home.with_name(f"{home.name}-{_now():%Y%m%d-%H%M%S}.tar.gz")


@app.command("restore")
def restore(
    file: Annotated[Path, arg("FILE", "The file that `pbem host backup` wrote.")],
    folder: Annotated[Path, arg("DIR", "The club's folder. Its present contents are moved aside.")],
    json: Json = False,
) -> None:
    """Restore a club from its backup.

    Stop the host first. Afterwards run `pbem host DIR --once --restored`.
    """
    from pbem.mail.host.backup import restore as put_back

    made = put_back(file, folder.absolute(), _now())
    lines = [f"{folder} is as the backup has it."]
    if made.aside:
        lines.append(f"What lay there lies in {made.aside} now; keep it until all is well.")
    if made.moved:
        lines += ["It was packed to move, and goes on here with", f"    pbem host {typed(folder)}"]
    else:
        lines.append("Letters that came since are read again, and everybody is told once, by")
        lines.append(f"    pbem host {typed(folder)} --once --restored")
    say(made, "\n".join(lines), json=json)


@app.command("move")
def move(
    folder: Folder,
    file: Annotated[Path | None, into("The file to write; default: DIR-DATE-TIME.tar.gz beside the folder.")] = None,
    stay: Annotated[bool, opt("Continue a packed club here.", "--stay")] = False,
    json: Json = False,
) -> None:
    """Pack a club for another machine. From then on a host on this folder does nothing."""
    from pbem.mail.host.backup import state_folder
    from pbem.mail.host.operate import move_club as pack, stay as go_on

    if stay:
        go_on(folder, state_folder())
        text = f"{folder} goes on here. Delete the packed file: a club must run in one place only."
        say({"folder": folder, "stays": True}, text, json=json)
        return
    made = pack(folder, file or _packed_as(folder), _now(), state_folder())
    lines = [
        f"{made.file} is written: {several(made.files, 'file')}. On the other machine:",
        f"    pbem host restore {typed(Path(made.file).name)} {typed(folder.absolute().name)}",
        f"    pbem host {typed(folder.absolute().name)}",
        "This host does nothing from now on. Switch it off (cron, service); keep its folder until the new one works.",
    ]
    lines += [f"Left out, as it leads elsewhere: {one}" for one in made.left_out]
    say(made, "\n".join(lines), json=json)


@app.command("tidy")
def tidy(
    folder: Folder,
    keep: Annotated[str, opt("How long to keep sent email; default: `keep` in host.toml.", metavar="SPAN")] = "",
    dry: Annotated[bool, opt("Show what would be done, and do nothing.", "--try")] = False,
    json: Json = False,
) -> None:
    """Free space: pack or delete old emails, and delete reports that can be made again.

    Logs, orders, dice and journals are never deleted.
    """
    from pbem.mail.host.tidy import tidy as make_room

    made = make_room(folder, _now(), keep, dry=dry)
    rows = [
        ("reports", made.reports, "files of answered requests; they are made again when needed"),
        ("sent mails", made.packed, "emails sent more than a day ago, packed together"),
        ("old", made.old, "old emails, failed emails and emails that were set aside"),
    ]
    lines = [f"{count} {what}: {size / 1e6:.1f} MB" for _, (count, size), what in rows if count]
    lines.append(f"{made.freed / 1e6:.1f} MB {'would be' if dry else 'were'} freed.")
    lines += made.troubles
    data = {"done": made, "freed": made.freed, "try": dry}
    say(data, "\n".join(lines), json=json)
    if made.troubles:
        raise typer.Exit(FAULTY)


app.command("install-service")(install_service)
app.command("tournament")(club.tournament)
app.command("ladder")(club.ladder)
app.command("rehearse")(club.rehearse)
app.command("web")(web.web)
app.command("link")(web.link)
app.command("invite")(invite)
app.command("replace")(replace)
app.command("player")(player)
app.command("extend")(extend)


def pause(game: Game, reason: Annotated[str, opt("The reason; the players see it.")] = "", json: Json = False) -> None:
    """Stop a hosted game's clock. Emails are still answered, but nothing is played and nobody is late."""
    from pbem.errors import GameError
    from pbem.mail.host.clocks import pause as stop
    from pbem.mail.settings import host_of

    if host_of(game) is None and (game / "game.toml").is_file():
        text = "there is no clock to stop: no host runs this game, and `pbem resolve` plays its turns"
        raise GameError.saying("no-host", text, file=str(game))
    with opened(game, lock="pause") as folder:
        clock = stop(folder.path, _now(), reason)
    say({"game": game.name, "paused": clock.paused}, f"{game.name} is paused.", json=json)


def resume(game: Game, json: Json = False) -> None:
    """Let a paused game continue. Its deadlines move by the length of the pause."""
    from pbem.mail.host.clocks import resume as go_on

    with opened(game, lock="resume") as folder:
        clock = go_on(folder.path, _now())
    say({"game": game.name, "held": clock.held}, f"{game.name} goes on.", json=json)


def doctor(folder: Folder, json: Json = False) -> None:
    """Check a host's set-up (folders, lock, email in and out, games) and report what is wrong."""
    from pbem.mail.host.backup import state_folder
    from pbem.mail.host.doctor import examine

    found = examine(folder, state_folder(), services(folder))
    rows = [("ok  " if one.right else "NO  ", one.what, one.said) for one in found]
    say({"findings": found, "ok": all(one.right for one in found)}, "\n".join(columns(rows, "")), json=json)
    if not all(one.right for one in found):
        raise typer.Exit(FAULTY)
