"""The commands forms, check, submit, resolve and status, which lead from draft orders to played turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from pbem.app.cli import complete
from pbem.app.cli.output import (
    FAULTY,
    Json,
    arg,
    columns,
    into,
    listed,
    listing,
    opened,
    opened_with_reports,
    opt,
    print_json,
    progress,
    say,
    spelled,
    styled,
    tell,
    tell_faults,
    together,
)
from pbem.util import several, typed

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import RenderableType

    from pbem.engine.state import Request
    from pbem.errors import Fault
    from pbem.games.proof.beacon import Sealing
    from pbem.games.resolve import Happening
    from pbem.games.status import Status
    from pbem.games.storage.folder import GameFolder
    from pbem.games.submit import Receipt

Game = Annotated[Path, arg("GAME", "The game's folder.")]
Files = Annotated[list[Path], arg("FILE…", "Order files.")]


def forms(
    game: Game,
    side: Annotated[str, opt("Show only this side's draft.", "--side", offer=complete.sides)] = "",
    page: Annotated[bool, opt("Write the form as a page for a browser, and show where it is.", "--page")] = False,
    output: Annotated[Path | None, into("Write the drafts to a file, as UTF-8.")] = None,
    json: Json = False,
) -> None:
    """Print a draft order form for every side that still owes orders."""
    from pbem.games.status import status as look
    from pbem.games.storage.files import write_text
    from pbem.games.storage.publish import write_form
    from pbem.reports.draft.draft import draft_for

    if page and output is not None:
        raise typer.BadParameter("leave out -o or --page: the page is always beside its report", param_hint="-o")
    with opened(game) as folder:
        now = look(folder)
        side = side and spelled(side, [one.side for one in now.sides])
        owing = [one for one in now.owing if side in ("", one)]
        request = now.request
        drafts = {one: draft_for(folder.state(), folder.scenario(), request, one) for one in owing} if request else {}
        pages = {one: write_form(folder, one, draft) for one, draft in drafts.items()} if page else {}
    if output is not None and drafts:
        write_text(output, "\n".join(drafts.values()))
    if json:
        print_json({"game": now.game, "request": request, "drafts": drafts} | ({"pages": pages} if page else {}))
    else:
        _print_forms(drafts, list(pages.values()), output, over=now.over)


def _print_forms(drafts: Mapping[str, str], pages: Sequence[Path], output: Path | None, *, over: bool) -> None:
    """Print the drafts, the paths of the pages, or the path of the file to which the drafts were written.

    Without drafts, say why there are none. ``over`` says whether the game is over.
    """
    if pages:
        typer.echo("\n".join(map(str, pages)))
    elif drafts and output is not None:
        typer.echo(str(output))
    elif drafts:
        typer.echo("\n".join(drafts.values()), nl=False)
    else:
        typer.echo("The game is over." if over else "All orders are here: play on with `pbem resolve`.", err=True)


def check(game: Game, files: Files, json: Json = False) -> None:
    """Check whether each order is legal, and show the energy and the plot. Nothing is filed."""
    from pbem.games.submit import check as check_file

    with opened(game) as folder:
        _each_file(folder, files, check_file, json=json)


def submit(game: Game, files: Files, json: Json = False) -> None:
    """Check order files, file them under the request they answer, and print the receipts."""
    from pbem.games.submit import submit as submit_file

    with opened(game, lock="submit") as folder:
        _each_file(folder, files, submit_file, json=json)


def _each_file(
    folder: GameFolder, files: Iterable[Path], take: Callable[[GameFolder, str, str], Receipt], *, json: bool
) -> None:
    """Check or submit every order file, and each side's part of a file; print the receipts.

    Faults in one part do not stop the others. ``take`` checks or files the orders of one side, and returns the
    receipt.
    """
    from msgspec.structs import replace

    from pbem.errors import GameError
    from pbem.orders.header import order_sets

    receipts: list[Receipt] = []
    faults: list[Fault] = []
    for file in files:
        try:
            parts = order_sets(order_text(file))
        except GameError as error:
            faults += error.faults
            continue
        for above, text in parts:
            try:
                receipt = take(folder, text, str(file))
            except GameError as error:
                faults += (replace(fault, line=fault.line + above) if fault.line else fault for fault in error.faults)
                continue
            receipts.append(replace(receipt, lines=tuple((line + above, *rest) for line, *rest in receipt.lines)))
            if not json:
                typer.echo(receipt_text(receipts[-1]))
    if json:
        print_json({"receipts": receipts, "faults": faults})
    else:
        tell_faults(faults, json=False)
    if faults:
        raise typer.Exit(FAULTY)


def order_text(file: Path) -> str:
    """Return the text of an order file. The file may also be a whole email that was saved."""
    from pbem.games.storage.files import LARGEST_ORDER_FILE, read_order_file
    from pbem.orders.mail_text import is_whole_mail

    with suppress(OSError):
        if file.is_file() and file.stat().st_size <= LARGEST_ORDER_FILE and is_whole_mail(raw := file.read_bytes()):
            from pbem.mail.incoming.message import text_of_mail

            if text := text_of_mail(raw):
                return text
    return read_order_file(file)


def receipt_text(receipt: Receipt) -> str:
    """Return the receipt for a side's orders as text."""
    lines = [_receipt_lead(receipt)]
    if receipt.file:
        lines.append(f"  file    {receipt.file}")
    lines += [f"  sha256  {receipt.sha256}", "", "YOUR ORDERS, AS READ"]
    lines += [f"  {line}".rstrip() for line in receipt.orders.rstrip("\n").split("\n")]
    if receipt.lines:
        lines += ["", "VERDICT"]
        lines += columns(
            (f"line {line}", verdict, text + (f"  -- {why}" if why else ""))
            for line, text, verdict, why in receipt.lines
        )
    for ship, balance in receipt.balance:
        lines += ["", f"ENERGY OF {ship}", *(f"  {line}" for line in balance)]
    for ship, path in receipt.plots:
        if path:
            lines += ["", f"COURSE OF {ship}"]
            lines += columns((f"impulse {impulse}", code, at) for impulse, code, at in path)
    lines += ["", *(f"Note: {note}." for note in receipt.notes)] if receipt.notes else []
    lines += ["", *receipt.messages] if receipt.messages else []
    return "\n".join(lines) + "\n"


