"""The commands new, demo, verify, archive and undo, which work on whole games."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem import __version__
from pbem.app.cli import complete
from pbem.app.cli.output import (
    FAULTY,
    Json,
    arg,
    into,
    link,
    listed,
    opened,
    opt,
    pairs,
    progress,
    refusal,
    say,
    tell_faults,
)
from pbem.app.cli.play import Game, asked_for
from pbem.util import several, typed

if TYPE_CHECKING:
    from pbem.engine.events import DicePassed
    from pbem.games.proof.verify_game import Verified
    from pbem.games.storage.players import VersionSpan


def new(
    scenario: Annotated[
        str, arg("SCENARIO", "A scenario's number, or the path of your own file.", offer=complete.scenarios)
    ],
    folder: Annotated[Path, arg("DIR", "A new or empty folder.")],
    player: Annotated[
        list[str],
        opt(
            "Who plays: a name or address, robot, or a level (klingon=captain).",
            metavar="SIDE=WHO",
            offer=complete.players,
        ),
    ] = [],  # noqa: B006 (Typer copies it)
    ship: Annotated[
        list[str],
        opt(
            "Use another class for a ship, role or side: a key or a file.",
            metavar="WHICH=CLASS",
            offer=complete.ship_choices,
        ),
    ] = [],  # noqa: B006
    team: Annotated[list[str], opt("Put a side in a team; sides of one team are allies.", metavar="SIDE=TEAM")] = [],  # noqa: B006
    option: Annotated[
        list[str], opt("Set an option: period=half, reveal=none, autobreaks=none …", metavar="KEY=VALUE")
    ] = [],  # noqa: B006
    with_: Annotated[
        list[str],
        opt("Add an optional unit of the scenario.", "--with", metavar="UNIT", offer=complete.optional_units),
    ] = [],  # noqa: B006
    facing: Annotated[
        list[str], opt("Set the facing of a ship that can choose it: Constellation=B (#11).", metavar="UNIT=FACING")
    ] = [],  # noqa: B006
    figures: Annotated[
        str,
        opt(
            "A folder of figures of your own, or none; default: the host's, or figures beside DIR.",
            metavar="FOLDER",
        ),
    ] = "",
    name: Annotated[str, opt("The game's name; default: the folder's name.")] = "",
    grid: Annotated[str, opt("Which map columns are half a hex lower: even or odd.")] = "even",
    seed: Annotated[str, opt("Make repeatable dice from this text, for example games.", metavar="TEXT")] = "",
    json: Json = False,
) -> None:
    """Create a game: its folder, the first reports and the first order forms."""
    from pbem.data.files import own_figures
    from pbem.data.house_figures import replaced_data
    from pbem.games.create import new as make
    from pbem.games.status import status
    from pbem.mail.people import names_for
    from pbem.mail.seats import verify_players
    from pbem.mail.settings import figures_for, host_of, right_place

    players = pairs(player, "--player", "SIDE=WHO, like klingon=ann@example.org")
    if (club := host_of(folder)) is not None:
        if (right := right_place(club, folder)) is not None:
            text = f"make this game in {right}: a host plays only games directly in {club / 'games'}"
            raise refusal("game-place", text, file=str(folder))
        verify_players(club, players)
    make(
        scenario,
        folder,
        players=players,
        ships=pairs(ship, "--ship", "WHICH=CLASS"),
        teams=pairs(team, "--team", "SIDE=TEAM"),
        options=pairs(option, "--option"),
        units=with_,
        facings=pairs(facing, "--facing", "UNIT=FACING"),
        name=name,
        grid=grid,
        seed=seed,
        everybody=club is not None,
        figures=None if figures == "none" else Path(figures) if figures else figures_for(folder),
        names=names_for(folder, players.values()),
    )
    with opened(folder) as game:
        now = status(game)
        replaced = replaced_data(own_figures())
    lines = [f"{now.game} is set up in {folder}: scenario #{now.scenario}, {now.title}."]
    if now.request is not None and now.request.sides:
        lines.append(f"Waiting for {listed(now.request.sides)}: {asked_for(now.request)}.")
    elif now.request is not None:
        lines.append("The robot plays all sides: `pbem resolve` plays the game.")
    if replaced:
        lines.append(f"Played with your own figures: {', '.join(replaced)}.")
    lines.append(f"Reports and order forms: {folder / now.reports}")
    lines.append(f"Keep {folder / 'secret'} private: the dice are made from it.")
    told_ = {"figures": list(replaced)} if replaced else {}
    say({"game": now.game, "folder": folder, "status": now, **told_}, "\n".join(lines), json=json)


def demo(
    folder: Annotated[
        Path | None, opt("The folder to play it in; default: a temporary one.", "--dir", metavar="DIR", readable=False)
    ] = None,
    json: Json = False,
) -> None:
    """Play through an example game and print the path of its reports."""
    from pbem.games.create import play_demo

    with progress("playing the example") as show_progress:
        played = play_demo(folder, show_progress)
    lines = [
        f"Played {played.game} (scenario #{played.scenario}, {played.title}) from {played.files} order files:",
        f"{played.turns} turns, {played.segments} stretches of play, {played.records} events, {played.dice} dice.",
        *(f"  {end.side}: {end.result} ({end.why})" for end in played.outcome),
        "",
        "Open the report in a browser:",
        f"  {link(played.page)}",
        "The same as text, and each player's reports:",
        f"  {played.folder}",
    ]
    if folder is None:
        place = played.folder.parents[2]
        lines += ["", f"Delete this folder when you have looked at it, or say with --dir where to play: {place}"]
    say(played, "\n".join(lines), json=json)


def verify(
    game: Annotated[Path, arg("GAME", "The game's folder, or the archive of a finished game.")],
    repair: Annotated[bool, opt("Write state files and reports again from the event log.", "--repair")] = False,
    sent: Annotated[
        Path | None,
        opt(
            "Compare the emails saved in this folder (.eml, .txt, .mbox) with the archive.",
            "--sent",
            metavar="FOLDER",
            readable=False,
        ),
    ] = None,
    page: Annotated[
        Path | None,
        opt("Write your own proof page of an archive to this file.", "--page", metavar="FILE"),
    ] = None,
    json: Json = False,
) -> None:
    """Replay a game from its orders and dice, and check that everything comes out byte for byte the same.

    Exit code 1 if the replay differs from the record. Files that are only made from the record (states, reports)
    are listed if they differ, and written again with --repair.
    """
    from pbem.games.proof.verify_game import verify as replay

    if game.is_file():
        if repair:
            raise typer.BadParameter("leave out --repair: an archive is only read", param_hint="--repair")
        _verify_archive(game, sent, page, json=json)
        return
    if sent is not None:
        raise typer.BadParameter("use --sent with an archive (`pbem archive` makes one)", param_hint="--sent")
    if page is not None:
        raise typer.BadParameter("use --page with an archive (`pbem archive` makes one)", param_hint="--page")
    with opened(game, lock="verify" if repair else "") as folder, progress("replaying") as show_progress:
        found = replay(folder, repair=repair, progress=show_progress)
    faults = (*found.record, *found.other)
    if json:
        known = {k: getattr(found, k) for k in found.__struct_fields__}
        say({**known, "ok": not faults, "begun": folder.terms.begun}, "", json=True)
    else:
        _print_replay(game, found)
    if faults:
        raise typer.Exit(FAULTY)


def _print_replay(game: Path, result: Verified) -> None:
    """Print the result of a replay of a game and the faults that the replay found."""
    faults = (*result.record, *result.other)
    typer.echo(_replay_summary(game, result))
    _tell_repeated(result.repeated, result.passed, result.restored)
    for name in result.repaired:
        typer.echo(f"Written again: {name}")
    if result.stale and not faults:
        _print_stale(game, result)
    tell_faults((*result.record, *result.other[:1]), json=False)
    if len(result.other) > 1:
        typer.echo(f"{len(result.other)} such places; --json tells all of them.", err=True)
    tell_faults(result.stale if faults else (), json=False)


def _replay_summary(game: Path, result: Verified) -> str:
    """Return the first line of a replay's result, which says whether the replay matches the game's record."""
    if result.record and {fault.code for fault in result.record} <= _OF_ORDER_FILES:
        return f"{game}: the replay is the same, but not all order files are those that were played:"
    if result.record:
        return f"{game}: the replay differs from the record.{_other_version(result.versions)}"
    if result.other:
        return _of_other_versions(game, result)
    counted = _counted(result.segments, result.records, several(result.dice, "die", "dice"))
    return f"{game}: {counted}: the replay is the same{_how_far(result.versions)}"


def _print_stale(game: Path, result: Verified) -> None:
    """Print the names of files that are out of date.

    The record from which these files are made is correct, but this version of the program would write them
    differently.
    """
    typer.echo(
        "The record is sound. Files that are made from it are not as this version makes them, mostly because "
        "another one wrote them; no turn is played from them. "
        f"`pbem verify {typed(game)} --repair` writes them anew:"
    )
    for fault in result.stale:
        typer.echo(f"  {fault}")


_OF_ORDER_FILES = {"orders-missing", "orders-changed"}
"""Codes of faults in order files.

