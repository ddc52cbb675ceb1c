"""Every link that a page holds, with its place in the page, and what the page is."""

from sitecrawl.parse.links.blocks import KnownBlocks
from sitecrawl.parse.links.fingerprints import fingerprint_distance
from sitecrawl.parse.links.page import read_page
from sitecrawl.parse.links.reading import Links, MenuEntry, PageLimits, PageReading
from sitecrawl.parse.links.vocabulary import LinkSource, Region

__all__ = [
    "KnownBlocks",
    "LinkSource",
    "Links",
    "MenuEntry",
    "PageLimits",
    "PageReading",
    "Region",
    "fingerprint_distance",
    "read_page",
]