def _receipt_lead(receipt: Receipt) -> str:
    """Return the first line of a receipt: whether the orders were filed, and the request that they answer."""
    asked = f"request {receipt.request} of turn {receipt.turn} (form {receipt.form})"
    if not receipt.version:
        return f"{receipt.side}: a legal answer to {asked} of {receipt.game}. Nothing was filed: `pbem submit` does."
    if receipt.again:
        return f"{receipt.side}: this answer to {asked} of {receipt.game} is on file already."
    first = f"{receipt.side}: filed as the answer to {asked} of {receipt.game}."
    if receipt.version > 1:
        first += f" Version {receipt.version}: it stands for the earlier one."
    return first


def resolve(
    game: Game,
    beacon: Annotated[
        str, opt("The beacon's value, if it cannot be fetched from here.", "--beacon", metavar="HEX")
    ] = "",
    number: Annotated[int, opt("The drand round that --beacon belongs to, as announced.", "--round", metavar="N")] = 0,
    json: Json = False,
) -> None:
    """Play until somebody must give new orders.

    Play goes to the end of the turn or to the next break (a condition on which play stops for new orders). It
    continues from there as long as all answers are on file.
    """
    from pbem.games.proof.beacon import Beacon, GivenValue
    from pbem.games.resolve import resolve_game as play_on

    def now() -> datetime:
        return datetime.now(UTC)

    if number and not beacon:
        raise typer.BadParameter("give the value of the round too: --beacon HEX", param_hint="--round")
    with opened(game, lock="resolve") as folder, progress("playing"):
        _verify_not_paused(folder.path)
        asked: Beacon | None = None
        if beacon:
            asked = GivenValue(folder, now, beacon, number)
        elif folder.terms.dice.beacon:
            from pbem.mail.host.drand import Drand

            asked = Drand(now)
        done = play_on(folder, asked)
        name = folder.terms.name
    say({"game": name, "happened": done}, "\n".join(_happened(game, one) for one in done), json=json)


