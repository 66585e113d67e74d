"""The one quoting scheme VASSAL uses at every level of its texts: lists of tokens joined by one character.

A delimiter inside a token is written with a backslash before it; backslashes themselves are not doubled. A
token that begins with a backslash, or that begins and ends with an apostrophe, is put between apostrophes.

>>> encode(["a", "b;c"], ";")
'a;b\\\\;c'
>>> decode("a;b\\\\;c", ";")
['a', 'b;c']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vassal.errors import LossyTextError

__all__ = ["decode", "decode_padded", "encode", "encode_token", "is_lossless", "unquote"]


def unquote(token: str) -> str:
    """Strip exactly one pair of apostrophes around *token*, if it has one."""
    if len(token) > 1 and token[0] == "'" and token[-1] == "'":
        return token[1:-1]
    return token


def decode(text: str | None, delimiter: str) -> list[str]:
    """Split *text* into its tokens.

    ``None`` has no tokens, ``""`` has one empty token, and a delimiter at the very end leaves an empty token
    behind it. Never fails: every text is some list of tokens.
    """
    if text is None:
        return []
    if delimiter not in text:
        return [unquote(text)]
    if "\\" + delimiter not in text:
        if "'" not in text:
            return text.split(delimiter)
        return [unquote(token) for token in text.split(delimiter)]
    tokens: list[str] = []
    pending: list[str] = []  # parts of a token whose delimiters were escaped
    for part in text.split(delimiter):
        if part.endswith("\\"):
            pending.append(part[:-1])
        elif pending:
            pending.append(part)
            tokens.append(unquote(delimiter.join(pending)))
            pending = []
        else:
            tokens.append(unquote(part))
    if pending:
        # The last part ended with a backslash, but no delimiter follows it: it belongs to the token.
        tokens.append(unquote(delimiter.join(pending) + "\\"))
    return tokens


def decode_padded(text: str | None, delimiter: str, count: int) -> list[str]:
    """Like :func:`decode`, filled up with empty tokens to at least *count* (old files have fewer)."""
    tokens = decode(text, delimiter)
    if len(tokens) < count:
        tokens += [""] * (count - len(tokens))
    return tokens


def encode_token(token: str | None, delimiter: str) -> str:
    """One token as it stands between two delimiters; ``None`` is written like an empty token."""
    if not token:
        return ""
    escaped = token.replace(delimiter, "\\" + delimiter) if delimiter in token else token
    if token[0] == "\\" or (token[0] == "'" and token[-1] == "'"):
        return f"'{escaped}'"
    return escaped


def encode(tokens: Iterable[str | None], delimiter: str, *, strict: bool = True) -> str:
    """Join *tokens*. With *strict*, a list that VASSAL would read back differently is refused.

    Raises :class:`~vassal.errors.LossyTextError` for a token that ends with a backslash, is not the last one
    and is not put between apostrophes: the backslash would swallow the delimiter behind it.
    """
    parts = [encode_token(token, delimiter) for token in tokens]
    if strict:
        for part in parts[:-1]:
            if part.endswith("\\"):
                raise LossyTextError(
                    f"the text {_shorten(part)} ends with a backslash, which VASSAL would merge with what follows it"
                )
    return delimiter.join(parts)


def is_lossless(tokens: Sequence[str | None], delimiter: str) -> bool:
    """Whether VASSAL reads back the same tokens it would write."""
    text = encode(tokens, delimiter, strict=False)
    return decode(text, delimiter) == [token or "" for token in tokens]


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 60 else "..." + text[-57:])
