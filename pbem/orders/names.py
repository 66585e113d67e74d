"""Names as orders write them."""

from __future__ import annotations

from pbem.orders import words
from pbem.orders.lexer import Misread, tokens_of


def name_text(name: str) -> str:
    """A name as it can stand in an order: in quotes if it could be read as anything else."""
    name = " ".join(name.split())
    return name if _plain(name) else '"' + name.replace('"', '""') + '"'


def _plain(name: str) -> bool:
    try:
        tokens = tokens_of(name)
    except Misread:
        return False
    single = (*words.FACINGS, *words.CODES)
    return (
        bool(tokens)
        and all(t.kind == "word" and not t.key and t.text[0].isalpha() for t in tokens)
        and " ".join(t.text for t in tokens) == name
        and "*" not in name
        and not any(t.text.upper() in (*single, *words.INSTEAD) for t in tokens)
    )