def _verify_not_paused(game: Path) -> None:
    """Check that the host has not paused the game.

    Raises:
        GameError: The game is paused.
    """
    from pbem.games.storage.players import CLOCK, FOLDER

    if not (game / FOLDER / CLOCK).is_file():
        return
    from pbem.errors import GameError
    from pbem.mail.host.clocks import read_clock

    clock = read_clock(game)
    if clock.paused is not None:
        why = f" ({clock.reason.rstrip('.')})" if clock.reason else ""
        text = f"this game is paused{why}; continue it with `pbem resume {typed(game)}`"
        raise GameError.saying("paused", text, file=str(game))


def _happened(game: Path, one: Happening) -> str:
    if one.what == "played":
        from pbem.reports.text.sentences import asked_because

        if one.asked is None:
            after = "to the end of the game"
        elif one.asked.impulse:
            after = f"to {one.asked.turn}.{one.asked.impulse}: {asked_because(one.asked.reason)}"
        else:
            after = f"to the beginning of turn {one.asked.turn}"
        return f"Played from request {one.request} of turn {one.turn} {after}. Reports: {game / one.reports}"
    if one.what == "waiting" and one.asked is not None:
        return f"Waiting for {listed(one.owing)}: {asked_for(one.asked)}."
    if one.what == "sealed" and one.sealing is not None:
        return _sealed(game, one.sealing, one.why)
    if one.what == "over":
        ends = [f"{end.side}: {end.result} ({end.why})" for end in one.outcome]
        archives = [f"Archive: {path}" for path in sorted((game / one.reports).glob("*.pbem.zip"))]
        over = ["The game is over.", *(f"  {end}" for end in ends)]
        return "\n".join([*over, f"Reports: {game / one.reports}", *archives])
    if one.what == "alone" and one.asked is not None:
        from pbem.games.resolve import ALONE

        return (
            f"The computer players have played {several(ALONE, 'turn')}, to turn {one.asked.turn}, without a result. "
            f"`pbem resolve {typed(game)}` plays on; "
            f"`pbem override {typed(game)} --result SIDE=RESULT --reason WHY` ends it."
        )
    if one.what == "late":
        return (
            f"{game / one.reports} could not be written: another program seems to have it open. It is in no email and "
            "still shows an earlier moment; close it there, and the next command writes it."
        )
    return f"A command was stopped before, or could not write everything: {one.reports} written anew."


def _sealed(game: Path, sealing: Sealing, why: str) -> str:
    from pbem.games.proof.beacon import STILL_TO_COME

    due = f"{sealing.due:%Y-%m-%d %H:%M:%S} UTC"
    first = f"All orders are in, and sealed. Their dice take round {sealing.round} of the beacon drand"
    if why != STILL_TO_COME:
        by_hand = f"`pbem resolve {typed(game)} --beacon HEX --round {sealing.round}` takes the value from you."
        return f"{first}, which was published at {due}: {why}. {by_hand}"
    return "\n".join(
        [
            f"{first}, which is published at {due}.",
            "Tell the players these hashes and the round before that; then `pbem resolve` again plays on.",
            *columns(sorted(sealing.seals.items())),
        ]
    )


def asked_for(request: Request) -> str:
    """Return a text that says which orders a request asks for, and why."""
    from pbem.mail.replies.receipts import asked_for as wanted
    from pbem.reports.text.sentences import asked_because

    return f"{wanted(request)} ({asked_because(request.reason)})"


def status(game: Game, json: Json = False) -> None:
    """Show the state of the game, and which orders each side owes."""
    from msgspec import to_builtins

    from pbem.games.status import status as look

    with opened_with_reports(game) as folder:
        now = look(folder)
        due = _due(folder.path, now)
    data: dict[str, Any] = {**to_builtins(now), "owing": list(now.owing), "due": due.moment, "paused": due.paused}
    tell(data, _status_text(game, now, due.said), lambda: _status_drawn(game, now, due.said), json=json)
    if now.faults:
        if not json:
            tell_faults(now.faults, json=False)
        raise typer.Exit(FAULTY)


class _Due(NamedTuple):
    """When the orders of a hosted game are due.

    Attributes:
        moment: The deadline; ``None`` if no orders are due or it is unknown.
        paused: Whether the game is paused.
        said: Sentences about the deadline.
    """

    moment: datetime | None = None
    paused: bool = False
    said: tuple[str, ...] = ()


