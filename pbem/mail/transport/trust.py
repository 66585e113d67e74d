"""What is said where a server's certificate is not trusted."""

from __future__ import annotations

import ssl
import sys
from typing import Final

_NO_ISSUER: Final = (19, 20, 21)
"""OpenSSL's codes for a chain that ends in nobody known here: mostly it is this Python that knows nobody."""


def distrust(error: ssl.SSLError) -> str:
    """Why no safe connection came about, with the way out where this Python has no certificates to compare with."""
    if not isinstance(error, ssl.SSLCertVerificationError):
        return str(error.reason or error)
    why = f"its certificate is not to be trusted: {error.verify_message}"
    if error.verify_code not in _NO_ISSUER:
        return why
    if sys.platform == "darwin":
        return f"{why}. If browsers trust it, run Install Certificates.command in the folder of this Python"
    return f"{why}. If browsers trust it, this Python lacks the certificates to compare with: install ca-certificates"
