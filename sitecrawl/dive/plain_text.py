"""Removes from a text all that loads, links or hides, so that it can be shown to people.

Answers of models and texts of pages pass it. A word that looks like a host is dropped even if it is
none: that costs a word, the opposite error would show a link.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from sitecrawl.dive.sentences import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

ADDRESS: Final = re.compile(
    r"[a-z][a-z0-9+.-]{1,20}:/{2,}[^\s<>\"'`\])]*"
    r"|(?:(?:javascript|vbscript|data|blob|file|mailto|tel):|//|www\.)[^\s<>\"'`\])]+"
    r"|\b(?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|app|info|biz|xyz|top|ru|cn|co|me|test|example)"
    r"\b[^\s<>\"'`\])]*"
    # Any other host, if a path, a port or a query follows it.
    r"|\b(?:[a-z0-9-]+\.)+[a-z]{2,24}(?::\d+)?[/?][^\s<>\"'`\])]*",
    re.IGNORECASE,
)
_IMAGE: Final = re.compile(r"!\s*\[[^\]]*\](?:\([^)]*\)?|\[[^\]]*\])?")
_LINK_TARGET: Final = re.compile(r"\]\s*\([^)]*\)?|\]\s*\[[^\]]*\]")
_DEFINITION: Final = re.compile(r"^\s*\[[^\]]+\]:\s*\S+.*$", re.MULTILINE)
_TAG: Final = re.compile(r"<[^>]{0,2000}>|<(?=[a-zA-Z/!])[^>]*$")
_MARKUP: Final = (_IMAGE, _LINK_TARGET, _DEFINITION, _TAG, ADDRESS)
_UNSHOWN: Final = re.compile(
    "|".join(f"(?:{each.pattern})" for each in _MARKUP), re.IGNORECASE | re.MULTILINE
)
# The soft hyphen and the joiners of scripts that need them to be read.
_KEPT_CHARACTERS: Final = frozenset("\n\t\u00ad\u200c\u200d")
_UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Co"})


def visible_text(text: str) -> str:
    """The text without characters that cannot be seen or that turn its direction.

    >>> visible_text("a\\u202eb\\u200bc\\x07")
    'abc'
    """
    return "".join(
        character for character in unicodedata.normalize("NFC", text) if _is_seen(character)
    )


def without_images(text: str) -> str:
    """The text without images and without what links by reference point at."""
    return _DEFINITION.sub("", _IMAGE.sub("", text))


def without_tags(text: str) -> str:
    return _TAG.sub("", text)


def plain_text(text: str) -> str:
    """The words of the text, without markup and addresses.

    >>> plain_text("See [this](https://evil.example/) ![x](y) <b>now</b>")
    'See [this now'
    """
    return " ".join(_UNSHOWN.sub(" ", visible_text(text)).split())


def is_plain(text: str) -> bool:
    """Whether the text can be shown as it stands."""
    return _UNSHOWN.search(text) is None and all(map(_is_seen, text))


def plain_parts(text: str) -> Iterator[str]:
    """The sentences that can be shown as they stand, and such parts of the others.

    >>> list(plain_parts("We open at nine. Go to https://evil.example/ or call us."))
    ['We open at nine.', 'Go to', 'or call us.']
    """
    for sentence in split_sentences(text):
        if is_plain(sentence):
            yield sentence
            continue
        for part in map(str.strip, _UNSHOWN.split(sentence)):
            if any(map(str.isalnum, part)) and is_plain(part):
                yield part


def _is_seen(character: str) -> bool:
    return character in _KEPT_CHARACTERS or (
        unicodedata.category(character) not in _UNSEEN_CATEGORIES
    )
