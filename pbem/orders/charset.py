"""Bytes that hold somebody's text, whatever his program says of them; and files that hold none, by name.

What programs say is often wrong: Windows-1252 is called iso-8859-1, UTF-8 too. So a byte order mark counts before all,
then that the bytes are UTF-8 (other text hardly ever is), then what is said, then Windows-1252.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from pbem.patterns import regex

_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_LATIN: Final = frozenset(
    ("iso-8859-1", "iso8859-1", "latin-1", "latin1", "us-ascii", "ascii", "cp1252", "windows-1252")
)
_KNOWN: Final = regex(
    r"utf|iso|windows|cp\d|koi8|latin|us-?ascii|ascii|big5|gb|euc|shift|sjis|mac|hz|tis|johab|ks|viscii|x-"
)
"""How the names of character sets begin that mail programs write. Others that Python knows, as ``punycode``, are no
text of people, and some take time that grows with the square of the length.
"""
_SEVEN_BITS: Final = regex(r"iso-2022|utf-?7|hz")
"""Sets whose text is ASCII to look at, and so UTF-8."""
_SURROGATES: Final = regex("[\ud800-\udfff]")
"""Halves of characters, which UTF-7 can spell and which no file or journal can hold."""
_WIDE: Final = ("utf-16-le", "utf-16-be")
_MOSTLY: Final = 0.8


def text_of(data: bytes, label: str = "") -> str:
    """The text in some bytes; ``label`` is what is said of their characters. Never fails: a byte that means nothing
    becomes U+FFFD.
    """
    label = plain_label(label)
    mark = next((name for start, name in _MARKS if data.startswith(start)), "")
    if mark:
        return data.decode(mark, "replace").replace("\ufeff", "")
    tried = [label] if _SEVEN_BITS.match(label) or label.startswith(("utf-16", "utf-32")) else []
    tried += [wide for place, wide in enumerate(_WIDE) if _is_wide(data, 1 - place)]
    tried += ["utf-8", *([label] if label and label not in _LATIN else [])]
    for encoding in tried:
        with suppress(LookupError, ValueError):  # no such set, or not its text
            return _SURROGATES.sub("\ufffd", data.decode(encoding).replace("\ufeff", ""))
    return data.decode("cp1252", "replace")


def plain_label(label: str) -> str:
    """The name of a character set as it is known here; empty for one that no mail program writes."""
    label = label.strip().lower().replace("_", "-")
    return label if len(label) <= _LONGEST_LABEL and _KNOWN.match(label) else ""


_LONGEST_LABEL: Final = 40


def _is_wide(data: bytes, zeros: int) -> bool:
    """Whether this is UTF-16 without its mark: one of two bytes (``zeros``: 0 or 1) is nought almost everywhere."""
    half = data[zeros::2]
    return (
        len(data) > 1 and not len(data) % 2 and half.count(0) >= _MOSTLY * len(half) and 0 not in data[1 - zeros :: 2]
    )


_PLAIN: Final = "save it as plain text, a file that ends in .txt, or copy its text into the mail"
_SIGNS: Final = (
    (b"{\\rtf", "is RTF", _PLAIN),
    (b"PK\x03\x04", "is a Word or OpenDocument file, or a zip", _PLAIN),
    (b"\xd0\xcf\x11\xe0", "is a Word file", _PLAIN),
    (b"%PDF", "is a PDF", "copy its text into the mail"),
    (b"\x78\x9f\x3e\x22", "is Outlook's own format", "have Outlook send plain text"),
)
"""How files begin that hold text in a form of their own, what they are, and what to do instead."""


def no_plain_text(data: bytes) -> str:
    """What a file is that holds text, but no plain text, and what to do: ``is RTF: save it …``. Empty for others."""
    start = data[:1000].lstrip()
    return next((f"{what}: {do}" for sign, what, do in _SIGNS if start.startswith(sign)), "")
