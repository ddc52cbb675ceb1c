"""Language tags as pages write them."""

from __future__ import annotations

import re
from functools import lru_cache

_MAX_CHARACTERS = 35
_TAG = re.compile(r"(?:[a-z]{2,3}|x)(?:-[a-z0-9]{1,8})*")


@lru_cache(maxsize=1_024)
def _normalized(tag: str) -> str:
    tag = tag.strip().lower().replace("_", "-")
    return tag if _TAG.fullmatch(tag) else ""


def normalize_language(tag: str) -> str:
    """Give a language tag in lower case, or the empty string for what is none.

    >>> normalize_language(" en_GB "), normalize_language("x-default"), normalize_language("?")
    ('en-gb', 'x-default', '')
    """
    return _normalized(tag) if len(tag) <= _MAX_CHARACTERS else ""
