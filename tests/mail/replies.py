"""Replies as tests of pbem.mail write them."""

from __future__ import annotations

from typing import Any

from pbem.mail.replies.reply import Reply


def reply(key: str, **more: Any) -> Reply:
    fields: dict[str, Any] = {
        "to": "ann@example.org",
        "subject": "S",
        "text": "Words.\n\nUntil noon.\n",
        "kind": "sitrep",
    }
    return Reply(**{**fields, "game": "duel", "side": "a", "key": key, **more})
