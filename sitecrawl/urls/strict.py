"""URLs as RFC 3986 wants them: browsers leave characters as they are that it does not allow."""

from __future__ import annotations

import re
from typing import Final

_NOT_ALLOWED: Final = re.compile(r"%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9._~:/?#@!$&'()*+,;=%-]")
_ADDRESS_IN_BRACKETS: Final = re.compile(r"[a-z]+://\[[0-9a-f:.]+\]")


def strict_url(url: str) -> str:
    """*url*, which is canonical, with everything escaped that has to be.

    >>> strict_url("https://a.example/100%?q=[a|b]"), strict_url("http://[::1]/a%20b?c='d'")
    ('https://a.example/100%25?q=%5Ba%7Cb%5D', "http://[::1]/a%20b?c='d'")
    """
    if _NOT_ALLOWED.search(url) is None:
        return url
    address = _ADDRESS_IN_BRACKETS.match(url)
    end = address.end() if address else 0
    return url[:end] + _NOT_ALLOWED.sub(_escape, url[end:])


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))