They do not affect a replay, because the game's record itself contains the orders.
"""


def _stretches(span: VersionSpan) -> str:
    return f"stretch {span.first}" if span.first == span.last else f"stretches {span.first} to {span.last}"


def _by_versions(versions: Sequence[VersionSpan]) -> str:
    """Return a sentence about the program versions that played a game; empty if it was only this version."""
    from pbem.games.storage.players import named

    if all(one.pbem == __version__ for one in versions):
        return ""
    rows = [f"{named(one.pbem)} ({_stretches(one)})" for one in versions]
    return f" Played by {listed(rows)}; this is {__version__}."


def _how_far(versions: Sequence[VersionSpan]) -> str:
    """Return the end of the sentence that reports that a replay matches the record.

    If other program versions played part of the game, it names the parts whose texts were compared.
    """
    versions_text = _by_versions(versions)
    if not versions_text:
        return ", byte for byte."
    ours = listed(_stretches(one) for one in versions if one.pbem == __version__)
    exact = f", byte for byte in {ours}" if any(one.pbem == __version__ for one in versions) else ""
    return f"{exact}.{versions_text} The words of what other versions played are not compared."


def _other_version(versions: Sequence[VersionSpan]) -> str:
    """Return a remark that another program version played part of the game; empty if none did.

    The remark is for a replay that differs from the record.
    """
    versions_text = _by_versions(versions)
    return (
        f"{versions_text} Perhaps a rule was mended since: `pbem help upgrades` says what can be done."
        if versions_text
        else ""
    )


def _of_other_versions(game: Path, result: Verified) -> str:
    """Return the text for a replay that differs only in parts that other program versions played."""
    from pbem.games.storage.players import named

    theirs = [f"{named(one.pbem)} played ({_stretches(one)})" for one in result.versions if one.pbem != __version__]
    ours = [_stretches(one) for one in result.versions if one.pbem == __version__]
    text = (
        f"{game}: what {listed(theirs)} does not come out the same by pbem {__version__} (below, where first). It "
        "stands as the log has it: the game goes on from there, and that version replays it (`pbem help upgrades`)."
    )
    if ours:
        text += f" What this version played ({listed(ours)}): the replay is the same, byte for byte."
    return text


def _tell_repeated(repeated: int, passed: int, restored: Sequence[DicePassed] = ()) -> None:
    for one in restored:
        since = f"were known to have been told up to segment {one.told}" if one.told else "may have been told"
        text = (
            f"A backup was put back in turn {one.turn}, and play went on otherwise than before: dice that {since} were "
            f"not rolled again, and the links up to segment {one.segment} were passed over."
        )
        if one.fresh:
            text += (
                " Nobody knew how many dice were told, so new salts went into all dice from there on. The host "
                f"committed to them by {one.fresh}; the players' emails of that time have this number."
            )
        typer.echo(text)
    if repeated:
        typer.echo(f"{repeated} of them repeat earlier ones with the same dice, as the umpire wished.")
    if passed:
        typer.echo(f"{passed} of them by older rules, not replayed: the umpire had them repeated since.")


def _counted(segments: int, records: int, dice: str) -> str:
    """Return a text that says how much of a game was replayed: segments of play, log records and dice.

    ``dice`` is the number of dice as text.
    """
    return f"{several(segments, 'stretch', 'stretches')} of play, {several(records, 'record')}, {dice}"


def _verify_archive(file: Path, sent: Path | None, page: Path | None, *, json: bool) -> None:
    from pbem.games.proof.verify_archive import own_page, verify_archive
    from pbem.games.storage.files import write_bytes

    found = verify_archive(file, sent)
    faults = found.faults
    if page is not None:
        write_bytes(page, own_page(file))
    if json:
        say({**{k: getattr(found, k) for k in found.__struct_fields__}, "ok": not faults}, "", json=True)
    else:
        replayed = found.found
        if replayed.record:
            typer.echo(f"{file}: the replay of {found.game} differs from its record.")
        else:
            counted = _counted(replayed.segments, replayed.records, several(found.rolls, "roll"))
            typer.echo(f"{file}: {counted}: the replay of {found.game} is the same{_how_far(replayed.versions)}")
            if found.worded:
                text = "another version of pbem made this file and words it otherwise; it was not compared"
                typer.echo(f"{', '.join(found.worded)}: {text}.")
            chains = "links and salts are" if found.scheme > 1 else "links are"
            typer.echo(f"All {chains} those committed to before the game.")
            _tell_repeated(replayed.repeated, replayed.passed, replayed.restored)
        if found.letters and not found.sent:
            letters = several(len(found.letters), "kept letter")
            others = several(len(found.unread), "other file")
            more = f" {others} there were not read: {', '.join(found.unread[:3])}." if found.unread else ""
            typer.echo(f"{letters}: all {found.compared} values in them are the archive's.{more}")
        if found.beacon and not replayed.record:
            typer.echo("The beacon's values cannot be checked offline: proof.html says where to ask for them again.")
        if page is not None:
            typer.echo(f"{link(page)}: the proof page, made here.")
        tell_faults(faults, json=False)
    if faults:
        raise typer.Exit(FAULTY)


def archive(
    game: Game,
    output: Annotated[Path | None, into("The file to write; default: GAME.pbem.zip here.")] = None,
    json: Json = False,
) -> None:
    """Write the archive of a finished game: one file with which anybody can check every die and event."""
    from pbem.games.proof.archive import archive as make, archive_name
    from pbem.games.storage.files import write_bytes

    with opened(game) as folder:
        data, file = make(folder), output or Path(archive_name(folder))
    write_bytes(file, data)
    text = (
        f"{file}: {len(data)} bytes. `pbem verify {typed(file)}` replays it; "
        "proof.html in it checks every die in a browser."
    )
    say({"file": file, "bytes": len(data)}, text, json=json)


def undo(
    game: Game,
    turn: Annotated[int | None, opt("Back to a request of this turn.", min=1)] = None,
    request: Annotated[int | None, opt("Back to this request.", min=1)] = None,
    reason: Annotated[str, opt("The reason; it goes into the log and the reports.")] = "",
    json: Json = False,
) -> None:
    """Undo play back to an earlier request for orders (default: the last one played).

    When the turn is played again, new dice are rolled.
    """
    from pbem.games.umpire.undo import undo as take_back
    from pbem.mail.umpires import plays

    with opened(game, lock="undo") as folder:
        done = take_back(folder, turn=turn or 0, request=request or 0, reason=reason, by=plays(game))
    lines = [
        f"Taken back to request {done.asked.number} of turn {done.asked.turn}; "
        f"{several(done.records, 'record no longer counts', 'records no longer count')}.",
        *(f"Set aside: {name}" for name in done.laid_aside),
        f"Waiting again for {listed(done.asked.sides)}: {asked_for(done.asked)}.",
    ]
    say(done, "\n".join(lines), json=json)
