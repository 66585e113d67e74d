"""How the text of a ``savedGame`` entry is hidden from casual eyes: ``!VCSK``, ``VOBS``, or not at all.

Neither is encryption: the key stands in the file. Both are read; ``!VCSK`` is what every release can read, so
that is what is written.
"""

from __future__ import annotations

from vassal.errors import ObfuscationError

__all__ = ["DEFAULT_KEY", "obfuscate", "reveal"]

HEX_HEADER = b"!VCSK"
RAW_HEADER = b"VOBS"

DEFAULT_KEY = 0x56
"""The key written unless the caller gives one: the same text then always gives the same bytes."""

_HEX_DIGITS = frozenset(b"0123456789abcdefABCDEF")


def _xor(data: bytes, key: int) -> bytes:
    return data.translate(bytes(value ^ key for value in range(256)))


def reveal(data: bytes, source: str = "savedGame") -> str:
    """The clear text of the bytes of a ``savedGame`` entry.

    Bytes that are not UTF-8 survive as surrogates, so :func:`obfuscate` gives them back unchanged. *source*
    names the file in errors. Raises :class:`~vassal.errors.ObfuscationError`.
    """
    if data.startswith(HEX_HEADER):
        payload = _from_hex(data[len(HEX_HEADER) :], source)
        if not payload:
            raise ObfuscationError(f"{source}: the !VCSK header is not followed by a key of two hexadecimal digits")
        clear = _xor(payload[1:], payload[0])
    elif data.startswith(RAW_HEADER):
        if len(data) == len(RAW_HEADER):
            raise ObfuscationError(f"{source}: the VOBS header is not followed by a key byte")
        clear = _xor(data[len(RAW_HEADER) + 1 :], data[len(RAW_HEADER)])
    else:
        clear = data
    return clear.decode("utf-8", "surrogateescape")


def obfuscate(text: str, key: int = DEFAULT_KEY) -> bytes:
    """The bytes of a ``savedGame`` entry for *text*, as ``!VCSK`` with *key* (0 to 255)."""
    if not 0 <= key <= 255:
        raise ObfuscationError(f"the key {key} is not in the range 0 to 255")
    payload = _xor(text.encode("utf-8", "surrogateescape"), key)
    return HEX_HEADER + b"%02x" % key + payload.hex().encode("ascii")


def _from_hex(digits: bytes, source: str) -> bytes:
    if len(digits) % 2:
        raise ObfuscationError(f"{source}: the obfuscated text has an odd number of hexadecimal digits ({len(digits)})")
    try:
        payload = bytes.fromhex(digits.decode("ascii", "replace"))
        if len(payload) * 2 == len(digits):  # fromhex skips blanks, VASSAL doesn't
            return payload
    except ValueError:
        pass
    place = next((index for index, digit in enumerate(digits) if digit not in _HEX_DIGITS), 0)
    raise ObfuscationError(
        f"{source}: byte {place + len(HEX_HEADER)} of the obfuscated text is {digits[place : place + 1]!r}, "
        "not a hexadecimal digit"
    )
