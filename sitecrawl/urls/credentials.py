"""User names and passwords in URLs: they are never kept, shown or sent."""

from __future__ import annotations

import re

# As browsers find them: before the last @ of the authority, with slashes either way, or with none.
_CREDENTIALS = re.compile(r"(\b(?:https?|ftp|wss?):[/\\]*|//)[^/\\?#\s]*@", re.IGNORECASE)


def without_credentials(text: str) -> str:
    """*text*, which need not be a valid URL, without what logs in.

    >>> without_credentials("ftp://me:secret@files.example/a@b")
    'ftp://files.example/a@b'
    """
    return _CREDENTIALS.sub(r"\1", text) if "@" in text else text
