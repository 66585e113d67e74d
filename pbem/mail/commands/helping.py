"""What an umpire may type who was asked for something in words."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from pbem.games.typed import typed
from pbem.mail.seats import Seat
from pbem.mail.settings import shown_path

_AWAY: Final = timedelta(days=14)
"""So far from now is the day of the example: it is to come, and no longer than a club lets anybody be away."""


def what_helps(club: Path, seat: Seat, now: datetime | None) -> list[str]:
    """The commands that do what a player may have asked for, a line each, below one that says so."""
    home, game, who = shown_path(club), shown_path(club, seat.folder), typed(seat.person or seat.addresses[0])
    away = f"until {now + _AWAY:%Y-%m-%d}" if now is not None else "14 days"
    return [
        "What may help, if he asks for it:",
        f'  pbem host extend {game} "2 days" --reason TEXT',
        f"  pbem host player {home} {who} --mail ADDRESS",
        f'  pbem host player {home} {who} --away "{away}"',
        f"  pbem host player {game} {seat.side} --vacant",
    ]
