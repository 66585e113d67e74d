"""How the text of a ``savedGame`` entry is hidden from casual eyes: ``!VCSK``, ``VOBS``, or not at all.

Neither is encryption: the key stands in the file. Both are read; ``!VCSK`` is what every release can read, so
that is what is written.
"""

from __future__ import annotations

import codecs
from binascii import hexlify, unhexlify
from collections.abc import Iterator

from vassal.errors import LossyTextError, ObfuscationError

__all__ = ["DEFAULT_KEY", "obfuscate", "obfuscated", "reveal"]

HEX_HEADER = b"!VCSK"
RAW_HEADER = b"VOBS"

DEFAULT_KEY = 0x56
"""The key written unless the caller gives one: the same text then always gives the same bytes."""

CHUNK = 1 << 20

_HEX_DIGITS = frozenset(b"0123456789abcdefABCDEF")


def _xor(data: bytes, key: int) -> bytes:
    return data.translate(bytes(value ^ key for value in range(256)))


def reveal(data: bytes, source: str = "savedGame") -> str:
    """The clear text of the bytes of a ``savedGame`` entry.

    Bytes that are not UTF-8 survive as surrogates, so :func:`obfuscate` gives them back unchanged. *source*
    names the file in errors. Raises :class:`~vassal.errors.ObfuscationError`.
    """
    if data.startswith(HEX_HEADER):
        _check_hex(data, source)
        key = int(data[len(HEX_HEADER) : len(HEX_HEADER) + 2], 16)
        table = bytes(value ^ key for value in range(256))
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        hidden = memoryview(data)
        texts = []
        try:
            # Portion by portion: three copies of a big text at once are what a reader needs most memory for.
            for start in range(len(HEX_HEADER) + 2, len(data), 2 * CHUNK):
                texts.append(decoder.decode(unhexlify(hidden[start : start + 2 * CHUNK]).translate(table)))
        except ValueError:
            raise _no_hex(data, source) from None
        return "".join([*texts, decoder.decode(b"", True)])
    if data.startswith(RAW_HEADER):
        if len(data) == len(RAW_HEADER):
            raise ObfuscationError(f"{source}: the VOBS header is not followed by a key byte")
        clear = _xor(data[len(RAW_HEADER) + 1 :], data[len(RAW_HEADER)])
    else:
        clear = data
    return clear.decode("utf-8", "surrogateescape")


def obfuscate(text: str, key: int = DEFAULT_KEY) -> bytes:
    """The bytes of a ``savedGame`` entry for *text*, as ``!VCSK`` with *key* (0 to 255)."""
    return b"".join(obfuscated(text, key))


def obfuscated(text: str, key: int = DEFAULT_KEY) -> Iterator[bytes]:
    """The same bytes in pieces: the whole is twice as big as the text."""
    if not 0 <= key <= 255:
        raise ObfuscationError(f"the key {key} is not in the range 0 to 255")
    yield HEX_HEADER + b"%02x" % key
    for start in range(0, len(text), CHUNK):
        try:
            chunk = text[start : start + CHUNK].encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            raise LossyTextError(f"the text holds {error.object[error.start]!r}, which is no character") from None
        yield hexlify(_xor(chunk, key))


def _check_hex(data: bytes, source: str) -> None:
    """Raises unless a key and pairs of digits follow the header."""
    count = len(data) - len(HEX_HEADER)
    if count % 2:
        raise ObfuscationError(f"{source}: the obfuscated text has an odd number of hexadecimal digits ({count})")
    if not count:
        raise ObfuscationError(f"{source}: the !VCSK header is not followed by a key of two hexadecimal digits")
    if not _HEX_DIGITS.issuperset(data[len(HEX_HEADER) : len(HEX_HEADER) + 2]):
        raise _no_hex(data, source)


def _no_hex(data: bytes, source: str) -> ObfuscationError:
    """What is said of the first byte that is no hexadecimal digit."""
    place = len(HEX_HEADER)
    while data[place] in _HEX_DIGITS:
        place += 1
    return ObfuscationError(
        f"{source}: byte {place} of the obfuscated text is {data[place : place + 1]!r}, not a hexadecimal digit"
    )
