"""The ways in which a page comes to be known."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class SourceGroup(StrEnum):
    """Ways that do not depend on each other by their making; users see the values."""

    SITEMAPS = "sitemaps"
    LINKS = "links"
    FEEDS = "feeds"
    RENDERED = "rendered pages"


# A browser sees the links of the plain page as well.
KIN: Final = (SourceGroup.LINKS, SourceGroup.RENDERED)
