"""Windows: opens files as a program does that shares them with nobody (share 0) or lets others read (share 1).

``python hold.py SHARE SECONDS FILE…`` says ``held``; with seconds, waits for a line and lets go after them; without,
lets go when its standard input ends.
"""

from __future__ import annotations

import ctypes
import sys
import time
from typing import Any

READ, EXISTING = 0x80000000, 3


def main() -> None:
    system: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined, unused-ignore]
    system.CreateFileW.restype = ctypes.c_void_p
    system.CreateFileW.argtypes = [
        ctypes.c_wchar_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32,
        ctypes.c_void_p,
    ]  # fmt: skip
    share, seconds, files = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    for file in files:
        if system.CreateFileW(file, READ, share, None, EXISTING, 0, None) in (None, ctypes.c_void_p(-1).value):
            sys.exit(f"{file} cannot be opened")
    print("held", flush=True)
    sys.stdin.readline()
    time.sleep(seconds)


if __name__ == "__main__":
    main()
