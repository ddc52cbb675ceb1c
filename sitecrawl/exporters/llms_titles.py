"""The name that a site writes behind the titles of its pages, learnt from the titles."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

_SEPARATOR: Final = re.compile(r"\s(?:[-|:\u2013\u2014\u00b7\u2022\u00bb]|::)\s")
# Fewer pages share an ending by chance.
_FEWEST_PAGES: Final = 3
_LEAST_SHARE: Final = 0.1
# More endings than these are no names.
_MAX_ENDINGS: Final = 10_000


class SiteNames:
    """Counts how titles end; a site may have a name in each language.

    >>> names = SiteNames()
    >>> for title in ("Tents - Outdoors", "Lamps - Outdoors", "Outdoors", "Packs - Outdoors"):
    ...     names.add(title)
    >>> names.usual(), names.without("Tents - Outdoors"), names.without("A - B")
    ('Outdoors', 'Tents', 'A - B')
    """

    def __init__(self) -> None:
        self._titles = 0
        self._endings: Counter[str] = Counter()

    def add(self, title: str) -> None:
        self._titles += 1
        _, ending = _parts(title)
        if ending and (ending in self._endings or len(self._endings) < _MAX_ENDINGS):
            self._endings[ending] += 1

    def usual(self) -> str:
        """The name that most pages have; ``""``: none."""
        ending, pages = next(iter(self._endings.most_common(1)), ("", 0))
        return ending if self._is_name(pages) else ""

    def without(self, title: str) -> str:
        """The title without the name of the site; a title that is only that stays."""
        start, ending = _parts(title)
        return start if start and self._is_name(self._endings[ending]) else title

    def _is_name(self, pages: int) -> bool:
        return pages >= max(_FEWEST_PAGES, _LEAST_SHARE * self._titles)


def _parts(title: str) -> tuple[str, str]:
    separators = list(_SEPARATOR.finditer(title))
    if not separators:
        return "", ""
    return title[: separators[-1].start()].strip(), title[separators[-1].end() :].strip()