def _due(game: Path, now: Status) -> _Due:
    from pbem.errors import GameError
    from pbem.mail.host.clocks import due_of
    from pbem.mail.host.deadlines import local_day, written

    try:
        found = due_of(game) if now.request is not None else None
    except GameError as error:  # show the game even if host.toml has an error
        return _Due(said=(f"The deadline is unknown: {error}",))
    if found is None:
        return _Due()
    times, rule, clock = found
    if clock.paused is not None:
        why = f": {clock.reason}" if clock.reason else ""
        return _Due(times.due, True, (f"The game is paused{why}; its deadline moves by the length of the pause.",))
    late = f", and late from {written(times.final, rule.zone)} on" if times.final > times.due else ""
    away = (f"{one}." for one in clock.gone(local_day(datetime.now(UTC), rule.zone)))
    return _Due(times.due, False, (f"Orders are due {written(times.due, rule.zone)}{late}.", *away))


def _status_text(game: Path, now: Status, due: Iterable[str]) -> str:
    lines = [f"{now.game}: scenario #{now.scenario}, {now.title}", *_status_lead(now)]
    if now.request is not None:
        lines += columns((side, what + (f" ({player})" if player else "")) for side, what, player in _sides(now))
        lines += [_status_next(now), *due]
    return "\n".join([*lines, *_status_files(game, now)])


def _status_files(game: Path, now: Status) -> list[str]:
    from pbem.games.storage.players import names, tenures

    called, lines = names(game), list[str]()
    for one in tenures(game):
        who, before = (called.get(player, player) for player in (one.player, one.before))
        lines.append(f"{one.side} is played by {who} since turn {one.turn}; before, by {before}.")
    lines += _not_reached(game)
    lines.append(f"Reports: {game / now.reports}")
    if now.owing:
        lines.append("Order forms for a browser: orders.html in the folder of each side that owes orders.")
    return lines


def _not_reached(game: Path) -> list[str]:
    """Return a sentence for each player of a hosted game whose emails cannot be delivered."""
    from pbem.errors import GameError
    from pbem.mail.host.trouble import UnreachablePlayers
    from pbem.mail.seats import seats
    from pbem.mail.settings import host_of, read_host

    if (host := host_of(game)) is None:
        return []
    lost = UnreachablePlayers(host)
    try:
        return lost.told(seats(game), read_host(host).deadlines.zone) if lost.known else []
    except GameError:
        return []  # `pbem doctor` reports errors of the club


def _status_drawn(game: Path, now: Status, due: Iterable[str]) -> RenderableType:
    parts: list[RenderableType] = [
        styled(f"{now.game}: scenario #{now.scenario}, {now.title}", "bold"), *_status_lead(now)
    ]  # fmt: skip
    if now.request is not None:
        owing = set(now.owing)
        rows = [
            (styled("owes", "bold yellow") if side in owing else styled("ok", "green"), side, what, player)
            for side, what, player in _sides(now)
        ]
        parts.append(listing(rows, ("", "SIDE", "ORDERS", "PLAYER"), ("", "bold")))
        parts.append(styled(_status_next(now), "bold yellow" if owing else "bold green"))
        parts += due
    return together(*parts, *_status_files(game, now))


def _status_lead(now: Status) -> list[str]:
    if now.request is None:
        return ["The game is over.", *(f"  {end.side}: {end.result} ({end.why})" for end in now.outcome)]
    return [f"Turn {now.turn}, impulse {now.impulse} of {now.impulses}. Waiting for {asked_for(now.request)}."]


def _status_next(now: Status) -> str:
    if now.sealing is not None:
        due = f"{now.sealing.due:%Y-%m-%d %H:%M:%S} UTC"
        return f"All orders are sealed until round {now.sealing.round} of the beacon ({due})."
    return f"Waiting for {listed(now.owing)}." if now.owing else "All orders are here: play on with `pbem resolve`."


def _sides(now: Status) -> list[tuple[str, str, str]]:
    """Return, for every side, its name, the status of its orders (such as "owes orders"), and its player."""
    rows = []
    for side in now.sides:
        if side.robot:
            what = "played by the robot"
        elif not side.asked:
            comes = f"comes on turn {side.arrives}; nothing is asked of it before"
            what = comes if side.arrives else "no orders needed now; its orders stay in force"
        elif not side.answered:
            what = "owes orders"
        elif side.version:
            what = f"has answered: {side.file}, version {side.version}"
        else:
            what = f"has answered with its energy form: {side.file}"
        rows.append((side.side, what, "" if side.robot else side.player))
    return rows
